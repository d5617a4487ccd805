import Brokerage

/// `GET /v3/reference/tickers` and `GET /v3/reference/tickers/{ticker}`.
struct FakePolygonReference: Sendable {
    let context: FakePolygonHost.AuthenticatedRequest

    // MARK: One ticker

    /// Throws ``FakePolygonError`` for a ticker that is not listed, or not any more.
    func details() throws(FakePolygonError) -> JSONDocument {
        let ticker = context.request.parameters["ticker"] ?? ""
        guard let listing = FakePolygonListing(ticker, in: context.view.market),
            context.settings.delistings[ticker] == nil
        else {
            throw .notFound(message: context.settings.tickerNotFoundMessage)
        }
        return [
            "request_id": .string(context.requestID),
            "results": .object(commonMembers(of: listing) + described(listing)),
            "status": "OK",
        ]
    }

    private func described(_ listing: FakePolygonListing) -> [JSONDocument.Member] {
        guard let company = listing.company else { return [] }
        let parts = listing.ticker.split(separator: ".")
        var members: [JSONDocument.Member] = [
            .init(name: "description", value: .string(company.description)),
            .init(name: "homepage_url", value: .string(company.website)),
            .init(name: "sic_description", value: .string(company.industry.uppercased())),
            .init(name: "total_employees", value: .integer(company.employees)),
            .init(name: "share_class_shares_outstanding", value: .integer(company.thousandsOfShares * 1_000)),
            .init(name: "ticker_root", value: .string(String(parts.first ?? ""))),
            .init(name: "round_lot", value: 100),
            .init(name: "branding", value: ["logo_url": .string(logo(of: company))]),
        ]
        if parts.count > 1 { members.append("ticker_suffix", .string(String(parts[1]))) }
        if let price = context.view.price(listing.instrument.symbol) {
            let value = JSONDocument.integer(company.marketCapitalization(at: price))
            members.append("market_cap", value)
        }
        return members
    }

    /// Returns the address of a logo; fetching it requires the key.
    private func logo(of company: Company) -> String {
        "\(context.linkBase)/v1/reference/company-branding/\(company.cik)/images/logo.svg"
    }

    // MARK: Many tickers

    /// Throws ``FakePolygonError`` for an invalid parameter.
    func list() throws(FakePolygonError) -> JSONDocument {
        guard let limit = Int(context["limit"] ?? "100"), (1...1_000).contains(limit) else {
            throw .badRequest("the limit must be a number from 1 to 1000")
        }
        let found = try found()
        let first = context["after"].flatMap { after in
            found.firstIndex { $0.ticker == after }.map { $0 + 1 }
        }
        let page = found.dropFirst(first ?? 0).prefix(limit)
        var members: [JSONDocument.Member] = [
            .init(name: "results", value: .array(page.map { .object(commonMembers(of: $0)) })),
            .init(name: "status", value: "OK"),
            .init(name: "request_id", value: .string(context.requestID)),
            .init(name: "count", value: .integer(page.count)),
        ]
        if let last = page.last, last.ticker != found.last?.ticker {
            members.append("next_url", .string(link(after: last)))
        }
        return .object(members)
    }

    /// Returns the listings that match the parameters, in the requested order.
    private func found() throws(FakePolygonError) -> [FakePolygonListing] {
        let isAscending: Bool =
            switch context["order"] ?? "asc" {
            case "asc": true
            case "desc": false
            case let order: throw .badRequest("could not parse '\(order)' for 'order'")
            }
        let key = try key(for: context["sort"] ?? "ticker")
        let isActive = context["active"] != "false"
        let range = FakePolygonRangeFilter(of: "ticker", context)
        let search = context["search"].flatMap { $0.isEmpty ? nil : $0 }
        let candidates =
            search.map { text in
                ListingSearch(instruments: FakeInstrument.all) { FakePolygonListing($0).ticker }.hits(
                    for: text
                )
                .map { FakePolygonListing($0.instrument) }
            } ?? FakeInstrument.all.map { FakePolygonListing($0) }
        return
            candidates
            .filter { listing in
                (context.settings.delistings[listing.ticker] == nil) == isActive
                    && range.contains(listing.ticker) && isAllowed(listing.type, "type")
                    && isAllowed(listing.market, "market") && isAllowed(listing.exchange, "exchange")
                    && isAllowed((listing.company?.cik).map(Self.paddedCIK), "cik")
            }
            .sorted { left, right in
                let (first, second) = isAscending ? (left, right) : (right, left)
                return (key(first), first.ticker) < (key(second), second.ticker)
            }
    }

    private func isAllowed(_ value: String?, _ parameter: String) -> Bool {
        context[parameter].map { $0.isEmpty || $0 == value } ?? true
    }

    private func key(for sort: String) throws(FakePolygonError) -> @Sendable (FakePolygonListing) -> String {
        switch sort {
        case "ticker": return { $0.ticker }
        case "name": return { $0.instrument.displayName }
        case "market": return { $0.market }
        case "type": return { $0.type ?? "" }
        case "primary_exchange": return { $0.exchange ?? "" }
        default: throw .badRequest("could not parse '\(sort)' for 'sort'")
        }
    }

