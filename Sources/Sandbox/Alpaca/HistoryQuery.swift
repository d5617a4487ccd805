import Brokerage

/// The parameters of `GET /v2/account/portfolio/history`, read and checked.
struct HistoryQuery: Sendable {
    let period: Period
    let timeframe: Timeframe
    let start: Instant?
    /// Nil when the clock tells.
    let end: Instant?
    /// The last day that may be told of.
    let lastDate: CalendarDate
    let reporting: Reporting
    let resetsDaily: Bool
    let includesCashflow: Bool

    enum Timeframe: String, Sendable, CaseIterable {
        case minute = "1Min"
        case fiveMinutes = "5Min"
        case quarterHour = "15Min"
        case hour = "1H"
        case day = "1D"

        /// Nil for days, which are as long as their session.
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

        /// Reads a number from 1 to 999 with a unit, of which a year is `A`; nil for anything else.
        init?(_ text: String) {
            guard let last = text.last, let unit = Unit(rawValue: last), let count = Int(text.dropLast()),
                (1...999).contains(count)
            else { return nil }
            self.count = count
            self.unit = unit
        }

        /// How many days it spans, where a month counts 30.
        var days: Int {
            switch unit {
            case .day: count
            case .week: count * 7
            case .month: count * 30
            case .year: count * 365
            }
        }

        /// The date that lies a whole period after `date` for 1, and before it for -1.
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

    /// Reads the query at the time `now`.
    ///
    /// Throws ``FakeAlpacaError/unprocessable(_:)`` for a parameter that Alpaca would refuse.
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
        let usual: Timeframe = days < 7 ? .minute : days < 30 ? .quarterHour : .day
        let timeframe = try Self.choice(request, "timeframe") ?? usual
        guard timeframe == .day || days <= 30 else {
            throw .unprocessable("only 1D timeframe is accepted for periods longer than 30 days")
        }
        self.timeframe = timeframe
        let extended = request[query: "extended_hours"] == "true"
        reporting =
            try Self.choice(request, "intraday_reporting") ?? (extended ? .extendedHours : .marketHours)
        let reset: Reset? = try Self.choice(request, "pnl_reset")
        resetsDaily = reset != .never
        includesCashflow = request[query: "cashflow_types"].map { $0 != "NONE" } ?? false
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

    /// The older way to name the end: the last day that is wanted.
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
