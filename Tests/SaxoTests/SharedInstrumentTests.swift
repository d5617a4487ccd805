import Brokerage
import ProviderTestSupport
import Saxo
import Synchronization
import TestSupport
import Testing
import Upstream

@Suite("Saxo's instruments, which the connections of all users share")
struct SharedInstrumentTests {
    private static let page =
        #"{"Data":[{"AssetType":"Stock","CurrencyCode":"USD","Identifier":1,"#
        + #""SummaryType":"Instrument","Symbol":"T0:xnas"}]}"#

    @Test(
        "are looked up by a connection itself if it waited for one whose credential or limit failed",
        arguments: [401, 403, 429])
    func otherCredential(status: Int) async throws {
        let hasJoined = Event<Void>()
        let (alice, bob) = ("Bearer alice", "Bearer bob")
        try await CannedServer.run(
            answering: { request, _ in
                guard request.headers["authorization"] == alice else { return .text(Self.page) }
                var reply = CannedServer.Reply.text("{}", status: status)
                reply.release = hasJoined
                return reply
            }
        ) { server, transport in
            defer { hasJoined.happen() }
            let cache = SaxoInstrumentCache(clock: .showing(wallTime))
            func saxo(_ token: String) throws -> SaxoClient {
                try client(
                    at: server.url, over: transport, access: .token(SaxoToken(token)), instrumentCache: cache)
            }
            let share = try symbol("T0")
            let failing = Task { [saxo = try saxo("alice")] in
                try await saxo.listing(for: share, in: .patient)
            }
            try await waitUntil { server.requests.count == 1 }
            let waiting = Task { [saxo = try saxo("bob")] in
                try await saxo.listing(for: share, in: .patient)
            }
            let key = CacheKey(share, in: .shared(.saxo))
            try await waitUntil {
                cache.bySymbol.state.withLock { $0.inFlightReads.waiterCount(of: key) } == 2
            }
            hasJoined.happen()
            await #expect(throws: ProviderFailure.self) { try await failing.value }
            #expect(try await waiting.value?.symbol == share)
            #expect(server.requests.map { $0.headers["authorization"] } == [alice, bob])
        }
    }
}
