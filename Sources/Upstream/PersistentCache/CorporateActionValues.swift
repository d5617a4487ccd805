import Brokerage

extension BinaryWriter {
    fileprivate mutating func write(_ date: CalendarDate) {
        write(Int64(date.daysSince1970))
    }

    fileprivate mutating func writeDates(_ dates: [CalendarDate?]) {
        for date in dates { write(date) { $0.write($1) } }
    }
}

extension BinaryReader {
    fileprivate mutating func date() throws(CorruptedBytes) -> CalendarDate {
        guard let days = Int(exactly: try number()), let date = CalendarDate(daysSince1970: days) else {
            throw CorruptedBytes()
        }
        return date
    }

    fileprivate mutating func dateOrNil() throws(CorruptedBytes) -> CalendarDate? {
        try optional { reader throws(CorruptedBytes) in try reader.date() }
    }
}

extension Dividend: PersistentCacheValue {
    package static var persistentFormat: String { "dividend.1" }

    package func write(to writer: inout BinaryWriter) {
        writer.write(exDate)
        writer.write(amount)
        writer.writeTexts([currency])
        writer.writeDates([declaredOn, recordDate, payDate])
        writer.write(isSpecial) { $0.write($1) }
    }

    package init(from reader: inout BinaryReader) throws(CorruptedBytes) {
        self.init(
            exDate: try reader.date(), amount: try reader.decimal(), currency: try reader.textOrNil())
        declaredOn = try reader.dateOrNil()
        recordDate = try reader.dateOrNil()
        payDate = try reader.dateOrNil()
        isSpecial = try reader.flagOrNil()
    }
}

extension Split: PersistentCacheValue {
    package static var persistentFormat: String { "split.1" }

    package func write(to writer: inout BinaryWriter) {
        writer.write(exDate)
        writer.write(newShares)
        writer.write(oldShares)
        writer.writeDates([declaredOn, recordDate, payDate])
    }

    package init(from reader: inout BinaryReader) throws(CorruptedBytes) {
        guard
            let split = Split(
                exDate: try reader.date(), newShares: try reader.decimal(), oldShares: try reader.decimal())
        else { throw CorruptedBytes() }
        self = split
        declaredOn = try reader.dateOrNil()
        recordDate = try reader.dateOrNil()
        payDate = try reader.dateOrNil()
    }
}

extension DividendHistory: PersistentCacheValue {
    package static var persistentFormat: String { "dividends.2" }

    package func write(to writer: inout BinaryWriter) {
        writer.write(symbol)
        dividends.write(to: &writer)
        writer.writeTexts([isin])
        writer.writeList(unreadable)
        provenance.write(to: &writer)
    }

    package init(from reader: inout BinaryReader) throws(CorruptedBytes) {
        let (symbol, dividends) = (try reader.symbol(), try [Dividend](from: &reader))
        let isin = try reader.textOrNil()
        let unreadable = try reader.texts()
        self.init(
            symbol: symbol, dividends: dividends, unreadable: unreadable,
            provenance: try Provenance(from: &reader))
        self.isin = isin
    }
}

extension SplitHistory: PersistentCacheValue {
    package static var persistentFormat: String { "splits.2" }

    package func write(to writer: inout BinaryWriter) {
        writer.write(symbol)
        splits.write(to: &writer)
        writer.writeList(unreadable)
        provenance.write(to: &writer)
    }

    package init(from reader: inout BinaryReader) throws(CorruptedBytes) {
        let (symbol, splits) = (try reader.symbol(), try [Split](from: &reader))
        let unreadable = try reader.texts()
        self.init(
            symbol: symbol, splits: splits, unreadable: unreadable,
            provenance: try Provenance(from: &reader))
    }
}
