import Brokerage

/// `TIME_SERIES_DAILY`, `_WEEKLY` and `_MONTHLY`: market hours only, newest first.
struct FakeAlphaVantageSeries: Sendable {
    private let call: FakeAlphaVantageCall
    private let instrument: FakeInstrument
    private let size: FakeAlphaVantageOutputSize

    /// Throws the notice that replaces the series.
    init(_ call: FakeAlphaVantageCall) throws(FakeAlphaVantageNotice) {
        guard let instrument = call.instrument else { throw call.invalid }
        self.call = call
        self.instrument = instrument
        size = try call.outputSize()
    }

    func document() -> JSONDocument {
        let points = points
        var data: [JSONDocument.Member] = [
            .init(
                name: "1. Information", value: .string("\(title) Prices (open, high, low, close) and Volumes")
            ),
            .init(name: "2. Symbol", value: .string(instrument.alphaVantageSymbol)),
            .init(name: "3. Last Refreshed", value: .string(points.first?.name ?? "")),
        ]
        if call.function == .daily {
            data += [
                .init(name: "4. Output Size", value: .string(size.title)),
                .init(name: "5. Time Zone", value: "US/Eastern"),
            ]
        } else {
            data.append("4. Time Zone", "US/Eastern")
        }
        return .object([
            .init(name: "Meta Data", value: .object(data)),
            .init(
                name: call.function == .daily ? "Time Series (Daily)" : "\(title) Time Series",
                value: .object(points)),
        ])
    }

    private var title: String {
        switch length {
        case .week: "Weekly"
        case .months: "Monthly"
        case .minutes, .day: "Daily"
        }
    }

    private var length: BarLength {
        switch call.function {
        case .weekly: .week
        case .monthly: .month
        case .daily, .intraday, .globalQuote, .bulkQuotes, .search, .overview, .dividends, .splits: .day
        }
    }

    /// The last 100 days unless all are requested; all weeks and months.
    private var points: [JSONDocument.Member] {
        let begins = call.view.market.schedule(of: instrument).start(of: call.settings.historyBegins)
        let bars = call.view.bars(of: instrument, every: length, from: begins ?? .min, newestFirst: true)
        let isCompact = call.function == .daily && size == .compact
        return bars.prefix(isCompact ? FakeAlphaVantageOutputSize.compactCount : .max).compactMap { candle in
            lastDay(of: candle).map {
                .init(name: $0.description, value: call.asTraded(candle, of: instrument).alphaVantage)
            }
        }
    }

    /// Returns the last trading day of a bar up to today: the bar's label.
    private func lastDay(of candle: TimedBar) -> CalendarDate? {
        let schedule = call.view.market.schedule(of: instrument)
        let first = schedule.date(at: Instant(secondsSince1970: Int64(candle.start)) ?? .earliest)
        let last: CalendarDate? =
            switch length {
            case .minutes, .day: first
            case .week: first.adding(days: 6)
            case .months(let count): first.adding(months: count)?.adding(days: -1)
            }
        guard let last, let today = call.view.marketDay(of: instrument)?.date else { return nil }
        return schedule.session(onOrBefore: min(last, today))?.date
    }
}

/// The values of the parameter `outputsize`.
enum FakeAlphaVantageOutputSize: String, Sendable {
    case compact
    case full

    /// The number of points of a compact series.
    static let compactCount = 100

    var title: String {
        switch self {
        case .compact: "Compact"
        case .full: "Full size"
        }
    }
}

extension FakeAlphaVantageCall {
    /// Returns the requested size; throws if it requires a premium key.
    func outputSize() throws(FakeAlphaVantageNotice) -> FakeAlphaVantageOutputSize {
        let size = try choice("outputsize", FakeAlphaVantageOutputSize.compact)
        let isPremium = size == .full && settings.fullOutputIsPremium
        guard !isPremium || plan != .free else { throw .premiumEndpoint }
        return size
    }
}

