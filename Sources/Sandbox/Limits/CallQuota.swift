import Brokerage
import Synchronization

/// Calls of each caller, in several windows at once: a minute, a day, the time since the last call.
///
/// A lock, because taking one call from every window is one step, and calls come from many tasks at once.
final class CallQuota: Resettable {
    private let callers = Mutex<[String: Usage]>([:])

    private struct Usage {
        var last: Instant
        /// The number of each running window, and the calls in it.
        var windows: [Window.Period: (number: Int, calls: Int)] = [:]
    }

    /// So many calls in each period.
    struct Window: Sendable, Hashable {
        let period: Period
        let limit: Int

        enum Period: Sendable, Hashable {
            /// The minutes of the clock.
            case minute
            /// The days of the calendar in New York.
            case dayInNewYork
            /// The days of the calendar in UTC.
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

    /// Why a call is refused.
    enum Refusal: Sendable, Hashable {
        /// It follows another too closely.
        case tooSoon
        /// The window has no call left.
        case exhausted(Window)
    }

    /// The most callers that are kept apart; anyone may come with a name of their own.
    static let maximumCallers = 10_000

    /// Takes one call; nil when it is granted.
    ///
    /// A call that is refused uses nothing. `interval` is the least time between two calls of one caller.
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

/// Something that keeps what was used of a limit, until a reset of the sandbox.
protocol Resettable: Sendable {
    func reset()
}
