import Brokerage
import Upstream

/// The call for the latest prices.
struct QuoteEndpoint: Sendable {
    let request: RequestTemplate
    let symbolsPerCall: Int
    let separator: String
    let reader: ItemListReader<QuoteItem>
    let delayMinutes: Int?

    static let maximumItems = 5_000

    /// - Parameters:
    ///   - request: The address.
    ///   - symbolsPerCall: The largest number of symbols of one call.
    ///   - separator: The text between them.
    ///   - items: The path of the items.
    ///   - isKeyed: Whether the items are the members of an object, whose keys are the symbols.
    ///   - status: The member that says that the response is a success.
    ///   - fields: The values of an item, by the names of the format.
    init(
        _ request: RequestTemplate, symbolsPerCall: Int, separator: String, items: JSONPath, isKeyed: Bool,
        status: StatusMember?, fields: [String: ValueMapping]
    ) {
        self.request = request
        self.symbolsPerCall = symbolsPerCall
        self.separator = separator
        delayMinutes = status?.delayMinutes
        let table = QuoteItem.fields(fields)
        reader = ItemListReader(at: items, isKeyed: isKeyed, status: status, maximum: Self.maximumItems) {
            key, reader throws(JSONError) in
            var item = try table.read(from: &reader)
            if let key { item.symbol = key }
            // An unknown symbol is an object without values at some providers.
            return item.isEmpty ? nil : try item.inCurrency(reader)
        }
    }
}

/// The prices of an item.
struct QuoteItem: Sendable {
    /// In the provider's form; nil for the one that was requested.
    var symbol: String?
    var price: Decimal?
    var bid: Decimal?
    var ask: Decimal?
    var open: Decimal?
    var high: Decimal?
    var low: Decimal?
    var previousClose: Decimal?
    var volume: Decimal?
    var extendedHoursPrice: Decimal?
    var marketState: MarketState?
    var timeliness: Timeliness?
    var currency: String?
    var delayMinutes: Int?
    var asOf: Instant?

    /// The table of the values.
    static func fields(_ mappings: [String: ValueMapping]) -> JSONPathFields<QuoteItem> {
        var initial = QuoteItem()
        initial.currency = mappings["currency"]?.constant
        initial.marketState = mappings["marketState"]?.constant.flatMap(MarketState.init)
        initial.timeliness = mappings["timeliness"]?.constant.flatMap(Timeliness.init)
        initial.delayMinutes = mappings["delayMinutes"]?.constant.flatMap { Int($0) }
        let prices: [(String, WritableKeyPath<QuoteItem, Decimal?>)] = [
            ("price", \.price), ("bid", \.bid), ("ask", \.ask), ("open", \.open), ("high", \.high),
            ("low", \.low), ("previousClose", \.previousClose), ("volume", \.volume),
            ("extendedHoursPrice", \.extendedHoursPrice),
        ]
        return JSONPathFields(initial) { builder in
            for (name, property) in prices { builder.optional(mappings[name], property) { $0.decimal } }
            builder.optional(mappings["symbol"], \.symbol) { $0.scalarText }
            builder.optional(mappings["marketState"], \.marketState, orNil: { $0.choice(MarketState.self) })
            builder.optional(mappings["timeliness"], \.timeliness, orNil: { $0.choice(Timeliness.self) })
            builder.optional(mappings["currency"], \.currency, orNil: { $0.optionalText })
            builder.optional(mappings["delayMinutes"], \.delayMinutes) { $0.integer }
            builder.optional(mappings["asOf"], \.asOf) { $0.instant }
        }
    }

    fileprivate var isEmpty: Bool { price == nil && bid == nil && ask == nil && previousClose == nil }

