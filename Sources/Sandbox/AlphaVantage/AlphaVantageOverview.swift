import Brokerage

extension FakeAlphaVantageCall {
    /// `OVERVIEW`: what there is to know of a company; an empty object for funds and for what is not listed.
    func overview() throws -> JSONDocument {
        guard let symbol = self["symbol"], !symbol.isEmpty else { throw invalid }
        guard let instrument = instrument(providerSymbol: symbol),
            let company = Company.issuer(of: instrument.symbol)
        else { return .object([]) }
        return .object(
            described(company, instrument) + (try valued(company, instrument)) + priced(instrument)
                + unknown(Self.neverKnown))
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

    /// What follows from the last price: missing numbers where the market has none.
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

    /// What the sandbox's market has no figures for.
    private static var neverKnown: [String] {
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
