import Brokerage

extension PolygonTicker {
    /// The instrument in Portico's words; nil for a kind that it has no symbols for, such as option contracts.
    func instrument(_ dialect: PolygonSymbols, fetchedAt: Instant) -> Instrument? {
        guard let symbol = dialect.symbol(for: ticker) else { return nil }
        var instrument = Instrument(
            symbol: symbol, assetClass: assetClass(of: symbol),
            provenance: Provenance(source: .polygon, fetchedAt: fetchedAt))
        instrument.name = name
        instrument.exchange = exchange
        instrument.currency = currency ?? dialect.currency(of: symbol)
        instrument.about = about
        instrument.listing = Listing(provider: .polygon, key: ticker)
        return instrument
    }

    /// The company's figures in Portico's words.
    func fundamentals(of symbol: Symbol, fetchedAt: Instant) -> Fundamentals {
        var fundamentals = Fundamentals(
            symbol: symbol, provenance: Provenance(source: .polygon, fetchedAt: fetchedAt))
        fundamentals.name = name
        fundamentals.about = about
        fundamentals.website = website
        fundamentals.industry = industry
        fundamentals.currency = currency
        fundamentals.marketCap = currency == nil ? nil : marketCap
        return fundamentals
    }

    /// Nil where the name is in words.
    private var currency: String? {
        currencyName.map { $0.uppercased() }.flatMap { FiatCurrency.isCode($0) ? $0 : nil }
    }

    private func assetClass(of symbol: Symbol) -> AssetClass {
        switch SymbolKind(symbol) {
        case .currencies: .fx
        case .crypto: .crypto
        case .index: .index
        case .listing:
            switch type {
            case "ETF", "ETN", "ETV", "ETS": .etf
            case "FUND": .fund
            case "BOND": .bond
            case "WARRANT", "RIGHT", "UNIT", "SP", "OTHER": .other
            default: .equity
            }
        case nil: .other
        }
    }
}
