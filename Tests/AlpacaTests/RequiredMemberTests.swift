import Alpaca
import Brokerage
import ProviderTestSupport
import TestSupport
import Testing
import Upstream

@Suite("The members that the adapter of Alpaca requires")
struct RequiredMemberTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var document = "trading-api.json"
        let example: String
        /// The object in the example.
        var object: @Sendable (JSONValue) throws -> JSONValue = { $0 }
        /// The members that the document does not guarantee, and without which the object has no meaning.
        var exceptions: Set<String> = []
        let read: @Sendable ([UInt8]) throws -> Void
    }

    private static func read<Value: JSONDecodable>(
        _ type: Value.Type
    ) -> @Sendable ([UInt8]) throws -> Void {
        { _ = try Value(json: $0) }
    }

    private static let cases = [
        Case(
            testDescription: "Order", example: "order",
            // The document requires no more than the members of its form for a new order.
            exceptions: ["id", "status", "symbol", "side"], read: read(AlpacaOrder.self)),
        Case(
            testDescription: "Account", example: "account",
            // All examples and SDK models have them; a value of an account without them is no value.
            exceptions: ["account_number", "currency", "equity", "cash"], read: read(AlpacaAccount.self)),
        Case(testDescription: "Assets", example: "asset", read: read(AlpacaAsset.self)),
        Case(testDescription: "Position", example: "position", read: read(AlpacaPosition.self)),
        Case(testDescription: "PortfolioHistory", example: "history", read: read(AlpacaHistory.self)),
        Case(
            testDescription: "news", document: "market-data-api.json", example: "news",
            object: { try #require($0["news"]?[0]) }, read: read(AlpacaArticle.self)),
        Case(
            testDescription: "stock_snapshot", document: "market-data-api.json", example: "snapshots",
            object: { try #require($0["AAPL"]) }, read: read(AlpacaSnapshot.self)),
    ]

    @Test("are members that Alpaca's document requires, or have a reason", arguments: cases)
    func members(item: Case) throws {
        let specification = try Specification(of: "alpaca")
        let documented = try #require(
            specification.requiredMembers(of: item.testDescription, of: item.document))
        let object = try item.object(JSONValue(parsing: example(item.example)))
        let required = try RequiredMembers(of: object, item.read).names
        #expect(required.subtracting(documented) == item.exceptions)
    }
}
