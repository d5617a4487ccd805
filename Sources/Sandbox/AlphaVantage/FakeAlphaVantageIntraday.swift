import Brokerage

/// `TIME_SERIES_INTRADAY`: the hours before and after the market's included unless they are not wanted.
struct FakeAlphaVantageIntraday: Sendable {
    private let call: FakeAlphaVantageCall
    private let instrument: FakeInstrument
    private let size: FakeAlphaVantageOutputSize
    private let interval: Interval
    private let extendedHours: Bool
    /// The first day of the month that is wanted; nil for the latest points.
    private let month: CalendarDate?

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

    /// Throws the notice that stands in place of the series.
    init(_ call: FakeAlphaVantageCall) throws(FakeAlphaVantageNotice) {
        guard let instrument = call.instrument,
            let interval = call["interval"].flatMap(Interval.init(rawValue:))
        else { throw call.invalid }
        self.call = call
        self.instrument = instrument
        self.interval = interval
        extendedHours = try call.flag("extended_hours", true)
        _ = try call.flag("adjusted", true)
        month = try Self.month(call)
        size = try call.outputSize()
    }

    /// The parameter `month`, `2026-10`.
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
            return .init(name: start.inNewYork.text, value: candle.bar.alphaVantage)
        }
    }

    /// The month that is wanted; without one, the last 30 days.
    private var range: ClosedRange<Int> {
        guard let month, let next = month.adding(months: 1), let first = LocalTime(date: month, hour: 0),
            let end = LocalTime(date: next, hour: 0)
        else { return (call.view.now - 30 * 86_400)...call.view.now }
        let start = Int(Instant(newYork: first).secondsSince1970)
        return start...max(start, Int(Instant(newYork: end).secondsSince1970) - 1)
    }
}
