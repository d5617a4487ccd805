package import Brokerage

extension Provenance {
    func write(to writer: inout BinaryWriter) {
        writer.write(source)
        writer.write(fetchedAt)
        writer.write(asOf) { $0.write($1) }
    }

    /// `isStale` is not stored: it depends on the time of the response.
    init(from reader: inout BinaryReader) throws(CorruptedBytes) {
        self.init(
            source: try reader.provider(), fetchedAt: try reader.instant(),
            asOf: try reader.optional { reader throws(CorruptedBytes) in try reader.instant() })
    }
}

extension BinaryWriter {
    package mutating func writeDecimals(_ decimals: [Decimal?]) {
        for decimal in decimals { write(decimal) { $0.write($1) } }
    }

    mutating func writeTexts(_ texts: [String?]) {
        for text in texts { write(text) { $0.write($1) } }
    }

    /// Writes texts, whose number differs.
    mutating func writeList(_ texts: [String]) {
        write(Int64(texts.count))
        for text in texts { write(text) }
    }
}

extension BinaryReader {
    package mutating func decimalOrNil() throws(CorruptedBytes) -> Decimal? {
        try optional { reader throws(CorruptedBytes) in try reader.decimal() }
    }

    mutating func textOrNil() throws(CorruptedBytes) -> String? {
        try optional { reader throws(CorruptedBytes) in try reader.text() }
    }

    mutating func texts() throws(CorruptedBytes) -> [String] {
        var texts: [String] = []
        for _ in 0..<(try count()) { texts.append(try text()) }
        return texts
    }

    mutating func flagOrNil() throws(CorruptedBytes) -> Bool? {
        try optional { reader throws(CorruptedBytes) in try reader.flag() }
    }

    package mutating func choiceOrNil<Choice: RawRepresentable<String>>() throws(CorruptedBytes) -> Choice? {
        try optional { reader throws(CorruptedBytes) in try reader.choice() }
    }

    mutating func intOrNil() throws(CorruptedBytes) -> Int? {
        guard let number = try optional({ reader throws(CorruptedBytes) in try reader.number() }) else {
            return nil
        }
        guard let whole = Int(exactly: number) else { throw CorruptedBytes() }
        return whole
    }
}

extension Quote: PersistentCacheValue {
    package static var persistentFormat: String { "quote.1" }

    package func write(to writer: inout BinaryWriter) {
        writer.write(symbol)
        provenance.write(to: &writer)
        writer.writeDecimals([
            price, bid, ask, open, high, low, previousClose, volume, extendedHoursPrice,
        ])
        writer.write(marketState) { $0.write($1) }
        writer.write(timeliness) { $0.write($1) }
        writer.writeTexts([currency, feed])
        writer.write(delayMinutes) { $0.write(Int64($1)) }
    }

    package init(from reader: inout BinaryReader) throws(CorruptedBytes) {
        self.init(symbol: try reader.symbol(), provenance: try Provenance(from: &reader))
        price = try reader.decimalOrNil()
        bid = try reader.decimalOrNil()
        ask = try reader.decimalOrNil()
        open = try reader.decimalOrNil()
        high = try reader.decimalOrNil()
        low = try reader.decimalOrNil()
        previousClose = try reader.decimalOrNil()
        volume = try reader.decimalOrNil()
        extendedHoursPrice = try reader.decimalOrNil()
        marketState = try reader.choiceOrNil()
        timeliness = try reader.choiceOrNil()
        currency = try reader.textOrNil()
        feed = try reader.textOrNil()
        delayMinutes = try reader.intOrNil()
    }
}

/// Columns are written by the differences between neighbours, which are small: a candle takes some 15 bytes.
extension BinaryWriter {
    fileprivate mutating func write(_ numbers: [Int64]) {
        write(Int64(numbers.count))
        var last: Int64 = 0
        for number in numbers {
            write(number &- last)
            last = number
        }
    }

    fileprivate mutating func write(_ column: DecimalColumn) {
        write(Int64(column.scale))
        write(column.coefficients)
    }

    fileprivate mutating func write(_ columns: OHLCColumns) {
        write(columns.open)
        write(columns.high)
        write(columns.low)
        write(columns.close)
    }
}

extension BinaryReader {
    fileprivate mutating func numbers() throws(CorruptedBytes) -> [Int64] {
        let count = try count()
        var numbers: [Int64] = []
        numbers.reserveCapacity(count)
        var last: Int64 = 0
        for _ in 0..<count {
            last = last &+ (try number())
            numbers.append(last)
        }
        return numbers
    }

