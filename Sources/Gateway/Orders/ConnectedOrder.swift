import Brokerage
import Storage
import Upstream

/// An order, and the connection by which it was read.
struct ConnectedOrder: Sendable {
    /// As it stands: with what is under way with it.
    let order: Order
    let connection: BrokerConnection
    /// What tells it from the connection's other orders.
    let name: OrderReference
    /// The key that its user gave it, else the broker's client id.
    let clientOrderID: String?
    /// Its place among the connection's orders.
    let time: Instant
    /// How the outcome of the latest write of the order is being determined.
    ///
    /// Nil if the outcome is known, or while the response is awaited.
    var reconciliation: ReconciliationState?

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

/// Which of a connection's orders.
enum OrderReference: Hashable, Sendable {
    /// The order that stands under an id of Portico's own, whatever the broker calls it now; an order that was placed
    /// elsewhere has the broker's id here, and keeps it when Portico has it replaced.
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

    /// What the ids of all orders of a connection begin with.
    static func prefix(of connection: BrokerConnection) -> String { "Order:\(connection.id):" }
}

extension ConnectedOrder {
    /// An order of the journal that the broker has not told of.
    init(_ known: JournalOrder, _ order: Order, of connection: BrokerConnection) {
        self.init(
            order: order, connection: connection, name: .current(known.identity.id),
            clientOrderID: known.idempotencyKey ?? order.clientOrderID, time: known.createdAt,
            reconciliation: known.reconciliation)
    }

    /// An order that the broker told of, under the name that the journal has for it.
    init(_ order: Order, _ names: OrderJournal.OrderAliases, of connection: BrokerConnection) {
        let known = names.standing[order.id]
        let name: OrderReference =
            if let known {
                .current(known.identity.id)
            } else {
                names.replaced.contains(order.id) ? .replaced(order.id) : .current(order.id)
            }
        self.init(
            order: order.while(known?.openWrite), connection: connection, name: name,
            clientOrderID: known?.idempotencyKey ?? order.clientOrderID,
            time: connection.reportsEndedOrders
                ? order.submittedAt ?? known?.createdAt ?? .latest
                    // One that has ended is in the journal alone, and stays in its place.
                : known?.createdAt ?? order.submittedAt ?? .latest,
            reconciliation: known?.reconciliation)
    }
}

extension BrokerConnection {
    /// Whether orders that have ended can be read from the broker.
    var reportsEndedOrders: Bool { orders?.orderCapabilities.hasEndedOrders ?? false }
}

extension JournalOrder {
    /// How the outcome of the latest write is being determined.
    fileprivate var reconciliation: ReconciliationState? {
        switch latestWriteState {
        case .unconfirmed: .inProgress
        case .undetermined: .undetermined
        case .pending, .sent, .done, .refused, .missing, nil: nil
        }
    }

    /// The order where the broker tells of open ones only, and does not have it among them any more: as it was last heard
    /// of, since nobody says how it ended; one that was to be cancelled was.
    var ended: Order {
        var order = order
        if order.state == .pendingCancel { order.state = .canceled }
        order.provenance = order.provenance.markedStale
        return order
    }
}
