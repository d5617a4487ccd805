import Brokerage
import Gateway
import Sandbox
import Saxo
import TestSupport
import Testing
import Upstream

@Suite("What a broker permits its client to do with an instrument")
struct TradingPermissionTests {
    /// AAPL.
    private static let uic = 211
    private static let one = "GET /ref/v1/instruments/details/{uic}/{asset_type}"
    private static let several = "GET /ref/v1/instruments/details"

    /// Runs a test with connections of Alice and another user to Saxo, which does not permit the second one to trade AAPL.
    private static func withConnections(
        of user: OwnerID = bob,
        _ test: (TestGateway, GatewayServices) async throws -> Void
    ) async throws {
        let second = try #require(SandboxUser.second.saxo)
        try await withGateway({ $0.saxo.untradable = [second.key: [uic]] }) { gateway in
            let cache = SaxoInstrumentCache()
            let connections = try [
                gateway.saxo(of: alice, instrumentCache: cache),
                gateway.saxo(of: user, .second, id: "saxo-2", instrumentCache: cache),
            ]
            try await test(gateway, gateway.market([], connections: connections))
        }
    }

    private static func listings(
        _ fields: String, _ gateway: TestGateway, as user: OwnerID, _ backends: GatewayServices
    ) async throws -> [JSONValue]? {
        let answer = try await gateway.ask(
            "{ instrument(symbol: \"AAPL\") { listings { \(fields) } } }", as: user, backends)
        #expect(answer.failures.isEmpty, "\(answer)")
        return answer["data"]?["instrument"]?["listings"]?.elements
    }

    @Test("is that of the user who reads it, and costs a call only if it is selected")
    func own() async throws {
        try await Self.withConnections { gateway, backends in
            for user in [alice, bob] {
                let listing = try await Self.listings("quantityIncrement", gateway, as: user, backends)?.first
                #expect(listing?["quantityIncrement"] == "1")
            }
            #expect(gateway.calls(of: .saxo) == ["GET /ref/v1/instruments": 1, Self.one: 1])
            for _ in 0..<2 {
                for (user, isTradable) in [(alice, true), (bob, false)] {
                    let listing = try await Self.listings(
                        "tradable orderTypes", gateway, as: user, backends)?.first
                    #expect(listing?["tradable"] == .bool(isTradable))
                    #expect(listing?["orderTypes"]?.elements?.isEmpty == !isTradable, "\(user)")
                }
            }
            #expect(gateway.calls(of: .saxo) == ["GET /ref/v1/instruments": 1, Self.one: 3])
        }
    }

    @Test("is read for all instruments of a list together")
    func together() async throws {
        try await Self.withConnections { gateway, backends in
            func ask(_ fields: String) async throws -> [JSONValue]? {
                let answer = try await gateway.ask(
                    "{ positions(provider: \"saxo\") { instrument { listings { \(fields) } } } }", as: alice,
                    backends)
                #expect(answer.failures.isEmpty, "\(answer)")
                return answer["data"]?["positions"]?.elements
            }
            _ = try await ask("key")
            let before = gateway.calls(of: .saxo)
            let positions = try #require(try await ask("tradable"))
            #expect(positions.count > 1)
            for position in positions {
                #expect(position["instrument"]?["listings"]?[0]?["tradable"] == .bool(true), "\(position)")
            }
            let count = before[Self.several] ?? 0
            #expect(gateway.calls(of: .saxo) == before.merging([Self.several: count + 1]) { $1 })
        }
    }

    @Test("is that of each of a user's connections")
    func severalConnections() async throws {
        try await Self.withConnections(of: alice) { gateway, backends in
            for _ in 0..<2 {
                let listings = try await Self.listings("tradable orderTypes", gateway, as: alice, backends)
                #expect(listings?.map { $0["tradable"] } == [.bool(true), .bool(false)])
                #expect(listings?.map { $0["orderTypes"]?.elements?.isEmpty } == [false, true])
            }
            #expect(gateway.calls(of: .saxo)[Self.one] == 3)
        }
    }

    @Test("is never shown as unknown because it could not be read: the listing has an error in its place")
    func failed() async throws {
        try await Self.withConnections { gateway, backends in
            let known = try await Self.listings("key", gateway, as: alice, backends)
            #expect(known?.count == 1)
            #expect(gateway.sandbox.faults.add(Fault(.status(500), provider: .saxo)))
            let answer = try await gateway.ask(
                "{ instrument(symbol: \"AAPL\") { listings { key tradable orderTypes } } }", as: alice,
                backends)
            let path = "instrument.listings.0"
            #expect(
                answer.failures == [
                    FieldFailure("\(path).tradable", "PROVIDER_UNAVAILABLE", "saxo"),
                    FieldFailure("\(path).orderTypes", "PROVIDER_UNAVAILABLE", "saxo"),
                ], "\(answer)")
            #expect(answer.nulls == ["\(path).tradable", "\(path).orderTypes"])
            #expect(answer["data"]?["instrument"]?["listings"]?[0]?["key"] == known?.first?["key"])
            #expect(try await Self.listings("key", gateway, as: alice, backends) == known)
        }
    }

    /// Saxo's reference does not state how it hides an instrument: 404 is that of an instrument that it does not know.
    @Test("is unknown if Saxo does not show the instrument to the client")
    func hidden() async throws {
        try await Self.withConnections { gateway, backends in
            _ = try await Self.listings("key", gateway, as: alice, backends)
            #expect(gateway.sandbox.faults.add(Fault(.status(404), provider: .saxo, endpoint: Self.one)))
            let listings = try await Self.listings("tradable orderTypes", gateway, as: alice, backends)
            #expect(listings == [.object(["tradable": .null, "orderTypes": .null])])
        }
    }
}
