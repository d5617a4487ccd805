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
        }
    }
}
