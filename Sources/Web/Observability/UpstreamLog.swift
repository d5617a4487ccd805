package import GraphQL
import Synchronization

/// The upstream calls of one operation, recorded while it runs.
package final class UpstreamLog: Sendable {
    /// The maximum number of recorded calls; further ones are counted.
    static let limit = 256

    private struct State {
        var start: ContinuousClock.Instant
        var calls: [UpstreamCall] = []
        var omitted = 0
        var servesStale = false
    }

    // Calls end on any thread; held for an append.
    private let state: Mutex<State>

    package init(start: ContinuousClock.Instant = .now) {
        state = Mutex(State(start: start))
    }

    private init(_ state: State) {
        self.state = Mutex(state)
    }

    /// When the operation began, or the part of it that is noted now.
    package var start: ContinuousClock.Instant { state.withLock { $0.start } }

    /// Notes a call that has ended, or what stood in for one.
    package func record(_ call: UpstreamCall) {
        state.withLock { state in
            if call.outcome == .stale { state.servesStale = true }
            if state.calls.count < UpstreamLog.limit { state.calls.append(call) } else { state.omitted += 1 }
        }
    }

    /// Whether a stale value was returned.
    var servesStale: Bool { state.withLock(\.servesStale) }

    /// Returns the calls up to now in a log of their own, and clears this one.
    ///
    /// So the log of an operation with many responses stays small.
    ///
    /// - Parameters:
    ///   - end: The time of the response.
    ///   - start: From when the times of the next response count; nil for `end`.
    /// - Returns: The log of the calls up to now.
    package func drain(
        until end: ContinuousClock.Instant, nextFrom start: ContinuousClock.Instant? = nil
    ) -> UpstreamLog {
        UpstreamLog(
            state.withLock { state in
                defer { state = State(start: start ?? end) }
                return state
            })
    }

    /// The usage of the operation up to now.
    package func use(until end: ContinuousClock.Instant) -> UpstreamUsage {
        let state = state.withLock { $0 }
        return UpstreamUsage(of: state.calls, from: state.start, until: end)
    }

    /// The calls up to now, in the order of their start; `omitted` is the number of calls above the limit.
    package var entries: (calls: [UpstreamCall], omitted: Int) {
        let state = state.withLock { $0 }
        return (state.calls.sorted { $0.start < $1.start }, state.omitted)
    }
}

/// The upstream calls of an operation and their duration.
package struct UpstreamUsage: Sendable, Hashable {
    /// Calls that went out, or were not let out; none of those that were spared.
    package var calls = 0
    /// How long at least one call was in progress or waited for.
    package var time = Duration.zero

    package init(
        of calls: [UpstreamCall], from start: ContinuousClock.Instant, until end: ContinuousClock.Instant
    ) {
        var covered = start
        // Most operations read cached values only.
        let lasting = calls.filter { $0.duration > .zero }.sorted { $0.start < $1.start }
        for call in lasting {
            let from = max(covered, call.start)
            let to = min(end, call.start + call.duration)
            guard to > from else { continue }
            time += from.duration(to: to)
            covered = to
        }
        self.calls = calls.count { !$0.outcome.isSpared }
    }
}

extension UpstreamLog {
    /// The calls of a response for its `extensions`.
    ///
    /// `{"portico": {"durationMs": 31.2, "upstream": [{"provider", "call", "startMs", "durationMs",
    /// "outcome", "status", "attempts"}]}}`, times in milliseconds from the operation's start; and
    /// `omitted`, a number, if there were more calls than the limit.
    package func report(until end: ContinuousClock.Instant) -> InputObject {
        let (calls, omitted) = entries
        var report: InputObject = [
            "durationMs": .milliseconds(start.duration(to: end)),
            "upstream": .list(calls.map { .object($0.report(from: start)) }),
        ]
        if omitted > 0 { report["omitted"] = .int(omitted) }
        return ["portico": .object(report)]
    }
}

extension UpstreamCall {
    fileprivate func report(from origin: ContinuousClock.Instant) -> InputObject {
        [
            "provider": .string(provider), "call": .string(call),
            "startMs": .milliseconds(origin.duration(to: start)), "durationMs": .milliseconds(duration),
            "outcome": .string(outcome.rawValue), "status": status.map { .int($0) } ?? .null,
            "attempts": .int(attempts),
        ]
    }
}

extension InputValue {
    /// To the microsecond; what began before its origin began with it.
    package static func milliseconds(_ duration: Duration) -> InputValue {
        let (whole, rest) = max(0, duration.wholeMicroseconds).quotientAndRemainder(dividingBy: 1_000)
        guard rest > 0 else { return .int(whole) }
        let digits = String(1_000 + rest).dropFirst()
        let end = digits.lastIndex { $0 != "0" } ?? digits.startIndex
        return .number("\(whole).\(digits[...end])")
    }
}

extension Duration {
    /// Rounded down; those that no integer holds are the largest there is.
    var wholeMicroseconds: Int {
        let (seconds, attoseconds) = components
        let (product, overflow) = Int(seconds).multipliedReportingOverflow(by: 1_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        return product &+ Int(attoseconds / 1_000_000_000_000)
    }
}

/// One call to a service behind the server, or what stood in for one.
package struct UpstreamCall: Sendable, Hashable {
    /// Whom it went to: `alpaca`.
    package let provider: String
    /// The constant name of the call: `positions`; never a URL.
    package let call: String
    package let outcome: Outcome
    package let start: ContinuousClock.Instant
    /// Zero for a cached value.
    package let duration: Duration
    /// The HTTP status of the last response; nil without one.
    package let status: Int?
    /// The number of attempts; 0 for a call that was not made.
    package let attempts: Int

    /// The outcome of a call.
    package enum Outcome: String, Sendable, Hashable, CaseIterable {
        /// The provider returned a response.
        case fetched = "FETCHED"
        /// The value was in the cache, and fresh.
        case cached = "CACHED"
        /// The read waited for an equal call of another operation.
        case joined = "JOINED"
        /// The cached value has expired.
        case stale = "STALE"
        case failed = "FAILED"

        /// Whether no call was made.
        package var isSpared: Bool {
            switch self {
            case .cached, .joined, .stale: true
            case .fetched, .failed: false
            }
        }
    }

    package init(
        provider: String, call: String, outcome: Outcome, start: ContinuousClock.Instant,
        duration: Duration = .zero, status: Int? = nil, attempts: Int = 0
    ) {
        self.provider = provider
        self.call = call
        self.outcome = outcome
        self.start = start
        self.duration = duration
        self.status = status
        self.attempts = attempts
    }
}
