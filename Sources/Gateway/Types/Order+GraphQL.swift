import Brokerage
import GraphQL

extension ConnectedOrder: GraphQLObject {
    typealias Context = GatewayContext

    static let graphQL = ObjectType<ConnectedOrder>("Order") {
        Field("id") { $0.globalID }
        Field("provider") { $0.connection.provider }
        Field("account", load: { orders, context in context.accounts(at: orders.map(\.accountReference)) })
        Field("symbol", \.order.symbol)
        Field(
            "instrument",
            load: { orders, context in context.instruments(for: orders.map(\.order.symbol)) })
        Field("side", \.order.side)
        Field("clientOrderId", \.clientOrderID)
        Field("providerOrderId") { $0.order.id.isEmpty ? nil : $0.order.id }
        Field("type", \.order.type)
        Field("timeInForce", \.order.timeInForce)
        Field("extendedHours", \.order.isExtendedHours)
        Field("quantity", \.order.quantity)
        Field("notional", \.order.notional)
        Field("limitPrice", \.order.limitPrice)
        Field("stopPrice", \.order.stopPrice)
        Field("trailPercent", \.order.trailPercent)
        Field("trailAmount", \.order.trailAmount)
        Field("filledQuantity", \.order.filledQuantity)
        Field("averageFillPrice", \.order.averageFillPrice)
        Field("state", \.order.state)
        Field("reconciliation", \.reconciliation)
        Field("providerState", \.order.providerState)
        Field("rejection") { linked in
            linked.order.rejection.map { OrderRejectionObject(rejection: $0, at: linked.order.updatedAt) }
        }
        Field("replaces", load: { orders, context in context.related(orders, by: \.replaces) })
        Field("replacedBy", load: { orders, context in context.related(orders, by: \.replacedBy) })
        Field("legs", load: { orders, context in .each(orders) { context.legs(of: $0) } })
        Field("submittedAt", \.order.submittedAt)
        Field("updatedAt", \.order.updatedAt)
        Field("filledAt", \.order.filledAt)
        Field("canceledAt", \.order.canceledAt)
        Field("expiresAt", \.order.expiresAt)
        Field("asOf", \.order.provenance.asOf)
        Field("fetchedAt", \.order.provenance.fetchedAt)
        Field("source", \.order.provenance.source)
        Field("stale", \.order.provenance.isStale)
    }
}

/// Why and when a broker refused an order.
struct OrderRejectionObject: GraphQLObject {
    typealias Context = GatewayContext

    let rejection: OrderRejection
    let at: Instant?

    static let graphQL = ObjectType<OrderRejectionObject>("OrderRejection") {
        Field("reason", \.rejection.reason)
        Field("message", \.rejection.message)
        Field("at", \.at)
    }
}

extension OrderConnectionPage: GraphQLObject {
    typealias Context = GatewayContext

    static let graphQL = ObjectType<OrderConnectionPage>("OrderConnection") {
        Field("edges", \.entries)
        Field("nodes") { slice in slice.entries.map { entry in entry.map(\.order) } }
        Field("pageInfo") { slice in
            PageInfo(
                hasNextPage: slice.hasNext, hasPreviousPage: slice.hasPrevious,
                startCursor: slice.start, endCursor: slice.entries.isEmpty ? nil : slice.end.text)
        }
    }

    private var start: String? {
        if case .success(let entry)? = entries.first { entry.cursor } else { nil }
    }
}

extension OrderConnectionPage.OrderEdge: GraphQLObject {
    typealias Context = GatewayContext

    static let graphQL = ObjectType<OrderConnectionPage.OrderEdge>("OrderEdge") {
        Field("cursor", \.cursor)
        Field("node", \.order)
    }
}
