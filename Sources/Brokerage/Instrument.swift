/// An instrument that can be held or quoted, with one symbol for all providers.
///
/// A value that a source does not report is nil.
package struct Instrument: Hashable, Sendable {
    /// Portico's own name of it.
    package var symbol: Symbol
    package var name: String?
    package var assetClass: AssetClass
    /// The exchange: a market identifier code (ISO 10383), such as `XNAS`, if the source has one, otherwise
    /// the source's name for it.
    package var exchange: String?
    /// The market identifier code (ISO 10383) of the exchange, if the source has one.
    package var marketCode: String?
    /// The FIGI of the instrument on all exchanges of its country.
    package var figi: String?
    /// The FIGI of the class of shares.
    package var shareClassFIGI: String?
    /// An ISO 4217 code, never a minor unit such as GBX.
    package var currency: String?
    /// Digits after the point that prices are shown with.
    package var decimals: Int?
    /// A description of the company.
    package var about: String?
    /// The symbol and the trading rules at the source.
    package var listing: Listing?
    package var provenance: Provenance

    package init(symbol: Symbol, assetClass: AssetClass, provenance: Provenance) {
        self.symbol = symbol
        self.assetClass = assetClass
        self.provenance = provenance
    }
}

/// Kind of instrument, over all providers' own type names.
package enum AssetClass: String, Sendable, CaseIterable {
    case equity = "EQUITY"
    case etf = "ETF"
    case fx = "FX"
    case crypto = "CRYPTO"
    case option = "OPTION"
    case future = "FUTURE"
    case bond = "BOND"
    case fund = "FUND"
    case cfd = "CFD"
    case index = "INDEX"
    case cash = "CASH"
    case other = "OTHER"

    /// Whether the price is that of one unit of the quantity.
    ///
    /// The price of an option or a future is that of a part of its contract, and that of a bond is in per cent of its
    /// nominal value.
    package var isPricedPerUnit: Bool {
        switch self {
        case .equity, .etf, .fund, .fx, .crypto, .cfd: true
        case .option, .future, .bond, .index, .cash, .other: false
        }
    }
}

/// An instrument at one provider: its name there and, where that is a broker, the rules of an order ticket.
package struct Listing: Hashable, Sendable {
    package var provider: ProviderID
    /// The provider's identifier: a ticker, or the Uic of Saxo.
    package var key: String
    /// The provider's type, if it is part of the identifier: the AssetType of Saxo.
    package var assetType: String?
    package var exchange: String?
    /// Whether the broker accepts orders; nil if it is unknown.
    package var isTradable: Bool?
    package var isFractionable: Bool?
    package var isShortable: Bool?
    /// Nil if the provider does not report them.
    package var orderTypes: [OrderType]?
    /// The step of all prices; nil if it is unknown, or depends on the price.
    package var tickSize: Decimal?
    /// The steps of prices, if they depend on the price.
    package var priceIncrements: PriceIncrements?
    package var minimumQuantity: Decimal?
    package var quantityIncrement: Decimal?

    package init(provider: ProviderID, key: String) {
        self.provider = provider
        self.key = key
    }

    /// The step of prices at a price; nil if it is unknown, or depends on the price and no price is given.
    package func priceIncrement(at price: Decimal?) -> Decimal? {
        if let tickSize { return tickSize }
        guard let priceIncrements else { return nil }
        guard let price else { return priceIncrements.uniform }
        return priceIncrements.increment(at: price)
    }
}

/// What a broker permits one of its clients to do with an instrument.
package struct TradingPermissions: Hashable, Sendable {
    /// Whether the broker accepts the client's orders; nil if it does not report this.
    package var isTradable: Bool?
    /// Nil if the broker does not report them.
    package var orderTypes: [OrderType]?

    package init(isTradable: Bool? = nil, orderTypes: [OrderType]? = nil) {
        self.isTradable = isTradable
        self.orderTypes = orderTypes
    }
}

/// A hit of a search.
package struct SearchHit: Hashable, Sendable {
    package var instrument: Instrument
    /// The relevance, 0 to 1; nil if the source does not report it.
    package var matchScore: Decimal?
    /// The region, as the source names it: `United Kingdom`.
    package var region: String?

    package init(instrument: Instrument, matchScore: Decimal? = nil, region: String? = nil) {
        self.instrument = instrument
        self.matchScore = matchScore
        self.region = region
    }
}

/// The hits of a search, best match first.
package struct SearchHits: Hashable, Sendable {
    package var hits: [SearchHit]
    /// The error of each hit that could not be read, with its place in the provider's response and without a value.
    package var unreadable: [String]

    package init(_ hits: [SearchHit], unreadable: [String] = []) {
        self.hits = hits
        self.unreadable = unreadable
    }

    /// The same hits, marked as stale.
    package var markedStale: SearchHits {
        var marked = self
        for index in hits.indices {
            let provenance = hits[index].instrument.provenance
            marked.hits[index].instrument.provenance = provenance.markedStale
        }
        return marked
    }
}

extension SearchHits: RandomAccessCollection, ExpressibleByArrayLiteral {
    package init(arrayLiteral hits: SearchHit...) { self.init(hits) }

    package var startIndex: Int { hits.startIndex }
    package var endIndex: Int { hits.endIndex }
    package subscript(index: Int) -> SearchHit { hits[index] }
}

/// Key figures of a company, as the source last published them; nil if it has none.
package struct Fundamentals: Hashable, Sendable {
    package var symbol: Symbol
    package var name: String?
    /// A description of the company.
    package var about: String?
    /// The currency of the amounts, ISO 4217.
    package var currency: String?
    package var sector: String?
    package var industry: String?
    package var country: String?
    /// An address of `http` or `https`; nil for another text.
    package var website: String? { didSet { website = WebLink.checked(website) } }
    package var marketCap: Decimal?
    package var priceEarningsRatio: Decimal?
    package var earningsPerShare: Decimal?
    package var dividendPerShare: Decimal?
    package var yearHigh: Decimal?
    package var yearLow: Decimal?
    package var provenance: Provenance

    package init(symbol: Symbol, provenance: Provenance) {
        self.symbol = symbol
        self.provenance = provenance
    }
}
