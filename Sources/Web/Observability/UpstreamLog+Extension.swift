import GraphQL

extension UpstreamLog {
    /// What an answer tells of its calls in `extensions`, to a client that asks for it.
    ///
    /// `{"portico": {"durationMs": 31.2, "upstream": [{"provider", "call", "startMs", "durationMs", "outcome", "status",
    /// "attempts"}]}}`, times in milliseconds from the operation's start; and `omitted`, a number, where there were more
    /// calls than are told.
    func report(until end: ContinuousClock.Instant) -> InputObject {
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
    static func milliseconds(_ duration: Duration) -> InputValue {
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
