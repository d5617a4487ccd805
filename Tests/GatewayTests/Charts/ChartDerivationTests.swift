import Brokerage
import Gateway
import Testing
import Upstream

@Suite("A chart whose source does not adjust prices")
struct ChartDerivationTests {
    private static let raw = ChartCapabilities(
        intervals: Set(Interval.allCases), adjustments: [.raw])
    private static let ofSplits = ChartCapabilities(
        intervals: Set(Interval.allCases), adjustments: [.raw, .splits])

    private static func day(_ text: String) throws -> CalendarDate { try #require(CalendarDate(text)) }

    /// Candles of days or weeks, each with one price.
    private static func series(
        _ candles: [(day: String, price: String)], interval: Interval = .oneDay, currency: String? = "USD"
    ) throws -> CandleSeries {
        var series = CandleSeries(
            symbol: .example, interval: interval,
            provenance: Provenance(
                source: .alphaVantage, fetchedAt: try #require(Instant("2026-11-20T16:00:00Z"))))
        series.currency = currency
        series.adjustment = .raw
        series.timeZone = "America/New_York"
        for (text, number) in candles {
            let midnight = try #require(LocalTime(date: day(text), hour: 0))
            let price = try #require(Decimal(number))
            let isAppended = series.append(
                Candle(
                    time: Instant(newYork: midnight).secondsSince1970,
                    prices: OHLC(open: price, high: price, low: price, close: price), volume: 100))
            #expect(isAppended)
        }
        series.isLastComplete = false
        return series
    }

    private static func split(_ text: String, _ new: Decimal, _ old: Decimal = 1) throws -> Split {
        try #require(Split(exDate: day(text), newShares: new, oldShares: old))
    }

    private static func closes(_ series: CandleSeries?) -> [Decimal]? {
        series.map { series in (0..<series.count).map { series[$0].prices.close } }
    }

    private static func decimals(_ texts: String...) throws -> [Decimal] {
        try texts.map { try #require(Decimal($0)) }
    }

    private static func volumes(_ series: CandleSeries?) -> [String]? {
        series.map { series in (0..<series.count).map { series[$0].volume?.description ?? "" } }
    }

    @Test("has the prices and volumes of the present shares after splits, and not after announced ones")
    func splits() throws {
        let window = ChartWindow(interval: .oneDay, adjustment: .splits)
        let derivation = try #require(ChartDerivation(window, of: Self.raw))
        #expect(derivation.base.adjustment == .raw && !derivation.needsDividends)
        let series = try Self.series([
            ("2026-11-12", "120"), ("2026-11-13", "121.5"), ("2026-11-16", "40"), ("2026-11-17", "20.01"),
        ])
        let adjusted = derivation.adjusted(
            series,
            splits: [
                try Self.split("2026-11-16", 3), try Self.split("2026-11-17", 2),
                try Self.split("2026-12-01", 10),
            ], dividends: [])
        #expect(try Self.closes(adjusted) == Self.decimals("20", "20.25", "20", "20.01"))
        #expect(Self.volumes(adjusted) == ["600", "600", "200", "100"])
        #expect(adjusted?.adjustment == .splits && adjusted?.times == series.times)
        #expect(adjusted?.isLastComplete == false && adjusted?.currency == "USD")
        // 1 for 20, and a price that is not finite.
        let reverse = derivation.adjusted(
            series, splits: [try Self.split("2026-11-16", 1, 20)], dividends: [])
        #expect(try Self.closes(reverse) == Self.decimals("2400", "2430", "40", "20.01"))
        #expect(Self.volumes(reverse) == ["5", "5", "100", "100"])
        let thirds = derivation.adjusted(series, splits: [try Self.split("2026-11-17", 7)], dividends: [])
        #expect(try Self.closes(thirds) == Self.decimals("17.14285714", "17.35714286", "5.71428571", "20.01"))
    }

    @Test("has prices multiplied by 1 − dividend ÷ last close before each ex-date")
    func dividends() throws {
        let window = ChartWindow(interval: .oneDay, adjustment: .splitsAndDividends)
        let derivation = try #require(ChartDerivation(window, of: Self.raw))
        #expect(derivation.needsDividends)
        let series = try Self.series([
            ("2026-11-12", "100"), ("2026-11-13", "50"), ("2026-11-16", "25"), ("2026-11-17", "20"),
        ])
        var late = Dividend(exDate: try Self.day("2026-11-17"), amount: 5, currency: "USD")
        late.payDate = try Self.day("2026-12-01")
        // Two of the present shares: 4 for each share before the split.
        let early = Dividend(exDate: try Self.day("2026-11-13"), amount: 4, currency: "USD")
        let announced = Dividend(exDate: try Self.day("2026-12-17"), amount: 5, currency: "USD")
        let split = try Self.split("2026-11-16", 2)
        let adjusted = derivation.adjusted(series, splits: [split], dividends: [announced, early, late])
        // By the split 50, 25, 25, 20; 1 − 5/25 = 0.8 before the 17th, and 0.8 × (1 − 2/50) = 0.768 before the 13th.
        #expect(try Self.closes(adjusted) == Self.decimals("38.4", "20", "20", "20"))
        #expect(Self.volumes(adjusted) == ["200", "200", "100", "100"])
        #expect(adjusted?.adjustment == .splitsAndDividends)
    }

    @Test("is read until now for dividends, and cut to its window")
    func window() throws {
        let to = try #require(Instant("2026-11-16T05:00:00Z"))
        let window = ChartWindow(interval: .oneDay, to: to, last: 1, adjustment: .splitsAndDividends)
        let derivation = try #require(ChartDerivation(window, of: Self.ofSplits))
        #expect(
            derivation.base
                == ChartWindow(interval: .oneDay, last: ChartWindow.limit, adjustment: .splits))
        let series = try Self.series([
            ("2026-11-12", "100"), ("2026-11-13", "50"), ("2026-11-16", "25"), ("2026-11-17", "20"),
        ])
        let dividend = Dividend(exDate: try Self.day("2026-11-17"), amount: 5, currency: "USD")
        let adjusted = derivation.adjusted(series, splits: [], dividends: [dividend])
        #expect(try Self.closes(adjusted) == Self.decimals("40"))
        #expect(adjusted?.isTruncated == true && adjusted?.isLastComplete == true)
        let ranged = ChartWindow(
            interval: .oneDay, from: .earliest, to: to, last: 5, adjustment: .splitsAndDividends)
        #expect(ChartDerivation(ranged, of: Self.raw)?.base.last == nil)
    }

    @Test("of weeks and months is not known if a candle contains prices before and after a split")
    func weeks() throws {
        let window = ChartWindow(interval: .oneWeek, adjustment: .splits)
        let derivation = try #require(ChartDerivation(window, of: Self.raw))
        let series = try Self.series([("2026-11-09", "100"), ("2026-11-16", "25")], interval: .oneWeek)
        let monday = derivation.adjusted(series, splits: [try Self.split("2026-11-16", 4)], dividends: [])
        #expect(try Self.closes(monday) == Self.decimals("25", "25"))
        let tuesday = derivation.adjusted(series, splits: [try Self.split("2026-11-17", 4)], dividends: [])
        #expect(tuesday == nil)
        let earlier = derivation.adjusted(series, splits: [try Self.split("2026-11-04", 4)], dividends: [])
        #expect(try Self.closes(earlier) == Self.decimals("100", "25"))
        let month = ChartWindow(interval: .oneMonth, adjustment: .splits)
        let months = try Self.series([("2026-08-01", "100"), ("2026-09-01", "25")], interval: .oneMonth)
        let ofMonths = try #require(ChartDerivation(month, of: Self.raw))
        // The 1st of August 2026 is a Saturday.
        let first = ofMonths.adjusted(months, splits: [try Self.split("2026-08-03", 4)], dividends: [])
        #expect(try Self.closes(first) == Self.decimals("100", "25"))
        #expect(ofMonths.adjusted(months, splits: [try Self.split("2026-08-04", 4)], dividends: []) == nil)
    }

    @Test(
        "is not known with a dividend in another or an unknown currency, or above the price",
        arguments: [("EUR", 1), (nil, 1), ("USD", 100)] as [(String?, Int)])
    func unknown(currency: String?, amount: Int) throws {
        let window = ChartWindow(interval: .oneDay, adjustment: .splitsAndDividends)
        let derivation = try #require(ChartDerivation(window, of: Self.ofSplits))
        let series = try Self.series([("2026-11-12", "100"), ("2026-11-13", "50")])
        let dividend = Dividend(
            exDate: try Self.day("2026-11-13"), amount: Decimal(amount), currency: currency)
        #expect(derivation.adjusted(series, splits: [], dividends: [dividend]) == nil)
    }

    @Test(
        "is not derived without an adjustment, for one that the source has, or from prices that do not determine it",
        arguments: [
            (ChartWindow(interval: .oneDay), raw),
            (ChartWindow(interval: .oneDay, adjustment: .splits), ofSplits),
            (ChartWindow(interval: .oneWeek, adjustment: .splitsAndDividends), ofSplits),
            (ChartWindow(interval: .oneHour, adjustment: .splitsAndDividends), raw),
            (
                ChartWindow(interval: .oneDay, adjustment: .raw),
                ChartCapabilities(intervals: [.oneDay], adjustments: [.splits])
            ),
            (
                ChartWindow(interval: .oneDay, adjustment: .splits),
                ChartCapabilities(intervals: [.oneDay], adjustments: [])
            ),
            (
                ChartWindow(interval: .oneDay, adjustment: .splits),
                ChartCapabilities(intervals: [.oneWeek], adjustments: [.raw])
            ),
        ])
    func none(window: ChartWindow, capabilities: ChartCapabilities) {
        #expect(ChartDerivation(window, of: capabilities) == nil)
    }
}
