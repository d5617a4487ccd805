import Brokerage

extension SaxoPrice {
    /// The price in Portico's words.
    func quote(of listing: SaxoListing, fetchedAt: Instant) -> Quote {
        let currency = format.currency.map(SaxoCurrency.init) ?? listing.currency
        let price = price(of: listing.key.assetType)
        var quote = Quote(
            symbol: listing.symbol,
            provenance: Provenance(source: .saxo, fetchedAt: fetchedAt, asOf: lastUpdated))
        quote.price = currency.major(price)
        quote.bid = currency.major(bid)
        quote.ask = currency.major(ask)
        quote.open = currency.major(details.open)
        quote.high = currency.major(high)
        quote.low = currency.major(low)
        quote.previousClose = currency.major(details.lastClose)
        quote.volume = details.volume
        quote.marketState = marketState
        quote.timeliness = price == nil ? nil : timeliness
        quote.currency = currency?.code
        quote.delayMinutes = self.quote.delayMinutes
        quote.feed = source
        return quote
    }

    /// Nil where nobody would buy at it now: a price that was indicative before the market closed is no offer.
    private var bid: Decimal? { Self.isOffer(quote.bidKind) ? quote.bid : nil }
    private var ask: Decimal? { Self.isOffer(quote.askKind) ? quote.ask : nil }

    private static func isOffer(_ kind: SaxoPriceKind?) -> Bool {
        switch kind {
        case .tradable, .indicative: true
        case .oldIndicative, .some(.none), nil: false
        }
    }

    /// The last trade; the middle for FX, and where Saxo tells of no trade.
    private func price(of assetType: String) -> Decimal? {
        AssetClass(saxo: assetType) == .fx ? middle : details.lastTraded ?? middle
    }

    /// Also of an old indicative price, which is the last there is: its timeliness says so.
    private var middle: Decimal? {
        guard Self.isPrice(quote.bidKind), Self.isPrice(quote.askKind) else { return nil }
        if let mid = quote.mid { return mid }
        guard let bid = quote.bid, let ask = quote.ask else { return nil }
        return .middle(bid, ask)
    }

    private static func isPrice(_ kind: SaxoPriceKind?) -> Bool {
        switch kind {
        case .tradable, .indicative, .oldIndicative: true
        case .some(.none), nil: false
        }
    }

    /// Indicative where one of the sides is; else by the delay.
    private var timeliness: Timeliness? {
        let kinds = [quote.bidKind, quote.askKind]
        if kinds.contains(.indicative) || kinds.contains(.oldIndicative) { return .indicative }
        return quote.delayMinutes.map { $0 > 0 ? .delayed : .realTime }
    }

    private var marketState: MarketState? {
        switch quote.marketState {
        case "Open", "ClosingAuction", "IntraDayAuction", "TradingAtLast": .open
        case "Closed": .closed
        case "PreMarket", "OpeningAuction": .pre
        case "PostMarket": .post
        default: isMarketOpen.map { $0 ? .open : .closed }
        }
    }

    /// Whether Saxo says that there is no such instrument, rather than no price of it.
    var isUnknownInstrument: Bool {
        switch errorCode {
        case "IllegalInstrumentId", "InvalidUic", "InstrumentNotFound": true
        default: false
        }
    }
}

extension Decimal {
    /// The exact middle of two prices; nil where it has too many digits.
    static func middle(_ low: Decimal, _ high: Decimal) -> Decimal? {
        guard let sum = try? low + high else { return nil }
        // Half of a decimal has one digit more at the most: five tenths of it.
        if sum.coefficient % 2 == 0 { return Decimal(coefficient: sum.coefficient / 2, scale: sum.scale) }
        let (product, overflow) = sum.coefficient.multipliedReportingOverflow(by: 5)
        return overflow ? nil : Decimal(coefficient: product, scale: sum.scale + 1)
    }
}
