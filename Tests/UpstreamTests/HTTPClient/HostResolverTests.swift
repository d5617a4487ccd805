import Dispatch
import Synchronization
import TestSupport
import Testing
import Upstream

/// A resolver of which names that begin with "slow" block a thread until the test releases them.
private final class BlockingResolver: Sendable {
    static let address = IPAddress.v4(0xC000_0207)

    let clock = ManualClock()
    let resolver: HostResolver
    private let state: Calls

    private final class Calls: Sendable {
        let released = DispatchSemaphore(value: 0)
        // Changed on the threads of the resolver.
        let hosts = Mutex((running: [String](), all: [String]()))
    }

    init() {
        let calls = Calls()
        state = calls
        resolver = HostResolver(clock: clock.clock, timeLimit: .seconds(10)) { host in
            calls.hosts.withLock { $0.all.append(host) }
            guard host.hasPrefix("slow") else { return [Self.address] }
            calls.hosts.withLock { $0.running.append(host) }
            calls.released.wait()
            calls.hosts.withLock { $0.running.removeAll { $0 == host } }
            return [Self.address]
        }
    }

    /// The names that block a thread.
    var running: [String] { state.hosts.withLock { $0.running.sorted() } }
    /// All names that were looked up.
    var all: [String] { state.hosts.withLock { $0.all.sorted() } }

    /// Ends look-ups that block a thread, or the next ones.
    func release(_ count: Int) {
        for _ in 0..<count { state.released.signal() }
    }

    /// Begins a look-up, and waits until it has a thread or waits for one.
    func begin(_ host: String, for client: String) async throws -> Task<[IPAddress], any Error> {
        let count = clock.sleeperCount
        let task = Task { try await resolver.addresses(of: host, for: client) }
        try await waitUntil { clock.sleeperCount == count + 1 }
        return task
    }
}

@Suite("The resolver of host names")
struct HostResolverTests {
    private func expect(
        _ error: HostResolverError, of lookUp: Task<[IPAddress], any Error>,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        await #expect(throws: error, sourceLocation: sourceLocation) { try await lookUp.value }
    }

    @Test("looks up equal names once for all clients that wait")
    func sharing() async throws {
        let blocking = BlockingResolver()
        defer { blocking.release(8) }
        let lookUps = [
            try await blocking.begin("slow", for: "ann"), try await blocking.begin("slow", for: "bob"),
            try await blocking.begin("slow", for: "ann"),
        ]
        try await waitUntil { blocking.running == ["slow"] }
        blocking.release(1)
        for lookUp in lookUps { #expect(try await lookUp.value == [BlockingResolver.address]) }
        #expect(blocking.all == ["slow"])
    }

    @Test("ends the wait of a caller in time, while the client holds its thread; others are served")
    func timeLimit() async throws {
        let blocking = BlockingResolver()
        defer { blocking.release(8) }
        let first = try await blocking.begin("slow", for: "ann")
        let second = try await blocking.begin("other", for: "ann")
        try await waitUntil { blocking.running == ["slow"] }
        blocking.clock.advance(by: .seconds(10))
        await expect(.timedOut, of: first)
        await expect(.overloaded, of: second)
        #expect(try await blocking.resolver.addresses(of: "fast", for: "bob") == [BlockingResolver.address])

        let third = try await blocking.begin("third", for: "ann")
        let cancelled = try await blocking.begin("cancelled", for: "ann")
        cancelled.cancel()
        await expect(.cancelled, of: cancelled)
        blocking.release(1)
        #expect(try await third.value == [BlockingResolver.address])
        #expect(blocking.all == ["fast", "slow", "third"])
    }

    @Test("refuses more than 32 look-ups of one client that wait")
    func waiting() async throws {
        let blocking = BlockingResolver()
        defer { blocking.release(8) }
        var lookUps: [Task<[IPAddress], any Error>] = []
        for number in 0..<32 { lookUps.append(try await blocking.begin("slow-\(number)", for: "ann")) }
        await #expect(throws: HostResolverError.overloaded) {
            try await blocking.resolver.addresses(of: "fast", for: "ann")
        }
        #expect(try await blocking.resolver.addresses(of: "fast", for: "bob") == [BlockingResolver.address])
        for lookUp in lookUps { lookUp.cancel() }
        for lookUp in lookUps { await expect(.cancelled, of: lookUp) }
    }

    @Test("keeps two threads free of clients with slow names for ten minutes")
    func slowClients() async throws {
        let blocking = BlockingResolver()
        defer { blocking.release(16) }
        func begin(_ round: Int) async throws -> [Task<[IPAddress], any Error>] {
            var lookUps: [Task<[IPAddress], any Error>] = []
            for client in 0..<4 {
                lookUps.append(try await blocking.begin("slow-\(round)-\(client)", for: "client \(client)"))
            }
            return lookUps
        }
        // Four clients whose names were not slow before hold all threads.
        let first = try await begin(1)
        try await waitUntil { blocking.running.count == 4 }
        blocking.clock.advance(by: .seconds(10))
        for lookUp in first { await expect(.timedOut, of: lookUp) }
        let refused = try await blocking.begin("fast", for: "eve")
        blocking.clock.advance(by: .seconds(10))
        await expect(.overloaded, of: refused)

        // Their ends are known when callers have the results.
        let joined = try await begin(1)
        blocking.release(4)
        for lookUp in joined { #expect(try await lookUp.value == [BlockingResolver.address]) }
        let second = try await begin(2)
        try await waitUntil { blocking.running == ["slow-2-0", "slow-2-1"] }
        let isResolved = Mutex(false)
        let fast = Task {
            let addresses = try await blocking.resolver.addresses(of: "fast", for: "eve")
            isResolved.withLock { $0 = true }
            return addresses
        }
        defer { fast.cancel() }
        try await waitUntil { isResolved.withLock(\.self) }
        #expect(try await fast.value == [BlockingResolver.address])
        #expect(blocking.running == ["slow-2-0", "slow-2-1"])
        blocking.release(4)
        for lookUp in second { #expect(try await lookUp.value == [BlockingResolver.address]) }

        blocking.clock.advance(by: .seconds(601))
        let third = try await begin(3)
        try await waitUntil { blocking.running.count == 4 }
        blocking.release(4)
        for lookUp in third { #expect(try await lookUp.value == [BlockingResolver.address]) }
    }
}
