import Brokerage
import GraphQL
import Storage

/// An activity, and the account in which it was booked.
struct ConnectedActivity: Sendable {
    let activity: Activity
    let connection: BrokerConnection
    /// The broker's own id of the account.
    let accountID: String

    /// The `id` that the schema gives it.
    var globalID: String { "\(Self.idPrefix(of: connection))\(accountID):\(activity.id)" }

    /// The prefix of the ids of all activities of a connection.
    static func idPrefix(of connection: BrokerConnection) -> String { "Activity:\(connection.id):" }

    var accountReference: AccountReference {
        AccountReference(connection: connection, accountID: accountID)
    }

    /// Whether it comes before another in a list, newest first.
    func precedes(_ other: ConnectedActivity) -> Bool {
        let (one, two) = (ActivityPosition(activity), ActivityPosition(other.activity))
        if (one.day, one.moment) != (two.day, two.moment) {
            return (one.day, one.moment) > (two.day, two.moment)
        }
        let (account, otherAccount) = ([connection.id, accountID], [other.connection.id, other.accountID])
        if account != otherAccount { return account.lexicographicallyPrecedes(otherAccount) }
        return two < one
    }
}

extension ConnectedActivity: GraphQLObject {
    typealias Context = GatewayContext

    static let graphQL = ObjectType<ConnectedActivity>("Activity") {
        Field("id") { $0.globalID }
        Field("provider") { $0.connection.provider }
        Field(
            "account",
            load: { activities, context in context.accounts(at: activities.map(\.accountReference)) })
        Field("kind", \.activity.kind)
        Field("providerKind", \.activity.providerKind)
        Field("date", \.activity.date)
        Field("executedAt", \.activity.time)
        Field("settlementDate", \.activity.settlementDate)
        Field("symbol", \.activity.symbol)
        Field(
            "instrument",
            load: { activities, context in context.instruments(of: activities.map(\.activity.symbol)) })
        Field("side", \.activity.side)
        Field("quantity", \.activity.quantity)
        Field("price", \.activity.price)
        Field("amount", \.activity.amount)
        Field("currency", \.activity.currency)
        Field("accountAmount", \.activity.accountAmount)
        Field("accountCurrency", \.activity.accountCurrency)
        Field("conversionRate", \.activity.conversionRate)
        Field("providerOrderId", \.activity.orderID)
        Field("order", load: { activities, context in context.orders(causing: activities) })
        Field("groupId", \.activity.groupID)
        Field("description", \.activity.about)
    }
}

extension ActivityConnectionPage: GraphQLObject {
    typealias Context = GatewayContext

    static let graphQL = ObjectType<ActivityConnectionPage>("ActivityConnection") {
        Field("edges") { page in page.edges }
        Field("nodes", \.nodes)
        Field("pageInfo") { page in
            PageInfo(
                hasNextPage: page.hasNext, hasPreviousPage: page.hasPrevious, startCursor: page.startCursor,
                endCursor: page.nodes.isEmpty && !page.hasNext ? nil : page.end.text)
        }
        Field("since", \.since)
        Field("stale", \.isStale)
    }
}

extension ActivityConnectionPage.ActivityEdge: GraphQLObject {
    typealias Context = GatewayContext

    static let graphQL = ObjectType<ActivityConnectionPage.ActivityEdge>("ActivityEdge") {
        Field("cursor", \.cursor)
        Field("node", \.activity)
    }
}
