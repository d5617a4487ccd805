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

    /// Runs a test with connections of Alice and Bob to Saxo, which does not permit Bob to trade AAPL.
    private static func withConnections(
        _ test: (TestGateway, GatewayServices) async throws -> Void
    ) async throws {
        let second = try #require(SandboxUser.second.saxo)
        try await withGateway({ $0.saxo.untradable = [second.key: [uic]] }) { gateway in
            let cache = SaxoInstrumentCache()
            let connections = try [
                gateway.saxo(of: alice, instrumentCache: cache),
                gateway.saxo(of: bob, .second, instrumentCache: cache),
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

    @Test("is never shown as unknown because it could not be read: the broker has no listing then")
    func failed() async throws {
        try await Self.withConnections { gateway, backends in
            _ = try await Self.listings("key", gateway, as: alice, backends)
            #expect(gateway.sandbox.faults.add(Fault(.status(500), provider: .saxo)))
            #expect(try await Self.listings("tradable", gateway, as: alice, backends) == [])
            #expect(try await Self.listings("key", gateway, as: alice, backends)?.count == 1)
        }
    }
}
