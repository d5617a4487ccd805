package import Brokerage
import Synchronization

/// A limit of Portico that prevents a call to a provider for an operation.
package enum CallRefusal: Hashable, Sendable {
    /// The operation has reached its limit of calls.
    case operation(limit: Int)
    /// The client has reached the limit of calls in a minute for clients without a session or with a guest
    /// session.
    case client(limit: Int, retryAt: Instant)
    /// All clients without a session or with a guest session have used up their part of the provider's quota.
    case sharedQuota(retryAt: Instant?)
}

/// The number of calls to providers that one operation may still make.
///
/// Each call of the operation is counted, whichever field needs it. A call that is shared with other
/// operations counts for the one that started it. A repeated call counts once for the operation, and each
/// time for the client.
package final class CallAllowance: Sendable {
    private let limit: Int
    private let calls = Atomic<Int>(0)
    private let budget: (@Sendable (_ isSpent: Bool) -> CallRefusal?)?

    /// Whether the client has a budget of its own.
    ///
    /// A part of each provider's quota is then reserved for users with a name.
    var isBudgeted: Bool { budget != nil }

    /// - Parameters:
    ///   - limit: The number of calls that the operation may make; at least 1.
    ///   - budget: Returns why the client has no further call, or nil; with `true` it counts a call if there
    ///     is one. Nil for a client without a budget. Called on any thread; it must be quick.
    package init(limit: Int, budget: (@Sendable (_ isSpent: Bool) -> CallRefusal?)? = nil) {
        self.limit = max(limit, 1)
        self.budget = budget
    }

    /// An allowance for the next event of a subscription, or for the next read of a followed value.
    ///
    /// Its count of calls starts at 0; the client's budget is the same.
    package func renewed() -> CallAllowance { CallAllowance(limit: limit, budget: budget) }

    /// The allowance of work for many anonymous clients.
    ///
    /// The number of calls has no limit other than the part of a quota that all anonymous clients share.
    static var ofAnonymousClients: CallAllowance { CallAllowance(limit: .max) { _ in nil } }

    /// The limit that prevents a further call; nil if a call may be made.
    func limitError() -> CallRefusal? {
        calls.load(ordering: .relaxed) < limit ? budget?(false) : .operation(limit: limit)
    }

    /// Counts one call.
    ///
    /// - Returns: The limit that prevents the call; nil if it may be made.
    func consume(isRetry: Bool) -> CallRefusal? {
        if isRetry { return budget?(true) }
        guard calls.wrappingAdd(1, ordering: .relaxed).newValue <= limit else {
            calls.wrappingSubtract(1, ordering: .relaxed)
            return .operation(limit: limit)
        }
        return budget?(true)
    }
}
