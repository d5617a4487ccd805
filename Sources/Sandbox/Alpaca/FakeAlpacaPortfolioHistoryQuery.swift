import Brokerage

/// The validated parameters of `GET /v2/account/portfolio/history`.
struct FakeAlpacaPortfolioHistoryQuery: Sendable {
    let period: Period
    let timeframe: Timeframe
    let start: Instant?
    /// Nil for the clock's time.
    let end: Instant?
    /// The last day of the history.
    let lastDate: CalendarDate
    let reporting: Reporting
    let resetsDaily: Bool
    /// The types of activities to sum up; empty for all, nil for none.
    let cashflow: [String]?

    enum Timeframe: String, Sendable, CaseIterable {
        case minute = "1Min"
        case fiveMinutes = "5Min"
        case quarterHour = "15Min"
        case hour = "1H"
        case day = "1D"

        /// Nil for days, whose length is that of their session.
        var seconds: Int? {
            switch self {
            case .minute: 60
            case .fiveMinutes: 300
            case .quarterHour: 900
            case .hour: 3600
            case .day: nil
            }
        }
    }

    enum Reporting: String, Sendable, CaseIterable {
        case marketHours = "market_hours"
        case extendedHours = "extended_hours"
        case continuous
    }

    struct Period: Sendable {
        let count: Int
        let unit: Unit

        enum Unit: Character, Sendable {
            case day = "D"
            case week = "W"
            case month = "M"
            case year = "A"
        }

        private init(count: Int, unit: Unit) {
            self.count = count
            self.unit = unit
        }

        /// Parses a number from 1 to 999 with a unit, a year being `A`; nil for other texts.
        init?(_ text: String) {
            guard let last = text.last, let unit = Unit(rawValue: last), let count = Int(text.dropLast()),
                (1...999).contains(count)
            else { return nil }
            self.count = count
            self.unit = unit
        }

        /// The number of days of the period; a month counts 30.
        var days: Int {
            switch unit {
            case .day: count
            case .week: count * 7
            case .month: count * 30
            case .year: count * 365
            }
        }

        /// Returns the date one period after `date` for 1, and before it for -1.
        func shifting(_ date: CalendarDate, by direction: Int) -> CalendarDate {
            let shifted: CalendarDate? =
                switch unit {
                case .day: date.adding(days: direction * count)
                case .week: date.adding(days: direction * 7 * count)
                case .month: date.adding(months: direction * count)
                case .year: date.adding(months: direction * 12 * count)
                }
            return shifted ?? (direction < 0 ? .earliest : .latest)
        }

        static let month = Period(count: 1, unit: .month)
    }

    /// Parses the query at the time `now`.
    ///
    /// Throws ``FakeAlpacaError/unprocessable(_:)`` for an invalid parameter.
    init(_ request: SandboxRequest, now: Instant) throws(FakeAlpacaError) {
        let period = try Self.period(request)
        start = try Self.instant(request, "start")
        end =
            if let end = try Self.instant(request, "end") { end } else {
                try Self.dayEnd(request, "date_end")
            }
        guard period == nil || start == nil || end == nil else {
            throw .unprocessable("only two of start, end and period can be specified at the same time")
        }
        let today = now.inNewYork.date
        lastDate =
            if let end { min(end.inNewYork.date, today) } else if let start, let period {
                min(period.shifting(start.inNewYork.date, by: 1), today)
            } else { today }
        self.period = period ?? .month
        let last = lastDate
        let days =
            start.map { last.daysSince1970 - $0.inNewYork.date.daysSince1970 } ?? (period ?? .month).days
        let defaultTimeframe: Timeframe = days < 7 ? .minute : days < 30 ? .quarterHour : .day
        let timeframe = try Self.choice(request, "timeframe") ?? defaultTimeframe
        guard timeframe == .day || days <= 30 else {
            throw .unprocessable("only 1D timeframe is accepted for periods longer than 30 days")
        }
        self.timeframe = timeframe
        let extended = try request.flag("extended_hours")
        reporting =
            try Self.choice(request, "intraday_reporting") ?? (extended ? .extendedHours : .marketHours)
        let reset: Reset? = try Self.choice(request, "pnl_reset")
        resetsDaily = reset != .never
        cashflow = try Self.cashflow(request)
    }

    private static func cashflow(_ request: SandboxRequest) throws(FakeAlpacaError) -> [String]? {
        guard let text = request[query: "cashflow_types"], text != "NONE" else { return nil }
        guard text != "ALL" else { return [] }
        let types = text.split(separator: ",").map(String.init)
        for type in types where !FakeAlpacaActivityQuery.types.contains(type) {
            throw .unprocessable("invalid cashflow_types: \(type)")
        }
        return types
    }

    private enum Reset: String, CaseIterable {
        case perDay = "per_day"
        case never = "no_reset"
    }

    private static func period(_ request: SandboxRequest) throws(FakeAlpacaError) -> Period? {
        guard let text = request[query: "period"] else { return nil }
        guard let period = Period(text) else { throw .unprocessable("invalid period: \(text)") }
        return period
    }

    private static func choice<Choice: RawRepresentable<String>>(
        _ request: SandboxRequest, _ name: String
    ) throws(FakeAlpacaError) -> Choice? {
        guard let text = request[query: name] else { return nil }
        guard let choice = Choice(rawValue: text) else { throw .unprocessable("invalid \(name): \(text)") }
        return choice
    }

    private static func instant(_ request: SandboxRequest, _ name: String) throws(FakeAlpacaError) -> Instant?
    {
        guard let text = request[query: name] else { return nil }
        guard let instant = Instant(text) else { throw .unprocessable("invalid \(name): \(text)") }
        return instant
    }

    /// Returns the end of the last day, the older form of the parameter.
    private static func dayEnd(_ request: SandboxRequest, _ name: String) throws(FakeAlpacaError) -> Instant?
    {
        guard let text = request[query: name] else { return nil }
        guard let date = CalendarDate(text), let end = LocalTime(date: date, hour: 23, minute: 59, second: 59)
        else {
            throw .unprocessable("invalid \(name): \(text)")
        }
        return Instant(newYork: end)
    }
}
