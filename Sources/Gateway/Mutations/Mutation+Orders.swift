import Brokerage
import GraphQL

extension Mutation {
    /// Placing, replacing and cancelling orders.
    @FieldsBuilder<Mutation> static var orders: [Field<Mutation>] {
        Field(
            "placeOrder", PlaceOrderArguments.self,
            once: { arguments, context in try context.place(arguments.input) })
        Field(
            "replaceOrder", ReplaceOrderArguments.self,
            once: { arguments, context in try context.replace(arguments.id, by: arguments.input) })
        Field(
            "cancelOrder", OrderArguments.self,
            once: { arguments, context in try context.cancel(arguments.id) })
    }
}

struct PlaceOrderArguments: GraphQLArguments {
    let input: PlaceOrderInput

    init(_ arguments: ArgumentReader) throws {
        input = try arguments["input"]
    }
}

struct ReplaceOrderArguments: GraphQLArguments {
    let id: String
    let input: ReplaceOrderInput

    init(_ arguments: ArgumentReader) throws {
        id = try arguments["id"]
        input = try arguments["input"]
    }
}

/// The arguments of a field about one order.
struct OrderArguments: GraphQLArguments {
    let id: String

    init(_ arguments: ArgumentReader) throws {
        id = try arguments["id"]
    }
}

/// `OrderPayload` of the schema.
struct OrderPayload: GraphQLObject {
    typealias Context = GatewayContext

    let order: LinkedOrder

    static let graphQL = Object<OrderPayload>("OrderPayload") {
        Field("order", \.order)
    }
}
