import Brokerage

/// What the rejection of an order that was to replace another one means for the user's order.
///
/// Alpaca accepts a replacement before it knows whether the old order can still be replaced. If the old order is filled first, the
/// new one is rejected; it can also be rejected while the old one stays open. But an order that has replaced another one can be
/// rejected later, too, for example by the exchange. Only the state of the old order shows which of both it is.
///
/// Nil if the rejection is the end of the rejected order itself: it was to replace no order of the journal, or has replaced it.
enum RejectedReplacement {
    /// The state of an order is not known yet, by the broker's id; nil while another replacement of the rejected order is in
    /// progress, whose outcome is recorded first.
    case undecided(unread: String?)
    /// The old order was not replaced.
    case failed(Failure)

    struct Failure {
        let order: OrderIdentity
        /// The replacement, if its outcome is not recorded yet.
        let write: JournalWrite?
        /// The order that has the place of the user's order again, as it was read; nil if another one has the place already.
        var standing: Order?
        /// The broker's ids of the orders that were taken for replaced.
        var restored: [String] = []
    }

    /// - Parameters:
    ///   - rejected: An order as the broker reports it.
    ///   - previous: The old orders that were read after the rejection, by the broker's ids.
    ///   - owner: Their owner.
    ///   - connection: The connection that reported them.
    ///   - db: A transaction.
    /// - Throws: The error of the database.
    init?(
        _ rejected: Order, _ previous: [String: Order], of owner: OwnerID, _ connection: String,
        _ db: SQLTransaction
    ) throws {
        guard rejected.state == .rejected else { return nil }
        var failure: Failure
        var next: String?
        if let write = try OrderJournal.write(sentAs: rejected, of: owner, connection, db),
            case .replace = write.kind, let old = write.providerOrderID, old != rejected.id
        {
            failure = Failure(order: write.order, write: write)
            // Another replacement has succeeded since.
            if let replaced = rejected.replaces, replaced != old {
                self = .failed(failure)
                return
            }
            next = old
        } else {
            guard let identity = try OrderJournal.identity(of: rejected, of: owner, connection, db),
                let known = try JournalOrder.fetch(identity, db), !known.order.state.isFinal,
                let old = rejected.replaces ?? known.order.replaces,
                try Self.isReplaced(old, by: identity, db)
            else { return nil }
            if known.openWrite == .replace {
                self = .undecided(unread: nil)
                return
            }
            failure = Failure(order: identity, write: nil)
            next = old
        }
        // The old order may have been rejected itself, and its own replacement may have failed, too.
        var successor = rejected.id
        while let id = next {
            guard let old = previous[id] else {
                self = .undecided(unread: id)
                return
            }
            // Another order can have replaced it since: the user can change it in the broker's own application.
            if old.state == .replaced, old.replacedBy ?? successor == successor { break }
            failure.standing = old
            failure.restored.append(id)
            (next, successor) = (nil, id)
            if old.state == .rejected, let older = old.replaces, !failure.restored.contains(older),
                try Self.isReplaced(older, by: failure.order, db)
            {
                next = older
            }
        }
        if failure.restored.isEmpty { return nil }
        self = .failed(failure)
    }

    /// Whether an order of the journal took the place of one of the broker's orders.
    private static func isReplaced(
        _ providerOrderID: String, by identity: OrderIdentity, _ db: SQLTransaction
    ) throws -> Bool {
        try db.value(
            """
            SELECT EXISTS (SELECT 1 FROM journal_replaced
                WHERE owner = ? AND connection = ? AND provider_order_id = ? AND id = ?)
            """, [identity.owner.text, identity.connection, providerOrderID, identity.id], as: Bool.self)
            == true
    }
}
