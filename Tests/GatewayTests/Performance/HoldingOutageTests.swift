import Brokerage
import Gateway
import Sandbox
import TestSupport
import Testing
import Upstream

@Suite("The holdings of a portfolio while a broker is unavailable")
struct HoldingOutageTests {
    @Test(
        "have performance and profit if the other broker holds them, marked as stale; the others have an error"
    )
    func outage() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([
                gateway.connection("demo", of: alice), gateway.saxo(of: alice),
            ])
            // The values of accounts and positions are returned as stale. The activities at Alpaca were never read; those at
            // Saxo were, with the spin-offs, whose parents only Alpaca reports.
            _ = try await gateway.data(
                "{ portfolio(currency: \"EUR\") { totalValue holdings(first: 50) { nodes { symbol } } } }",
                backends)
            _ = try await gateway.data("{ positions(provider: SAXO) { performance { stale } } }", backends)
            gateway.clock.advance(by: .seconds(60))
            #expect(gateway.sandbox.faults.add(Fault(.status(503), provider: .alpaca)))
            let answer = try await gateway.ask(
                """
                { portfolio(currency: "EUR") { holdings(first: 50) { nodes { symbol positions { provider }
                    performance { stale gain { value { total } known { total } } }
                    profit { stale fifo { cost { value known } } } } } } }
                """, as: alice, backends)
            let nodes = try #require(
                answer["data"]?["portfolio"]?["holdings"]?["nodes"]?.elements, "\(answer)")
            var (own, failed) = (0, 0)
            for (index, node) in nodes.enumerated() {
                let path = "portfolio.holdings.nodes.\(index)"
                if node["positions"]?.elements?.allSatisfy({ $0["provider"] == "SAXO" }) == true {
                    own += 1
                    #expect(node["performance"]?["stale"] == .bool(true), "\(node) \(answer.failures)")
                    #expect(node["performance"]?["gain"]?["known"]?["total"]?.decimal != nil, "\(node)")
                    #expect(node["profit"]?["stale"] == .bool(true), "\(node)")
                    #expect(node["profit"]?["fifo"]?["cost"]?["value"]?.decimal != nil, "\(node)")
                } else {
                    failed += 1
                    #expect(node["performance"] == .null && node["profit"] == .null, "\(node)")
                    for field in ["performance", "profit"] {
                        #expect(
                            answer.failures.contains(FieldFailure("\(path).\(field)", "PROVIDER_UNAVAILABLE"))
                        )
                    }
                }
            }
            #expect(own > 0 && failed > 0, "\(nodes.map { $0["symbol"] })")
        }
    }
}
