import Foundation
import GraphQL
import GraphQLTools
import TestSupport
import Testing

@Suite("A mock of a schema")
struct MockSchemaTests {
    private static let sdl = """
        type Query {
          account(id: ID): Account
          accounts: [Account!]!
          node: Node
          holding: Holding!
          grid: [[Int!]!]!
          page: PageInfo!
          when: DateTime
          since: Date!
          worth: Decimal!
          other: Whatever
          kind: Kind!
        }
        interface Node { id: ID! }
        type Account implements Node { id: ID! name: String equity: Decimal parent: Account parts: [Account!]! kind: Kind }
        type Stock { symbol: String! }
        type Bond { name: String! }
        union Holding = Stock | Bond
        type PageInfo { hasNextPage: Boolean! hasPreviousPage: Boolean! endCursor: String }
        enum Kind { CASH MARGIN OLD @deprecated(reason: "Gone.") }
        scalar DateTime
        scalar Date
        scalar Decimal
        scalar Whatever
        type Mutation { open(name: String!): Account! }
        """

    private func mock(seed: UInt64 = 1, answers: InputObject = InputObject()) throws -> MockSchema {
        try MockSchema(Schema.build(Self.sdl), seed: seed, responses: answers)
    }

    private func answer(_ document: String, _ mock: MockSchema) throws -> JSONValue {
        try JSONValue(parsing: mock.respond(to: GraphQLRequest(document)).body)
    }

    private static let everything = """
        {
          account { id name equity kind parent { id } parts { id parts { id } } }
          accounts { ...A }
          node { __typename id ... on Account { equity } }
          holding { __typename ... on Stock { symbol } ... on Bond { name } }
          grid page { hasNextPage hasPreviousPage endCursor }
          when since worth other kind
        }
        fragment A on Account { id alias: name kind }
        """

    @Test("answers everything, without a null or an error, in the scalars' own forms", arguments: 1...20)
    func everything(seed: UInt64) throws {
        let answer = try answer(Self.everything, mock(seed: seed))
        #expect(answer["errors"] == nil)
        #expect(answer.nulls.isEmpty)
        let data = try #require(answer["data"])
        func matches(_ field: String, _ form: Regex<Substring>) -> Bool {
            data[field]?.string?.wholeMatch(of: form) != nil
        }
        #expect(matches("when", /2026-[01][0-9]-[0-2][0-9]T[0-2][0-9]:[0-5][0-9]:00\.000Z/))
        #expect(matches("since", /2026-[01][0-9]-[0-2][0-9]/))
        #expect(matches("worth", /[0-9]+\.[0-9]{2}/))
        #expect(["CASH", "MARGIN"].contains(data["kind"]?.string))
        #expect(data["page"]?["hasNextPage"] == .bool(false))
        #expect(data["holding"]?["__typename"]?.string == "Stock" || data["holding"]?["name"] != nil)
    }

    @Test("gives the same answer for the same seed, and another for another")
    func seeds() throws {
        let (one, same, other) = (try mock(seed: 7), try mock(seed: 7), try mock(seed: 8))
        let request = GraphQLRequest(Self.everything)
        #expect(one.respond(to: request).body == same.respond(to: request).body)
        #expect(one.respond(to: request).body != other.respond(to: request).body)
    }

    @Test("gives a field the same value whatever is asked beside it")
    func stability() throws {
        let mock = try mock()
        let whole = try answer("{ since account { name equity } worth }", mock)
        let part = try answer("{ account { equity } }", mock)
        #expect(whole["data"]?["account"]?["equity"] == part["data"]?["account"]?["equity"])
    }

    @Test("takes what an answers file says, and makes up the rest")
    func answers() throws {
        let mock = try mock(answers: [
            "Query.account": .object(["equity": .string("1200.50")]),
            "Account.name": .string("Main"),
            "Query.node": .object(["__typename": .string("Account"), "id": .string("n")]),
            "Query.holding": .object(["__typename": .string("Bond")]),
            "Query.accounts": .list([
                .object(["name": .string("First")]), .object(InputObject()), .object(["kind": .null]),
            ]),
            "Query.when": .object(["__error": .string("No clock.")]),
        ])
        let answer = try answer(
            "{ account { name equity id } node { id } holding { __typename } accounts { name kind } when }",
            mock)
        #expect(answer["data"]?["account"]?["equity"] == "1200.50")
        #expect(answer["data"]?["account"]?["name"] == "Main")
        #expect(answer["data"]?["account"]?["id"]?.string?.hasPrefix("Account:") == true)
        #expect(answer["data"]?["node"]?["id"] == "n")
        #expect(answer["data"]?["holding"]?["__typename"] == "Bond")
        #expect(answer["data"]?["accounts"]?.elements?.map { $0["name"] } == ["First", "Main", "Main"])
        #expect(answer["data"]?["accounts"]?[2]?["kind"] == .null)
        #expect(answer["data"]?["when"] == .null)
        #expect(answer["errors"]?[0]?["path"]?[0] == "when")
    }