extension FakeAlphaVantageCall {
    /// Returns a bar with the prices as traded, before later splits.
    fileprivate func asTraded(_ candle: TimedBar, of instrument: FakeInstrument) -> Bar {
        candle.bar.unadjusted(of: instrument, on: candle.date, knownOn: view.instant.inNewYork.date)
    }
}

extension Bar {
    /// One point of a series.
    var alphaVantage: JSONDocument {
        [
            "1. open": .fourDigits(cents: open),
            "2. high": .fourDigits(cents: high),
            "3. low": .fourDigits(cents: low),
            "4. close": .fourDigits(cents: close),
            "5. volume": .digits(volume),
        ]
    }
}

/// `TIME_SERIES_INTRADAY`: extended hours are included unless excluded by a parameter.
struct FakeAlphaVantageIntraday: Sendable {
    private let call: FakeAlphaVantageCall
    private let instrument: FakeInstrument
    private let size: FakeAlphaVantageOutputSize
    private let interval: Interval
    private let extendedHours: Bool
    /// The first day of the requested month; nil for the latest points.
    private let month: CalendarDate?
    /// False for prices as traded, before later splits.
    private let isAdjusted: Bool

    enum Interval: String, Sendable, CaseIterable {
        case oneMinute = "1min"
        case fiveMinutes = "5min"
        case quarterHour = "15min"
        case halfHour = "30min"
        case hour = "60min"

        var minutes: Int {
            switch self {
            case .oneMinute: 1
            case .fiveMinutes: 5
            case .quarterHour: 15
            case .halfHour: 30
            case .hour: 60
            }
        }
    }

    /// Throws the notice that replaces the series.
    init(_ call: FakeAlphaVantageCall) throws(FakeAlphaVantageNotice) {
        guard let instrument = call.instrument,
            let interval = call["interval"].flatMap(Interval.init(rawValue:))
        else { throw call.invalid }
        self.call = call
        self.instrument = instrument
        self.interval = interval
        extendedHours = try call.flag("extended_hours", true)
        isAdjusted = try call.flag("adjusted", true)
        month = try Self.month(call)
        size = try call.outputSize()
    }

    /// Parses the parameter `month`, `2026-10`.
    private static func month(_ call: FakeAlphaVantageCall) throws(FakeAlphaVantageNotice) -> CalendarDate? {
        guard let text = call["month"] else { return nil }
        guard let month = CalendarDate("\(text)-01"), month >= call.settings.historyBegins else {
            throw call.invalid
        }
        return month
    }

    func document() -> JSONDocument {
        let points = points
        return .object([
            .init(
                name: "Meta Data",
                value: [
                    "1. Information": .string(
                        "Intraday (\(interval.rawValue)) open, high, low, close prices and volume"),
                    "2. Symbol": .string(instrument.alphaVantageSymbol),
                    "3. Last Refreshed": .string(points.first?.name ?? ""),
                    "4. Interval": .string(interval.rawValue),
                    "5. Output Size": .string(size.title),
                    "6. Time Zone": "US/Eastern",
                ]),
            .init(name: "Time Series (\(interval.rawValue))", value: .object(points)),
        ])
    }

    private var points: [JSONDocument.Member] {
        let range = range
        let bars = call.view.bars(
            of: instrument, every: .minutes(interval.minutes), from: range.lowerBound,
            through: range.upperBound, extendedHours: extendedHours, newestFirst: true)
        return bars.prefix(size == .compact ? FakeAlphaVantageOutputSize.compactCount : .max).map { candle in
            let start = Instant(secondsSince1970: Int64(candle.start)) ?? .earliest
            let bar = isAdjusted ? candle.bar : call.asTraded(candle, of: instrument)
            return .init(name: start.inNewYork.text, value: bar.alphaVantage)
        }
    }

    /// The requested month; by default, the last 30 days.
    private var range: ClosedRange<Int> {
        guard let month, let next = month.adding(months: 1) else {
            return (call.view.now - 30 * 86_400)...call.view.now
        }
        let start = Int(Instant(newYorkMidnight: month).secondsSince1970)
        return start...max(start, Int(Instant(newYorkMidnight: next).secondsSince1970) - 1)
    }
}
