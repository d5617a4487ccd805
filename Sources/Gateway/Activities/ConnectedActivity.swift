import Brokerage
import GraphQL
import Storage

/// An activity, and the account in which it was booked.
///
/// It consists of two references, because a page copies its activities several times.
struct ConnectedActivity: Sendable {
    let stored: StoredActivity
    let origin: Origin

    /// The account of activities.
    final class Origin: Sendable {
        let connection: BrokerConnection
        /// The broker's own id of the account.
        let accountID: String
        fileprivate let idPrefix: String

        init(_ connection: BrokerConnection, accountID: String) {
            self.connection = connection
            self.accountID = accountID
            idPrefix = "\(ConnectedActivity.idPrefix(of: connection))\(accountID):"
        }
    }

    /// The `id` that the schema gives it.
    var globalID: String { origin.idPrefix + stored.activity.id }

    /// The prefix of the ids of all activities of a connection.
    static func idPrefix(of connection: BrokerConnection) -> String { "Activity:\(connection.id):" }

    var accountReference: AccountReference {
        AccountReference(connection: origin.connection, accountID: origin.accountID)
    }

    /// Whether it comes before another in a list, newest first.
    func precedes(_ other: ConnectedActivity) -> Bool {
        let (one, two) = (stored.position, other.stored.position)
        if one.time != two.time { return one.time > two.time }
        let (id, otherID) = (origin.connection.id, other.origin.connection.id)
        if id != otherID { return id < otherID }
        let (account, otherAccount) = (origin.accountID, other.origin.accountID)
        if account != otherAccount { return account < otherAccount }
        return two < one
    }
}

extension ConnectedActivity: GraphQLObject {
    typealias Context = RequestScope

    static let graphQL = ObjectType<ConnectedActivity>("Activity") {
        Field("id") { $0.globalID }
        Field("provider") { $0.origin.connection.provider }
        Field(
            "account",
            load: { activities, scope in
                AccountService(scope).accounts(at: activities.map(\.accountReference))
            })
        Field("kind") { $0.stored.activity.kind }
        Field("providerKind") { $0.stored.activity.providerKind }
        Field("date") { $0.stored.activity.date }
        Field("executedAt") { $0.stored.activity.time }
        Field("settlementDate") { $0.stored.activity.settlementDate }
        Field("symbol") { $0.stored.activity.symbol }
        Field(
            "instrument",
            load: { activities, scope in
                InstrumentService(scope).instruments(of: activities.map(\.stored.activity.symbol))
            }
        )
        Field("side") { $0.stored.activity.side }
        Field("quantity") { $0.stored.activity.quantity }
        Field("price") { $0.stored.activity.price }
        Field("amount") { $0.stored.activity.amount }
        Field("currency") { $0.stored.activity.currency }
        Field("accountAmount") { $0.stored.activity.accountAmount }
        Field("accountCurrency") { $0.stored.activity.accountCurrency }
        Field("conversionRate") { $0.stored.activity.conversionRate }
        Field("providerOrderId") { $0.stored.activity.orderID }
        Field("order", load: { activities, scope in ActivityService(scope).orders(causing: activities) })
        Field("groupId") { $0.stored.activity.groupID }
        Field("description") { $0.stored.activity.about }
    }
}

extension ActivityConnectionPage: GraphQLObject {
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
    static let graphQL = ObjectType<ActivityConnectionPage.ActivityEdge>("ActivityEdge") {
        Field("cursor", \.cursor)
        Field("node", \.activity)
    }
}
