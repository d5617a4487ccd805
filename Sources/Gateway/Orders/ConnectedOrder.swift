package import Brokerage
import GraphQL
import Storage
import Upstream

/// An order, and the connection by which it was read.
package struct ConnectedOrder: Sendable {
    /// The order, including the writes in progress.
    package var order: Order
    let connection: BrokerConnection
    /// The name of the order among the orders of the connection.
    let name: Name
    /// The key that its user gave it, else the broker's client id.
    let clientOrderID: String?
    /// Its place among the connection's orders.
    let time: Instant
    /// The state of the reconciliation of the order's latest write.
    ///
    /// Nil if the outcome is known, or while the response is awaited.
    var reconciliation: ReconciliationState?
    /// Portico's id of the order that this one is a leg of, if the journal knows it.
    var parent: String?
    /// How long the request through Portico keeps the order in force; nil if the journal has no such request.
    var requestedTimeInForce: TimeInForce?
    /// Whether the journal has the order, and may know legs that the broker does not report.
    var isInJournal = false

    /// Whether the order has legs or is one.
    var isInGroup: Bool { parent != nil || order.parentID != nil || !order.legs.isEmpty }

    var globalID: String { name.globalID(of: connection) }

    /// The account that it belongs to.
    var accountReference: AccountReference {
        AccountReference(connection: connection, accountID: order.accountID)
    }
}

/// `OrderReconciliation` of the schema: how the outcome of a write with a lost response is being determined.
enum ReconciliationState: String, Sendable, CaseIterable {
    case inProgress = "IN_PROGRESS"
    case undetermined = "UNDETERMINED"
}

extension ConnectedOrder {
    /// The name of an order among the orders of a connection.
    enum Name: Hashable, Sendable {
        /// The present order under an id of Portico, whatever its present id at the broker. An order that was
        /// placed elsewhere has the broker's id, and keeps it when Portico replaces the order.
        case current(String)
        /// One whose place another has taken under that id, by the broker's own id.
        case replaced(String)

        private static let replacedSuffix = ":replaced"

        init(_ text: some StringProtocol) {
            self =
                text.hasSuffix(Self.replacedSuffix)
                ? .replaced(String(text.dropLast(Self.replacedSuffix.count))) : .current(String(text))
        }

        var text: String {
            switch self {
            case .current(let id): id
            case .replaced(let id): id + Self.replacedSuffix
            }
        }

        func globalID(of connection: BrokerConnection) -> String {
            Self.prefix(of: connection) + text
        }

        /// The prefix of the ids of all orders of a connection.
        static func prefix(of connection: BrokerConnection) -> String { "Order:\(connection.id):" }

        /// The id of the connection in the id of an order; nil for another text.
        static func connection(ofGlobal id: String) -> String? {
            let parts = id.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            return parts.count == 3 && parts[0] == "Order" ? String(parts[1]) : nil
        }
    }
}

extension ConnectedOrder {
    /// An order of the journal that the broker has not returned.
    init(_ known: JournalOrder, _ order: Order, of connection: BrokerConnection) {
        self.init(
            order: order, connection: connection, name: .current(known.identity.id),
            clientOrderID: known.idempotencyKey ?? order.clientOrderID,
            // As in the lists of a broker that lists all orders.
            time: (connection.listsAllOrders ? order.submittedAt : nil) ?? known.createdAt,
            reconciliation: known.reconciliation, parent: known.parent,
            requestedTimeInForce: known.requestedTimeInForce, isInJournal: true)
    }

    /// An order that the broker returned, with the name from the journal.
    init(_ order: Order, _ names: OrderJournal.OrderAliases, of connection: BrokerConnection) {
        let known = names.current[order.id]
        // The rejection of an order that was to replace another one is not its end before the journal has it.
        let isUndecided =
            order.state == .rejected && known.map { !$0.order.state.isFinal } ?? false
            && (order.replaces ?? known?.order.replaces) != nil
        var current = isUndecided ? known?.order ?? order : order
        // It does not change while an order is open, and Saxo's reference does not have it, so the first known value is used.
        current.isExtendedHours = known?.order.isExtendedHours ?? current.isExtendedHours
        let name: Name =
            if let known {
                .current(known.identity.id)
            } else {
                names.replaced.contains(order.id) ? .replaced(order.id) : .current(order.id)
            }
        self.init(
            order: current.while(known?.openWrite), connection: connection, name: name,
            clientOrderID: known?.idempotencyKey ?? order.clientOrderID,
            time: connection.listsAllOrders
                ? order.parentSubmittedAt ?? order.submittedAt ?? known?.createdAt ?? .latest
                    // One of the journal stays in its place when it has ended.
                : known?.createdAt ?? order.listTime ?? .latest,
            reconciliation: known?.reconciliation, parent: known?.parent,
            requestedTimeInForce: known?.requestedTimeInForce, isInJournal: known != nil)
    }
}

