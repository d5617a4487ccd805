import Brokerage

extension FakeAlphaVantageCall {
    /// The most matches of one search.
    private static var maximumMatches: Int { 10 }

    /// `SYMBOL_SEARCH`.
    func search() throws -> JSONDocument {
        guard let keywords = self["keywords"], !keywords.isEmpty else { throw invalid }
        let search = ListingSearch(instruments: FakeInstrument.listing + FakeInstrument.london) {
            $0.alphaVantageSymbol
        }
        let hits = search.hits(for: keywords).prefix(Self.maximumMatches)
        return ["bestMatches": .array(hits.map(match))]
    }

    private func match(_ hit: ListingSearch.Hit) -> JSONDocument {
        let isInLondon = hit.instrument.exchange == .london
        return [
            "1. symbol": .string(hit.symbol),
            "2. name": .string(hit.instrument.displayName),
            "3. type": hit.instrument.isFund ? "ETF" : "Equity",
            "4. region": isInLondon ? "United Kingdom" : "United States",
            "5. marketOpen": isInLondon ? "08:00" : "09:30",
            "6. marketClose": isInLondon ? "16:30" : "16:00",
            "7. timezone": .string(isInLondon ? settings.londonSearchTimeZone : settings.searchTimeZone),
            "8. currency": .string(hit.instrument.currency),
            "9. matchScore": .string(
                (Decimal(coefficient: Int128(hit.score), scale: 4) ?? .zero).description),
        ]
    }
}
