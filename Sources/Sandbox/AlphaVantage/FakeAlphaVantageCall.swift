import Brokerage

/// One call with an accepted key.
struct FakeAlphaVantageCall: Sendable {
    let function: FakeAlphaVantageFunction
    let request: SandboxRequest
    let plan: FakeAlphaVantageSettings.Plan
    let view: MarketView
    let settings: FakeAlphaVantageSettings

    subscript(_ parameter: String) -> String? { request[query: parameter] }

    /// The notice for an unknown symbol or parameter value.
    var invalid: FakeAlphaVantageNotice { .invalidCall(function: function.rawValue) }

    /// The instrument of the parameter `symbol`; nil if it is not listed.
    var instrument: FakeInstrument? { self["symbol"].flatMap(instrument(providerSymbol:)) }

    /// Returns the instrument of an Alpha Vantage symbol: class shares with a dash, preferred shares as `BAC-P-K`, London's as
    /// `TSCO.LON`.
    func instrument(providerSymbol symbol: String) -> FakeInstrument? {
        if symbol.hasSuffix(".LON") { return view.market.anyInstrument(String(symbol.dropLast(2))) }
        guard settings.acceptsDottedSymbols || !symbol.contains(".") else { return nil }
        return view.market.instrument(symbol.replacing("-P-", with: ".PR").replacing("-", with: "."))
    }

    /// Returns a value of an enumeration parameter, `defaultValue` if it is missing; throws ``invalid`` for an
    /// unknown value.
    func choice<Choice: RawRepresentable<String>>(
        _ parameter: String, _ defaultValue: Choice
    ) throws(FakeAlphaVantageNotice) -> Choice {
        guard let text = self[parameter] else { return defaultValue }
        guard let choice = Choice(rawValue: text) else { throw invalid }
        return choice
    }

    /// Returns a `true` or `false` parameter; throws ``invalid`` for another value.
    func flag(_ parameter: String, _ defaultValue: Bool) throws(FakeAlphaVantageNotice) -> Bool {
        guard let text = self[parameter] else { return defaultValue }
        guard let flag = Bool(text) else { throw invalid }
        return flag
    }
}

/// The values of the parameter `function`.
enum FakeAlphaVantageFunction: String, Sendable, CaseIterable {
    case globalQuote = "GLOBAL_QUOTE"
    case bulkQuotes = "REALTIME_BULK_QUOTES"
    case search = "SYMBOL_SEARCH"
    case intraday = "TIME_SERIES_INTRADAY"
    case daily = "TIME_SERIES_DAILY"
    case weekly = "TIME_SERIES_WEEKLY"
    case monthly = "TIME_SERIES_MONTHLY"
    case overview = "OVERVIEW"
    case dividends = "DIVIDENDS"
    case splits = "SPLITS"
}

extension FakeInstrument {
    /// Class shares with a dash, `BRK-B`; preferred shares as `BAC-P-K`; London's as `TSCO.LON`.
    var alphaVantageSymbol: String {
        exchange == .london
            ? "\(symbol)ON" : symbol.replacing(".PR", with: "-P-").replacing(".", with: "-")
    }
}

extension JSONDocument {
    /// Writes a price as Alpha Vantage does: a string with four decimals.
    static func fourDigits(cents: Int) -> JSONDocument {
        .string((Decimal(coefficient: Int128(cents) * 100, scale: 4) ?? .zero).description)
    }

    /// Writes an integer as a string.
    static func digits(_ number: Int) -> JSONDocument { .string(String(number)) }
}

extension FakeAlphaVantageCall {
    /// Returns `OVERVIEW`: the data of a company; an empty object for funds and unlisted symbols.
    func overview() throws -> JSONDocument {
        guard let symbol = self["symbol"], !symbol.isEmpty else { throw invalid }
        guard let instrument = instrument(providerSymbol: symbol),
            let company = Company.issuer(of: instrument.symbol)
        else { return .object([]) }
        return .object(
            described(company, instrument) + (try valued(company, instrument)) + priced(instrument)
                + unknown(Self.unavailableMembers))
    }

    private func described(_ company: Company, _ instrument: FakeInstrument) -> [JSONDocument.Member] {
        [
            .init(name: "Symbol", value: .string(instrument.alphaVantageSymbol)),
            .init(name: "AssetType", value: "Common Stock"),
            .init(name: "Name", value: .string(company.name)),
            .init(name: "Description", value: .string(company.description)),
            .init(name: "CIK", value: .digits(company.cik)),
            .init(name: "Exchange", value: .string(instrument.exchange.rawValue)),
            .init(name: "Currency", value: "USD"),
            .init(name: "Country", value: "USA"),
            .init(name: "Sector", value: .string(company.sector.uppercased())),
            .init(name: "Industry", value: .string(company.industry.uppercased())),
            .init(name: "OfficialSite", value: .string(company.website)),
            .init(name: "SharesOutstanding", value: .digits(company.thousandsOfShares * 1_000)),
        ]
    }

    /// Returns the members that depend on the last price; missing numbers without a price.
    private func valued(_ company: Company, _ instrument: FakeInstrument) throws -> [JSONDocument.Member] {
        let price = view.price(instrument.symbol)
        let dividend = company.dividendPerShare
        func ratio(_ whole: Int?, _ part: Int?, digits: Int) throws -> JSONDocument {
            guard let whole, let part, part > 0 else { return missing }
            return .text(try Decimal(whole).divided(by: Decimal(part), to: digits, .halfEven))
        }
        return [
            .init(
                name: "MarketCapitalization",
                value: price.map { .digits(company.marketCapitalization(at: $0)) } ?? missing),
            .init(name: "EPS", value: .text(Decimal(cents: company.earningsPerShare))),
            .init(name: "PERatio", value: try ratio(price, company.earningsPerShare, digits: 2)),
            .init(name: "DividendPerShare", value: dividend.map { .text(Decimal(cents: $0)) } ?? missing),
            .init(name: "DividendYield", value: try ratio(dividend, price, digits: 4)),
        ]
    }

    private func priced(_ instrument: FakeInstrument) -> [JSONDocument.Member] {
        guard let year = YearPriceStats(instrument, view) else {
            return unknown(["52WeekHigh", "52WeekLow", "50DayMovingAverage", "200DayMovingAverage"])
        }
        return [
            .init(name: "52WeekHigh", value: .text(Decimal(cents: year.high))),
            .init(name: "52WeekLow", value: .text(Decimal(cents: year.low))),
            .init(name: "50DayMovingAverage", value: .text(year.average(ofLast: 50))),
            .init(name: "200DayMovingAverage", value: .text(year.average(ofLast: 200))),
        ]
    }

    /// The members without data in the sandbox's market.
    private static var unavailableMembers: [String] {
        [
            "PEGRatio", "BookValue", "EBITDA", "RevenueTTM", "ProfitMargin", "AnalystTargetPrice", "Beta",
            "DividendDate", "ExDividendDate",
        ]
    }

    private func unknown(_ names: [String]) -> [JSONDocument.Member] {
        names.map { .init(name: $0, value: missing) }
    }

    private var missing: JSONDocument { .string(settings.missingNumber) }
}

extension FakeAlphaVantageCall {
    /// The maximum number of search results.
    private static var maximumMatches: Int { 10 }

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