extension BrokerConnection {
    /// Whether the broker lists all orders, also those that have ended, by their submission.
    var listsAllOrders: Bool { orders?.orderCapabilities.endedOrders == .all }
}

extension JournalOrder {
    /// The state of the reconciliation of the latest write.
    fileprivate var reconciliation: ReconciliationState? {
        switch latestWriteState {
        case .unconfirmed: .inProgress
        case .undetermined: .undetermined
        case .pending, .sent, .done, .refused, .missing, nil: nil
        }
    }
}

extension ConnectedOrder: GraphQLObject {
    typealias Context = RequestScope

    static let graphQL = ObjectType<ConnectedOrder>("Order") {
        Field("id") { $0.globalID }
        Field("provider") { $0.connection.provider }
        Field(
            "account",
            load: { orders, scope in AccountService(scope).accounts(at: orders.map(\.accountReference)) })
        Field("symbol", \.order.symbol)
        Field(
            "instrument",
            load: { orders, scope in InstrumentService(scope).instruments(for: orders.map(\.order.symbol)) })
        Field("side", \.order.side)
        Field("clientOrderId", \.clientOrderID)
        Field("providerOrderId") { $0.order.id.isEmpty ? nil : $0.order.id }
        Field("type", \.order.type)
        Field("timeInForce", \.order.timeInForce)
        Field("requestedTimeInForce") { connected in
            connected.requestedTimeInForce == connected.order.timeInForce
                ? nil : connected.requestedTimeInForce
        }
        Field("extendedHours", \.order.isExtendedHours)
        Field("quantity", \.order.quantity)
        Field("notional", \.order.notional)
        Field("limitPrice", \.order.limitPrice)
        Field("stopPrice", \.order.stopPrice)
        Field("trailPercentage", \.order.trailPercent)
        Field("trailAmount", \.order.trailAmount)
        Field("filledQuantity", \.order.filledQuantity)
        Field("averageFillPrice", \.order.averageFillPrice)
        Field("state", \.order.state)
        Field("reconciliation", \.reconciliation)
        Field("providerState", \.order.providerState)
        Field("rejection") { connected in
            connected.order.rejection.map {
                OrderRejectionObject(
                    rejection: $0, at: connected.order.updatedAt, connection: connected.connection)
            }
        }
        Field("replaces", load: { orders, scope in OrderService(scope).related(orders, by: \.replaces) })
        Field("replacedBy", load: { orders, scope in OrderService(scope).related(orders, by: \.replacedBy) })
        Field("legs", load: { orders, scope in .each(orders) { OrderService(scope).legs(of: $0) } })
        Field("parent", load: { orders, scope in OrderService(scope).parents(of: orders) })
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

/// The reason and the time of a broker's rejection of an order.
struct OrderRejectionObject: GraphQLObject {
    typealias Context = RequestScope

    let rejection: OrderRejection
    let at: Instant?
    let connection: BrokerConnection

    /// Nil if the disclaimers of the rejection are no longer known.
    private var pendingDisclaimers: PendingDisclaimers? {
        rejection.reason == .disclaimers && rejection.disclaimers.isEmpty
            ? nil : PendingDisclaimers(references: rejection.disclaimers, connection: connection)
    }

    static let graphQL = ObjectType<OrderRejectionObject>("OrderRejection") {
        Field("reason", \.rejection.reason)
        Field("message", \.rejection.message)
        Field("at", \.at)
        Field(
            "disclaimers",
            load: { rejections, scope in
                DisclaimerService(scope).disclaimers(of: rejections.map(\.pendingDisclaimers))
            })
    }
}

extension OrderConnectionPage: GraphQLObject {
    static let graphQL = ObjectType<OrderConnectionPage>("OrderConnection") {
        Field("edges", \.entries)
        Field("nodes") { slice in slice.entries.map { entry in entry.map(\.order) } }
        Field("pageInfo") { slice in
            PageInfo(
                hasNextPage: slice.hasNext, hasPreviousPage: slice.hasPrevious,
                startCursor: slice.start,
                endCursor: slice.entries.isEmpty && !slice.hasNext ? nil : slice.end.text)
        }
    }

    private var start: String? {
        if case .success(let entry)? = entries.first { entry.cursor } else { nil }
    }
}

extension OrderConnectionPage.OrderEdge: GraphQLObject {
    static let graphQL = ObjectType<OrderConnectionPage.OrderEdge>("OrderEdge") {
        Field("cursor", \.cursor)
        Field("node", \.order)
    }
}
