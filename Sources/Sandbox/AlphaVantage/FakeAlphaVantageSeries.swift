import Brokerage

/// `TIME_SERIES_DAILY`, `_WEEKLY` and `_MONTHLY`: market hours only, newest first.
struct FakeAlphaVantageSeries: Sendable {
    private let call: FakeAlphaVantageCall
    private let instrument: FakeInstrument
    private let size: FakeAlphaVantageOutputSize

    /// Throws the notice that stands in place of the series.
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
            data.append(.init(name: "4. Time Zone", value: "US/Eastern"))
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
        case .daily, .intraday, .globalQuote, .bulkQuotes, .search, .overview: .day
        }
    }

    /// Days have the last 100 unless all are asked for; weeks and months come whole.
    private var points: [JSONDocument.Member] {
        let begins = instrument.schedule.start(of: call.settings.historyBegins)
        let bars = call.view.bars(of: instrument, every: length, from: begins ?? .min, newestFirst: true)
        let isCompact = call.function == .daily && size == .compact
        return bars.prefix(isCompact ? FakeAlphaVantageOutputSize.compactCount : .max).compactMap { candle in
            lastDay(of: candle).map { .init(name: $0.description, value: candle.bar.alphaVantage) }
        }
    }

    /// The last trading day of a bar that has begun, the running one included: a bar's name.
    private func lastDay(of candle: TimedBar) -> CalendarDate? {
        let schedule = instrument.schedule
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

/// How much of a series is wanted.
enum FakeAlphaVantageOutputSize: String, Sendable {
    case compact
    case full

    /// The points of a compact series.
    static let compactCount = 100

    var title: String {
        switch self {
        case .compact: "Compact"
        case .full: "Full size"
        }
    }
}

extension FakeAlphaVantageCall {
    /// The size that is wanted; throws where it takes a premium key.
    func outputSize() throws(FakeAlphaVantageNotice) -> FakeAlphaVantageOutputSize {
        let size = try choice("outputsize", FakeAlphaVantageOutputSize.compact)
        let isPremium = size == .full && settings.fullOutputIsPremium
        guard !isPremium || plan == .premium else { throw .premiumEndpoint }
        return size
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
