import Brokerage
import Synchronization

/// The numbers of calls of each caller, in several windows: a minute, a day, the time since the last call.
///
/// It uses a lock: calls arrive concurrently, and each must be counted in all windows in one step.
final class CallQuota: Resettable {
    private let callers = Mutex<[String: Usage]>([:])

    private struct Usage {
        var last: Instant
        /// The number of the current window of each period, and its calls.
        var windows: [Window.Period: (number: Int, calls: Int)] = [:]
    }

    /// A maximum number of calls per period.
    struct Window: Sendable, Hashable {
        let period: Period
        let limit: Int

        enum Period: Sendable, Hashable {
            case minute
            case dayInNewYork
            case dayInUTC

            fileprivate func number(of instant: Instant) -> Int {
                switch self {
                case .minute: Int(instant.secondsSince1970 / 60)
                case .dayInNewYork: instant.inNewYork.date.daysSince1970
                case .dayInUTC: instant.dateInUTC.daysSince1970
                }
            }
        }
    }

    /// The reason why a call is rejected.
    enum Refusal: Sendable, Hashable {
        /// The time since the last call is too short.
        case tooSoon
        /// The window has no calls left.
        case exhausted(Window)
    }

    /// The maximum number of callers with separate counts; callers choose their names.
    static let maximumCallers = 10_000

    /// Counts one call; returns nil if it is allowed.
    ///
    /// A rejected call is not counted. `interval` is the minimum time between two calls of one caller.
    func consume(
        for caller: String, at now: Instant, windows: [Window], interval: Duration? = nil
    ) -> Refusal? {
        callers.withLock { callers in
            if callers.count >= Self.maximumCallers, callers[caller] == nil { callers = [:] }
            let usage = callers[caller]
            if let interval, let last = usage?.last, last <= now, now.duration(since: last) < interval {
                return .tooSoon
            }
            var running: [Window.Period: (number: Int, calls: Int)] = [:]
            for window in windows {
                let number = window.period.number(of: now)
                let used = usage?.windows[window.period].flatMap { $0.number == number ? $0.calls : nil } ?? 0
                guard used < window.limit else { return .exhausted(window) }
                running[window.period] = (number, used + 1)
            }
            callers[caller] = Usage(last: now, windows: running)
            return nil
        }
    }

    func reset() {
        callers.withLock { $0 = [:] }
    }
}

/// State that a reset of the sandbox clears.
protocol Resettable: Sendable {
    func reset()
}
