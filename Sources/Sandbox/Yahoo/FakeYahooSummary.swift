import Brokerage

/// `GET /v10/finance/quoteSummary/{symbol}`: the requested modules of a symbol.
struct FakeYahooSummary: Sendable {
    private let modules: [String]
    private let listing: FakeYahooListing?
    private let view: MarketView
    private let isFormatted: Bool

    /// Throws ``FakeYahooError`` if no module is requested.
    init(_ context: FakeYahooHost.AuthenticatedRequest) throws(FakeYahooError) {
        modules = (context.request[query: "modules"] ?? "").split(separator: ",").map(String.init)
        guard !modules.isEmpty else {
            throw .badRequest("Missing value for the \"modules\" argument")
        }
        view = context.view
        listing = FakeYahooListing(context.request.parameters["symbol"] ?? "", in: context.view.market)
        let requested = context.request[query: "formatted"].flatMap(Bool.init)
        isFormatted = requested ?? context.settings.summariesAreFormatted
    }

    /// Returns the available modules; throws ``FakeYahooError`` if there are none.
    func document() throws(FakeYahooError) -> JSONDocument {
        guard let listing else { throw .noSummary(of: modules) }
        var seen: Set<String> = []
        let found = modules.filter { seen.insert($0).inserted }.compactMap { name in
            module(name, listing).map { JSONDocument.Member(name: name, value: $0) }
        }
        guard !found.isEmpty else { throw .noSummary(of: modules) }
        return ["quoteSummary": ["result": [.object(found)], "error": nil]]
    }

    /// Returns nil for a module that does not exist, or not for the instrument.
    private func module(_ name: String, _ listing: FakeYahooListing) -> JSONDocument? {
        switch name {
        case "assetProfile": return listing.company.map { profile($0, withOfficers: true) }
        case "summaryProfile": return listing.company.map { profile($0, withOfficers: false) }
        case "quoteType": return quoteType(listing)
        case "price": return price(listing)
        default: return nil
        }
    }

    private func profile(_ company: Company, withOfficers: Bool) -> JSONDocument {
        var members: [JSONDocument.Member] = [
            .init(name: "address1", value: "1 Example Way"),
            .init(name: "country", value: .string(company.country)),
            .init(name: "website", value: .string(company.website)),
            .init(name: "industry", value: .string(company.industry)),
            .init(name: "industryKey", value: .string(Self.key(of: company.industry))),
            .init(name: "sector", value: .string(company.sector)),
            .init(name: "sectorKey", value: .string(Self.key(of: company.sector))),
            .init(name: "longBusinessSummary", value: .string(company.description)),
            .init(name: "fullTimeEmployees", value: .integer(company.employees)),
        ]
        if withOfficers {
            let officer: JSONDocument = ["maxAge": 1, "name": "Ms. Example Officer", "title": "CEO"]
            members.append("companyOfficers", [officer])
        }
        return .object(members + [.init(name: "maxAge", value: 86_400)])
    }

    /// Returns a key of the form `consumer-electronics`.
    private static func key(of title: String) -> String {
        title.lowercased().split { !$0.isLetter }.joined(separator: "-")
    }

    private func quoteType(_ listing: FakeYahooListing) -> JSONDocument {
        [
            "exchange": .string(listing.exchange.code),
            "quoteType": .string(listing.type.quoteType),
            "symbol": .string(listing.symbol),
            "shortName": .string(listing.name),
            "longName": .string(listing.name),
            "timeZoneFullName": .string(listing.zone(at: view.now).name),
            "maxAge": 1,
        ]
    }

    /// Writes prices; a change in percent is a fraction in this module, unlike in quotes.
    private func price(_ listing: FakeYahooListing) -> JSONDocument {
        var members: [JSONDocument.Member] = [
            .init(name: "maxAge", value: 1),
            .init(name: "symbol", value: .string(listing.symbol)),
            .init(name: "shortName", value: .string(listing.name)),
            .init(name: "longName", value: .string(listing.name)),
            .init(name: "quoteType", value: .string(listing.type.quoteType)),
            .init(name: "exchange", value: .string(listing.exchange.code)),
            .init(name: "exchangeName", value: .string(listing.exchange.name)),
            .init(name: "currency", value: .string(listing.currency)),
            .init(name: "marketState", value: .string(listing.marketState(view))),
        ]
        let day = FakeYahooDay(listing, view)
        func ticks(_ name: String, _ ticks: Int?) {
            members.append(name, number(ticks.map(listing.instrument.price)))
        }
        ticks("regularMarketPrice", day?.bar.close)
        ticks("regularMarketOpen", day?.bar.open)
        ticks("regularMarketDayHigh", day?.bar.high)
        ticks("regularMarketDayLow", day?.bar.low)
        ticks("regularMarketPreviousClose", day?.previousClose)
        members += [
            .init(name: "regularMarketVolume", value: number(day.map { Decimal($0.bar.volume) })),
            .init(name: "regularMarketChange", value: number(Self.decimal(day?.change))),
            .init(
                name: "regularMarketChangePercent",
                value: number(Self.decimal((day?.changePercent).map { $0 / 100 }))),
            .init(
                name: "marketCap",
                value: number(
                    day.flatMap { day in
                        listing.company.map { Decimal($0.marketCapitalization(at: day.bar.close)) }
                    })),
        ]
        if let day { members.append("regularMarketTime", .integer(day.second)) }
        return .object(members)
    }

    private static func decimal(_ value: Float?) -> Decimal? {
        value.flatMap { Decimal($0.description) }
    }

    /// Writes a number, with its text if requested; a missing one is an empty object then, and null
    /// otherwise.
    private func number(_ decimal: Decimal?) -> JSONDocument {
        guard isFormatted else { return .optional(decimal) { .number(shortest: $0) } }
        guard let decimal else { return [:] }
        let text = decimal.rounded(to: 2, .halfEven).description
        return ["raw": .number(shortest: decimal), "fmt": .string(text)]
    }
}
