import Brokerage
import Synchronization
import Upstream

/// What the plan of a key does not include, by the last refusals.
final class PolygonPlan: Sendable {
    private let snapshots = PlanRefusal()
    // Calls of one key run on several tasks; held for one read or write.
    private let histories = Mutex<[Market: RefusedHistory]>([:])

    /// The markets for which Polygon has plans of their own, each with a history of its own.
    enum Market: Hashable {
        case stocks
        case indices
        /// Currencies and cryptocurrencies.
        case currencies

        init(_ symbol: Symbol) {
            switch SymbolKind(symbol) {
            case .index: self = .indices
            case .currencies, .crypto: self = .currencies
            case .listing, .future, nil: self = .stocks
            }
        }
    }

    private struct RefusedHistory {
        /// The latest beginning of a range that was refused: the plan has nothing of this time, and of no earlier one.
        var start: Instant
        var refusedAt: ContinuousClock.Instant
    }

    /// Whether snapshots are requested: true until a refusal, and again when it is an hour old.
    func hasSnapshots(at now: ContinuousClock.Instant) -> Bool { !snapshots.isRecent(at: now) }

    func recordRefusalOfSnapshots(at now: ContinuousClock.Instant) { snapshots.record(at: now) }

    /// Whether a range of prices with this beginning is requested: true unless it, or one with a later beginning, was refused
    /// in the last hour.
    func hasHistory(of market: Market, from start: Instant, at now: ContinuousClock.Instant) -> Bool {
        guard let refused = histories.withLock({ $0[market] }) else { return true }
        return start > refused.start || refused.refusedAt + PlanRefusal.lifetime <= now
    }

    /// Notes that a range of prices was refused which a later beginning made one that the plan includes.
    func recordRefusalOfHistory(
        of market: Market, from start: Instant, at now: ContinuousClock.Instant
    ) {
        histories.withLock { histories in
            var latest = start
            // After a call was tried once more, only its own beginning is known to be refused.
            if let known = histories[market], known.refusedAt + PlanRefusal.lifetime > now {
                latest = max(latest, known.start)
            }
            histories[market] = RefusedHistory(start: latest, refusedAt: now)
        }
    }
}