    private static let market = """
        type Query {
          quote(symbol: String!): Quote, quotes(symbols: [String!]!): [Quote!]!, node(id: ID!): Node
          accounts(first: Int): Accounts!, account(id: ID!): Account
        }
        type Subscription { quotes(symbols: [String!]!): Quote }
        interface Node { id: ID! }
        type Quote { symbol: String!, price: Float! }
        type Account implements Node { id: ID!, name: String!, owner: Account! }
        type Accounts { edges: [Edge!]! }
        type Edge { node: Account! }
        """

    private func market(_ document: String, variables: InputObject = InputObject(), event: Int = 0) throws
        -> JSONValue
    {
        let mock = try MockSchema(Schema.build(Self.market))
        let request = GraphQLRequest(document, variables: variables)
        let response = try JSONValue(parsing: mock.respond(to: request, event: event).body)
        #expect(response["errors"] == nil)
        return try #require(response["data"])
    }

    @Test("returns the objects that arguments name, and as many items as they request")
    func arguments() throws {
        let data = try market(
            """
            query Q($s: [String!]!) {
              quotes(symbols: $s) { symbol price } other: quote(symbol: "MSFT") { symbol price }
              accounts(first: 4) { edges { node { id } } }
            }
            """, variables: ["s": .list([.string("AAPL"), .string("MSFT")])])
        #expect(data["quotes"]?.elements?.map { $0["symbol"] } == ["AAPL", "MSFT"])
        #expect(data["quotes"]?[1]?["price"] == data["other"]?["price"])
        #expect(data["quotes"]?[0]?["price"] != data["other"]?["price"])
        #expect(data["accounts"]?["edges"]?.elements?.count == 4)
    }

    @Test("returns the same object for an id everywhere")
    func identity() throws {
        let first = try market("{ accounts(first: 1) { edges { node { id name owner { id name } } } } }")
        let node = try #require(first["accounts"]?["edges"]?[0]?["node"])
        let id = try #require(node["id"]?.string)
        let data = try market(
            "query Q($id: ID!) { node(id: $id) { __typename id ... on Account { name owner { id name } } } account(id: $id) { id name } }",
            variables: ["id": .string(id)])
        #expect(data["node"]?["__typename"] == "Account")
        #expect(data["node"]?["id"] == .string(id))
        #expect(data["node"]?["name"] == node["name"])
        #expect(data["node"]?["owner"] == node["owner"])
        #expect(data["account"]?["name"] == node["name"])
    }

    @Test("changes numbers with each event of a subscription, and takes its objects in turn")
    func events() throws {
        let events = try (0..<4).map { event in
            try #require(
                try market("subscription { quotes(symbols: [\"A\", \"B\"]) { symbol price } }", event: event)[
                    "quotes"])
        }
        #expect(events.map { $0["symbol"] } == ["A", "B", "A", "B"])
        #expect(events[0]["price"] != events[2]["price"])
    }

    @Test(
        "refuses answers for what is no field",
        arguments: [
            ("account", #""account" is no field's coordinate, which is like "Query.account"."#),
            (
                "Acount.name",
                #"There is no type "Acount". Did you mean "Account"?"#
            ),
            ("Kind.CASH", #"Type "Kind" has no field "CASH"."#),
            ("Account.nam", #"Type "Account" has no field "nam". Did you mean "name"?"#),
        ])
    func misplaced(coordinate: String, message: String) throws {
        let error = #expect(throws: GraphQLErrors.self) { try mock(answers: [coordinate: .null]) }
        #expect(error?.errors.map(\.message) == [message])
    }

    @Test("says what is wrong with a request as a server does")
    func refusals() throws {
        let mock = try mock()
        #expect(try answer("{ account { nam } }", mock)["errors"]?[0]?["locations"]?[0]?["column"] == 13)
        #expect(try answer("{ account { name }", mock)["data"] == nil)
        let mutation = GraphQLRequest(#"mutation { open(name: "x") { id } }"#)
        #expect(mock.respond(to: mutation, allowing: [.query]).outcome == .notAllowed)
        #expect(mock.respond(to: mutation).outcome == .complete)
    }

    @Test("does not make up more than one answer may have, however fragments spread one another")
    func budget() throws {
        let depth = 40
        let fragments = (1...depth).map { level in
            "fragment F\(level) on Account { parts { ...F\(level + 1) } parent { ...F\(level + 1) } }"
        }
        let document =
            "{ account { ...F1 } } \(fragments.joined(separator: " ")) fragment F\(depth + 1) on Account { id }"
        let answer = try answer(document, mock())
        #expect(
            answer["errors"]?[0]?["message"] == "The answer would have more than 50000 values; ask for less.")
    }
}
