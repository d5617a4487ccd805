import Brokerage
import Sandbox
import TestSupport
import Testing

@Suite("Dividends and splits of an instrument")
struct CorporateActionTests {
    private static let dividends = """
        nodes { symbol amount currency exDate recordDate payDate special }
        pageInfo { hasNextPage hasPreviousPage endCursor } source stale
        """

    private static func ask(
        _ gateway: TestGateway, _ field: String, symbol: String = "AAPL"
    ) async throws -> JSONValue {
        try await gateway.ask("{ instrument(symbol: \"\(symbol)\") { \(field) } }")
    }

    @Test("are from the first source of the route, the latest first; a second read costs no call")
    func dividends() async throws {
        try await withTestGateway { gateway in
            let field = "dividends(from: \"2026-01-01\", first: 3) { \(Self.dividends) }"
            let answer = try await Self.ask(gateway, field)
            #expect(answer.failures.isEmpty, "\(answer.failures)")
            let page = try #require(answer["data"]?["instrument"]?["dividends"])
            #expect(
                page["source"] == "alpaca" && page["stale"] == .bool(false))
            let latest = page["nodes"]?[0]
            #expect(latest?["symbol"] == "AAPL" && latest?["exDate"] == "2026-11-09")
            #expect(latest?["amount"] == "0.26" && latest?["currency"] == "USD")
            #expect(latest?["recordDate"] == "2026-11-09" && latest?["payDate"] == "2026-11-12")
            #expect(latest?["special"] == .bool(false))
            #expect(
                page["nodes"]?.elements?.compactMap { $0["exDate"]?.string } == [
                    "2026-11-09", "2026-08-10", "2026-05-11",
                ])
            #expect(
                page["pageInfo"]?["hasNextPage"] == .bool(true)
                    && page["pageInfo"]?["hasPreviousPage"] == .bool(false))
            let cursor = try #require(page["pageInfo"]?["endCursor"]?.string)
            let rest = try await Self.ask(
                gateway,
                "dividends(from: \"2026-01-01\", first: 3, after: \"\(cursor)\") { \(Self.dividends) }")
            let last = rest["data"]?["instrument"]?["dividends"]
            #expect(last?["nodes"]?.elements?.compactMap { $0["exDate"]?.string } == ["2026-02-09"])
            #expect(last?["pageInfo"]?["hasNextPage"] == .bool(false))
            #expect(last?["pageInfo"]?["hasPreviousPage"] == .bool(true))
            // Splits are in the same response.
            let splits = try await Self.ask(gateway, "splits { nodes { exDate } }")
            #expect(splits["data"]?["instrument"]?["splits"]?["nodes"]?.elements == [])
            #expect(gateway.calls(of: .alpaca)["GET /v1/corporate-actions"] == 1)
            #expect(gateway.calls(of: .polygon) == [:])
        }
    }

    @Test(
        "are the same at every provider",
        arguments: [
            ("alpaca", true), ("polygon", true), ("alpha-vantage", true), ("yahoo", false),
        ])
    func providers(provider: String, hasDates: Bool) async throws {
        try await withTestGateway { gateway in
            let answer = try await Self.ask(
                gateway,
                """
                dividends(provider: "\(provider)", from: "2025-06-01", to: "2025-12-31") {
                    nodes { amount currency exDate payDate } source }
                splits(provider: "\(provider)") { nodes { symbol newShares oldShares exDate } source }
                """, symbol: "NVDA")
            #expect(answer.failures.isEmpty, "\(answer.failures)")
            let instrument = try #require(answer["data"]?["instrument"])
            #expect(instrument["dividends"]?["source"] == .string(provider))
            let dividends = try #require(instrument["dividends"]?["nodes"]?.elements)
            // The amount of 0.01 is that of a quarter of the shares before the split.
            let texts = dividends.map { dividend in
                ["exDate", "amount", "currency"].compactMap { dividend[$0]?.string }.joined(separator: " ")
            }
            #expect(texts == ["2025-12-11 0.01 USD", "2025-09-11 0.04 USD", "2025-06-11 0.04 USD"])
            #expect(dividends.allSatisfy { ($0["payDate"] != .null) == hasDates })
            let split = instrument["splits"]?["nodes"]?[0]
            #expect(split?["symbol"] == "NVDA" && split?["exDate"] == "2025-12-01")
            #expect(Decimal(split?["newShares"]?.string ?? "") == 4)
            #expect(Decimal(split?["oldShares"]?.string ?? "") == 1)
        }
    }

    @Test("are from the next source if the first fails")
    func failed() async throws {
        try await withTestGateway { gateway in
            #expect(
                gateway.sandbox.faults.add(
                    Fault(.status(500), provider: .alpaca, endpoint: "GET /v1/corporate-actions")))
            let answer = try await Self.ask(gateway, "dividends(first: 1) { nodes { exDate } source }")
            #expect(answer.failures.isEmpty, "\(answer.failures)")
            #expect(answer["data"]?["instrument"]?["dividends"]?["source"] == "polygon")
        }
    }

    @Test("have the day of the declaration of another provider, which is called only if the day is requested")
    func declarations() async throws {
        try await withTestGateway { gateway in
            let answer = try await Self.ask(
                gateway, "dividends(first: 2) { nodes { exDate declaredOn } source }")
            #expect(answer.failures.isEmpty, "\(answer.failures)")
            let page = answer["data"]?["instrument"]?["dividends"]
            #expect(page?["source"] == "alpaca")
            #expect(page?["nodes"]?[0]?["exDate"] == "2026-11-09")
            #expect(page?["nodes"]?[0]?["declaredOn"] == "2026-09-21")
            #expect(gateway.calls(of: .polygon) == ["GET /stocks/v1/dividends": 1])
        }
    }

    @Test("are stored for a day")
    func stored() async throws {
        try await withTestGateway { gateway in
            let query = "dividends(provider: \"polygon\") { nodes { exDate } }"
            let first = try await Self.ask(gateway, query)
            gateway.clock.advance(by: .seconds(20 * 3_600))
            let second = try await Self.ask(gateway, query)
            #expect(second == first)
            #expect(gateway.calls(of: .polygon)["GET /stocks/v1/dividends"] == 1)
        }
    }

    @Test("are empty for a share without any, null for other instruments, and an error for an unknown share")
    func none() async throws {
        try await withTestGateway { gateway in
            let empty = try await Self.ask(gateway, "dividends { nodes { exDate } }", symbol: "TSLA")
            #expect(empty.failures.isEmpty, "\(empty.failures)")
            #expect(empty["data"]?["instrument"]?["dividends"]?["nodes"]?.elements == [])
            let pair = try await Self.ask(
                gateway, "dividends { nodes { exDate } } splits { nodes { exDate } }", symbol: "EUR/USD")
            #expect(pair.failures.isEmpty, "\(pair.failures)")
            #expect(pair["data"]?["instrument"]?["dividends"] == .null)
            #expect(pair["data"]?["instrument"]?["splits"] == .null)
        }
    }

    @Test(
        "are refused with an argument that makes no sense, which is named",
        arguments: [
            (
                "dividends(from: \"2026-02-01\", to: \"2026-01-01\")", "dividends",
                "Argument \"from\": It is 2026-02-01, which is after `to`, 2026-01-01."
            ),
            ("splits(first: 0)", "splits", "Argument \"first\": It is 0; it takes 1 to 500."),
            (
                "splits(after: \"x\")", "splits",
                "Argument \"after\": \"x\" is not a cursor of this list. Use the `endCursor` of the page before as `after`."
            ),
        ])
    func refused(field: String, path: String, message: String) async throws {
        try await withTestGateway { gateway in
            let answer = try await Self.ask(gateway, "\(field) { nodes { exDate } }")
            #expect(answer.failures.map(\.code) == ["BAD_USER_INPUT"])
            #expect(answer.failures.map(\.path) == ["instrument.\(path)"])
            #expect(answer["errors"]?.elements?.compactMap { $0["message"]?.string } == [message])
        }
    }

    @Test("adjust the prices of a provider that does not: they equal those of one that does")
    func charts() async throws {
        try await withTestGateway { gateway in
            // After the close of the market, so that the price of the current month does not change between the reads.
            gateway.clock.advance(by: .seconds(10 * 3_600))
            func candles(_ provider: String, _ adjustment: String) async throws -> [JSONValue] {
                let answer = try await gateway.ask(
                    """
                    { chart(symbol: "NVDA", interval: ONE_MONTH, last: 24, adjustment: \(adjustment),
                        provider: "\(provider)") { adjustment source candles { date open close volume } } }
                    """)
                #expect(answer.failures.isEmpty, "\(answer.failures)")
                let chart = try #require(answer["data"]?["chart"])
                #expect(chart["adjustment"] == .string(adjustment) && chart["source"] == .string(provider))
                return try #require(chart["candles"]?.elements)
            }
            func closes(_ candles: [JSONValue]) -> [Decimal?] {
                candles.map { $0["close"]?.string.flatMap { Decimal($0) } }
            }
            let derived = try await candles("alpha-vantage", "SPLITS")
            let own = try await candles("alpaca", "SPLITS")
            #expect(closes(derived) == closes(own))
            let raw = try await candles("alpha-vantage", "RAW")
            #expect(closes(raw) != closes(derived))
            #expect(closes(raw).suffix(11) == closes(derived).suffix(11))
        }
    }

    @Test("that cannot be read leave a chart without the adjustment, as an error of their provider")
    func unadjusted() async throws {
        try await withTestGateway { gateway in
            for provider in [ProviderID.alpaca, .polygon, .yahoo] {
                #expect(gateway.sandbox.faults.add(Fault(.status(500), provider: provider)))
            }
            #expect(
                gateway.sandbox.faults.add(
                    Fault(.status(500), provider: .alphaVantage, endpoint: "GET /query SPLITS")))
            let answer = try await gateway.ask(
                """
                { chart(symbol: "NVDA", interval: ONE_DAY, last: 5, adjustment: SPLITS, provider: "alpha-vantage") {
                    source } }
                """)
            #expect(answer["data"]?["chart"] == .null)
            #expect(answer.failures.map(\.code) == ["PROVIDER_UNAVAILABLE"])
        }
    }
}
