import Brokerage
import Upstream

/// Steps of prices that grow with the price: `TickSizeScheme` of an instrument's details.
struct SaxoTickScheme: JSONDecodable, Hashable, Sendable {
    /// Above all of ``ranges``.
    var otherwise: Decimal?
    /// Each up to and with its highest price.
    var ranges: [Range] = []

    struct Range: JSONDecodable, Hashable, Sendable {
        var highest: Decimal
        var tick: Decimal

        init(json reader: inout JSONReader) throws(JSONError) {
            var (highest, tick) = (Decimal?.none, Decimal?.none)
            try reader.object { key, reader throws(JSONError) in
                switch key {
                case "HighPrice": highest = try reader.decimal()
                case "TickSize": tick = try reader.nonzeroOrNil()
                default: try reader.skip()
                }
            }
            self.highest = try reader.required(highest, "HighPrice")
            self.tick = try reader.required(tick, "TickSize")
        }
    }

    init(json reader: inout JSONReader) throws(JSONError) {
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "DefaultTickSize": otherwise = try reader.nonzeroOrNil()
            case "Elements":
                ranges =
                    try reader.optional { reader throws(JSONError) in try reader.array(of: Range.self) } ?? []
            default: try reader.skip()
            }
        }
    }

    func tick(at price: Decimal) -> Decimal? {
        ranges.filter { price <= $0.highest }.min { $0.highest < $1.highest }?.tick ?? otherwise
    }
}

extension SaxoInstrumentDetails.About {
    /// The step of prices at a price, in Saxo's units; nil where Saxo does not tell.
    func tick(at price: Decimal) -> Decimal? {
        let tick =
            ticks?.tick(at: price) ?? tickSize ?? decimals.flatMap { Decimal(coefficient: 1, scale: $0) }
        return tick.flatMap { $0 > .zero ? $0 : nil }
    }
}
