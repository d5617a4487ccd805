import Alpaca
import Brokerage
import TestSupport
import Testing
import Upstream

/// The tables are derived from Alpaca's document: see `Tests/Golden/specifications`.
@Suite("The enumerations of Alpaca's document")
struct EnumerationTests {
    /// A member of an order, and what is read of it; nil for a value that the adapter does not know.
    struct Member: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let known: @Sendable (Order) -> Bool
    }

    private static let members = [
        Member(testDescription: "status") { AlpacaOrderStatus(rawValue: $0.providerState ?? "") != nil },
        Member(testDescription: "type") { $0.type != nil },
        Member(testDescription: "side") { $0.providerState == "new" },
        Member(testDescription: "time_in_force") { $0.timeInForce != nil },
        Member(testDescription: "order_class") { $0.providerState == "new" },
        Member(testDescription: "asset_class") { $0.providerState == "new" },
        Member(testDescription: "position_intent") { $0.providerState == "new" },
    ]

    @Test("of orders and of the legs of orders have only values that the adapter knows", arguments: members)
    func orders(member: Member) throws {
        let specification = try Specification(of: "alpaca")
        let name = member.testDescription
        let body = try JSONValue(parsing: example("order"))
        var count = 0
        for type in ["Order", "OrderLeg"] {
            let values = specification.values(of: name, in: type, of: "trading-api.json")
            #expect(!values.isEmpty)
            for value in values {
                var members = try #require(body.members)
                if name != "status" { members["status"] = "new" }
                members[name] = .string(value)
                let order = try AlpacaOrder(json: Array(JSONValue.object(members).serialized.utf8))
                    .order(fetchedAt: wallTime)
                #expect(member.known(order), "\(type).\(name) \(value)")
                count += 1
            }
        }
        #expect(count > 3)
    }
}
