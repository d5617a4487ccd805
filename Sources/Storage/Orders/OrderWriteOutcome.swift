package import Brokerage

/// The outcome of a write, with the reported order.
package enum OrderWriteOutcome: Hashable, Sendable {
    /// The broker cannot have acted on it.
    case notProcessed
    /// The broker accepted the request; the order as it reports it.
    case accepted(Order)
    /// The broker refused it.
    case rejected(OrderRejection)
    /// The outcome is unknown.
    case responseLost
    /// The broker has it; the value is the current order.
    case found(Order)
    /// The broker did not have the order after the waiting time; the rejection that the user gets for a new
    /// order.
    case notFound(OrderRejection)
    /// The outcome can never be determined.
    case undeterminable
    /// No process executes it any more.
    case abandoned
    /// The broker rejected the order that a replacement had created.
    case revoked

    package var event: OrderWriteEvent {
        switch self {
        case .notProcessed: .notProcessed
        case .accepted: .accepted
        case .rejected: .rejected
        case .responseLost: .responseLost
        case .found: .found
        case .notFound: .notFound
        case .undeterminable: .undeterminable
        case .abandoned: .abandoned
        case .revoked: .revoked
        }
    }

    /// The outcome for a write: a replacement is refused if its response is a new order that the broker has rejected.
    ///
    /// The old order stays, and may have been filled. Of an order that is found later, the old one shows whether it was replaced:
    /// `RejectedReplacement`.
    func outcome(of write: JournalWrite) -> OrderWriteOutcome {
        guard case .replace = write.kind else { return self }
        switch self {
        case .accepted(let order):
            guard order.state == .rejected, order.id != write.providerOrderID else { return self }
            return .rejected(order.rejection ?? OrderRejection(.other, message: nil))
        case .notProcessed, .rejected, .responseLost, .found, .notFound, .undeterminable, .abandoned,
            .revoked:
            return self
        }
    }
}
