package import Brokerage
import Upstream

/// The response of `GET /v2/account/portfolio/history`: columns of equal length, any value of which may be
/// null.
package struct AlpacaHistory: JSONObjectDecodable, Hashable {
    /// Seconds since 1970; the beginning of an interval, or 20:00 in New York for a day.
    var times = Column<Instant>()
    /// Null for what time has not reached.
    var equity = Column<Decimal>()
    /// Null or missing columns are empty.
    var profitLoss = Column<Decimal>()
    var profitLossPercent = Column<Decimal>()
    var baseValue: Decimal?
    /// The interval that Alpaca chose; nil if the response has none.
    var interval: Interval?

    static let json = JSONFields(Self()) {
        $0.required("timestamp", \.times, JSONReader.instants)
        $0.required("equity", \.equity, JSONReader.decimals)
        $0.optional("profit_loss", \.profitLoss, JSONReader.decimals)
        $0.optional("profit_loss_pct", \.profitLossPercent, JSONReader.percents)
        // Without it, profits have no base, and the points their equity.
        $0.optional("base_value", \.baseValue) { reader throws(JSONError) in
            try reader.readable(Decimal.init(json:))
        }
        $0.optional("timeframe", \.interval, JSONReader.interval)
    }
}

extension AlpacaHistory {
    init(json reader: inout JSONReader) throws(JSONError) {
        self = try Self.json.read(from: &reader)
        _ = try reader.required(areParallel ? true : nil, "value in each column for each timestamp")
    }

    private var areParallel: Bool {
        let counts = [profitLoss, profitLossPercent].map(\.values.count)
        return equity.values.count == times.values.count
            && counts.allSatisfy { $0 == 0 || $0 == times.values.count }
    }

    /// The values of one kind.
    struct Column<Value: Hashable & Sendable>: Hashable, Sendable {
        /// Nil for null, and for a value that could not be read.
        var values: [Value?] = []
        /// The errors of the latter, by their places.
        var failures: [Int: JSONError] = [:]

        subscript(index: Int) -> Value? { values.indices.contains(index) ? values[index] : nil }
    }
}

extension JSONReader {
    /// Reads an array of `value` and null; null in place of the array is an empty one.
    private mutating func column<Value: Hashable & Sendable>(
        _ value: (inout JSONReader) throws(JSONError) -> Value
    ) throws(JSONError) -> AlpacaHistory.Column<Value> {
        var column = AlpacaHistory.Column<Value>()
        guard try !null() else { return column }
        try array { reader throws(JSONError) in
            switch try reader.row({ reader throws(JSONError) in try reader.optional(value) }) {
            case .success(let value): column.values.append(value)
            case .failure(let error):
                guard column.failures.count < JSONRows<Value>.maximumFailures else { throw error }
                column.failures[column.values.count] = error
                column.values.append(nil)
            }
        }
        return column
    }

    fileprivate static func instants(
        _ reader: inout JSONReader
    ) throws(JSONError) -> AlpacaHistory.Column<Instant> {
        try reader.column { reader throws(JSONError) in try reader.instant(since1970: .seconds) }
    }

    fileprivate static func decimals(
        _ reader: inout JSONReader
    ) throws(JSONError) -> AlpacaHistory.Column<Decimal> {
        try reader.column(Decimal.init(json:))
    }

    fileprivate static func percents(
        _ reader: inout JSONReader
    ) throws(JSONError) -> AlpacaHistory.Column<Decimal> {
        try reader.column(factorAsPercent)
    }

    fileprivate static func interval(_ reader: inout JSONReader) throws(JSONError) -> Interval? {
        try reader.token(oneOf: "1Min, 5Min, 15Min, 1H, 1D") { name in
            AlpacaTimeframe(rawValue: name.string)?.interval
        }
    }
}

