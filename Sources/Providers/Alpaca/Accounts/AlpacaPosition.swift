package import Brokerage
package import Upstream

/// An element of the response of `GET /v2/positions`, with the fields that Portico uses.
///
/// Fields that depend on a price are null while there is none, although Alpaca's specification says
/// otherwise.
package struct AlpacaPosition: JSONObjectDecodable, Hashable {
    /// Portico's own.
    package var symbol = Symbol.example
    /// `us_equity`, `us_option`, `crypto`.
    var assetClass: String?
    var side = PositionSide.long
    /// Below zero or above for shorts: reports differ.
    var quantity = Decimal.zero
    var availableQuantity: Decimal?
    var averageEntryPrice: Decimal?
    var costBasis: Decimal?
    var currentPrice: Decimal?
    var marketValue: Decimal?
    var unrealized: Decimal?
    var unrealizedPercent: Decimal?
    var intraday: Decimal?
    var intradayPercent: Decimal?

    package static let json = JSONFields(Self()) {
        $0.required("symbol", \.symbol, JSONReader.symbol)
        $0.optional("asset_class", \.assetClass)
        $0.required("side", \.side, JSONReader.positionSide)
        $0.required("qty", \.quantity)
        $0.optional("qty_available", \.availableQuantity)
        $0.optional("avg_entry_price", \.averageEntryPrice)
        $0.optional("cost_basis", \.costBasis)
        $0.optional("current_price", \.currentPrice)
        $0.optional("market_value", \.marketValue)
        $0.optional("unrealized_pl", \.unrealized)
        $0.optional("unrealized_plpc", \.unrealizedPercent, JSONReader.factorAsPercent)
        $0.optional("unrealized_intraday_pl", \.intraday)
        $0.optional("unrealized_intraday_plpc", \.intradayPercent, JSONReader.factorAsPercent)
    }
}

extension AlpacaPosition {
    package init(json reader: inout JSONReader) throws(JSONError) {
        self = try Self.json.read(from: &reader)
        symbol = AlpacaSymbols.symbol(symbol, ofClass: assetClass)
    }

    /// Reads the whole response.
    package static func list(_ body: [UInt8], fetchedAt: Instant) throws(JSONError) -> PositionList {
        try JSONReader.read(body) { reader throws(JSONError) in
            var rows = JSONRows<Position>()
            var index = 0
            try reader.array { reader throws(JSONError) in
                let row = try reader.row { reader throws(JSONError) -> Position in
                    let sent = try AlpacaPosition(json: &reader)
                    let position = try? sent.position(fetchedAt: fetchedAt)
                    return try reader.required(position, "figures that can change their sign")
                }
                try rows.add(row, at: .index(index))
                index &+= 1
            }
            return PositionList(rows.elements, unreadable: rows.unreadable(in: "positions"))
        }
    }

    /// The position as a `Position` of Portico.
    ///
    /// Quantities are positive; value and cost of a short position are negative, whatever their sign in the
    /// response. So value less cost is the profit for both sides, and positions can be summed. Profits have
    /// the sign of Alpaca.
    package func position(fetchedAt: Instant) throws(Decimal.Overflow) -> Position {
        var position = Position(
            symbol: symbol, side: side, quantity: try quantity.magnitude, currency: AlpacaMarket.currency,
            provenance: Provenance(source: .alpaca, fetchedAt: fetchedAt))
        switch assetClass {
        case "us_equity": position.probableAssetClass = .equity
        case "us_option": position.assetClass = .option
        case "crypto": position.assetClass = .crypto
        default: break
        }
        position.availableQuantity = try availableQuantity?.magnitude
        position.averageEntryPrice = try averageEntryPrice?.magnitude
        position.costBasis = try costBasis?.owned(side)
        position.currentPrice = currentPrice
        position.marketValue = try marketValue?.owned(side)
        position.unrealizedProfitLoss = unrealized
        position.unrealizedProfitLossPercent = unrealizedPercent
        position.dayProfitLoss = intraday
        position.dayProfitLossPercent = intradayPercent
        return position
    }
}

extension Decimal {
    /// The amount for a long position; the negative amount for a short position.
    fileprivate func owned(_ side: PositionSide) throws(Overflow) -> Decimal {
        switch side {
        case .long: self
        case .short: isNegative ? self : try negated
        }
    }
}

extension JSONReader {
    fileprivate static func positionSide(_ reader: inout JSONReader) throws(JSONError) -> PositionSide {
        try reader.token(oneOf: "long, short") { name in
            switch name {
            case "long": .long
            case "short": .short
            default: nil
            }
        }
    }
}
