import Brokerage
import Sandbox
import TestSupport
import Testing

/// The tables are derived from documents of the providers, not from the sandbox: see `Tests/Golden/specifications`.
@Suite("The sandbox and the official OpenAPI documents")
struct SpecificationTests {
    private static let tables: [ProviderID: String] = [.alpaca: "alpaca", .polygon: "polygon", .saxo: "saxo"]
    private static let documented = ExpectedResponse.all.filter { response in
        tables.keys.contains(response.provider) && !undocumented.contains { response.endpoint.hasSuffix($0) }
    }

    /// The ends of endpoints that the documents do not have.
    private static let undocumented = [
        // RFC 6749; the documents describe the resources only.
        "/oauth/authorize", "/oauth/token", "/authorize", "/token",
        // Members of a list by its name; the documentation of Alpaca has the path, its document only that of the list's id.
        "/v2/watchlists:by_name/{symbol}",
        // An address in the `branding` of a ticker, without JSON.
        "/images/logo.svg",
        // Polygon's documents before 2025-11 have these below /v3/reference.
        "/stocks/v1/dividends", "/stocks/v1/splits",
        // Saxo's document has version 1 only; the release notes of Saxo announce version 3.
        "/chart/v3/charts",
        // Saxo's older version of the same resource, which applications of 2020 call.
        "/trade/v1/orders", "/trade/v1/orders/{order_ids}", "/trade/v1/orders/precheck",
        // Saxo's documents of these are not public.
        "/dm/v2/disclaimers",
        "/ref/v1/watchlists", "/ref/v1/watchlists/{watchlist_id}",
        // Subscriptions are ended at the resource of the context, whose response has no body.
        "/subscriptions/{context_id}", "/subscriptions/{context_id}/{reference_id}",
    ]

    /// Members of the sandbox that the types of the documents do not have.
    private static let undocumentedMembers: Set = [
        // The examples in Alpaca's document have them.
        "Account.bod_dtbp", "Account.crypto_tier", "Account.effective_buying_power",
        "Account.position_market_value",
        "Account.user_configurations", "Order.source", "Order.subtag",
        // The examples in Saxo's and Polygon's documents have them.
        "NetPositionStatic.OpeningDirection", "Quote.RFQState",
        "GetPreviousStocksAggregates.response.results.item.T",
        // developer.saxo, "Extended trading hours in OpenAPI", which is newer than the document.
        "OrderResponse.ExecuteAtTradingSession",
        // Assumptions of the sandbox: neither a type nor an example of the documents has them.
        "NonTradeActivities.description", "GetStocksAggregates.response.count",
        "GetPreviousStocksAggregates.response.count", "CancelAllOrderResponse.Orders",
    ]

    @Test(
        "a response has only members, types and values that the document has, with the market open or not",
        arguments: documented, [Moment.midday, Moment.weekend])
    func members(_ expected: ExpectedResponse, moment: String) async throws {
        let specification = try Specification(of: try #require(Self.tables[expected.provider]))
        let words = expected.endpoint.split(separator: " ").map(String.init)
        let operation = try #require(specification.operation(words[0], words[1]), "\(expected.endpoint)")
        guard let type = operation.response else { return }
        try await withSandbox(at: moment, { $0.saxo.ordersPerSecond = nil }) { fixture in
            let reply = try await expected.send(fixture)
            if reply.body.isEmpty { return }
            let document = try JSONValue(parsing: reply.body)
            let differences = specification.differences(in: document, of: type, in: operation.document)
                .filter { !Self.undocumentedMembers.contains($0.member) }
                // Announced for May 2025 (developer.saxo, "Planned changes"); the document does not have it yet.
                .filter { !$0.description.hasSuffix("has no value \"FxCrypto\"") }
            #expect(differences.isEmpty, "\(reply.body)")
        }
    }

    @Test(
        "a difference names the type and the member",
        arguments: [
            (#"{"status":"ACTIVE","odd":1}"#, "Account.odd does not exist"),
            (#"{"status":"SLEEPING"}"#, "Account.status has no value \"SLEEPING\""),
            (#"{"account_blocked":"no"}"#, "Account.account_blocked is not of the type boolean"),
        ])
    func differences(body: String, description: String) throws {
        let specification = try Specification(of: "alpaca")
        let operation = try #require(specification.operation("GET", "/v2/account"))
        let differences = specification.differences(
            in: try JSONValue(parsing: body), of: try #require(operation.response), in: operation.document)
        #expect(differences.map(\.description) == [description])
    }
}
