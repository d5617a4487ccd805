import Brokerage
import Foundation
import ProviderTestSupport
import Saxo
import TestSupport
import Testing
import Upstream

@Suite("The members that the adapter of Saxo requires")
struct RequiredMemberTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let example: String
        /// The object in the example.
        let object: @Sendable (JSONValue) throws -> JSONValue
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
            testDescription: "AccountResponse", example: "accounts", object: { try #require($0["Data"]?[0]) },
            // The key of all other calls.
            exceptions: ["AccountKey"], read: read(SaxoAccount.self)),
        Case(
            testDescription: "BalanceResponse", example: "balance", object: { $0 },
            read: read(SaxoBalance.self)),
        Case(
            testDescription: "NetPositionResponse", example: "netpositions",
            object: { try #require($0["Data"]?[0]) },
            // What the position is.
            exceptions: ["NetPositionBase"], read: read(SaxoNetPosition.self)),
        Case(
            testDescription: "OrderResponse", example: "orders", object: { try #require($0["Data"]?[0]) },
            // What the order is: its instrument, side, amount, type and state.
            exceptions: ["Amount", "AssetType", "BuySell", "OpenOrderType", "Status", "Uic"],
            read: read(SaxoOpenOrder.self)),
    ]

    @Test("are members that Saxo's document requires, or have a reason", arguments: cases)
    func members(item: Case) throws {
        let specification = try Specification(of: "saxo")
        let documented = try #require(
            specification.requiredMembers(of: item.testDescription, of: "port.yaml"))
        let object = try item.object(
            JSONValue(parsing: Data(contentsOf: Golden.url("providers/saxo/\(item.example).json"))))
        let required = try RequiredMembers(of: object, item.read).names
        #expect(required.subtracting(documented) == item.exceptions)
    }
}