extension AlpacaHistory {
    /// The history as an `EquityHistory` of Portico; points without time or value are left out.
    ///
    /// `ONE_DAY` is only one trading day, the latest that has a value. Before the opening, that is the
    /// previous day, because Alpaca counts a day from its opening.
    ///
    /// - Parameters:
    ///   - range: The range of the request.
    ///   - requestedInterval: The interval of the request.
    ///   - fetchedAt: The time of the response.
    ///   - accountEquity: The equity of the account at that time, see ``repeatsPreviousDay(of:at:)``; nil if it is not known.
    /// - Returns: The history.
    package func history(
        _ range: DateRange, requestedInterval: Interval, fetchedAt: Instant, accountEquity: Decimal? = nil
    ) -> EquityHistory {
        let interval = interval ?? requestedInterval
        var all = points(of: interval)
        if let accountEquity, let last = all.last?.equity, last != accountEquity,
            repeatsPreviousDay(of: requestedInterval, at: fetchedAt)
        {
            all.removeLast()
        }
        var selected = range == .oneDay ? Self.latestDay(of: all) : all
        let base = selected.count == all.count ? base : Self.base(of: selected, in: all, interval)
        if !interval.isIntraday {
            // Not `map`: Swift 6.3 aligns an optional Decimal that a closure captures wrongly in a debug build.
            for index in selected.indices { selected[index] = selected[index].withProfit(since: base) }
        }
        // The timestamp of today's daily point is 20:00, which may be in the future: then it is not used.
        let asOf = selected.last.map(\.time).flatMap { $0 <= fetchedAt ? $0 : nil }
        var history = EquityHistory(
            range: range, interval: interval, currency: AlpacaMarket.currency, baseValue: base,
            points: selected, provenance: Provenance(source: .alpaca, fetchedAt: fetchedAt, asOf: asOf))
        history.unreadable = unreadable
        return history
    }

    /// Whether the point of the latest day can be a repetition of the day before: it has the same equity.
    ///
    /// From 20:00 in New York on, Alpaca has a point of the day, which can have the equity of the day before for some hours
    /// (Alpaca-API, issue 273). It is one if the account has another equity. From 04:00 on, the next day is traded, so that the
    /// equity of the account shows nothing about the point.
    package func repeatsPreviousDay(of requestedInterval: Interval, at now: Instant) -> Bool {
        let interval = interval ?? requestedInterval
        guard !interval.isIntraday else { return false }
        let latest = points(of: interval).suffix(2)
        guard latest.count == 2, let first = latest.first, let last = latest.last else { return false }
        return first.equity == last.equity && now < last.time + .seconds(8 * 3_600)
    }

    /// Points without a readable time or equity; of another figure that cannot be read only this figure is unknown.
    private var unreadable: [String] {
        times.values.indices.compactMap { index in
            let error =
                times.failures[index]?.inside(.index(index)).inside(.key("timestamp"))
                ?? equity.failures[index]?.inside(.index(index)).inside(.key("equity"))
            return error?.description
        }
    }

    /// Oldest first, as Alpaca sends them; sorted all the same, as the order is promised.
    ///
    /// Alpaca fills the days before the account was funded with an equity of 0, which is not the value of an account.
    private func points(of interval: Interval) -> [EquityPoint] {
        let points = times.values.indices.compactMap { index -> EquityPoint? in
            guard let time = times[index], let equity = equity[index] else { return nil }
            return EquityPoint(
                time: time, date: interval.isIntraday ? nil : time.inNewYork.date, equity: equity,
                profitLoss: profitLoss[index], profitLossPercent: profitLossPercent[index])
        }
        return Array(points.sorted { $0.time < $1.time }.drop { $0.equity.isZero })
    }

    /// An account without a past has a base of 0 or null: nothing that profit could count from.
    private var base: Decimal? {
        baseValue.flatMap { $0.isZero ? nil : $0 }
    }

    /// The points of the last day, by the calendar of New York: a day's stamp of 20:00 there is the next day in UTC.
    private static func latestDay(of points: [EquityPoint]) -> [EquityPoint] {
        guard let day = points.last?.time.inNewYork.date else { return [] }
        return points.filter { $0.time.inNewYork.date == day }
    }

    /// The base of the last points of a history, because `base_value` is of the day before the first one.
    ///
    /// Of days it is the equity of the point before. Otherwise the value from which the first point's profit counts: profits of
    /// one day are those of the day (`pnl_reset=per_day`, the default).
    private static func base(
        of selected: [EquityPoint], in all: [EquityPoint], _ interval: Interval
    ) -> Decimal? {
        if !interval.isIntraday {
            return all.dropLast(selected.count).last.flatMap { $0.equity.isZero ? nil : $0.equity }
        }
        let bases = selected.lazy.compactMap { point in
            point.profitLoss.flatMap { try? point.equity - $0 }
        }
        return bases.first
    }
}

