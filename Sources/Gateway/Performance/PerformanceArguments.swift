import Brokerage
import GraphQL
import Performance

/// The arguments of a performance: its period, its currency and the benchmark.
struct PerformanceArguments: GraphQLArguments {
    let period: PerformancePeriod
    let benchmark: Symbol?
    /// Nil for the currency of the object.
    let currency: Currency?

    init(_ arguments: ArgumentReader) throws {
        let currency = try arguments["currency"] as CodeText?
        benchmark = try arguments["benchmark"]
        period = try PerformancePeriod(
            range: arguments["range"], from: arguments["from"], to: arguments["to"])
        self.currency = try currency.map { try Currency($0.text, of: "currency") }
    }
}

/// The period of a performance.
struct PerformancePeriod: Hashable, Sendable {
    private let range: DateRange
    /// In place of the range.
    private let from: CalendarDate?
    private let to: CalendarDate?

    init(_ range: DateRange) {
        (self.range, from, to) = (range, nil, nil)
    }

    /// - Throws: `FieldError` for arguments that contradict each other.
    init(range: DateRange?, from: CalendarDate?, to: CalendarDate?) throws(FieldError) {
        if let range, from != nil || to != nil {
            throw .argument(
                "range",
                "It is \(range.rawValue), and `\(from == nil ? "to" : "from")` is given too. Use one of them."
            )
        }
        if from == nil, let to {
            throw .argument("from", "It is missing, and `to` is \(to). Use both, or `range`.")
        }
        if let from, let to, from >= to {
            throw .argument("from", "It is \(from), which is not before `to`, \(to).")
        }
        (self.range, self.from, self.to) = (range ?? .oneYear, from, to)
    }

    /// The day at whose end the period begins; nil if it begins when the first account was opened.
    func start(on today: CalendarDate) -> CalendarDate? {
        from ?? range.start(until: today)
    }

    /// The days at whose ends the period begins and ends.
    ///
    /// - Parameters:
    ///   - today: The current day.
    ///   - last: The last day on which all values are known; nil if there is none.
    /// - Returns: The days; no start if the period begins when the first account was opened.
    /// - Throws: `FieldError` for a period that begins today or later.
    func days(
        on today: CalendarDate, last: CalendarDate?
    ) throws(FieldError) -> (start: CalendarDate?, end: CalendarDate) {
        if let from {
            guard from < today else {
                throw .argument(
                    "from",
                    "It is \(from), and today is \(today) in the time zone of the accounts. Use an earlier day."
                )
            }
            return (from, min(to ?? today, today))
        }
        // A value of the weekend is that of the day before.
        let end = last.map { min($0, today) } ?? today
        return (range == .oneDay ? end.adding(days: -1) : range.start(until: today), end)
    }
}