    fileprivate mutating func column() throws(CorruptedBytes) -> DecimalColumn {
        guard let scale = Int(exactly: try number()),
            let column = DecimalColumn(coefficients: try numbers(), scale: scale)
        else { throw CorruptedBytes() }
        return column
    }

    fileprivate mutating func priceColumns() throws(CorruptedBytes) -> OHLCColumns {
        guard
            let columns = OHLCColumns(
                open: try column(), high: try column(), low: try column(), close: try column())
        else { throw CorruptedBytes() }
        return columns
    }
}

extension CandleSeries: PersistentCacheValue {
    package static var persistentFormat: String { "chart.2" }

    package func write(to writer: inout BinaryWriter) {
        writer.write(symbol)
        writer.write(interval)
        provenance.write(to: &writer)
        writer.writeTexts([currency, timeZone])
        writer.write(adjustment) { $0.write($1) }
        writer.write(isExtendedHours) { $0.write($1) }
        writer.write(isTruncated)
        writer.write(isLastComplete) { $0.write($1) }
        writer.write(times)
        writer.write(prices)
        writer.write(volume)
        writer.write(bid) { $0.write($1) }
        writer.write(ask) { $0.write($1) }
        writer.writeList(unreadable)
    }

    package init(from reader: inout BinaryReader) throws(CorruptedBytes) {
        let (symbol, interval): (Symbol, Interval) = (try reader.symbol(), try reader.choice())
        let reading = try Provenance(from: &reader)
        let (currency, timeZone) = (try reader.textOrNil(), try reader.textOrNil())
        let adjustment: Adjustment? = try reader.choiceOrNil()
        let isExtendedHours = try reader.flagOrNil()
        let isTruncated = try reader.flag()
        let isLastComplete = try reader.flagOrNil()
        let columns = try (
            times: reader.numbers(), prices: reader.priceColumns(), volume: reader.column(),
            bid: reader.optional { reader throws(CorruptedBytes) in try reader.priceColumns() },
            ask: reader.optional { reader throws(CorruptedBytes) in try reader.priceColumns() }
        )
        guard
            let series = CandleSeries(
                symbol: symbol, interval: interval, provenance: reading, times: columns.times,
                prices: columns.prices, volume: columns.volume, bid: columns.bid, ask: columns.ask)
        else { throw CorruptedBytes() }
        self = series
        unreadable = try reader.texts()
        self.currency = currency
        self.timeZone = timeZone
        self.adjustment = adjustment
        self.isExtendedHours = isExtendedHours
        self.isTruncated = isTruncated
        self.isLastComplete = isLastComplete
    }
}

extension Listing {
    fileprivate func write(to writer: inout BinaryWriter) {
        writer.write(provider)
        writer.write(key)
        writer.writeTexts([assetType, exchange])
        for flag in [isTradable, isFractionable, isShortable] { writer.write(flag) { $0.write($1) } }
        writer.write(orderTypes) { writer, types in
            writer.write(Int64(types.count))
            for type in types { writer.write(type) }
        }
        writer.writeDecimals([tickSize, minimumQuantity, quantityIncrement])
        writer.write(priceIncrements) { writer, increments in
            writer.writeDecimals([increments.otherwise])
            writer.write(Int64(increments.ranges.count))
            for range in increments.ranges {
                writer.write(range.upTo)
                writer.write(range.increment)
            }
        }
    }

    fileprivate init(from reader: inout BinaryReader) throws(CorruptedBytes) {
        self.init(provider: try reader.provider(), key: try reader.text())
        assetType = try reader.textOrNil()
        exchange = try reader.textOrNil()
        isTradable = try reader.flagOrNil()
        isFractionable = try reader.flagOrNil()
        isShortable = try reader.flagOrNil()
        orderTypes = try reader.optional { reader throws(CorruptedBytes) in
            var types: [OrderType] = []
            for _ in 0..<(try reader.count()) { types.append(try reader.choice()) }
            return types
        }
        tickSize = try reader.decimalOrNil()
        minimumQuantity = try reader.decimalOrNil()
        quantityIncrement = try reader.decimalOrNil()
        priceIncrements = try reader.optional { reader throws(CorruptedBytes) in
            let otherwise = try reader.decimalOrNil()
            var ranges: [PriceIncrements.Range] = []
            for _ in 0..<(try reader.count()) {
                ranges.append(.init(upTo: try reader.decimal(), increment: try reader.decimal()))
            }
            return PriceIncrements(otherwise: otherwise, ranges: ranges)
        }
    }
}

extension Instrument: PersistentCacheValue {
    package static var persistentFormat: String { "instrument.2" }

    package func write(to writer: inout BinaryWriter) {
        writer.write(symbol)
        writer.write(assetClass)
        provenance.write(to: &writer)
        writer.writeTexts([name, exchange, marketCode, figi, shareClassFIGI, currency, about])
        writer.write(decimals) { $0.write(Int64($1)) }
        writer.write(listing) { $1.write(to: &$0) }
    }

