/// What identifies and classifies an instrument, as one source reports it.
///
/// A value that the source does not report is nil.
package struct InstrumentIdentity: Hashable, Sendable {
    package let symbol: Symbol
    /// ISO 6166.
    package var isin: String?
    /// The composite FIGI: the instrument on all exchanges of its country.
    package var figi: String?
    /// The FIGI of the class of shares, on all exchanges of all countries.
    package var shareClassFIGI: String?
    /// The market identifier code (ISO 10383) of the exchange.
    package var exchange: String?
    /// Never `other`.
    package var assetClass: AssetClass?
    package var sector: String?
    package var industry: String?
    package var country: String?
    package var website: String?
    package var provenance: Provenance

    package init(symbol: Symbol, provenance: Provenance) {
        self.symbol = symbol
        self.provenance = provenance
    }
}

/// A value of an ``InstrumentIdentity``; the raw value is the name of the field in the schema.
package enum IdentityField: String, Sendable, CaseIterable {
    case isin
    case figi
    case shareClassFIGI = "shareClassFigi"
    case exchange
    case assetClass
    case sector
    case industry
    case country
    case website
}
