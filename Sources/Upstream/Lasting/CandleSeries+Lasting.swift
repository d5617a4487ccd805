package import Brokerage

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
    package static var persistentFormat: String { "chart.1" }

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
        self.currency = currency
        self.timeZone = timeZone
        self.adjustment = adjustment
        self.isExtendedHours = isExtendedHours
        self.isTruncated = isTruncated
        self.isLastComplete = isLastComplete
    }
}