    /// The same prices in a currency, if the provider quotes hundredths of it.
    fileprivate func inCurrency(_ reader: borrowing JSONReader) throws(JSONError) -> QuoteItem {
        guard let currency, let unit = PriceUnit(currency) else {
            var item = self
            item.currency = currency.map { $0.uppercased() }.flatMap { PriceUnit($0)?.currency }
            return item
        }
        var item = self
        item.currency = unit.currency
        guard unit.isHundredth else { return item }
        let prices: [WritableKeyPath<QuoteItem, Decimal?>] = [
            \.price, \.bid, \.ask, \.open, \.high, \.low, \.previousClose, \.extendedHoursPrice,
        ]
        for property in prices {
            do throws(Decimal.Overflow) {
                if let price = item[keyPath: property] { item[keyPath: property] = try unit.amount(price) }
            } catch {
                throw reader.failure(.outOfRange(.decimal))
            }
        }
        return item
    }

    /// The item as a `Quote` of Portico.
    func quote(of symbol: Symbol, _ provenance: Provenance) -> Quote {
        var quote = Quote(symbol: symbol, provenance: provenance)
        (quote.price, quote.bid, quote.ask, quote.volume) = (price, bid, ask, volume)
        (quote.open, quote.high, quote.low) = (open, high, low)
        (quote.previousClose, quote.extendedHoursPrice) = (previousClose, extendedHoursPrice)
        (quote.marketState, quote.timeliness) = (marketState, timeliness)
        (quote.currency, quote.delayMinutes) = (currency, delayMinutes)
        return quote
    }
}

/// The latest prices of a provider file.
struct FileQuotes: QuoteSource {
    let client: FileProviderClient
    let endpoint: QuoteEndpoint

    var symbolsPerCall: Int { endpoint.symbolsPerCall }

    func quotes(
        for symbols: [Symbol], in call: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, Quote> {
        var results = KeyedResults<Symbol, Quote>()
        let spellings = symbols.compactMap { symbol in
            client.symbols.providerSymbol(for: symbol).map { (symbol, $0) }
        }
        guard !spellings.isEmpty else { return results }
        do throws(ProviderFailure) {
            let list = try await client.items(
                "quotes", endpoint.request, endpoint.values(spellings.map(\.1)), in: call,
                by: endpoint.reader)
            for quote in endpoint.quotes(
                list, of: spellings, currency: client.symbols.currency, source: client.id,
                fetchedAt: client.clock.wallTime())
            {
                results[quote.symbol] = quote
            }
            results.fail(
                Dictionary(spellings.map { ($1, $0) }) { first, _ in first },
                except: list.items.compactMap { $0.symbol ?? (spellings.count == 1 ? spellings[0].1 : nil) },
                list.failures, of: client.id)
        } catch {
            // A provider reports one unknown symbol as an error, not several.
            guard error.cause == .notFound, spellings.count == 1 else { throw error }
        }
        return results
    }
}

extension QuoteEndpoint {
    /// The values of the placeholders.
    func values(_ spellings: [String]) -> [String: String] {
        ["symbols": spellings.joined(separator: separator), "symbol": spellings.first ?? ""]
    }

    /// The quotes of a response; items of other symbols are left out.
    func quotes(
        _ list: ItemList<QuoteItem>, of spellings: [(symbol: Symbol, text: String)],
        currency: (Symbol) -> String?, source: ProviderID, fetchedAt: Instant
    ) -> [Quote] {
        let requested = Dictionary(spellings.map { ($0.text, $0.symbol) }) { first, _ in first }
        return list.items.compactMap { item in
            let symbol =
                item.symbol.map { requested[$0] } ?? (spellings.count == 1 ? spellings[0].symbol : nil)
            guard let symbol else { return nil }
            var quote = item.quote(
                of: symbol, Provenance(source: source, fetchedAt: fetchedAt, asOf: item.asOf))
            quote.currency = quote.currency ?? currency(symbol)
            quote.timeliness = quote.timeliness ?? list.timeliness
            if quote.delayMinutes == nil, list.timeliness == .delayed { quote.delayMinutes = delayMinutes }
            return quote
        }
    }
}
