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
            _ = try await gateway.data(
                "{ positions(provider: \"saxo\") { performance { stale } } }", backends)
            gateway.clock.advance(by: .seconds(60))
            #expect(gateway.sandbox.faults.add(Fault(.status(503), provider: .alpaca)))
            let answer = try await gateway.ask(
                """
                { portfolio(currency: "EUR") { holdings(first: 50) { nodes { symbol positions { provider }
                    performance { stale gain { total known { total } } }
                    profit { stale fifo { cost { value known } } } } } } }
                """, as: alice, backends)
            let nodes = try #require(
                answer["data"]?["portfolio"]?["holdings"]?["nodes"]?.elements, "\(answer)")
            var (own, failed) = (0, 0)
            for (index, node) in nodes.enumerated() {
                let path = "portfolio.holdings.nodes.\(index)"
                if node["positions"]?.elements?.allSatisfy({ $0["provider"] == "saxo" }) == true {
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

    @Test("have performance and profit without corporate actions if no spin-off in an account can be theirs")
    func corporateActions() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([
                gateway.connection("demo", of: alice), gateway.saxo(of: alice),
            ])
            #expect(
                gateway.sandbox.faults.add(
                    Fault(.status(503), provider: .alpaca, endpoint: "GET /v1/corporate-actions")))
            let data = try await gateway.data(
                """
                { portfolio(currency: "EUR") { performance { lastValue } income { gross }
                    holdings(first: 50) { nodes { symbol positions { performance { stale lastValue } }
                      performance { stale lastValue } profit { stale fifo { cost { value } } } } } }
                  activities(kinds: [SPIN_OFF]) { nodes { symbol account { provider } } } }
                """, backends)
            // An account at each broker received shares of a new company in 2022.
            let received = data["activities"]?["nodes"]?.elements ?? []
            #expect(
                Set(received.map { $0["account"]?["provider"]?.string }) == ["alpaca", "saxo"], "\(data)")
            let nodes = try #require(data["portfolio"]?["holdings"]?["nodes"]?.elements)
            // All of them were bought later, or are no shares.
            let symbols = Set(nodes.compactMap { $0["symbol"]?.string })
            #expect(symbols.isSuperset(of: ["EUR/USD", "USD/JPY", "AAPL"]), "\(symbols)")
            for node in nodes {
                let performances =
                    [node["performance"]]
                    + (node["positions"]?.elements ?? []).map {
                        $0["performance"]
                    }
                for performance in performances {
                    #expect(performance?["lastValue"]?.decimal != nil, "\(node)")
                    #expect(performance?["stale"] == .bool(false), "\(node)")
                }
                #expect(node["profit"]?["fifo"]?["cost"]?["value"]?.decimal != nil, "\(node)")
                #expect(node["profit"]?["stale"] == .bool(false), "\(node)")
            }
            // The totals need no corporate actions.
            #expect(data["portfolio"]?["performance"]?["lastValue"]?.decimal != nil, "\(data)")
            #expect(data["portfolio"]?["income"]?["gross"]?.decimal != nil, "\(data)")
        }
    }

    @Test("are those of the readable brokers if the other one was never read, and a null with its error")
    func coldStart() async throws {
        try await withGateway { gateway in
            let saxo = try await gateway.data(
                "{ portfolio(currency: \"EUR\") { holdings(first: 50) { nodes { symbol quantity value } } } }",
                gateway.backends([gateway.saxo(of: alice)]))
            let own = try #require(saxo["portfolio"]?["holdings"]?["nodes"]?.elements)
            #expect(!own.isEmpty)
            let backends = try gateway.backends([
                gateway.connection("demo", of: alice), gateway.saxo(of: alice),
            ])
            #expect(gateway.sandbox.faults.add(Fault(.status(503), provider: .alpaca)))
            let answer = try await gateway.ask(
                """
                { portfolio(currency: "EUR") { totalValue allocation(by: PROVIDER) { percentage }
                    holdings(first: 50) {
                    edges { cursor node { symbol } }
                    nodes { symbol quantity value weightPercentage performance { stale gain { known { total } } }
                      profit { stale fifo { cost { known } } } } } } }
                """, as: alice, backends)
            let page = answer["data"]?["portfolio"]?["holdings"]
            let nodes = try #require(page?["nodes"]?.elements, "\(answer)")
            #expect(nodes.count == own.count + 1 && nodes.last == .null, "\(answer)")
            #expect(page?["edges"]?.elements?.count == nodes.count && page?["edges"]?.elements?.last == .null)
            let list = "portfolio.holdings"
            var failures = [
                "portfolio.totalValue", "portfolio.allocation", "\(list).nodes.\(own.count)",
                "\(list).edges.\(own.count)",
            ]
            let wanted = Dictionary(uniqueKeysWithValues: own.map { ($0["symbol"], $0) })
            for (index, node) in nodes.dropLast().enumerated() {
                #expect(node["quantity"] == wanted[node["symbol"]]?["quantity"], "\(node)")
                #expect(node["performance"]?["stale"] == .bool(true), "\(node) \(answer.failures)")
                #expect(node["profit"]?["stale"] == .bool(true), "\(node) \(answer.failures)")
                // A part of the accounts is not their total.
                #expect(node["weightPercentage"] == .null)
                failures.append("\(list).nodes.\(index).weightPercentage")
            }
            #expect(
                Set(answer.failures)
                    == Set(failures.map { FieldFailure($0, "PROVIDER_UNAVAILABLE", "alpaca") }),
                "\(answer.failures)")
        }
    }
}
