/// Finds instruments by words of their symbols and names.
struct ListingSearch: Sendable {
    let instruments: [FakeInstrument]
    let providerSymbol: @Sendable (FakeInstrument) -> String

    struct Hit: Sendable {
        let instrument: FakeInstrument
        let symbol: String
        /// The match score in ten-thousandths: 10,000 is an exact symbol match.
        let score: Int
    }

    /// Returns the matches of a text, best first; equal scores by symbol.
    func hits(for text: String) -> [Hit] {
        let wanted = text.lowercased()
        guard !wanted.isEmpty else { return [] }
        return instruments.compactMap { instrument in
            let symbol = providerSymbol(instrument)
            let score = max(
                Self.score(wanted, in: symbol.lowercased()),
                Self.score(wanted, in: instrument.displayName.lowercased()) * 9 / 10)
            return score > 0 ? Hit(instrument: instrument, symbol: symbol, score: score) : nil
        }.sorted { $0.score == $1.score ? $0.symbol < $1.symbol : $0.score > $1.score }
    }

    /// Returns the share of a text that a matching prefix makes up; half of it for a prefix of a later word.
    private static func score(_ wanted: String, in text: String) -> Int {
        let share = 10_000 * wanted.count / max(text.count, 1)
        if text.hasPrefix(wanted) { return share }
        return text.contains(" " + wanted) ? share / 2 : 0
    }
}

extension FakeInstrument {
    /// The company's name, or the fund's own.
    var displayName: String {
        Company.issuer(of: symbol)?.name ?? name
    }

    var isFund: Bool {
        assetClass == .equity && exchange != .london && Company.issuer(of: symbol) == nil
    }
}
