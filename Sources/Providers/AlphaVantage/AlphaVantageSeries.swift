import Brokerage
import Upstream

/// The response of the time series functions.
struct AlphaVantageSeries: JSONDecodable {
    /// Nil for an empty object, which Alpha Vantage returns for an unknown symbol.
    var rows: [Row]?
    /// The errors of the rows that could not be read, and their times; nil for a time that cannot be read.
    private var unreadable: [(reason: String, time: Instant?)] = []
    /// The time of the newest row; nil if it is not in the response.
    var lastRefreshed: Instant?

    /// A candle under the time that Alpha Vantage names it by.
    struct Row {
        /// The beginning of an interval of a day; midnight of a day, or of the last traded day of a week or a month.
        var time: Instant
        var prices: OHLC
        var volume: Decimal?
    }

    init(json reader: inout JSONReader) throws(JSONError) {
        var isEmpty = true
        try reader.object { key, reader throws(JSONError) in
            isEmpty = false
            let name = key.string
            if name == "Meta Data" {
                lastRefreshed = try Self.lastRefreshed(json: &reader)
            } else if name.contains("Time Series") {
                // `Time Series (60min)`, `Time Series (Daily)`, but `Weekly Time Series`.
                let read = try Self.rows(json: &reader)
                rows = read.elements.sorted { $0.time < $1.time }
                unreadable = read.failures.map { error in
                    guard case .key(let time)? = error.path.first else { return (error.description, nil) }
                    return (error.inside(.key(name)).description, AlphaVantageTime.instant(time))
                }
            } else {
                try reader.skip()
            }
        }
        if !isEmpty { _ = try reader.required(rows, "Time Series") }
    }

    /// Numbers in front of the names differ from function to function, the names do not.
    private static func lastRefreshed(json reader: inout JSONReader) throws(JSONError) -> Instant? {
        var time: Instant?
        try reader.object { key, reader throws(JSONError) in
            let name = key.string
            if name.hasSuffix(". Last Refreshed") {
                time = try reader.newYorkTime()
            } else if name.hasSuffix(". Time Zone") {
                // Under another clock every time would be wrong without a sign of it.
                _ = try reader.token(oneOf: "US/Eastern, America/New_York") { zone in
                    switch zone {
                    case "US/Eastern", "America/New_York": true
                    default: nil
                    }
                }
            } else {
                try reader.skip()
            }
        }
        return time
    }

    /// In any order, which has no meaning in an object.
    private static func rows(json reader: inout JSONReader) throws(JSONError) -> JSONRows<Row> {
        var rows = JSONRows<Row>()
        try reader.object { key, reader throws(JSONError) in
            let name = key.string
            let row = try reader.row { reader throws(JSONError) in
                let time = AlphaVantageTime.instant(name)
                return try Row(at: reader.required(time, "time like 2026-11-20 19:00:00"), json: &reader)
            }
            try rows.add(row, at: .key(name))
        }
        return rows
    }
}

extension AlphaVantageSeries.Row {
    fileprivate init(at time: Instant, json reader: inout JSONReader) throws(JSONError) {
        var (open, high) = (Decimal?.none, Decimal?.none)
        var (low, close, volume) = (Decimal?.none, Decimal?.none, Decimal?.none)
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "1. open": open = try reader.decimal()
            case "2. high": high = try reader.decimal()
            case "3. low": low = try reader.decimal()
            case "4. close": close = try reader.decimal()
            case "5. volume": volume = try reader.figureOrNil()
            default: try reader.skip()
            }
        }
        self.time = time
        self.prices = OHLC(
            open: try reader.required(open, "1. open"), high: try reader.required(high, "2. high"),
            low: try reader.required(low, "3. low"), close: try reader.required(close, "4. close"))
        self.volume = volume
    }
}

extension AlphaVantageSeries {
    /// The requested series.
    struct Target {
        var symbol: Symbol
        var unit: PriceUnit
        var window: ChartWindow
        /// True if only the newest hundred rows were requested.
        var isCompact: Bool
        /// The time from which on candles were requested; nil for all.
        var reach: Instant?
        /// By how much the prices are late; 0 also if it is not known.
        var delayMinutes: Int
        var fetchedAt: Instant
    }

    /// The candles of the window; nil for an unknown symbol.
    func candles(_ subject: Target) throws(Decimal.Overflow) -> CandleSeries? {
        guard let rows else { return nil }
        let (window, interval) = (subject.window, subject.window.interval)
        var series = CandleSeries(
            symbol: subject.symbol, interval: interval,
            provenance: Provenance(source: .alphaVantage, fetchedAt: subject.fetchedAt, asOf: asOf(subject)),
            reserving: rows.count)
        series.currency = subject.unit.currency
        series.adjustment = .raw
        series.isExtendedHours = interval.isIntraday ? window.isExtendedHours ?? true : nil
        series.timeZone = AlphaVantageTime.zone
        var candles: [Candle] = []
        candles.reserveCapacity(rows.count)
        for row in rows {
            candles.append(
                Candle(
                    time: row.time.newYorkStart(of: interval),
                    prices: try row.prices.converted(from: subject.unit), volume: row.volume))
        }
        try series.append(candles, in: window)
        series.append(
            unreadable: unreadable.map { ($0.reason, $0.time?.newYorkStart(of: interval)) }, in: window)
        series.isLastComplete = series.isLastOver(
            at: subject.fetchedAt - .seconds(60 * Int64(subject.delayMinutes)),
            offset: subject.fetchedAt.newYorkOffset)
        if subject.isCompact, rows.count + unreadable.count >= Self.compactCount, lacksOlder(candles, window)
        {
            series.isTruncated = true
        }
        if let reach = subject.reach,
            window.from.map({ $0 < reach }) ?? (candles.count < window.maximumCandles)
        {
            series.isTruncated = true
        }
        return series
    }

    /// Alpha Vantage cut the series, and the window goes further back.
    private func lacksOlder(_ candles: [Candle], _ window: ChartWindow) -> Bool {
        guard let oldest = candles.first.flatMap({ Instant(secondsSince1970: $0.time) }) else { return false }
        return window.from.map { $0 < oldest } ?? true
    }

    /// The time of the newest row of an intraday series; nil for a date without a time.
    private func asOf(_ subject: Target) -> Instant? {
        guard subject.window.interval.isIntraday, let lastRefreshed else { return nil }
        return lastRefreshed <= subject.fetchedAt ? lastRefreshed : nil
    }

    /// As many rows as `outputsize=compact` has.
    static let compactCount = 100
}

extension OHLC {
    fileprivate func converted(from unit: PriceUnit) throws(Decimal.Overflow) -> OHLC {
        OHLC(
            open: try unit.amount(open), high: try unit.amount(high), low: try unit.amount(low),
            close: try unit.amount(close))
    }
}
