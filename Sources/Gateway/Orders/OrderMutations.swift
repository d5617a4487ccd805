import GraphQL

extension Mutation {
    /// Placing, replacing and cancelling orders.
    @FieldsBuilder<Mutation> static var orders: [Field<Mutation>] {
        Field(
            "placeOrder", InputArguments<PlaceOrderInput>.self,
            once: { arguments, scope in try OrderEntryService(scope).place(arguments.input) })
        Field(
            "replaceOrder", ChangeArguments<ReplaceOrderInput>.self,
            once: { arguments, scope in
                try OrderEntryService(scope).replace(arguments.id, by: arguments.input)
            })
        Field(
            "cancelOrder", IDArguments.self,
            once: { arguments, scope in try OrderEntryService(scope).cancel(arguments.id) })
    }
}

/// `OrderPayload` of the schema.
package struct OrderPayload: GraphQLObject {
    let order: ConnectedOrder

    static let graphQL = ObjectType<OrderPayload>("OrderPayload") {
        Field("order", \.order)
        Field("orderEdge") { OrderConnectionPage.OrderEdge($0.order) }
    }
}
