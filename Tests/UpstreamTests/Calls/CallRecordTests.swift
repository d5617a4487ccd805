import Brokerage
import Synchronization
import TestSupport
import Testing
import Upstream

@Suite("The record of a call")
struct CallRecordTests {
    private static let aapl = ReadCacheTests.aapl
    private static let scope = ReadCacheTests.scope

    private static func context(_ clock: ManualClock, _ journal: Journal<CallRecord>) -> CallContext {
        ReadCacheTests.context(from: clock.now, journal: journal)
    }

    @Test("has the time of a wait for another operation's call")
    func joined() async throws {
        let clock = ManualClock()
        let reads = ReadCacheTests.reads(clock.clock)
        let gate = Gate()
        let first = Task { [context = ReadCacheTests.context(from: clock.now)] in
            try await reads.read(Self.aapl, in: Self.scope, for: context) { _ throws(ProviderFailure) in
                await gate.pass()
                return 42
            }
        }
        await gate.arrived(1)
        clock.advance(by: .seconds(1))
        let start = clock.now
        let journal = Journal<CallRecord>()
        let second = Task { [context = Self.context(clock, journal)] in
            try await reads.read(Self.aapl, in: Self.scope, for: context) { _ throws(ProviderFailure) in 0 }
        }
        let key = CacheKey(Self.aapl, in: Self.scope)
        try await waitUntil {
            reads.state.withLock { $0.inFlightReads.waiterCount(of: key) } >= 2
        }
        clock.advance(by: .seconds(2))
        gate.open()
        #expect(try await first.value == 42)
        #expect(try await second.value == 42)
        let joined = CallRecord(
            provider: .alpaca, operation: "quotes", outcome: .coalesced, start: start, duration: .seconds(2))
        #expect(journal.entries == [joined])
    }

    @Test("marks a stale value while it is renewed, and if it cannot be renewed")
    func stale() async throws {
        let clock = ManualClock()
        let reads = ReadsAgeingTests.reads(clock)
        let journal = Journal<CallRecord>()
        _ = try await reads.read(Self.aapl, in: Self.scope, for: Self.context(clock, journal)) {
            _ throws(ProviderFailure) in 1
        }
        #expect(journal.entries.isEmpty)
        let gate = Gate()
        clock.advance(by: .seconds(3))
        _ = try await reads.read(Self.aapl, in: Self.scope, for: Self.context(clock, journal)) {
            _ throws(ProviderFailure) in
            await gate.pass()
            throw ReadCacheTests.unavailable
        }
        #expect(journal.entries.map(\.outcome) == [.stale])
        gate.open()
        clock.advance(by: .seconds(4))
        _ = try await reads.read(Self.aapl, in: Self.scope, for: Self.context(clock, journal)) {
            _ throws(ProviderFailure) in throw ReadCacheTests.unavailable
        }
        #expect(journal.entries.last?.outcome == .stale)
        #expect(journal.entries.allSatisfy { $0.attempts == 0 && $0.status == nil })
    }

    @Test("has the status and the attempts of a call that failed", arguments: [(404, 1), (503, 3)])
    func failed(_ status: Int, _ attempts: Int) async throws {
        try await HTTPClientTests.with { _ in
            .status(status)
        } _: { server, transport in
            let caller = ProviderHTTPClient(.alpaca, over: transport, retry: ProviderHTTPClientTests.policy())
            let journal = Journal<CallRecord>()
            let request = try HTTPClientTests.request(server)
            _ = await ProviderHTTPClientTests.failure {
                try await caller.call(
                    "account", request, in: ReadCacheTests.context(journal: journal),
                    read: ProviderHTTPClientTests.text)
            }
            #expect(journal.entries.map(\.status) == [status])
            #expect(journal.entries.map(\.attempts) == [attempts])
        }
    }

    @Test("of a call that was not permitted has no attempt, and the monitor does not count it")
    func refused() async throws {
        try await HTTPClientTests.with { _ in
            .status(200, body: Array("ok".utf8))
        } _: { server, transport in
            let all = Journal<CallRecord>()
            let channel = ProviderChannel(
                QuotaAccount(.polygon), over: transport, retry: ProviderHTTPClientTests.policy(),
                monitor: ProviderMonitor { all.note($0) })
            let caller = channel.client(within: [
                QuotaWindow("requests", limit: 1, per: .rolling(seconds: 60))
            ])
            let journal = Journal<CallRecord>()
            let request = try HTTPClientTests.request(server)
            let context = ReadCacheTests.context(journal: journal)
            _ = try await caller.call("ticker", request, in: context, read: ProviderHTTPClientTests.text)
            let failure = await ProviderHTTPClientTests.failure {
                try await caller.call("ticker", request, in: context, read: ProviderHTTPClientTests.text)
            }
            let cause = try #require(failure?.cause)
            #expect(journal.entries.map(\.outcome) == [.succeeded, .failed(cause)])
            #expect(journal.entries.map(\.attempts) == [1, 0])
            #expect(journal.entries.map(\.status) == [200, nil])
            #expect(all.entries == journal.entries)
            #expect(server.requests.count == 1)
        }
    }
}
