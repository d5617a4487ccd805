import Contract
import Gateway
import GraphQL
import TestSupport
import Testing

@Suite("A name of another interface")
struct SynonymTests {
    @Test(
        "is answered with the name of the schema that means the same",
        arguments: [
            ("{ account { history { points { timestamp } } } }", "time"),
            (#"mutation { addGoal(input: { title: "House" }) { goal { id } } }"#, "createGoal"),
            ("{ goals { about } }", "description"),
            ("{ portfolioHistory { points { value } } }", "portfolio"),
            ("{ positions { qty } }", "quantity"),
            ("{ positions { unrealizedPl } }", "unrealizedProfitLoss"),
            ("{ positions { avgEntryPrice } }", "averageEntryPrice"),
            ("{ positions { unrealizedPlPc } }", "unrealizedProfitLossPercentage"),
            (#"{ search(q: "apple") { ticker } }"#, "symbol"),
            (#"{ search(q: "apple") { symbol } }"#, "text"),
            (#"{ chart(symbol: "AAPL", timeframe: ONE_DAY) { id } }"#, "interval"),
            (#"{ chart(symbol: "AAPL", range: YTD) { id } }"#, "YEAR_TO_DATE"),
            ("{ transactions { nodes { id } } }", "activities"),
            ("{ orders(limit: 5) { nodes { status } } }", "state"),
            ("{ orders(states: [CANCELLED]) { nodes { id } } }", "CANCELED"),
            (#"{ quote(symbol: "AAPL") { bidPrice } }"#, "bid"),
            (#"{ quote(symbol: "AAPL") { greeks { delta } } }"#, "option"),
            ("{ positions { lastPrice } }", "currentPrice"),
            ("{ orders { nodes { createdAt } } }", "submittedAt"),
            ("{ orders { nodes { reason } } }", "rejection"),
            ("{ goals { progress } }", "progressPercentage"),
            ("{ providers { providerName } }", "name"),
            (#"{ chart(symbol: "AAPL", range: ONE_WEEK) { id } }"#, "FIVE_DAYS"),
            (#"{ chart(symbol: "AAPL", startDate: "2026-01-01") { id } }"#, "from"),
            (#"{ previewOrder(input: { qty: "1" }) { value } }"#, "size"),
            (#"{ previewOrder(input: { symbol: "AAPL" }) { value } }"#, "instrument"),
            (#"{ previewOrder(input: { limit_price: "1" }) { value } }"#, "price"),
            (#"{ previewOrder(input: { timeInForce: OPG }) { value } }"#, "OPENING"),
            (#"mutation { closePosition(id: "1") { id } }"#, "placeOrder"),
        ])
    func suggested(_ query: String, name: String) async throws {
        try await withGateway { gateway in
            let answer = try await gateway.ask(
                query, as: alice, try gateway.backends([gateway.connection("demo", of: alice)]))
            let messages = answer["errors"]?.elements?.compactMap { $0["message"]?.string } ?? []
            #expect(
                messages.contains { $0.contains(/Did you mean [^?]*"/) && $0.contains("\"\(name)\"") },
                "\(answer)")
        }
    }

    @Test("is answered only with names that the schema has")
    func meanings() throws {
        let names = Set(
            Contract.schemaText.matches(of: /[A-Za-z_]+/).map { $0.output.lowercased().filter { $0 != "_" } })
        let unknown = Synonyms.finance.meanings.filter { meaning in
            !names.contains { $0.hasPrefix(meaning) || $0.hasSuffix(meaning) }
        }
        #expect(unknown.isEmpty, "no name of the schema begins or ends with these words: \(unknown)")
    }
}
