package import Brokerage
import Upstream

/// An item of `GET /port/v1/netpositions`: what an account holds of one instrument, its single positions netted.
package struct SaxoNetPosition: JSONObjectDecodable, Hashable {
    package var base = Base()
    /// Empty if Saxo returned no view, or if none was requested.
    var view = View()
    package var format = SaxoDisplayFormat()

    package struct Base: Hashable {
        package var key = SaxoInstrumentKey()
        /// Below zero for a short.
        package var amount = Decimal.zero
        var openingDirection: OrderSide?
        var canBeClosed: Bool?
        var relatedOrderCount: Int?
        /// The day on which the position is settled.
        var valueDate: CalendarDate?
    }

    /// The view of a position, in the instrument's currency or in the base currency, which is that of the
    /// requested account.
    ///
    /// Each amount may be missing if the reliability is not `Ok`.
    struct View: Hashable {
        var status: String?
        var averageOpenPrice: Decimal?
        /// Nil also for 0, with which Saxo means no price.
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
        var reliability: ValuationReliability?
        /// Saxo counts costs below zero.
        var costs: Decimal?
        var costsInBase: Decimal?
        /// From the instrument's currency to the base currency.
        var conversionRate: Decimal?
    }

    static let json = JSONFields(Self()) {
        $0.required("NetPositionBase", \.base)
        $0.optional("NetPositionView", \.view)
        $0.optional("DisplayAndFormat", \.format)
    }
}

extension SaxoNetPosition.Base: JSONObjectDecodable {
    static let json = JSONFields(Self()) {
        $0.required("Uic", \.key.uic)
        $0.required("AssetType", \.key.assetType)
        $0.required("Amount", \.amount)
        $0.optional("OpeningDirection", \.openingDirection) { reader throws(JSONError) in
            try reader.readable { reader throws(JSONError) in try reader.sideOrNil() }
        }
        $0.optional("CanBeClosed", \.canBeClosed)
        $0.optional("NumberOfRelatedOrders", \.relatedOrderCount)
        $0.optional("ValueDate", \.valueDate) { reader throws(JSONError) in
            CalendarDate(try reader.string().prefix(10))
        }
    }
}

extension SaxoNetPosition.View: JSONObjectDecodable {
    static let json = JSONFields(Self()) {
        $0.optional("Status", \.status)
        $0.optional("AverageOpenPrice", \.averageOpenPrice)
        $0.optional("CurrentPrice", \.currentPrice, JSONReader.nonzero)
        $0.optional("CurrentPriceDelayMinutes", \.delayMinutes)
        $0.optional("MarketValue", \.marketValue)
        $0.optional("MarketValueInBaseCurrency", \.marketValueInBase)
        $0.optional("Exposure", \.exposure)
        $0.optional("ExposureCurrency", \.exposureCurrency)
        $0.optional("ExposureInBaseCurrency", \.exposureInBase)
        $0.optional("ProfitLossOnTrade", \.profitLoss)
        $0.optional("ProfitLossOnTradeInBaseCurrency", \.profitLossInBase)
        $0.optional("InstrumentPriceDayPercentChange", \.dayChangePercent)
        $0.optional("CalculationReliability", \.reliability) { reader throws(JSONError) in
            try reader.name(ValuationReliability.init(saxo:))
        }
        $0.optional("TradeCostsTotal", \.costs)
        $0.optional("TradeCostsTotalInBaseCurrency", \.costsInBase)
        $0.optional("ConversionRateCurrent", \.conversionRate, JSONReader.nonzero)
    }
}

extension ValuationReliability {
    /// Saxo's `CalculationReliability`; nil for one that Portico has no name for.
    init?(saxo name: String) {
        switch name {
        case "Ok": self = .reliable
        case "OkWithConditions": self = .withConditions
        case "ApproximatedPrice": self = .approximatePrice
        case "PricePending": self = .pricePending
        case "NoMarketAccess": self = .noMarketAccess
        case "UnknownPrice": self = .unknownPrice
        case "CurrencyConversionFailed": self = .conversionFailed
        case "FailedToCalculateCollateral", "SystemError": self = .failed
        default: return nil
        }
    }
}

