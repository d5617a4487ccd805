package import Brokerage
package import Upstream

/// The response of `OVERVIEW`, with the members that Portico uses.
struct AlphaVantageOverview: JSONDecodable, Hashable {
    /// Nil for an unknown symbol, or an instrument that is not a company, for which Alpha Vantage returns an
    /// empty object.
    var symbol: String?
    var name: String?
    var about: String?
    var currency: String?
    var country: String?
    var sector: String?
    var industry: String?
    var website: String?
    var marketCap: Decimal?
    var priceEarningsRatio: Decimal?
    var earningsPerShare: Decimal?
    var dividendPerShare: Decimal?
    var yearHigh: Decimal?
    var yearLow: Decimal?

    init(json reader: inout JSONReader) throws(JSONError) {
        var isEmpty = true
        try reader.object { key, reader throws(JSONError) in
            isEmpty = false
            switch key {
            case "Symbol": symbol = try reader.string()
            case "Name": name = try reader.textOrNil()
            case "Description": about = try reader.textOrNil()
            case "Currency": currency = try reader.textOrNil()
            case "Country": country = try reader.textOrNil()
            case "Sector": sector = try reader.textOrNil()
            case "Industry": industry = try reader.textOrNil()
            case "OfficialSite": website = try reader.textOrNil()
            case "MarketCapitalization": marketCap = try reader.figureOrNil()
            case "PERatio": priceEarningsRatio = try reader.figureOrNil()
            case "EPS": earningsPerShare = try reader.figureOrNil()
            case "DividendPerShare": dividendPerShare = try reader.figureOrNil()
            case "52WeekHigh": yearHigh = try reader.figureOrNil()
            case "52WeekLow": yearLow = try reader.figureOrNil()
            default: try reader.skip()
            }
        }
        if !isEmpty { _ = try reader.required(symbol, "Symbol") }
    }

    /// The figures as `Fundamentals` of Portico.
    ///
    /// Prices in hundredths are converted to whole units; the market capitalization is omitted in this case,
    /// because its unit is unknown.
    func fundamentals(of symbol: Symbol, fetchedAt: Instant) throws(Decimal.Overflow) -> Fundamentals {
        let unit = currency.flatMap(PriceUnit.init)
        var fundamentals = Fundamentals(
            symbol: symbol, provenance: Provenance(source: .alphaVantage, fetchedAt: fetchedAt))
        fundamentals.name = name
        fundamentals.about = about
        fundamentals.currency = unit?.currency
        fundamentals.sector = sector
        fundamentals.industry = industry
        fundamentals.country = country
        fundamentals.website = website
        fundamentals.priceEarningsRatio = priceEarningsRatio
        guard let unit else { return fundamentals }
        fundamentals.marketCap = unit.isHundredth ? nil : marketCap
        if let earningsPerShare { fundamentals.earningsPerShare = try unit.amount(earningsPerShare) }
        if let dividendPerShare { fundamentals.dividendPerShare = try unit.amount(dividendPerShare) }
        if let yearHigh { fundamentals.yearHigh = try unit.amount(yearHigh) }
        if let yearLow { fundamentals.yearLow = try unit.amount(yearLow) }
        return fundamentals
    }
}

extension AlphaVantageClient: FundamentalsSource {
    /// `OVERVIEW`: companies only; funds and indices are `notFound`.
    package func fundamentals(
        of symbol: Symbol, in context: CallContext
    ) async throws(ProviderFailure) -> Fundamentals {
        let items = [("symbol", try Optional(providerSymbol(for: symbol)))]
        let found: Fundamentals? = try await get("fundamentals", "OVERVIEW", items, in: context) {
            reader throws(JSONError) -> Fundamentals? in
            let overview = try AlphaVantageOverview(json: &reader)
            guard overview.symbol != nil else { return nil }
            let figures = try? overview.fundamentals(of: symbol, fetchedAt: clock.wallTime())
            return try reader.required(figures, "amounts that can be told in whole currency")
        }
        guard let found else { throw ProviderFailure(.alphaVantage, .notFound) }
        return found
    }
}
