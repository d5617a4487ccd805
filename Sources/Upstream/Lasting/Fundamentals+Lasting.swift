package import Brokerage

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
