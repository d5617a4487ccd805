import Brokerage
import Sandbox
import Testing
import Upstream

/// What a stream tells, in its order, and why it ended.
final class ReceivedEvents<Value: Sendable>: Sendable {
    let events: AsyncStream<StreamEvent<Value>>
    private let continuation: AsyncStream<StreamEvent<Value>>.Continuation

    init() {
        (events, continuation) = AsyncStream.makeStream()
    }

    var deliver: @Sendable (StreamEvent<Value>) -> Void {
        { [continuation] event in continuation.yield(event) }
    }
}

extension AsyncStream.Iterator {
    /// The next event, which must be a value.
    mutating func value<Value>(
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Value where Element == StreamEvent<Value> {
        guard case .value(let value) = await next(isolation: #isolation) else {
            Issue.record("a value was expected", sourceLocation: sourceLocation)
            throw NotThere(text: "value")
        }
        return value
    }

    /// Waits for a connection to stand.
    mutating func connected<Value>(
        sourceLocation: SourceLocation = #_sourceLocation
    ) async where Element == StreamEvent<Value> {
        guard case .connected = await next(isolation: #isolation) else {
            Issue.record("a connection was expected", sourceLocation: sourceLocation)
            return
        }
    }
}

/// The symbols that a connection is to follow.
struct Wanted {
    let changes: AsyncStream<Set<Symbol>>
    private let continuation: AsyncStream<Set<Symbol>>.Continuation

    init(_ symbols: Set<Symbol> = []) {
        (changes, continuation) = AsyncStream.makeStream()
        continuation.yield(symbols)
    }

    func set(_ symbols: Set<Symbol>) {
        continuation.yield(symbols)
    }
}

/// Lets second after second of the sandbox's time pass until `body` is done.
func whileTimePasses<Result>(_ clock: ManualClock, _ body: () async throws -> Result) async rethrows
    -> Result
{
    let passing = Task {
        while !Task.isCancelled {
            clock.advance(by: .seconds(1))
            try? await Task.sleep(for: .milliseconds(5))
        }
    }
    defer { passing.cancel() }
    return try await body()
}
