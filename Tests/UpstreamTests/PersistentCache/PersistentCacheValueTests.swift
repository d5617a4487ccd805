import Brokerage
import TestSupport
import Testing
import Upstream

@Suite("Values as bytes")
struct PersistentCacheValueTests {
    static let reading = Provenance(
        source: .alphaVantage, fetchedAt: Instant("2026-11-20T15:32:10.123456789Z") ?? .earliest,
        asOf: Instant("2026-11-19T21:00:00Z"))

    static func decimal(_ random: inout SplitMix) -> Decimal? {
        switch Int.random(in: 0..<5, using: &random) {
        case 0: nil
        case 1: Decimal(coefficient: Int128.random(in: .min ... .max, using: &random), scale: 38)
        case 2: Decimal(coefficient: .min, scale: 0)
        default: Decimal(coefficient: Int128.random(in: -999_999...999_999, using: &random), scale: 4)
        }
    }

    static func text(_ random: inout SplitMix) -> String? {
        [nil, "", "USD", "Ærø Møbler · 株式会社", String(repeating: "x", count: 300)].randomElement(
            using: &random) ?? nil
    }

    static func quote(_ random: inout SplitMix) -> Quote {
        var quote = Quote(symbol: .example, provenance: reading)
        quote.price = decimal(&random)
        quote.bid = decimal(&random)
        quote.ask = decimal(&random)
        quote.open = decimal(&random)
        quote.high = decimal(&random)
        quote.low = decimal(&random)
        quote.previousClose = decimal(&random)
        quote.volume = decimal(&random)
        quote.extendedHoursPrice = decimal(&random)
        quote.marketState = MarketState.allCases.randomElement(using: &random)
        quote.timeliness = Timeliness.allCases.randomElement(using: &random)
        quote.currency = text(&random)
        quote.delayMinutes = [nil, 0, 15, Int.max].randomElement(using: &random) ?? nil
        quote.feed = text(&random)
        return quote
    }

    static func fundamentals(_ random: inout SplitMix) -> Fundamentals {
        var figures = Fundamentals(symbol: .example, provenance: reading)
        figures.name = text(&random)
        figures.about = text(&random)
        figures.currency = text(&random)
        figures.sector = text(&random)
        figures.industry = text(&random)
        figures.country = text(&random)
        figures.website = Bool.random(using: &random) ? "https://www.example/" : nil
        figures.marketCap = decimal(&random)
        figures.priceEarningsRatio = decimal(&random)
        figures.earningsPerShare = decimal(&random)
        figures.dividendPerShare = decimal(&random)
        figures.yearHigh = decimal(&random)
        figures.yearLow = decimal(&random)
        return figures
    }

    static func hit(_ random: inout SplitMix) -> SearchHit {
        var instrument = Instrument(symbol: .example, assetClass: .etf, provenance: reading)
        instrument.name = text(&random)
        instrument.exchange = text(&random)
        instrument.marketCode = text(&random)
        instrument.figi = text(&random)
        instrument.shareClassFIGI = text(&random)
        instrument.currency = text(&random)
        instrument.decimals = [nil, 2].randomElement(using: &random) ?? nil
        instrument.about = text(&random)
        var listing = Listing(provider: .saxo, key: "211")
        listing.assetType = text(&random)
        listing.exchange = text(&random)
        listing.isTradable = [nil, true, false].randomElement(using: &random) ?? nil
        listing.isFractionable = [nil, true, false].randomElement(using: &random) ?? nil
        listing.isShortable = [nil, true, false].randomElement(using: &random) ?? nil
        listing.orderTypes = [nil, [], [.market, .trailingStop]].randomElement(using: &random) ?? nil
        listing.tickSize = decimal(&random)
        listing.minimumQuantity = decimal(&random)
        listing.quantityIncrement = decimal(&random)
        let ranges = (0..<Int.random(in: 0..<3, using: &random)).map { number in
            PriceIncrements.Range(upTo: Decimal(number), increment: decimal(&random) ?? 1)
        }
        if Bool.random(using: &random) {
            listing.priceIncrements = PriceIncrements(otherwise: decimal(&random), ranges: ranges)
        }
        instrument.listing = Bool.random(using: &random) ? listing : nil
        return SearchHit(instrument: instrument, matchScore: decimal(&random), region: text(&random))
    }

    static func date(_ random: inout SplitMix) -> CalendarDate {
        CalendarDate(daysSince1970: Int.random(in: -20_000...40_000, using: &random)) ?? .latest
    }

