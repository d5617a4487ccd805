import Brokerage
import Upstream

/// `ConnectionStatus` of the schema: how a link fares.
package enum ConnectionStatus: String, Sendable, CaseIterable {
    case active = "ACTIVE"
    case degraded = "DEGRADED"
    case expired = "EXPIRED"
    case revoked = "REVOKED"
    case unreachable = "UNREACHABLE"

    /// What the facts about a link mean.
    ///
    /// - Parameters:
    ///   - facts: What its calls told.
    ///   - end: When it ends unless it is renewed before.
    ///   - now: What time it is.
    init(_ facts: ConnectionHealth.Facts, endsAt end: Instant?, now: Instant) {
        if let end, end <= now {
            self = .expired
            return
        }
        self =
            switch facts.failure?.cause {
            case nil: .active
            case .unauthorized: .revoked
            case .unavailable, .circuitOpen, .timedOut, .unsupported: .unreachable
            case .invalidResponse, .notEntitled, .notFound, .rateLimited, .quotaExhausted, .overloaded,
                .feedFull,
                .cancelled, .notAllowed:
                .degraded
            }
    }
}
