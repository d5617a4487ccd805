package import Brokerage
import Synchronization

/// Portico's own reason not to call a provider for an operation.
package enum CallRefusal: Hashable, Sendable {
    /// The operation has made as many calls as one may.
    case operation(limit: Int)
    /// The client has made as many calls in a minute as one without a session, or with a guest's, may.
    case client(limit: Int, retryAt: Instant)
}

/// How many calls to providers one operation may still make.
///
/// Each call of the operation is counted, whichever field needs it, and so are calls that it shares with others where it
/// began them. A call that is tried again counts once for the operation, and each time for the client.
package final class CallAllowance: Sendable {
    private let limit: Int
    private let calls = Atomic<Int>(0)
    private let budget: (@Sendable (_ isSpent: Bool) -> CallRefusal?)?

    /// Whether the client has a budget of its own: then it leaves a part of each provider's quota to users with a name.
    var isBudgeted: Bool { budget != nil }

    /// - Parameters:
    ///   - limit: How many calls the operation may make; at least 1.
    ///   - budget: Of the client: why it has no further call; with `true` it spends one where it has. Nil for a client
    ///     without a budget. Called on any thread; it must be quick.
    package init(limit: Int, budget: (@Sendable (_ isSpent: Bool) -> CallRefusal?)? = nil) {
        self.limit = max(limit, 1)
        self.budget = budget
    }

    /// The same for the next event of a subscription, or for the next reading of what is followed: no call of the operation
    /// is counted yet, and the client's budget is the same.
    package func renewed() -> CallAllowance { CallAllowance(limit: limit, budget: budget) }

    /// Of work for many anonymous clients: any number of calls, within the part of a quota that they all share.
    static var ofAnonymousClients: CallAllowance { CallAllowance(limit: .max) { _ in nil } }

    /// Why no further call may be made; nil if one may.
    func refusal() -> CallRefusal? {
        calls.load(ordering: .relaxed) < limit ? budget?(false) : .operation(limit: limit)
    }

    /// Takes one call.
    ///
    /// - Returns: why it may not be made; nil if it may.
    func take(isRetry: Bool) -> CallRefusal? {
        if isRetry { return budget?(true) }
        guard calls.wrappingAdd(1, ordering: .relaxed).newValue <= limit else {
            calls.wrappingSubtract(1, ordering: .relaxed)
            return .operation(limit: limit)
        }
        return budget?(true)
    }
}
