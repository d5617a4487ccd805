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

    /// Runs a test with connections of Alice and Bob, of whom Saxo permits only Bob to trade the share.
    private static func withConnections(
        _ test: (_ alice: SaxoClient, _ bob: SaxoClient, CannedServer) async throws -> Void
    ) async throws {
        try await CannedServer.run(
            answering: { request, _ in
                guard request.path != "/ref/v1/instruments" else { return .text(page) }
                let permissions =
                    request.headers["authorization"] == "Bearer bob"
                    ? #""IsTradable":true,"SupportedOrderTypes":["Limit","Stop"]"#
                    : #""IsTradable":false,"SupportedOrderTypes":[]"#
                return .text(
                    #"{"AssetType":"Stock","CurrencyCode":"USD","Symbol":"T0:xnas","Uic":1,\#(permissions)}"#)
            }
        ) { server, transport in
            let cache = SaxoInstrumentCache(clock: .showing(wallTime))
            let clients = try ["alice", "bob"].map { token in
                try client(
                    at: server.url, over: transport, access: .token(SaxoToken(token)), instrumentCache: cache)
            }
            try await test(clients[0], clients[1], server)
        }
    }

    /// `IsTradable` is that of "the user represented in the API token" (Saxo's reference: `InstrumentDetails`).
    @Test("do not have the permissions of a client, which each connection reads for itself")
    func permissions() async throws {
        try await Self.withConnections { alice, bob, server in
            let share = try symbol("T0")
            for saxo in [alice, bob] {
                let listing = try await saxo.instrument(share, in: .patient).listing
                #expect(listing?.isTradable == nil && listing?.orderTypes == nil)
            }
            #expect(server.requests.count == 2)
            let permissions = try await (
                alice.permissions(of: [share], in: .patient)[share],
                bob.permissions(of: [share], in: .patient)[share]
            )
            #expect(permissions.0 == TradingPermissions(isTradable: false, orderTypes: []))
            #expect(permissions.1 == TradingPermissions(isTradable: true, orderTypes: [.limit, .stop]))
            #expect(server.requests.count == 4)
        }
    }

    @Test("refuse no order of a client because another one may not place it")
    func orderTypes() async throws {
        try await Self.withConnections { alice, bob, _ in
            let share = try symbol("T0")
            _ = try await alice.instrument(share, in: .patient)
            let listing = try #require(try await bob.listing(for: share, in: .patient))
            let terms = try await bob.terms(.stop(210), .sell, of: listing, in: .patient)
            guard case .success = terms else {
                Issue.record("\(terms)")
                return
            }
        }
    }
}
