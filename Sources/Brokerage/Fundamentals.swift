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
