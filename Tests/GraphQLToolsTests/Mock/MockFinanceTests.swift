import Foundation
import GraphQL
import GraphQLTools
import TestSupport
import Testing

@Suite("The values of a mock")
struct MockFinanceTests {
    private static let schema = """
        type Query { quotes(symbols: [String!]!): [Quote!] positions: [Position!] accounts: [Account!] }
        type Quote {
          symbol: String! currency: String! bid: Decimal price: Decimal ask: Decimal
          low: Decimal open: Decimal close: Decimal high: Decimal changePercentage: Decimal
        }
        type Position { symbol: String! quantity: Decimal price: Decimal value: Decimal }
        type Account { currency: String! cash: Decimal marketValue: Decimal equity: Decimal }
        scalar Decimal
        """

    @Test("of an object agree with each other", arguments: [1, 2, 3, 4, 5] as [UInt64])
    func agree(seed: UInt64) throws {
        let schema = try Schema.build(GraphQL.parse(Self.schema))
        let mock = try MockSchema(schema, seed: seed, responses: InputObject())
        let document = """
            { quotes(symbols: ["AAPL", "MSFT"]) { symbol currency bid price ask low open close high changePercentage }
              positions { symbol quantity price value } accounts { currency cash marketValue equity } }
            """
        let answer = try JSONValue(parsing: mock.respond(to: GraphQLRequest(document)).body)
        let data = try #require(answer["data"], "\(answer)")
        func number(_ object: JSONValue, _ name: String) throws -> Decimal {
            try #require(object[name]?.string.flatMap { Decimal(string: $0) }, "\(object)")
        }
        for quote in try #require(data["quotes"]?.elements) {
            #expect(quote["currency"] == "USD")
            let (bid, price, ask) = (
                try number(quote, "bid"), try number(quote, "price"), try number(quote, "ask")
            )
            #expect(bid < price && price < ask)
            let (low, high) = (try number(quote, "low"), try number(quote, "high"))
            for name in ["open", "close"] {
                let value = try number(quote, name)
                #expect(low <= value && value <= high)
            }
            #expect((-20...20).contains(try number(quote, "changePercentage")))
        }
        for position in try #require(data["positions"]?.elements) {
            let (quantity, price) = (try number(position, "quantity"), try number(position, "price"))
            #expect(try number(position, "value") == quantity * price)
            #expect(position["symbol"]?.string?.wholeMatch(of: /[A-Z]{2,5}/) != nil)
        }
        for account in try #require(data["accounts"]?.elements) {
            let sum = try number(account, "cash") + number(account, "marketValue")
            #expect(try number(account, "equity") == sum)
        }
    }
}
