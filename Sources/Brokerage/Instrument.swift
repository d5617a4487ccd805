/// One thing that can be held or quoted, whatever each provider calls it.
///
/// What a source does not tell is nil.
package struct Instrument: Hashable, Sendable {
    /// Portico's own name of it.
    package var symbol: Symbol
    package var name: String?
    package var assetClass: AssetClass
    /// Where it is listed: a market identifier code (ISO 10383) where the source has one, such as `XNAS`, else the
    /// source's own word.
    package var exchange: String?
    /// ISO 4217, never a minor unit such as GBX.
    package var currency: String?
    /// Digits after the point that prices are shown with.
    package var decimals: Int?
    /// What the company does, in some sentences.
    package var about: String?
    /// How the source that told of it names and trades it.
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
}

/// An instrument at one provider: its name there and, where that is a broker, the rules of an order ticket.
package struct Listing: Hashable, Sendable {
    package var provider: ProviderID
    /// What the provider calls it: a ticker, or Saxo's Uic.
    package var key: String
    /// The provider's own word for the kind, where it is part of the name: Saxo's AssetType.
    package var assetType: String?
    package var exchange: String?
    package var isTradable: Bool?
    package var isFractionable: Bool?
    package var isShortable: Bool?
    /// Nil where the provider does not say.
    package var orderTypes: [OrderType]?
    /// The step of prices.
    package var tickSize: Decimal?
    package var minimumQuantity: Decimal?
    package var quantityIncrement: Decimal?

    package init(provider: ProviderID, key: String) {
        self.provider = provider
        self.key = key
    }
}

/// A hit of a search.
package struct SearchHit: Hashable, Sendable {
    package var instrument: Instrument
    /// How well it fits, 0 to 1; nil where the source does not say.
    package var matchScore: Decimal?
    /// Where it is traded, in the source's words: `United Kingdom`.
    package var region: String?

    package init(instrument: Instrument, matchScore: Decimal? = nil, region: String? = nil) {
        self.instrument = instrument
        self.matchScore = matchScore
        self.region = region
    }
}

/// Figures of a company, as the source last published them; nil where it has none.
package struct Fundamentals: Hashable, Sendable {
    package var symbol: Symbol
    package var name: String?
    /// What the company does, in some sentences.
    package var about: String?
    /// ISO 4217: of the amounts here.
    package var currency: String?
    package var sector: String?
    package var industry: String?
    package var country: String?
    package var website: String?
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
