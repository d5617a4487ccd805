import Brokerage
import Synchronization
import TestSupport
import Testing
import Upstream

@Suite("A stream that is kept connected")
struct ReconnectingStreamTests {
    /// Without chance, so that pauses can be told.
    private static var policy: RetryPolicy {
        var policy = RetryPolicy.streams
        policy.jitter = { 1 }
        return policy
    }

    /// Orders that come and connections that end as they are written down; the last one stands until it is cancelled.
    final class Script: OrderStream {
        enum Connection: Sendable {
            case refused(ProviderFailure.Cause)
            case broken(ProviderFailure.Cause)
        }

        private let connections: Mutex<[Connection]>
        let count = Mutex(0)

        init(_ connections: [Connection]) {
            self.connections = Mutex(connections)
        }

        func run(
            deliver: @escaping @Sendable (StreamEvent<Order>) -> Void
        ) async throws(ProviderFailure) {
            count.withLock { $0 += 1 }
            switch connections.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            case .refused(let cause): throw ProviderFailure(.alpaca, cause)
            case .broken(let cause):
                deliver(.connected)
                throw ProviderFailure(.alpaca, cause)
            case nil:
                deliver(.connected)
                let (never, _) = AsyncStream.makeStream(of: Void.self)
                for await _ in never {}
                throw ProviderFailure(.alpaca, .cancelled)
            }
        }
    }

    @Test(
        "pauses for longer each time that none stands, for as long as it is told to, and briefly after one that stood",
        arguments: [
            ([.refused(.unavailable), .refused(.timedOut), .refused(.unavailable)], [1, 2, 4]),
            ([.refused(.unavailable), .refused(.unavailable), .broken(.unavailable)], [1, 2, 1]),
            ([.broken(.invalidResponse(nil)), .broken(.unavailable)], [1, 1]),
            ([.refused(.rateLimited(retryAt: nil)), .broken(.unavailable)], [1, 1]),
            (Array(repeating: .refused(.unavailable), count: 7), [1, 2, 4, 8, 16, 30, 30]),
        ] as [([Script.Connection], [Int])])
    func pauses(connections: [Script.Connection], seconds: [Int]) async throws {
        let clock = ManualClock()
        let script = Script(connections)
        let following = Task {
            try await script.follow(retry: Self.policy, clock: clock.clock, deliver: { _ in })
        }
        for pause in seconds {
            await clock.somebodySleeps()
            #expect(clock.remaining == .seconds(pause))
            clock.advance(by: .seconds(pause))
        }
        try await waitUntil { script.count.withLock { $0 } > connections.count }
        following.cancel()
        try await following.value
        #expect(script.count.withLock { $0 } == connections.count + 1)
    }

    @Test("waits until it may come again, where the provider says when")
    func retryAt() async throws {
        let clock = ManualClock()
        let script = Script([.refused(.rateLimited(retryAt: clock.wallTime + .seconds(75)))])
        let following = Task {
            try await script.follow(retry: Self.policy, clock: clock.clock, deliver: { _ in })
        }
        await clock.somebodySleeps()
        #expect(clock.remaining == .seconds(75))
        following.cancel()
        try await following.value
        #expect(script.count.withLock { $0 } == 1)
    }

    @Test(
        "gives up where only the user or the configuration can help",
        arguments: [.unauthorized, .notEntitled, .unsupported, .notFound] as [ProviderFailure.Cause])
    func final(cause: ProviderFailure.Cause) async throws {
        let script = Script([.broken(cause)])
        await #expect(throws: ProviderFailure(.alpaca, cause)) {
            try await script.follow(retry: Self.policy, clock: ManualClock().clock, deliver: { _ in })
        }
        #expect(script.count.withLock { $0 } == 1)
    }

    @Test("tells of each connection, of what came over it, and of its end")
    func events() async throws {
        let clock = ManualClock()
        let script = Script([.broken(.unavailable)])
        let connected = Atomic(0)
        let ended = Atomic(0)
        let following = Task {
            try await script.follow(retry: Self.policy, clock: clock.clock) { event in
                if case .connected = event { connected.add(1, ordering: .relaxed) }
            } didEnd: {
                ended.add(1, ordering: .relaxed)
            }
        }
        await clock.somebodySleeps()
        #expect(ended.load(ordering: .relaxed) == 1)
        clock.advance(by: .seconds(1))
        try await waitUntil { connected.load(ordering: .relaxed) >= 2 }
        following.cancel()
        try await following.value
        #expect(ended.load(ordering: .relaxed) == 2)
    }
}
