import Brokerage

extension YahooQuote {
    /// The quote in Portico's words; nil where its figures cannot be told: too many digits, or in what nobody knows.
    func quote(of symbol: Symbol, fetchedAt: Instant) -> Quote? {
        guard let told = YahooPriceScale(of: symbol, currency: currency, digits: digits) else { return nil }
        var quote = Quote(
            symbol: symbol, provenance: Provenance(source: .yahoo, fetchedAt: fetchedAt, asOf: time))
        do throws(Decimal.Overflow) {
            quote.price = try told.amount(price)
            quote.bid = try told.amount(bid)
            quote.ask = try told.amount(ask)
            quote.open = try told.amount(open)
            quote.high = try told.amount(high)
            quote.low = try told.amount(low)
            quote.previousClose = try told.amount(previousClose)
            quote.extendedHoursPrice = try told.amount(extendedHoursPrice)
        } catch {
            return nil
        }
        quote.volume = volume
        quote.currency = told.unit?.currency
        quote.marketState = marketState
        quote.delayMinutes = delayMinutes
        quote.timeliness = delayMinutes.map { $0 == 0 ? .realTime : .delayed }
        return quote
    }

    /// The instrument in Portico's words.
    func instrument(of symbol: Symbol, fetchedAt: Instant) -> Instrument {
        var instrument = Instrument(
            symbol: symbol, assetClass: YahooAssetType.assetClass(type),
            provenance: Provenance(source: .yahoo, fetchedAt: fetchedAt))
        instrument.name = name.best
        instrument.exchange = YahooAssetType.exchange(of: symbol, code: exchange, name: exchangeName)
        instrument.currency = currency.flatMap(PriceUnit.init)?.currency
        instrument.decimals = digits
        instrument.listing = Listing(provider: .yahoo, key: self.symbol)
        return instrument
    }

    /// The one of the session that runs, else of the last that ran.
    private var extendedHoursPrice: Decimal? {
        switch state {
        case "PRE": preMarketPrice
        case "REGULAR": nil
        default: postMarketPrice ?? preMarketPrice
        }
    }

    private var marketState: MarketState? {
        switch state {
        case "REGULAR": .open
        case "PRE": .pre
        case "POST": .post
        // The night, before the first session and after the last.
        case "CLOSED", "PREPRE", "POSTPOST": .closed
        default: nil
        }
    }
}

/// Yahoo's words for kinds and exchanges.
enum YahooAssetType {
    static func assetClass(_ type: String?) -> AssetClass {
        switch type {
        case "EQUITY": .equity
        case "ETF": .etf
        case "MUTUALFUND": .fund
        case "INDEX": .index
        case "CURRENCY": .fx
        case "CRYPTOCURRENCY": .crypto
        case "FUTURE": .future
        case "OPTION": .option
        default: .other
        }
    }

    /// A market identifier code where there is one, else Yahoo's own name.
    static func exchange(of symbol: Symbol, code: String?, name: String?) -> String? {
        if case .listing(_, let market?)? = SymbolKind(symbol) { return market }
        return code.flatMap(YahooMarket.american) ?? name ?? code
    }
}
