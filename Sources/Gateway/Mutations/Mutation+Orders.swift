import Brokerage
import GraphQL

extension Mutation {
    /// Placing, replacing and cancelling orders.
    @FieldsBuilder<Mutation> static var orders: [Field<Mutation>] {
        Field(
            "placeOrder", InputArguments<PlaceOrderInput>.self,
            once: { arguments, context in try context.place(arguments.input) })
        Field(
            "replaceOrder", ChangeArguments<ReplaceOrderInput>.self,
            once: { arguments, context in try context.replace(arguments.id, by: arguments.input) })
        Field(
            "cancelOrder", IDArguments.self,
            once: { arguments, context in try context.cancel(arguments.id) })
    }
}

/// `OrderPayload` of the schema.
struct OrderPayload: GraphQLObject {
    typealias Context = GatewayContext

    let order: ConnectedOrder

    static let graphQL = ObjectType<OrderPayload>("OrderPayload") {
        Field("order", \.order)
    }
}
