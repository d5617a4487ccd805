package import Brokerage

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
    }

    fileprivate init(from reader: inout BinaryReader) throws(CorruptedBytes) {
        self.init(provider: try reader.choice(), key: try reader.text())
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
    }
}

extension Instrument: PersistentCacheValue {
    package static var persistentFormat: String { "instrument.1" }

    package func write(to writer: inout BinaryWriter) {
        writer.write(symbol)
        writer.write(assetClass)
        provenance.write(to: &writer)
        writer.writeTexts([name, exchange, currency, about])
        writer.write(decimals) { $0.write(Int64($1)) }
        writer.write(listing) { $1.write(to: &$0) }
    }

    package init(from reader: inout BinaryReader) throws(CorruptedBytes) {
        self.init(
            symbol: try reader.symbol(), assetClass: try reader.choice(),
            provenance: try Provenance(from: &reader))
        name = try reader.textOrNil()
        exchange = try reader.textOrNil()
        currency = try reader.textOrNil()
        about = try reader.textOrNil()
        decimals = try reader.intOrNil()
        listing = try reader.optional { reader throws(CorruptedBytes) in try Listing(from: &reader) }
    }
}

extension SearchHit: PersistentCacheValue {
    package static var persistentFormat: String { "hit.1" }

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
