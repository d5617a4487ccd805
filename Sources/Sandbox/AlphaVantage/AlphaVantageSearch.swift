import Brokerage

extension AlphaVantageCall {
    /// The most matches of one search.
    private static var maximumMatches: Int { 10 }

    /// `SYMBOL_SEARCH`.
    func search() throws -> JSON {
        guard let keywords = self["keywords"], !keywords.isEmpty else { throw invalid }
        let search = ListingSearch(instruments: Instrument.listing) { $0.alphaVantageSymbol }
        let hits = search.hits(for: keywords).prefix(Self.maximumMatches)
        return ["bestMatches": .array(hits.map(match))]
    }

    private func match(_ hit: ListingSearch.Hit) -> JSON {
        [
            "1. symbol": .string(hit.symbol),
            "2. name": .string(hit.instrument.displayName),
            "3. type": Company.behind(hit.instrument.symbol) == nil ? "ETF" : "Equity",
            "4. region": "United States",
            "5. marketOpen": "09:30",
            "6. marketClose": "16:00",
            "7. timezone": .string(settings.searchTimeZone),
            "8. currency": "USD",
            "9. matchScore": .string(
                (Decimal(coefficient: Int128(hit.score), scale: 4) ?? .zero).description),
        ]
    }
}
