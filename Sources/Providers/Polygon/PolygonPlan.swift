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
        /// The latest beginning of a range that was refused: the plan had nothing of this time then, and of no earlier one.
        var start: Instant
        var refusedAt: ContinuousClock.Instant

        /// The latest beginning that the plan does not have by now, since its history begins later each day; nil if the refusal
        /// is too old.
        func start(at now: ContinuousClock.Instant) -> Instant? {
            refusedAt + PlanRefusal.lifetime > now ? start + refusedAt.duration(to: now) : nil
        }
    }

    /// Whether snapshots are requested: true until a refusal, and again when it is an hour old.
    func hasSnapshots(at now: ContinuousClock.Instant) -> Bool { !snapshots.isRecent(at: now) }

    func recordRefusalOfSnapshots(at now: ContinuousClock.Instant) { snapshots.record(at: now) }

    /// Whether a range of prices with this beginning is requested: true unless it, or one with a later beginning, was refused
    /// in the last hour.
    func hasHistory(of market: Market, from start: Instant, at now: ContinuousClock.Instant) -> Bool {
        histories.withLock { $0[market]?.start(at: now) }.map { start > $0 } ?? true
    }

    /// Records a refused range of prices; the same range with a later beginning was accepted.
    func recordRefusalOfHistory(
        of market: Market, from start: Instant, at now: ContinuousClock.Instant
    ) {
        histories.withLock { histories in
            let latest = max(start, histories[market]?.start(at: now) ?? start)
            histories[market] = RefusedHistory(start: latest, refusedAt: now)
        }
    }
}
