import PorticoCore

/// What a failed call of a provider means for those who decide what happens next.
///
/// The traits of each cause are in one table, so that a new cause is decided once for all. The error that a client gets is
/// the table of `FieldError` in the gateway.
package struct FailureTraits: OptionSet, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The provider has responded, so that its host is in order.
    package static let responded = FailureTraits(rawValue: 1 << 0)
    /// The failure counts against the host, and opens its circuit if it is repeated.
    package static let opensCircuit = FailureTraits(rawValue: 1 << 1)
    /// The provider cannot be reached at present.
    package static let unreachable = FailureTraits(rawValue: 1 << 2)
    /// The same read may succeed a moment later, and is retried.
    package static let transient = FailureTraits(rawValue: 1 << 3)
    /// No later call succeeds until something is changed: a stream ends, and the next provider is used.
    package static let final = FailureTraits(rawValue: 1 << 4)
    /// The provider does not have the object or the kind of data.
    package static let unknownObject = FailureTraits(rawValue: 1 << 5)
    /// An older value may be returned, marked as stale.
    package static let allowsStaleValue = FailureTraits(rawValue: 1 << 6)
    /// The credential may no longer read the stored values, which are removed.
    package static let withdrawsValues = FailureTraits(rawValue: 1 << 7)
    /// The failure is a fact of the connection, rather than of the request or of a client that disconnected.
    package static let concernsConnection = FailureTraits(rawValue: 1 << 8)
    /// The provider has not processed the request: a write was not executed.
    package static let notProcessed = FailureTraits(rawValue: 1 << 9)
    /// A limit of the provider: no call may be sent before it ends.
    package static let providerLimit = FailureTraits(rawValue: 1 << 10)
}

extension ProviderFailure.Cause {
    /// The consequences of the cause.
    package var traits: FailureTraits {
        switch self {
        case .unavailable: [.opensCircuit, .unreachable, .transient, .allowsStaleValue, .concernsConnection]
        case .circuitOpen: [.unreachable, .allowsStaleValue, .concernsConnection]
        case .timedOut: [.opensCircuit, .unreachable, .transient, .allowsStaleValue, .concernsConnection]
        case .invalidResponse: [.responded, .allowsStaleValue, .concernsConnection]
        case .unauthorized: [.responded, .final, .withdrawsValues, .concernsConnection, .notProcessed]
        case .notEntitled: [.responded, .final, .withdrawsValues, .notProcessed]
        case .notFound: [.responded, .final, .unknownObject]
        case .rateLimited:
            [.responded, .transient, .allowsStaleValue, .concernsConnection, .notProcessed, .providerLimit]
        case .quotaExhausted:
            [.responded, .allowsStaleValue, .concernsConnection, .notProcessed, .providerLimit]
        case .unsupported: [.responded, .final, .unknownObject]
        case .tooMany: [.responded, .allowsStaleValue]
        case .overloaded, .feedFull, .notAllowed: .allowsStaleValue
        case .cancelled: []
        }
    }

    /// The effect of a failed call with this duration on the circuit of its host.
    ///
    /// A call with a short time limit does not show that the host is out of order.
    func effect(after duration: Duration, _ policy: BreakerPolicy) -> CircuitBreaker.CallEffect {
        if traits.contains(.responded) { return .up }
        guard traits.contains(.opensCircuit) else { return .none }
        return self == .timedOut && duration < policy.minimumTimeout ? .none : .down
    }
}
