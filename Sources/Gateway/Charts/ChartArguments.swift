import Brokerage
import GraphQL
import Upstream

/// The arguments of a chart: which candles, from which provider.
struct ChartArguments: GraphQLArguments {
    /// The candles, as far as the arguments determine them; `range` determines `from` and `last`.
    private let requested: ChartWindow
    let range: DateRange?
    /// The argument of the field that determines the interval; nil for a chart that no field has requested.
    private(set) var intervalArgument: String?
    var provider: ProviderID?

    init(_ arguments: ArgumentReader) throws {
        try self.init(
            interval: arguments["interval"], range: arguments["range"], from: arguments["from"],
            to: arguments["to"], last: arguments["last"], adjustment: arguments["adjustment"],
            isExtendedHours: arguments["extendedHours"], provider: arguments["provider"])
        let interval: Interval? = try arguments["interval"]
        intervalArgument = interval == nil && range != nil ? "range" : "interval"
    }

    /// - Throws: `FieldError` for arguments that contradict each other, or are out of range.
    init(
        interval: Interval?, range: DateRange?, from: Instant?, to: Instant?, last: Int?,
        adjustment: Adjustment?,
        isExtendedHours: Bool?, provider: ProviderID?
    ) throws(FieldError) {
        if let last { try FieldError.check(last, of: "last", in: 1...ChartWindow.limit) }
        if let range, from != nil || to != nil {
            throw .argument(
                "range",
                "It is \(range.rawValue), and `\(from == nil ? "to" : "from")` is given too. Use one of them."
            )
        }
        if let from, let to, from >= to {
            throw .argument("from", "It is \(from), which is not before `to`, \(to).")
        }
        requested = ChartWindow(
            interval: interval ?? range?.defaultInterval ?? .oneDay, from: from, to: to, last: last,
            adjustment: adjustment, isExtendedHours: isExtendedHours)
        self.range = range
        self.provider = provider
    }

    /// The candles that are requested at a time.
    ///
    /// A range begins with a whole day by UTC, so that requests of one day share a cached value.
    func window(at now: Instant) -> ChartWindow {
        guard let range else { return requested }
        let today = now.dateInUTC
        let first = range.firstCandleDay(until: today)
        var window = requested
        window.from = first.flatMap { Instant(secondsSince1970: Int64($0.daysSince1970) * 86_400) }
        // A bound for the number of candles, so that sources can return several instruments in one call.
        let most = first.map { window.interval.maximumCandles(from: $0, through: today) } ?? ChartWindow.limit
        window.last = min(requested.last ?? most, most)
        return window
    }

    /// The candles to return of a series that was read for these arguments.
    func excerpt(of series: CandleSeries) -> CandleSeries {
        range == .oneDay ? series.latestDay : series
    }
}

extension DateRange {
    /// The longest time without trades at an exchange in days: with a range of one day, the series must contain the
    /// latest day with trades.
    private static let longestClosure = 10

    /// The interval of a chart that does not state one: 40 to 400 candles fit the width of a screen.
    var defaultInterval: Interval {
        switch self {
        case .oneDay: .fiveMinutes
        case .fiveDays: .thirtyMinutes
        case .oneMonth, .threeMonths, .sixMonths, .yearToDate, .oneYear: .oneDay
        case .fiveYears: .oneWeek
        case .max: .oneMonth
        }
    }

    /// The first day of the candles; nil for no bound.
    fileprivate func firstCandleDay(until today: CalendarDate) -> CalendarDate? {
        self == .oneDay ? today.adding(days: -Self.longestClosure) : firstDay(until: today)
    }
}

extension Interval {
    /// A number that the candles of some days do not exceed, whatever the hours of the market.
    func maximumCandles(from first: CalendarDate, through last: CalendarDate) -> Int {
        let seconds = Int64(last.daysSince1970 - first.daysSince1970 + 1) * 86_400
        // February has the shortest month.
        let shortest = max(min(length(on: first), 28 * 86_400), 1)
        return min(Int(seconds / shortest) + 1, ChartWindow.limit)
    }
}

extension CandleSeries {
    /// The candles of the day of the last candle, by the time zone of the exchange.
    fileprivate var latestDay: CandleSeries {
        let zone = ExchangeTimeZone(timeZone)
        func day(_ start: Int64) -> CalendarDate? { Instant(secondsSince1970: start)?.date(in: zone) }
        guard let last = times.last, let latest = day(last) else { return self }
        var series = self
        series.truncate(toLast: times.reversed().prefix { day($0) == latest }.count)
        // The older candles belong to other days.
        series.isTruncated = isTruncated && series.count == count
        return series
    }
}

/// The id of a chart: its source, its instrument and its arguments.
///
/// Charts with the same arguments from the same source have the same id, whenever they are read.
struct ChartID: Sendable {
    let symbol: Symbol
    let arguments: ChartArguments

    init(_ series: CandleSeries, _ arguments: ChartArguments) {
        symbol = series.symbol
        var arguments = arguments
        arguments.provider = series.provenance.source
        self.arguments = arguments
    }

    /// Nil for a text that is no id of a chart.
    init?(_ id: NodeID) {
        // No symbol contains a "~", and no parameter contains a ",".
        let parts = id.localID.split(separator: "~", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let key = SourceSymbol(String(parts[0])) else { return nil }
        var values: [Substring: String] = [:]
        for part in parts[1].split(separator: ",") {
            let pair = part.split(separator: "=", maxSplits: 1)
            guard pair.count == 2 else { return nil }
            values[pair[0]] = String(pair[1])
        }
        guard
            let arguments = try? ChartArguments(
                interval: values["interval"].flatMap(Interval.init),
                range: values["range"].flatMap(DateRange.init),
                from: values["from"].flatMap { Instant($0) }, to: values["to"].flatMap { Instant($0) },
                last: values["last"].flatMap { Int($0) },
                adjustment: values["adjustment"].flatMap(Adjustment.init),
                isExtendedHours: values["extendedHours"].map { $0 == "true" }, provider: key.source)
        else { return nil }
        symbol = key.symbol
        self.arguments = arguments
        guard nodeID == id else { return nil }
    }

    var nodeID: NodeID {
        let source = arguments.provider.map { "\($0.name.text):" } ?? ""
        let parameters = arguments.parameters.map { "\($0.name)=\($0.value)" }
        return NodeID(.chart, "\(source)\(symbol)~\(parameters.joined(separator: ","))")
    }
}

extension ChartArguments {
    /// The given arguments without the provider, in a fixed order.
    fileprivate var parameters: [(name: String, value: String)] {
        let all: [(String, String?)] = [
            ("interval", requested.interval.rawValue), ("range", range?.rawValue),
            ("from", requested.from?.description), ("to", requested.to?.description),
            ("last", requested.last.map(String.init)), ("adjustment", requested.adjustment?.rawValue),
            ("extendedHours", requested.isExtendedHours.map(String.init)),
        ]
        return all.compactMap { name, value in value.map { (name, $0) } }
    }
}

/// An instrument at a source: the key of a quote.
struct SourceSymbol: Sendable {
    let source: ProviderID
    let symbol: Symbol

    /// Nil for a text that is not the name of a source, a colon and a symbol.
    init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, let source = ProviderID(named: String(parts[0])),
            let symbol = Symbol(canonical: String(parts[1]))
        else { return nil }
        (self.source, self.symbol) = (source, symbol)
    }
}
