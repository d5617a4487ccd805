/// Finds instruments by a word of their symbol or name.
struct ListingSearch: Sendable {
    /// What may be found.
    let instruments: [FakeInstrument]
    /// The provider's spelling of a symbol.
    let providerSymbol: @Sendable (FakeInstrument) -> String

    struct Hit: Sendable {
        let instrument: FakeInstrument
        let symbol: String
        /// How well it fits, in ten-thousandths: 10,000 is the very symbol.
        let score: Int
    }

    /// What a text may mean, the best first; of equal ones, by symbol.
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

    /// The share of a text that a beginning of it makes up; half of that for a beginning of a later word.
    private static func score(_ wanted: String, in text: String) -> Int {
        let share = 10_000 * wanted.count / max(text.count, 1)
        if text.hasPrefix(wanted) { return share }
        return text.contains(" " + wanted) ? share / 2 : 0
    }
}

extension FakeInstrument {
    /// The name that people know: the company's, or the fund's own.
    var displayName: String {
        Company.issuer(of: symbol)?.name ?? name
    }

    /// Whether it is a fund, and no share of a company.
    var isFund: Bool {
        assetClass == .equity && exchange != .london && Company.issuer(of: symbol) == nil
    }
}
