package import Brokerage
import Synchronization

/// The conditions of a provider call that come from its operation.
public struct CallContext: Sendable {
    /// The time at which the operation needs its response; no wait and no retry goes beyond it.
    @usableFromInline package let deadline: ContinuousClock.Instant
    /// Only values that were requested from the provider at this time or later are accepted; nil without
    /// this condition.
    ///
    /// For a request with `Cache-Control: no-cache` (RFC 9111, section 5.2.1.4) it is the arrival of the
    /// request.
    package let notBefore: ContinuousClock.Instant?
    /// Whether a value that was younger than ``Brokerage/ProviderTraits/minimumAge`` at ``notBefore`` is accepted
    /// too.
    ///
    /// This applies to demands of clients, each of which would cost a call.
    package let acceptsMinimumAge: Bool
    /// Called for each call to a provider, and for each read without a call.
    ///
    /// It may be called on any thread, and must be fast.
    package let observe: (@Sendable (CallRecord) -> Void)?
    /// Called when a write is sent; nil if nothing has to be recorded.
    package let writeObserver: WriteObserver?
    /// The trace that the calls belong to; nil for none.
    package let tracing: CallTracing?
    /// The number of calls that may be made; nil for no limit, for calls that do not belong to a client.
    package let callBudget: OperationCallBudget?

    package init(
        deadline: ContinuousClock.Instant, notBefore: ContinuousClock.Instant? = nil,
        acceptsMinimumAge: Bool = false,
        observe: (@Sendable (CallRecord) -> Void)? = nil, writeObserver: WriteObserver? = nil,
        tracing: CallTracing? = nil, callBudget: OperationCallBudget? = nil
    ) {
        self.deadline = deadline
        self.notBefore = notBefore
        self.acceptsMinimumAge = acceptsMinimumAge
        self.observe = observe
        self.writeObserver = writeObserver
        self.tracing = tracing
        self.callBudget = callBudget
    }

    /// The context of a read that other operations may join, which ends at its own deadline.
    @usableFromInline
    func ofRead(until deadline: ContinuousClock.Instant) -> CallContext {
        CallContext(
            deadline: deadline, notBefore: notBefore, acceptsMinimumAge: acceptsMinimumAge, observe: observe,
            tracing: tracing, callBudget: callBudget)
    }

    /// The same context with half of the remaining time, so that a second provider can be called if one does
    /// not respond.
    package func halved(at now: ContinuousClock.Instant) -> CallContext {
        let rest = max(now.duration(to: deadline), .zero)
        return CallContext(
            deadline: now + rest / 2, notBefore: notBefore, acceptsMinimumAge: acceptsMinimumAge,
            observe: observe, tracing: tracing,
            callBudget: callBudget)
    }
}

/// A limit of Portico that prevents a call to a provider for an operation.
package enum CallRefusal: Hashable, Sendable {
    /// The operation has reached its limit of calls.
    case operation(limit: Int)
    /// The client has reached the limit of calls in a minute for clients without a session or with a guest
    /// session.
    case client(limit: Int, retryAt: Instant)
    /// All clients without a session or with a guest session have used up their part of the provider's quota.
    case sharedQuota(retryAt: Instant?)
    /// The database that counts the calls of all processes is not available, so that no call may be made.
    case uncounted(retryAt: Instant)
}

/// The number of calls to providers that one operation may still make.
///
/// Each call of the operation is counted, whichever field needs it. A call that is shared with other
/// operations counts for the one that started it. A repeated call counts once for the operation, and each
/// time for the client.
package final class OperationCallBudget: Sendable {
    private let limit: Int
    private let calls = Atomic<Int>(0)
    private let budget: (@Sendable (_ isSpent: Bool) -> CallRefusal?)?

    /// Whether the client has a limit of calls of its own.
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

    /// A call budget for the next event of a subscription, or for the next read of a followed value.
    ///
    /// Its count of calls starts at 0; the client's budget is the same.
    package func renewed() -> OperationCallBudget { OperationCallBudget(limit: limit, budget: budget) }

    /// The call budget of work for many anonymous clients.
    ///
    /// The number of calls has no limit other than the part of a quota that all anonymous clients share.
    static var ofAnonymousClients: OperationCallBudget { OperationCallBudget(limit: .max) { _ in nil } }

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

/// Observes a write to a provider immediately before and after it is sent, and may prevent it.
///
/// Reads do not use it.
package struct WriteObserver: Sendable {
    /// The time after the call of ``willSend`` within which the first byte may be sent.
    ///
    /// A write that is not found at the provider later than that will not arrive.
    package static let validity = Duration.seconds(5)

    /// Called before the request is sent once, within ``validity`` or not at all; if it throws, the request
    /// is not sent.
    ///
    /// Once it has returned, the request counts as sent, even if the process ends.
    package let willSend: @Sendable () async throws -> Void
    /// Called if the provider cannot have processed the request.
    ///
    /// It was not sent in time, the provider was not reached, or the provider refused it because of its
    /// authorization (401, 403) or its rate (429) before it processed the request.
    ///
    /// Called on any thread; it must be quick.
    package let wasNotProcessed: @Sendable () -> Void

    package init(
        willSend: @escaping @Sendable () async throws -> Void, wasNotProcessed: @escaping @Sendable () -> Void
    ) {
        self.willSend = willSend
        self.wasNotProcessed = wasNotProcessed
    }
}
