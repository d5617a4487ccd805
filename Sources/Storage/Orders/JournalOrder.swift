package import Brokerage
package import Upstream

/// Which order of the journal: whose, by which connection, and Portico's own id of it.
package struct OrderIdentity: Hashable, Sendable {
    package let owner: OwnerID
    package let connection: String
    /// It stays when the broker puts another order into its place; for an order that was placed elsewhere, the broker's id
    /// of the first.
    package let id: String

    package init(owner: OwnerID, connection: String, id: String) {
        self.owner = owner
        self.connection = connection
        self.id = id
    }
}

/// An order as the journal has it: what was meant, and the last that was heard of it.
package struct JournalOrder: Hashable, Sendable {
    package let identity: OrderIdentity
    package let provider: ProviderID
    /// Under which its user placed it; nil for one that was placed elsewhere.
    package let idempotencyKey: String?
    /// Its `id` is empty until the broker has said one.
    package var order: Order
    package let createdAt: Instant
    /// What is under way with it; nil for nothing.
    package var openWrite: JournalWrite.Kind.Name?
    /// The state of the write in progress, otherwise of the latest one; nil for an order without writes of
    /// Portico.
    package var latestWriteState: OrderWriteState?

    /// The broker's own id, once it has one.
    package var providerOrderID: String? { order.id.isEmpty ? nil : order.id }

    /// The order with what is under way.
    package var standing: Order { order.while(openWrite) }
}

extension Order {
    /// The order while something is under way that the broker has not told of yet.
    package func `while`(_ write: JournalWrite.Kind.Name?) -> Order {
        guard !state.isFinal else { return self }
        var order = self
        switch write {
        case .cancel: order.state = .pendingCancel
        case .replace: order.state = .pendingReplace
        case .place, nil: break
        }
        return order
    }
}

extension OrderState {
    /// Whether nothing more can come of the order.
    package var isFinal: Bool {
        switch self {
        case .filled, .canceled, .rejected, .expired, .replaced: true
        case .pending, .unconfirmed, .accepted, .open, .partiallyFilled, .pendingCancel, .pendingReplace:
            false
        }
    }
}
