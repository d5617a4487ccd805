import Brokerage

/// The validated parameters of `GET /v8/finance/chart/{symbol}`.
struct FakeYahooChartQuery: Sendable {
    let interval: Interval
    /// The parameter's text; empty for a request with two times.
    let range: String
    /// Bars must begin in these seconds.
    let seconds: Range<Int>
    let includesExtendedHours: Bool
    /// The ranges that the listing has.
    let validRanges: [String]
    /// False for a span that the listing does not have: its chart has no times, and no error.
    let isAvailable: Bool
    /// The requested kinds of events: `div`, `split` or `splits`.
    let events: Set<String>

    enum Interval: String, Sendable, CaseIterable {
        case minute = "1m"
        case twoMinutes = "2m"
        case fiveMinutes = "5m"
        case quarterHour = "15m"
        case halfHour = "30m"
        case sixtyMinutes = "60m"
        case ninetyMinutes = "90m"
        case hour = "1h"
        case day = "1d"
        case fiveDays = "5d"
        case week = "1wk"
        case month = "1mo"
        case quarter = "3mo"

        var length: BarLength {
            switch self {
            case .minute: .minutes(1)
            case .twoMinutes: .minutes(2)
            case .fiveMinutes: .minutes(5)
            case .quarterHour: .minutes(15)
            case .halfHour: .minutes(30)
            case .sixtyMinutes, .hour: .hour
            case .ninetyMinutes: .minutes(90)
            case .day: .day
            case .fiveDays, .week: .week
            case .month: .month
            case .quarter: .months(3)
            }
        }

        var isIntraday: Bool {
            switch length {
            case .minutes: true
            case .day, .week, .months: false
            }
        }

        /// The available history, and the maximum span of one call, in days; nil for no limit.
        var reach: (days: Int, span: Int)? {
            switch self {
            case .minute: (30, 8)
            case .twoMinutes, .fiveMinutes, .quarterHour, .halfHour, .ninetyMinutes: (60, 60)
            case .sixtyMinutes, .hour: (730, 730)
            case .day, .fiveDays, .week, .month, .quarter: nil
            }
        }
    }

    static let validRanges = [
        "1d", "5d", "1mo", "3mo", "6mo", "1y", "2y", "5y", "10y", "ytd", "max",
    ]
    /// Those of a listing that has its latest days only (ranaroussi/yfinance#1578).
    private static let shortRanges = ["1d", "5d"]

    /// A hundred years, in seconds.
    private static let longestSpan = 36_525 * 86_400

    /// Throws ``FakeYahooError`` for what Yahoo rejects.
    init(_ context: FakeYahooHost.AuthenticatedRequest, of instrument: FakeInstrument) throws(FakeYahooError)
    {
        let (request, settings) = (context.request, context.settings)
        func invalidRange(_ text: String) -> FakeYahooError {
            .badRange(status: settings.badRangeStatus, text)
        }
        guard let interval = Interval(rawValue: request[query: "interval"] ?? "1d") else {
            let valid = Interval.allCases.map(\.rawValue).joined(separator: ", ")
            throw invalidRange(
                "Invalid input - interval=\(request[query: "interval"] ?? "") is not supported. "
                    + "Valid intervals: [\(valid)]")
        }
        // Recordings of days and weeks in the longest range have months.
        let isShortened = settings.maximumRangeIsMonthly && !interval.isIntraday
        self.interval = isShortened && request[query: "range"] == "max" ? .month : interval
        includesExtendedHours = request[query: "includePrePost"] == "true"
        let isShort = settings.shortHistories.contains(request.parameters["symbol"] ?? "")
        validRanges = isShort ? Self.shortRanges : Self.validRanges
        // Clients separate them by one of these characters.
        events = Set((request[query: "events"] ?? "").split { $0 == "|" || $0 == "," }.map(String.init))
        if let first = request[query: "period1"], request[query: "range"] == nil {
            range = ""
            guard let first = Int(first), let last = Int(request[query: "period2"] ?? "\(context.view.now)")
            else { throw invalidRange("Invalid input - period1 and period2 must be seconds since 1970") }
            guard first < last else {
                throw invalidRange("Invalid input - start date cannot be after end date.")
            }
            // A listing without a first trade has no bound within the hundred years (ranaroussi/yfinance#1671).
            let span = last.subtractingReportingOverflow(first)
            guard !isShort || !span.overflow && span.partialValue <= Self.longestSpan else {
                throw invalidRange(
                    "\(interval.rawValue) data not available for startTime=\(first) and endTime=\(last). Only "
                        + "100 years worth of day granularity data are allowed to be fetched per request.")
            }
            let schedule = context.view.market.schedule(of: instrument)
            let start = max(Market.clamped(first), schedule.start(of: settings.historyBegins) ?? 0)
            guard start < last else { throw .noData(from: first, to: last) }
            seconds = start..<max(Market.clamped(last), start + 1)
        } else {
            range = request[query: "range"] ?? "1d"
            guard let start = Self.start(of: range, instrument, context.view, settings) else {
                throw invalidRange(
                    "Invalid input - range=\(range) is not supported. Valid ranges: "
                        + "[\(Self.validRanges.joined(separator: ", "))]")
            }
            seconds = start..<(context.view.now + 1)
        }
        isAvailable = !isShort || Self.shortRanges.contains(range)
        try Self.check(seconds, interval, now: context.view.now, invalidRange)
    }

    private static func check(
        _ seconds: Range<Int>, _ interval: Interval, now: Int, _ invalidRange: (String) -> FakeYahooError
    ) throws(FakeYahooError) {
        guard let reach = interval.reach else { return }
        let end = min(seconds.upperBound, now)
        // One additional day, because ranges are counted in whole days of the exchange.
        guard seconds.lowerBound >= now - (reach.days + 1) * 86_400,
            end - seconds.lowerBound <= (reach.span + 1) * 86_400
        else {
            throw invalidRange(
                "\(interval.rawValue) data not available for startTime=\(seconds.lowerBound) and "
                    + "endTime=\(end). The requested range must be within the last \(reach.days) days.")
        }
    }

    /// Returns the first second of a range; nil for an unknown range.
    private static func start(
        of range: String, _ instrument: FakeInstrument, _ view: MarketView, _ settings: FakeYahooSettings
    ) -> Int? {
        let schedule = view.market.schedule(of: instrument)
        guard let today = view.marketDay(of: instrument)?.date else { return nil }
        let first: CalendarDate? =
            switch range {
            case "1d": today
            case "5d": sessions(4, before: today, schedule)
            case "1mo": today.adding(months: -1)
            case "3mo": today.adding(months: -3)
            case "6mo": today.adding(months: -6)
            case "1y": today.adding(months: -12)
            case "2y": today.adding(months: -24)
            case "5y": today.adding(months: -60)
            case "10y": today.adding(months: -120)
            case "ytd": CalendarDate(year: today.year, month: 1, day: 1)
            case "max": settings.historyBegins
            default: nil
            }
        return first.flatMap { schedule.start(of: max($0, settings.historyBegins)) }
    }

    private static func sessions(
        _ count: Int, before date: CalendarDate, _ schedule: TradingHours
    ) -> CalendarDate? {
        (0..<count).reduce(date) { date, _ in schedule.session(before: date)?.date ?? date }
    }
}