    private func link(after listing: FakePolygonListing) -> String {
        let names = [
            "active", "cik", "exchange", "limit", "market", "order", "search", "sort", "ticker", "ticker.gt",
            "ticker.gte", "ticker.lt", "ticker.lte", "type",
        ]
        let cursor = FakePolygonCursor.text(
            names.compactMap { name in context[name].map { (name, $0) } } + [("after", listing.ticker)])
        return "\(context.linkBase)/v3/reference/tickers?cursor=\(cursor)"
    }

    // MARK: Both

    /// Returns the members that list and details have in common.
    private func commonMembers(of listing: FakePolygonListing) -> [JSONDocument.Member] {
        let lastDay = context.settings.delistings[listing.ticker]
        var members: [JSONDocument.Member] = [
            .init(name: "ticker", value: .string(listing.ticker)),
            .init(name: "name", value: .string(listing.instrument.displayName)),
            .init(name: "market", value: .string(listing.market)),
            .init(name: "locale", value: listing.market == "stocks" ? "us" : "global"),
            .init(name: "active", value: .bool(lastDay == nil)),
            .init(name: "currency_name", value: .string(listing.instrument.currency.lowercased())),
        ]
        if let lastDay {
            let midnight = Instant(newYorkMidnight: lastDay).description
            members.append("delisted_utc", .string(midnight))
        }
        if let exchange = listing.exchange { members.append("primary_exchange", .string(exchange)) }
        if let type = listing.type { members.append("type", .string(type)) }
        if let company = listing.company { members.append("cik", .string(Self.paddedCIK(company.cik))) }
        if let identifiers = FakeIdentifiers(of: listing.instrument.symbol) {
            members += [
                .init(name: "composite_figi", value: .string(identifiers.figi)),
                .init(name: "share_class_figi", value: .string(identifiers.shareClassFIGI)),
            ]
        }
        return members
    }

    /// Pads to ten digits.
    private static func paddedCIK(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 10 - digits.count)) + digits
    }
}

/// An instrument in Polygon's terms.
struct FakePolygonListing: Sendable {
    let instrument: FakeInstrument

    init(_ instrument: FakeInstrument) {
        self.instrument = instrument
    }

    /// Finds the instrument of a case-sensitive ticker; nil for unknown and foreign ones.
    init?(_ ticker: String, in market: Market) {
        guard let symbol = Self.marketSymbol(ticker), let instrument = market.anyInstrument(symbol),
            instrument.exchange != .london, Self(instrument).ticker == ticker
        else { return nil }
        self.init(instrument)
    }

    /// Class shares with a dot, `BRK.B`; `I:SPX`, `C:EURUSD`, `X:BTCUSD`.
    var ticker: String {
        switch instrument.assetClass {
        case .equity: instrument.symbol
        case .index: "I:\(instrument.symbol)"
        case .currencyPair(let base, let quote): "C:\(base)\(quote)"
        case .crypto(let base): "X:\(base)USD"
        }
    }

    private static func marketSymbol(_ ticker: String) -> String? {
        let name = ticker.dropFirst(2)
        if ticker.hasPrefix("I:") { return String(name) }
        if ticker.hasPrefix("C:") || ticker.hasPrefix("X:") {
            return name.count >= 6 ? "\(name.dropLast(3))/\(name.suffix(3))" : nil
        }
        return ticker
    }

    var company: Company? { Company.issuer(of: instrument.symbol) }

    /// Polygon's name of the market.
    var market: String {
        switch instrument.assetClass {
        case .equity: "stocks"
        case .index: "indices"
        case .currencyPair: "fx"
        case .crypto: "crypto"
        }
    }

    /// Polygon's code of the kind of security; nil outside of the stock market.
    var type: String? {
        switch instrument.assetClass {
        case .equity: instrument.isFund ? "ETF" : "CS"
        case .index, .currencyPair, .crypto: nil
        }
    }

    /// The exchange's ISO 10383 code; nil if it is not listed on one.
    var exchange: String? {
        switch instrument.exchange {
        case .nasdaq: "XNAS"
        case .nyse: "XNYS"
        case .arca: "ARCX"
        case .london: "XLON"
        case .overTheCounter: nil
        }
    }

    /// Returns the midnight at which a day of its market begins: in New York, or in UTC for a market that
    /// never closes.
    func midnight(of date: CalendarDate) -> Int? {
        switch instrument.assetClass {
        case .equity, .index:
            Int(Instant(newYorkMidnight: date).secondsSince1970)
        case .currencyPair, .crypto: date.daysSince1970 * 86_400
        }
    }

    /// Returns the day of its market at a second.
    func date(at second: Int) -> CalendarDate {
        let moment = Instant(secondsSince1970: Int64(second)) ?? .earliest
        switch instrument.assetClass {
        case .equity, .index: return moment.inNewYork.date
        case .currencyPair, .crypto: return moment.dateInUTC
        }
    }
}
