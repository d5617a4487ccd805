package import Brokerage
import Upstream

/// An item of `GET /port/v1/netpositions`: what an account holds of one instrument, its single positions netted.
package struct SaxoNetPosition: JSONDecodable, Hashable {
    package var base: Base
    /// Empty where Saxo has no view of it, or none was asked for.
    var view: View
    package var format: SaxoDisplayFormat

    package struct Base: Hashable {
        package var key: SaxoInstrumentKey
        /// Below zero for a short.
        package var amount: Decimal
        var openingDirection: OrderSide?
    }

    /// Figures are in the instrument's currency, or in the base currency, which is that of the account asked for; any
    /// may be missing where the reliability is not `Ok`.
    struct View: Hashable {
        var status: String?
        var averageOpenPrice: Decimal?
        /// Nil also for 0, which stands for none.
        var currentPrice: Decimal?
        var delayMinutes: Int?
        var marketValue: Decimal?
        var marketValueInBase: Decimal?
        var exposure: Decimal?
        var exposureCurrency: String?
        var exposureInBase: Decimal?
        var profitLoss: Decimal?
        var profitLossInBase: Decimal?
        /// In per cent already.
        var dayChangePercent: Decimal?
    }

    init(json reader: inout JSONReader) throws(JSONError) {
        var (base, view, format) = (Base?.none, View?.none, SaxoDisplayFormat?.none)
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "NetPositionBase": base = try Base(json: &reader)
            case "NetPositionView": view = try reader.optional(View.init(json:))
            case "DisplayAndFormat": format = try reader.optional(SaxoDisplayFormat.init(json:))
            default: try reader.skip()
            }
        }
        self.base = try reader.required(base, "NetPositionBase")
        self.view = view ?? View()
        self.format = format ?? SaxoDisplayFormat()
    }
}

extension SaxoNetPosition.Base: JSONDecodable {
    init(json reader: inout JSONReader) throws(JSONError) {
        var (uic, assetType, amount) = (Int?.none, String?.none, Decimal?.none)
        var direction: OrderSide?
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "Uic": uic = try reader.int()
            case "AssetType": assetType = try reader.string()
            case "Amount": amount = try reader.decimal()
            case "OpeningDirection": direction = try reader.sideOrNil()
            default: try reader.skip()
            }
        }
        key = SaxoInstrumentKey(
            uic: try reader.required(uic, "Uic"), assetType: try reader.required(assetType, "AssetType"))
        self.amount = try reader.required(amount, "Amount")
        openingDirection = direction
    }
}

extension SaxoNetPosition.View: JSONDecodable {
    init(json reader: inout JSONReader) throws(JSONError) {
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "Status": status = try reader.stringOrNil()
            case "AverageOpenPrice": averageOpenPrice = try reader.decimalOrNil()
            case "CurrentPrice": currentPrice = try reader.nonzeroOrNil()
            case "CurrentPriceDelayMinutes": delayMinutes = try reader.intOrNil()
            case "MarketValue": marketValue = try reader.decimalOrNil()
            case "MarketValueInBaseCurrency": marketValueInBase = try reader.decimalOrNil()
            case "Exposure": exposure = try reader.decimalOrNil()
            case "ExposureCurrency": exposureCurrency = try reader.stringOrNil()
            case "ExposureInBaseCurrency": exposureInBase = try reader.decimalOrNil()
            case "ProfitLossOnTrade": profitLoss = try reader.decimalOrNil()
            case "ProfitLossOnTradeInBaseCurrency": profitLossInBase = try reader.decimalOrNil()
            case "InstrumentPriceDayPercentChange": dayChangePercent = try reader.decimalOrNil()
            default: try reader.skip()
            }
        }
    }
}

/// How an instrument is shown: `DisplayAndFormat`, which comes only where it is asked for.
package struct SaxoDisplayFormat: JSONDecodable, Hashable {
    package var symbol: String?
    var currency: String?
    var decimals: Int?

    init() {}

    init(json reader: inout JSONReader) throws(JSONError) {
        try merge(json: &reader)
    }

    /// Reads the members that are there over those that are known.
    mutating func merge(json reader: inout JSONReader) throws(JSONError) {
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "Symbol": symbol = try reader.stringOrNil()
            case "Currency": currency = try reader.stringOrNil()
            case "Decimals": decimals = try reader.intOrNil()
            default: try reader.skip()
            }
        }
    }
}

extension JSONReader {
    /// Reads `Buy` or `Sell`; nil for null.
    mutating func sideOrNil() throws(JSONError) -> OrderSide? {
        try optional { reader throws(JSONError) in
            try reader.token(oneOf: "Buy, Sell") { name in
                switch name {
                case "Buy": .buy
                case "Sell": .sell
                default: nil
                }
            }
        }
    }
}

extension SaxoNetPosition {
    /// Whether it is a position that was closed: what was bought was sold, and Saxo still lists both until the end of the
    /// day.
    ///
    /// An amount of 0 alone does not say so: what is locked, or about to be closed, is still there.
    var isSquare: Bool {
        guard base.amount.isZero else { return false }
        switch view.status {
        case "Square", "Closed", nil: return true
        default: return false
        }
    }

    /// The position in Portico's words; nil for an amount that cannot change its sign.
    ///
    /// Figures are left out where the instrument's currency is not known: nobody could say what they are of.
    func position(of account: SaxoAccount, _ listing: SaxoListing, fetchedAt: Instant) -> Position? {
        guard let quantity = try? base.amount.magnitude else { return nil }
        let currency = listing.currency
        var position = Position(
            symbol: listing.symbol, side: side, quantity: quantity,
            currency: currency?.code ?? FiatCurrency.none,
            provenance: Provenance(source: .saxo, fetchedAt: fetchedAt))
        position.accountID = account.key
        position.assetClass = AssetClass(saxo: base.key.assetType)
        position.listing = Listing(saxo: base.key)
        position.status = view.status
        position.delayMinutes = view.currentPrice == nil ? nil : view.delayMinutes
        if let currency {
            position.averageEntryPrice = currency.major(view.averageOpenPrice)
            position.currentPrice = currency.major(view.currentPrice)
            position.marketValue = marketValue(in: currency)
            position.unrealizedProfitLoss = currency.major(view.profitLoss)
        }
        position.inAccountCurrency = converted(to: account.currency)
        return position
    }

    private var side: PositionSide {
        if base.amount.isNegative { return .short }
        return base.amount.isZero && base.openingDirection == .sell ? .short : .long
    }

    /// What Saxo says that it is worth, else its exposure where that is in the same currency.
    ///
    /// The exposure of FX is in the base currency of the pair: 200,000 EUR of a pair that is priced in DKK.
    private func marketValue(in currency: SaxoCurrency) -> Decimal? {
        if let value = view.marketValue { return currency.major(value) }
        guard let exposure = view.exposure, let name = view.exposureCurrency else { return nil }
        let exposed = SaxoCurrency(name)
        return exposed.code == currency.code ? exposed.major(exposure) : nil
    }

    private func converted(to currency: String) -> ConvertedAmounts? {
        let value = view.marketValueInBase ?? view.exposureInBase
        guard value != nil || view.profitLossInBase != nil else { return nil }
        return ConvertedAmounts(
            currency: currency, marketValue: value, unrealizedProfitLoss: view.profitLossInBase)
    }
}