    package init(from reader: inout BinaryReader) throws(CorruptedBytes) {
        self.init(
            symbol: try reader.symbol(), assetClass: try reader.choice(),
            provenance: try Provenance(from: &reader))
        name = try reader.textOrNil()
        exchange = try reader.textOrNil()
        marketCode = try reader.textOrNil()
        figi = try reader.textOrNil()
        shareClassFIGI = try reader.textOrNil()
        currency = try reader.textOrNil()
        about = try reader.textOrNil()
        decimals = try reader.intOrNil()
        listing = try reader.optional { reader throws(CorruptedBytes) in try Listing(from: &reader) }
    }
}

extension SearchHit: PersistentCacheValue {
    package static var persistentFormat: String { "hit.2" }

    package func write(to writer: inout BinaryWriter) {
        instrument.write(to: &writer)
        writer.writeDecimals([matchScore])
        writer.writeTexts([region])
    }

    package init(from reader: inout BinaryReader) throws(CorruptedBytes) {
        self.init(
            instrument: try Instrument(from: &reader), matchScore: try reader.decimalOrNil(),
            region: try reader.textOrNil())
    }
}

extension SearchHits: PersistentCacheValue {
    package static var persistentFormat: String { "hits.1 of \(SearchHit.persistentFormat)" }

    package func write(to writer: inout BinaryWriter) {
        hits.write(to: &writer)
        writer.writeList(unreadable)
    }

    package init(from reader: inout BinaryReader) throws(CorruptedBytes) {
        self.init(try [SearchHit](from: &reader), unreadable: try reader.texts())
    }
}

extension Fundamentals: PersistentCacheValue {
    package static var persistentFormat: String { "fundamentals.1" }

    package func write(to writer: inout BinaryWriter) {
        writer.write(symbol)
        provenance.write(to: &writer)
        writer.writeTexts([name, about, currency, sector, industry, country, website])
        writer.writeDecimals([
            marketCap, priceEarningsRatio, earningsPerShare, dividendPerShare, yearHigh, yearLow,
        ])
    }

    package init(from reader: inout BinaryReader) throws(CorruptedBytes) {
        self.init(symbol: try reader.symbol(), provenance: try Provenance(from: &reader))
        name = try reader.textOrNil()
        about = try reader.textOrNil()
        currency = try reader.textOrNil()
        sector = try reader.textOrNil()
        industry = try reader.textOrNil()
        country = try reader.textOrNil()
        website = try reader.textOrNil()
        marketCap = try reader.decimalOrNil()
        priceEarningsRatio = try reader.decimalOrNil()
        earningsPerShare = try reader.decimalOrNil()
        dividendPerShare = try reader.decimalOrNil()
        yearHigh = try reader.decimalOrNil()
        yearLow = try reader.decimalOrNil()
    }
}

extension Article: PersistentCacheValue {
    package static var persistentFormat: String { "article.1" }

    package func write(to writer: inout BinaryWriter) {
        for text in [id, headline, url ?? "", publisher] { writer.write(text) }
        writer.write(provider)
        writer.write(Int64(symbols.count))
        for symbol in symbols { writer.write(symbol) }
        writer.write(publishedAt)
        writer.writeTexts([summary, author, imageURL])
    }

    package init(from reader: inout BinaryReader) throws(CorruptedBytes) {
        let (id, headline) = (try reader.text(), try reader.text())
        let (url, publisher) = (try reader.text(), try reader.text())
        let provider = try reader.provider()
        var symbols: [Symbol] = []
        for _ in 0..<(try reader.count()) { symbols.append(try reader.symbol()) }
        self.init(
            id: id, headline: headline, url: url, publisher: publisher, provider: provider, symbols: symbols,
            publishedAt: try reader.instant())
        summary = try reader.textOrNil()
        author = try reader.textOrNil()
        imageURL = try reader.textOrNil()
    }
}

extension ArticlePage: PersistentCacheValue {
    package static var persistentFormat: String { "articles.2" }

    package func write(to writer: inout BinaryWriter) {
        articles.write(to: &writer)
        writer.writeTexts([next, unreadable.isEmpty ? nil : unreadable.joined(separator: "\n")])
    }

    package init(from reader: inout BinaryReader) throws(CorruptedBytes) {
        let articles = try [Article](from: &reader)
        let next = try reader.textOrNil()
        let unreadable = try reader.textOrNil()?.split(separator: "\n").map(String.init) ?? []
        self.init(articles: articles, unreadable: unreadable, next: next)
    }
}
