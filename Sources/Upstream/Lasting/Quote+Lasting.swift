package import Brokerage

extension Reading {
    func write(to writer: inout LastingWriter) {
        writer.write(source)
        writer.write(fetchedAt)
        writer.write(asOf) { $0.write($1) }
    }

    /// Whether it was stale is not kept: that follows from when it is served.
    init(from reader: inout LastingReader) throws(LastingDamage) {
        self.init(
            source: try reader.choice(), fetchedAt: try reader.instant(),
            asOf: try reader.optional { reader throws(LastingDamage) in try reader.instant() })
    }
}

extension LastingWriter {
    mutating func writeDecimals(_ decimals: [Decimal?]) {
        for decimal in decimals { write(decimal) { $0.write($1) } }
    }

    mutating func writeTexts(_ texts: [String?]) {
        for text in texts { write(text) { $0.write($1) } }
    }
}

extension LastingReader {
    mutating func decimalOrNil() throws(LastingDamage) -> Decimal? {
        try optional { reader throws(LastingDamage) in try reader.decimal() }
    }

    mutating func textOrNil() throws(LastingDamage) -> String? {
        try optional { reader throws(LastingDamage) in try reader.text() }
    }

    mutating func flagOrNil() throws(LastingDamage) -> Bool? {
        try optional { reader throws(LastingDamage) in try reader.flag() }
    }

    mutating func choiceOrNil<Choice: RawRepresentable<String>>() throws(LastingDamage) -> Choice? {
        try optional { reader throws(LastingDamage) in try reader.choice() }
    }

    mutating func wholeOrNil() throws(LastingDamage) -> Int? {
        guard let number = try optional({ reader throws(LastingDamage) in try reader.number() }) else {
            return nil
        }
        guard let whole = Int(exactly: number) else { throw LastingDamage() }
        return whole
    }
}

extension Quote: LastingForm {
    package static var lastingForm: String { "quote.1" }

    package func write(to writer: inout LastingWriter) {
        writer.write(symbol)
        reading.write(to: &writer)
        writer.writeDecimals([
            price, bid, ask, open, high, low, previousClose, volume, extendedHoursPrice,
        ])
        writer.write(marketState) { $0.write($1) }
        writer.write(timeliness) { $0.write($1) }
        writer.writeTexts([currency, feed])
        writer.write(delayMinutes) { $0.write(Int64($1)) }
    }

    package init(from reader: inout LastingReader) throws(LastingDamage) {
        self.init(symbol: try reader.symbol(), reading: try Reading(from: &reader))
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
        delayMinutes = try reader.wholeOrNil()
    }
}
