import GraphQL
import GraphQLTools
import TestSupport
import Testing

@Suite("The objects of a mock")
struct MockRelationTests {
    private static let sdl = """
        type Query { node(id: ID!): Node orders(first: Int): OrderConnection! order: Order! }
        interface Node { id: ID! }
        type OrderConnection { edges: [OrderEdge!]! nodes: [Order!]! }
        type OrderEdge { cursor: String! node: Order! }
        type Order implements Node {
          id: ID! symbol: String! side: Side! quantity: Decimal! rank: Int! limitPrice: Decimal legs: [Order!]! parent: Order
        }
        enum Side { BUY SELL }
        scalar Decimal
        type Mutation {
          placeOrder(input: PlaceOrderInput!): PlaceOrderPayload!
          replaceOrder(id: ID!, price: String): PlaceOrderPayload!
          acceptDisclaimers(ids: [ID!]!): AcceptDisclaimersPayload!
        }
        input PlaceOrderInput { symbol: String! side: Side! size: SizeInput! rank: Int }
        input SizeInput { quantity: Decimal! }
        type PlaceOrderPayload { order: Order orderEdge: OrderEdge! }
        type AcceptDisclaimersPayload { acceptedIds: [ID!]! }
        """

    private func data(
        _ document: String, responses: InputObject = InputObject(), seed: UInt64 = 1
    ) throws -> JSONValue {
        let mock = try MockSchema(Schema.build(Self.sdl), seed: seed, responses: responses)
        let answer = try JSONValue(parsing: mock.respond(to: GraphQLRequest(document)).body)
        #expect(answer["errors"] == nil, "\(answer)")
        return try #require(answer["data"])
    }

    @Test("are the same in the nodes and the edges of a connection", arguments: 1...10)
    func connections(seed: UInt64) throws {
        let data = try data(
            "{ orders { edges { node { id symbol } } nodes { id symbol } } }", seed: seed)
        let edges = try #require(data["orders"]?["edges"]?.elements)
        #expect(!edges.isEmpty)
        #expect(edges.map { $0["node"] } == data["orders"]?["nodes"]?.elements?.map { $0 }, "\(data)")
        let page = try self.data("{ orders(first: 7) { nodes { id } edges { node { id } } } }", seed: seed)
        #expect(page["orders"]?["nodes"]?.elements?.count == 7)
        #expect(
            page["orders"]?["edges"]?.elements?.map { $0["node"] }
                == page["orders"]?["nodes"]?.elements?.map { $0 })
    }

    @Test("that a file gives as nodes are also in the edges, and the other way round")
    func givenConnections() throws {
        let nodes: InputValue = .list([.object(["id": .string("a")]), .object(["id": .string("b")])])
        let edges: InputValue = .list([.object(["node": .object(["id": .string("a")])])])
        for (given, ids) in [(["nodes": nodes], ["a", "b"]), (["edges": edges], ["a"])]
            as [(InputObject, [String])]
        {
            let data = try data(
                "{ orders { edges { node { id } } nodes { id } } }",
                responses: ["Query.orders": .object(given)])
            #expect(data["orders"]?["nodes"]?.elements?.map { $0["id"]?.string } == ids)
            #expect(data["orders"]?["edges"]?.elements?.map { $0["node"]?["id"]?.string } == ids)
        }
    }

    @Test("in a list have the object with the list as their parent, wherever they are")
    func parents() throws {
        let order = try #require(
            try data("{ order { id symbol legs { id parent { id symbol } } } }")["order"])
        let legs = try #require(order["legs"]?.elements)
        #expect(!legs.isEmpty && Set(legs.map { $0["id"]?.string }).count == legs.count)
        for leg in legs {
            #expect(
                leg["parent"]?["id"] == order["id"] && leg["parent"]?["symbol"] == order["symbol"], "\(order)"
            )
            let id = try #require(leg["id"]?.string)
            let node = try data(
                "{ node(id: \"\(id)\") { id ... on Order { parent { id symbol legs { id } } } } }")["node"]
            #expect(node?["parent"]?["id"] == order["id"] && node?["parent"]?["symbol"] == order["symbol"])
            #expect(
                node?["parent"]?["legs"]?.elements?.contains { $0["id"]?.string == id } == true,
                "\(node as Any)")
        }
    }

    @Test("of a mutation have the values of its input, also if they are read again")
    func inputs() throws {
        let place = """
            mutation { placeOrder(input: { symbol: "TSCO:XLON", side: SELL, size: { quantity: "2.50" }, rank: 3 }) {
                order { id symbol side quantity rank limitPrice } orderEdge { node { id symbol } } } }
            """
        let payload = try #require(try data(place)["placeOrder"])
        let order = try #require(payload["order"])
        #expect(
            order["symbol"] == "TSCO:XLON" && order["side"] == "SELL" && order["quantity"] == "2.50",
            "\(order)")
        #expect(order["rank"] == 3)
        #expect(payload["orderEdge"]?["node"]?["id"] == order["id"])
        let id = try #require(order["id"]?.string)
        let node = try data(
            "{ node(id: \"\(id)\") { ... on Order { id symbol side quantity rank limitPrice } } }")["node"]
        #expect(node == order)
        let other = try data(place.replacing("2.50", with: "4"))["placeOrder"]?["order"]
        #expect(other?["quantity"] == "4" && other?["id"] != order["id"])
    }

    @Test("of a mutation are those of the given ids")
    func ids() throws {
        let changed = try data(
            "mutation { replaceOrder(id: \"Order:7\", price: \"1\") { order { id } orderEdge { node { id } } } }"
        )
        #expect(changed["replaceOrder"]?["order"]?["id"] == "Order:7")
        #expect(changed["replaceOrder"]?["orderEdge"]?["node"]?["id"] == "Order:7")
        let accepted = try data("mutation { acceptDisclaimers(ids: [\"D:1\", \"D:2\"]) { acceptedIds } }")
        #expect(accepted["acceptDisclaimers"]?["acceptedIds"] == .array(["D:1", "D:2"]))
    }
}
