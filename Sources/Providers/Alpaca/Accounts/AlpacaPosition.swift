import Brokerage
import Upstream

/// An element of the answer of `GET /v2/positions`, as far as Portico tells of it.
///
/// What hangs on a price is null while there is none, though Alpaca's specification says otherwise.
struct AlpacaPosition: JSONDecodable, Hashable {
    /// Portico's own.
    var symbol: Symbol
    /// `us_equity`, `us_option`, `crypto`.
    var assetClass: String?
    var side: PositionSide
    /// Below zero or above for shorts: reports differ.
    var quantity: Decimal
    var availableQuantity: Decimal?
    var averageEntryPrice: Decimal?
    var costBasis: Decimal?
    var currentPrice: Decimal?
    var marketValue: Decimal?
    var unrealized: Decimal?
    var unrealizedPercent: Decimal?
    var intraday: Decimal?
    var intradayPercent: Decimal?

    init(json reader: inout JSONReader) throws(JSONError) {
        var (symbol, side, quantity) = (Symbol?.none, PositionSide?.none, Decimal?.none)
        var assetClass: String?
        var (available, entryPrice, cost) = (Decimal?.none, Decimal?.none, Decimal?.none)
        var (price, value) = (Decimal?.none, Decimal?.none)
        var (unrealized, unrealizedPercent) = (Decimal?.none, Decimal?.none)
        var (intraday, intradayPercent) = (Decimal?.none, Decimal?.none)
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "symbol": symbol = try reader.symbol()
            case "asset_class": assetClass = try reader.stringOrNil()
            case "side": side = try reader.positionSide()
            case "qty": quantity = try reader.decimal()
            case "qty_available": available = try reader.decimalOrNil()
            case "avg_entry_price": entryPrice = try reader.decimalOrNil()
            case "cost_basis": cost = try reader.decimalOrNil()
            case "current_price": price = try reader.decimalOrNil()
            case "market_value": value = try reader.decimalOrNil()
            case "unrealized_pl": unrealized = try reader.decimalOrNil()
            case "unrealized_plpc": unrealizedPercent = try reader.factorAsPercentOrNil()
            case "unrealized_intraday_pl": intraday = try reader.decimalOrNil()
            case "unrealized_intraday_plpc": intradayPercent = try reader.factorAsPercentOrNil()
            default: try reader.skip()
            }
        }
        self.symbol = AlpacaSymbols.symbol(try reader.required(symbol, "symbol"), ofClass: assetClass)
        self.assetClass = assetClass
        self.side = try reader.required(side, "side")
        self.quantity = try reader.required(quantity, "qty")
        self.availableQuantity = available
        self.averageEntryPrice = entryPrice
        self.costBasis = cost
        self.currentPrice = price
        self.marketValue = value
        self.unrealized = unrealized
        self.unrealizedPercent = unrealizedPercent
        self.intraday = intraday
        self.intradayPercent = intradayPercent
    }
}

extension AlpacaPosition {
    /// Reads the whole answer.
    static func list(_ body: [UInt8], fetchedAt: Instant) throws(JSONError) -> [Position] {
        try JSONReader.read(body) { reader throws(JSONError) in
            var positions: [Position] = []
            try reader.array { reader throws(JSONError) in
                let sent = try AlpacaPosition(json: &reader)
                let position = try? sent.position(fetchedAt: fetchedAt)
                positions.append(try reader.required(position, "figures that can change their sign"))
            }
            return positions
        }
    }

    /// The position in Portico's words.
    ///
    /// Quantities are above zero, value and cost of a short below, whatever sign they came with: so value less cost is
    /// the profit for both sides, and a sum over positions is right. Profits keep the sign that Alpaca gave them.
    func position(fetchedAt: Instant) throws(Decimal.Overflow) -> Position {
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
    /// Below zero for what is owed; as it is for what is owned.
    fileprivate func owned(_ side: PositionSide) throws(Overflow) -> Decimal {
        switch side {
        case .long: self
        case .short: isNegative ? self : try negated
        }
    }
}

extension JSONReader {
    fileprivate mutating func positionSide() throws(JSONError) -> PositionSide {
        try token(oneOf: "long, short") { name in
            switch name {
            case "long": .long
            case "short": .short
            default: nil
            }
        }
    }
}
