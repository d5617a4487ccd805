/// The state of a change at a broker: an order that is placed, replaced or cancelled.
///
/// The state is in the database before anything happens at the broker, so that after a crash at any point it
/// is known whether a request may have been sent.
///
/// Only ``OrderJournal/markSent(_:now:)`` changes PENDING to SENT, by a comparison and a change in one step: only
/// the caller that gets `true` from it sends the request. ``step(after:)`` has all other transitions.
package enum OrderWriteState: String, Sendable, CaseIterable {
    /// It is recorded; the request has not been sent.
    case pending = "PENDING"
    /// The request may have been sent: the state is recorded before it is sent.
    case sent = "SENT"
    /// The request may have arrived, and its response is lost.
    ///
    /// The broker is queried.
    case unconfirmed = "UNCONFIRMED"
    /// The broker accepted it.
    case done = "DONE"
    /// The broker refused it.
    case refused = "REFUSED"
    /// The broker did not have it in a query that was late enough.
    case missing = "MISSING"
    /// The outcome can never be determined: the broker cannot report it, or the connection has been deleted.
    case undetermined = "UNDETERMINED"

    /// Whether no outcome is awaited any more.
    ///
    /// The broker may still report the order, its response may be recorded late, or it may reject the order of a replacement that it
    /// accepted, see ``step(after:)``.
    package var isFinal: Bool {
        switch self {
        case .pending, .sent, .unconfirmed: false
        case .done, .refused, .missing, .undetermined: true
        }
    }
}

/// An event in the life of a write.
package enum OrderWriteEvent: Sendable, CaseIterable {
    /// The broker cannot have acted on it: it was not reached, or refused the request before it processed it.
    case notProcessed
    /// The broker accepted it.
    case accepted
    /// The broker rejected it.
    case rejected
    /// The request was sent, and its outcome is not known.
    case responseLost
    /// The broker has it, in response to a query or in its stream.
    case found
    /// The broker did not have the order after the waiting time.
    case notFound
    /// The outcome can never be determined.
    case undeterminable
    /// No process executes it any more: its process has ended.
    case abandoned
    /// The broker rejected the order that a replacement had created, after it had accepted the replacement.
    case revoked
}

/// The effect of an event on a write.
package enum OrderWriteTransition: Hashable, Sendable {
    case to(OrderWriteState)
    /// The entry is removed: nothing has happened, and the same change may be requested again.
    case delete
}

extension OrderWriteState {
    /// The transition after an event in this state; nil for an event that cannot happen in it.
    package func step(after event: OrderWriteEvent) -> OrderWriteTransition? {
        switch (self, event) {
        // A write without a mark was not sent.
        case (.pending, .notProcessed), (.pending, .abandoned): .delete
        // A refusal by the broker's rules before anything was sent.
        case (.pending, .rejected): .to(.refused)
        case (.pending, .accepted), (.pending, .responseLost), (.pending, .found), (.pending, .notFound),
            (.pending, .undeterminable), (.pending, .revoked):
            nil
        case (.sent, .notProcessed): .delete
        case (.sent, .accepted), (.sent, .found): .to(.done)
        case (.sent, .rejected): .to(.refused)
        // The write is marked before the request is sent, so the request may not have been sent. Only the broker can
        // tell.
        case (.sent, .responseLost), (.sent, .abandoned): .to(.unconfirmed)
        case (.sent, .notFound), (.sent, .undeterminable), (.sent, .revoked): nil
        case (.unconfirmed, .found): .to(.done)
        case (.unconfirmed, .notFound): .to(.missing)
        case (.unconfirmed, .undeterminable): .to(.undetermined)
        // The response itself, which arrives late: its process was stopped, or could not record it. It belongs to this write alone.
        case (.unconfirmed, .accepted): .to(.done)
        case (.unconfirmed, .rejected): .to(.refused)
        case (.unconfirmed, .notProcessed), (.unconfirmed, .responseLost), (.unconfirmed, .abandoned),
            (.unconfirmed, .revoked):
            nil
        // The broker has it after all, or has refused it; its state is recorded.
        case (.missing, .found), (.undetermined, .found), (.missing, .accepted), (.undetermined, .accepted):
            .to(.done)
        case (.missing, .rejected), (.undetermined, .rejected): .to(.refused)
        // Alpaca accepts a replacement before it knows whether it can replace the order.
        case (.done, .revoked): .to(.refused)
        case (.done, _), (.refused, _), (.missing, _), (.undetermined, _): nil
        }
    }
}