/// The display format of an instrument: `DisplayAndFormat`, which is returned only on request.
package struct SaxoDisplayFormat: JSONObjectDecodable, Hashable {
    package var symbol: String?
    var currency: String?
    var decimals: Int?
    /// The name of the format, such as `Normal` and `AllowDecimalPips`.
    var format: String?

    init() {}

    /// As a `PriceFormat` of Portico; nil if a part of it is missing.
    func priceFormat(of listing: SaxoListing) -> PriceFormat? {
        guard let decimals = listing.major(decimals: decimals), (0...18).contains(decimals), let format else {
            return nil
        }
        let fraction =
            switch format {
            case "AllowDecimalPips": 1
            case "AllowTwoDecimalPips": 2
            default: 0
            }
        return PriceFormat(decimals: decimals, pipFractionDecimals: fraction, name: format)
    }

    static let json = JSONFields(Self()) {
        $0.optional("Symbol", \.symbol)
        $0.optional("Currency", \.currency)
        $0.optional("Decimals", \.decimals)
        $0.optional("Format", \.format)
    }

    /// Reads the members of a JSON object; others keep their values.
    mutating func merge(json reader: inout JSONReader) throws(JSONError) {
        try Self.json.read(from: &reader, into: &self)
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
    /// Whether it is a closed position: bought and sold amounts are equal, and Saxo lists both until the end
    /// of the day.
    ///
    /// An amount of 0 alone does not mean this: locked positions, and those that are about to be closed,
    /// have it too.
    var isSquare: Bool {
        guard base.amount.isZero else { return false }
        switch view.status {
        case "Square", "Closed", nil: return true
        default: return false
        }
    }

    /// The position as a `Position` of Portico; nil for an amount that cannot be negated.
    ///
    /// Amounts are omitted if the instrument's currency is unknown, prices if their unit is.
    func position(of account: SaxoAccount, _ listing: SaxoListing, fetchedAt: Instant) -> Position? {
        guard let quantity = try? base.amount.magnitude else { return nil }
        let currency = listing.currency
        var position = Position(
            symbol: listing.symbol, side: side, quantity: quantity,
            currency: currency?.code ?? FiatCurrency.none,
            provenance: Provenance(source: .saxo, fetchedAt: fetchedAt))
        position.accountID = account.key
        position.assetClass = AssetClass(saxo: base.key)
        position.listing = Listing(saxo: base.key)
        position.status = view.status
        position.delayMinutes = view.currentPrice == nil ? nil : view.delayMinutes
        position.canBeClosed = base.canBeClosed
        position.valueDate = base.valueDate
        position.relatedOrderCount = base.relatedOrderCount
        position.reliability = view.reliability
        position.priceFormat = format.priceFormat(of: listing)
        // Saxo's figures are of no use if it could not calculate them.
        guard view.reliability?.hasFigures ?? true else { return position }
        if let currency {
            position.averageEntryPrice = listing.major(price: view.averageOpenPrice)
            position.currentPrice = listing.major(price: view.currentPrice)
            position.marketValue = marketValue(in: currency)
            position.unrealizedProfitLoss = currency.major(view.profitLoss)
            position.addCost(of: base.amount)
        }
        position.inAccountCurrency = converted(to: account.currency, listing.currency)
        position.exposure = exposure(to: account.currency)
        position.costs = costs(currency, to: account.currency)
        // The rate is of one unit of the currency that Saxo names, which may be a hundredth of one.
        position.conversionRate = view.conversionRate.flatMap { rate in
            currency.map { $0.minor(rate) } ?? rate
        }
        return position
    }

    private func exposure(to accountCurrency: String) -> ConvertedAmount? {
        guard let name = view.exposureCurrency else { return nil }
        let currency = SaxoCurrency(name)
        return currency.major(view.exposure).map { amount in
            ConvertedAmount(
                amount: amount, currency: currency.code, accountAmount: view.exposureInBase,
                accountCurrency: accountCurrency)
        }
    }

    private func costs(_ currency: SaxoCurrency?, to accountCurrency: String) -> ConvertedAmount? {
        guard let currency, let costs = currency.major(view.costs), let amount = try? costs.negated else {
            return nil
        }
        return ConvertedAmount(
            amount: amount, currency: currency.code,
            accountAmount: view.costsInBase.flatMap { try? $0.negated }, accountCurrency: accountCurrency)
    }

    private var side: PositionSide {
        if base.amount.isNegative { return .short }
        return base.amount.isZero && base.openingDirection == .sell ? .short : .long
    }

    /// The market value at Saxo, else the exposure if it is in the same currency.
    ///
    /// The exposure of FX is in the base currency of the pair: 200,000 EUR of a pair that is priced in DKK.
    private func marketValue(in currency: SaxoCurrency) -> Decimal? {
        if let value = view.marketValue { return currency.major(value) }
        guard let exposure = view.exposure, let name = view.exposureCurrency else { return nil }
        return isValue(exposureIn: name, currency) ? SaxoCurrency(name).major(exposure) : nil
    }

    /// Whether the exposure is the value of the position.
    private func isValue(exposureIn name: String?, _ currency: SaxoCurrency?) -> Bool {
        guard let name, let currency else { return false }
        return SaxoCurrency(name).code == currency.code
    }

    private func converted(to currency: String, _ instrumentCurrency: SaxoCurrency?) -> ConvertedAmounts? {
        let exposure =
            isValue(exposureIn: view.exposureCurrency, instrumentCurrency) ? view.exposureInBase : nil
        let value = view.marketValueInBase ?? exposure
        guard value != nil || view.profitLossInBase != nil else { return nil }
        return ConvertedAmounts(
            currency: currency, marketValue: value, unrealizedProfitLoss: view.profitLossInBase)
    }
}

extension Position {
    /// Adds what Saxo does not report: the cost, negative for a short position, and the profit in per cent of it.
    fileprivate mutating func addCost(of amount: Decimal) {
        guard assetClass?.isPricedPerUnit == true, let averageEntryPrice,
            let cost = try? amount * averageEntryPrice
        else { return }
        costBasis = cost.rounded(in: currency).withoutTrailingZeros
        unrealizedProfitLossPercent = (try? cost.magnitude).flatMap { unrealizedProfitLoss?.percent(of: $0) }
    }
}