    static func dividends(_ random: inout SplitMix) -> DividendHistory {
        let dividends = (0..<Int.random(in: 0..<4, using: &random)).map { _ in
            var dividend = Dividend(
                exDate: date(&random), amount: decimal(&random) ?? 1, currency: text(&random))
            dividend.declaredOn = Bool.random(using: &random) ? date(&random) : nil
            dividend.recordDate = Bool.random(using: &random) ? date(&random) : nil
            dividend.payDate = Bool.random(using: &random) ? date(&random) : nil
            dividend.isSpecial = [nil, true, false].randomElement(using: &random) ?? nil
            return dividend
        }
        var history = DividendHistory(symbol: .example, dividends: dividends, provenance: reading)
        history.isin = text(&random)
        return history
    }

    static func splits(_ random: inout SplitMix) throws -> SplitHistory {
        let splits = try (0..<Int.random(in: 0..<4, using: &random)).map { number in
            var split = try #require(
                Split(exDate: date(&random), newShares: Decimal(number + 2), oldShares: 1))
            split.declaredOn = Bool.random(using: &random) ? date(&random) : nil
            split.recordDate = Bool.random(using: &random) ? date(&random) : nil
            split.payDate = Bool.random(using: &random) ? date(&random) : nil
            return split
        }
        return SplitHistory(symbol: .example, splits: splits, provenance: reading)
    }

    static func article(_ random: inout SplitMix) -> Article {
        var article = Article(
            id: text(&random) ?? "1", headline: text(&random) ?? "", url: "https://news.example/1",
            publisher: text(&random) ?? "x", provider: .polygon,
            symbols: Array(repeating: .example, count: Int.random(in: 0..<3, using: &random)),
            publishedAt: reading.fetchedAt)
        article.summary = text(&random)
        article.author = text(&random)
        article.imageURL = Bool.random(using: &random) ? "https://news.example/1.png" : nil
        return article
    }

    static func series(_ random: inout SplitMix) throws -> CandleSeries {
        var series = CandleSeries(symbol: .example, interval: .oneDay, provenance: reading)
        let hasSides = Bool.random(using: &random)
        var time = Int64.random(in: -1_000...2_000_000_000, using: &random)
        for _ in 0..<Int.random(in: 0..<40, using: &random) {
            time += Int64.random(in: 1...200_000, using: &random)
            let price = Decimal(coefficient: Int128.random(in: -9_999...99_999, using: &random), scale: 3)
            let bar = OHLC(open: try #require(price), high: 12, low: -1, close: 0)
            let volume = Bool.random(using: &random) ? price : nil
            let candle = Candle(
                time: time, prices: bar, volume: volume, bid: hasSides ? bar : nil, ask: hasSides ? bar : nil)
            let isAppended = series.append(candle)
            #expect(isAppended)
        }
        // A column keeps digits that its last candles do not need.
        if Bool.random(using: &random) { series.truncate(toLast: 5) }
        series.currency = text(&random)
        series.timeZone = text(&random)
        series.adjustment = [nil, .splits].randomElement(using: &random) ?? nil
        series.isExtendedHours = [nil, true, false].randomElement(using: &random) ?? nil
        series.isLastComplete = [nil, true, false].randomElement(using: &random) ?? nil
        return series
    }

    @Test("come out equal, to the digits that were written", arguments: Array(1...40) as [UInt64])
    func roundTrip(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let quote = Self.quote(&random)
        let again = try Quote(persistentBytes: quote.persistentBytes)
        #expect(again == quote)
        #expect(again.price?.description == quote.price?.description)
        let figures = Self.fundamentals(&random)
        #expect(try Fundamentals(persistentBytes: figures.persistentBytes) == figures)
        let unreadable =
            Bool.random(using: &random) ? ["results[0].id: no integer", "results[7]: no \"id\""] : []
        let hits = SearchHits(
            (0..<Int.random(in: 0..<4, using: &random)).map { _ in Self.hit(&random) }, unreadable: unreadable
        )
        #expect(try SearchHits(persistentBytes: hits.persistentBytes) == hits)
        let page = ArticlePage(
            articles: (0..<Int.random(in: 0..<4, using: &random)).map { _ in Self.article(&random) },
            unreadable: Bool.random(using: &random) ? ["news[0].id: no integer", "news[7]: no \"id\""] : [],
            next: Self.text(&random))
        #expect(try ArticlePage(persistentBytes: page.persistentBytes) == page)
        var dividends = Self.dividends(&random)
        dividends.unreadable = unreadable
        #expect(try DividendHistory(persistentBytes: dividends.persistentBytes) == dividends)
        var splits = try Self.splits(&random)
        splits.unreadable = unreadable
        #expect(try SplitHistory(persistentBytes: splits.persistentBytes) == splits)
        var series = try Self.series(&random)
        series.unreadable = unreadable
        #expect(try CandleSeries(persistentBytes: series.persistentBytes) == series)
    }

    /// A new property is nil, empty or false in all of them, until it is set here; then the test above compares it.
    @Test("have a value in these tests for each property of their types")
    func everyProperty() throws {
        var texts: [String: Set<String>] = [:]
        func record(_ value: some Any) {
            for child in Mirror(reflecting: value).children {
                texts["\(type(of: value)).\(child.label ?? "")", default: []].insert("\(child.value)")
            }
        }
        for seed in 1...40 as ClosedRange<UInt64> {
            var random = SplitMix(seed: seed)
            record(Self.quote(&random))
            record(Self.fundamentals(&random))
            let hit = Self.hit(&random)
            record(hit)
            record(hit.instrument)
            hit.instrument.listing.map { record($0) }
            record(Self.article(&random))
            var dividends = Self.dividends(&random)
            dividends.unreadable = ["1"]
            record(dividends)
            for dividend in dividends.dividends { record(dividend) }
            var splits = try Self.splits(&random)
            splits.unreadable = ["1"]
            record(splits)
            for split in splits.splits { record(split) }
            var series = try Self.series(&random)
            series.unreadable = ["1"]
            record(series)
        }
        let unset = texts.filter { $0.value.isSubset(of: ["nil", "[]", "false"]) }.keys.sorted()
        #expect(unset == [])
        #expect(texts.count > 90)
    }

    @Test("with any byte changed, missing or too many are no value")
    func damaged() throws {
        var random = SplitMix(seed: 7)
        let bytes = Self.quote(&random).persistentBytes
        for index in bytes.indices {
            for change: UInt8 in [1, 0x80, 0xFF] {
                var damaged = bytes
                damaged[index] ^= change
                #expect(throws: CorruptedBytes()) { try Quote(persistentBytes: damaged) }
            }
            #expect(throws: CorruptedBytes()) { try Quote(persistentBytes: Array(bytes[..<index])) }
        }
        #expect(throws: CorruptedBytes()) { try Quote(persistentBytes: bytes + [0]) }
        #expect(throws: CorruptedBytes()) { try Fundamentals(persistentBytes: bytes) }
    }

    @Test("that make no sense under a right mark trap nothing", arguments: [1, 2, 3] as [UInt64])
    func nonsense(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        for round in 0..<2_000 {
            var body = Array((try Self.series(&random)).persistentBytes.dropLast(8))
            if body.isEmpty || round % 3 == 0 {
                body = (0..<Int.random(in: 0..<60, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
            } else {
                for _ in 0..<3 {
                    let index = Int.random(in: body.indices, using: &random)
                    body[index] = UInt8.random(in: 0...255, using: &random)
                }
            }
            let mark = FNV1aChecksum.of(body[...])
            let bytes = body + (0..<8).map { UInt8(truncatingIfNeeded: mark >> (8 * UInt64($0))) }
            // Whatever becomes of it, it is a value with equal columns or an error.
            if let series = try? CandleSeries(persistentBytes: bytes), series.count > 0 {
                #expect(series.prices.count == series.count)
                _ = series[series.count - 1]
            }
            _ = try? Quote(persistentBytes: bytes)
            _ = try? SearchHits(persistentBytes: bytes)
            _ = try? Fundamentals(persistentBytes: bytes)
            _ = try? ArticlePage(persistentBytes: bytes)
            _ = try? DividendHistory(persistentBytes: bytes)
            _ = try? SplitHistory(persistentBytes: bytes)
        }
    }

    @Test("a chart takes some 15 bytes a candle")
    func size() throws {
        var series = CandleSeries(symbol: .example, interval: .oneDay, provenance: Self.reading)
        var random = SplitMix(seed: 3)
        var cents: Int128 = 23_450
        for day in 0..<1_000 {
            func price() throws -> Decimal {
                cents += Int128.random(in: -150...150, using: &random)
                return try #require(Decimal(coefficient: cents, scale: 2))
            }
            let bar = OHLC(open: try price(), high: try price(), low: try price(), close: try price())
            let volume = Decimal(Int.random(in: 40_000_000...60_000_000, using: &random))
            let isAppended = series.append(
                Candle(time: Int64(day) * 86_400, prices: bar, volume: volume))
            #expect(isAppended)
        }
        #expect(series.persistentBytes.count < 17 * 1_000)
    }

    @Test("of kinds and versions have names of their own")
    func names() {
        #expect(Quote.persistentFormat == "quote.1")
        #expect(CandleSeries.persistentFormat == "chart.2")
        #expect(Fundamentals.persistentFormat == "fundamentals.1")
        #expect(SearchHits.persistentFormat == "hits.1 of hit.2")
    }
}
