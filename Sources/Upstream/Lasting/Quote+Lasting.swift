package import Brokerage

extension Provenance {
    func write(to writer: inout BinaryWriter) {
        writer.write(source)
        writer.write(fetchedAt)
        writer.write(asOf) { $0.write($1) }
    }

    /// Whether it was stale is not kept: that follows from when it is served.
    init(from reader: inout BinaryReader) throws(CorruptedBytes) {
        self.init(
            source: try reader.choice(), fetchedAt: try reader.instant(),
            asOf: try reader.optional { reader throws(CorruptedBytes) in try reader.instant() })
    }
}

extension BinaryWriter {
    mutating func writeDecimals(_ decimals: [Decimal?]) {
        for decimal in decimals { write(decimal) { $0.write($1) } }
    }

    mutating func writeTexts(_ texts: [String?]) {
        for text in texts { write(text) { $0.write($1) } }
    }
}

extension BinaryReader {
    mutating func decimalOrNil() throws(CorruptedBytes) -> Decimal? {
        try optional { reader throws(CorruptedBytes) in try reader.decimal() }
    }

    mutating func textOrNil() throws(CorruptedBytes) -> String? {
        try optional { reader throws(CorruptedBytes) in try reader.text() }
    }

    mutating func flagOrNil() throws(CorruptedBytes) -> Bool? {
        try optional { reader throws(CorruptedBytes) in try reader.flag() }
    }

    mutating func choiceOrNil<Choice: RawRepresentable<String>>() throws(CorruptedBytes) -> Choice? {
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