extension EquityPoint {
    /// The point with its profit since a base; without one if there is no base.
    ///
    /// Alpaca reports the change since the point before for days (its examples, and Alpaca-API, issue 273), although its
    /// documentation says since the base.
    fileprivate func withProfit(since base: Decimal?) -> EquityPoint {
        var point = self
        (point.profitLoss, point.profitLossPercent) = (nil, nil)
        guard let base else { return point }
        point.profitLoss = (try? equity - base)?.withoutTrailingZeros
        point.profitLossPercent =
            try? (equity - base).multiplied(by: 100, dividedBy: base, to: 8, .halfEven).withoutTrailingZeros
        return point
    }
}

/// The query of `GET /v2/account/portfolio/history`.
package struct AlpacaHistoryQuery: Hashable {
    /// Nil for a range that begins at ``start``.
    let period: String?
    let start: Instant?
    package let timeframe: AlpacaTimeframe
    private let isOneDay: Bool

    /// Nil for what Alpaca does not have: intervals other than ``AlpacaTimeframe``'s, and any shorter than a day where
    /// the range is longer than 30 days.
    ///
    /// Without an interval it is the one that draws the range in some hundred points: a minute for a day, a quarter
    /// of an hour for a week, else a day. The years since Alpaca's beginning are counted until `now`.
    package init?(_ range: DateRange, _ interval: Interval?, now: Instant) {
        guard let timeframe = interval.map(AlpacaTimeframe.init) ?? Self.usual(range),
            timeframe == .day || Self.hasIntraday(range)
        else { return nil }
        self.timeframe = timeframe
        isOneDay = range == .oneDay
        period = Self.period(range, now: now)
        start = period == nil ? Self.start(range, now: now) : nil
    }

    /// The items of the URL's query.
    ///
    /// Without `pnl_reset=no_reset`, profits of less than a day would count from the close before each day, and not from the
    /// base value. A range of one day has one base; which day it is, is known only from the response.
    package var items: [(name: String, value: String?)] {
        let bound = period.map { ("period", $0) } ?? ("start", start?.description ?? "")
        let reset = timeframe == .day || isOneDay ? nil : "no_reset"
        return [bound, ("timeframe", timeframe.rawValue), ("pnl_reset", reset)]
    }

    private static func usual(_ range: DateRange) -> AlpacaTimeframe {
        switch range {
        case .oneDay: .minute
        case .fiveDays: .quarterHour
        case .oneMonth, .threeMonths, .sixMonths, .yearToDate, .oneYear, .fiveYears, .max: .day
        }
    }

    private static func hasIntraday(_ range: DateRange) -> Bool {
        switch range {
        case .oneDay, .fiveDays, .oneMonth: true
        case .threeMonths, .sixMonths, .yearToDate, .oneYear, .fiveYears, .max: false
        }
    }

    /// A year is `A`; no period means "all", but no account is older than Alpaca.
    ///
    /// Nil for a range without a period.
    private static func period(_ range: DateRange, now: Instant) -> String? {
        switch range {
        case .oneDay: "1D"
        case .fiveDays: "1W"
        case .oneMonth: "1M"
        case .threeMonths: "3M"
        case .sixMonths: "6M"
        case .yearToDate: nil
        case .oneYear: "1A"
        case .fiveYears: "5A"
        case .max: "\(max(1, now.dateInUTC.year - founded + 1))A"
        }
    }

    /// Midnight in New York on the first day of the range.
    private static func start(_ range: DateRange, now: Instant) -> Instant? {
        range.firstDay(until: now.inNewYork.date).map(Instant.init(newYorkMidnight:))
    }

    /// The year in which Alpaca was founded.
    private static let founded = 2015
}

/// The distances of two points of a history that Alpaca has; the raw value is Alpaca's name.
package enum AlpacaTimeframe: String, CaseIterable {
    case minute = "1Min"
    case fiveMinutes = "5Min"
    case quarterHour = "15Min"
    case hour = "1H"
    case day = "1D"

    /// Nil for an interval that Alpaca does not have.
    init?(_ interval: Interval) {
        switch interval {
        case .oneMinute: self = .minute
        case .fiveMinutes: self = .fiveMinutes
        case .fifteenMinutes: self = .quarterHour
        case .oneHour: self = .hour
        case .oneDay: self = .day
        case .thirtyMinutes, .oneWeek, .oneMonth: return nil
        }
    }

    package var interval: Interval {
        switch self {
        case .minute: .oneMinute
        case .fiveMinutes: .fiveMinutes
        case .quarterHour: .fifteenMinutes
        case .hour: .oneHour
        case .day: .oneDay
        }
    }
}
