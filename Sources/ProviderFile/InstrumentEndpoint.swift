import Brokerage
import Upstream

/// The call for one instrument.
struct InstrumentEndpoint: Sendable {
    let request: RequestTemplate
    let reader: ItemListReader<InstrumentItem>
}

/// The call that searches instruments.
struct SearchEndpoint: Sendable {
    let request: RequestTemplate
    let maximum: Int
    let reader: ItemListReader<InstrumentItem>

    static let maximumItems = 1_000
}

/// The values of an instrument.
struct InstrumentItem: Sendable {
    /// In the provider's form.
    var symbol = ""
    var name: String?
    /// The default value of its mapping is part of it.
    var assetClass: AssetClass?
    var exchange: String?
    /// As the provider names it.
    var currency: String?
    var about: String?

    /// The reader of the items at a path.
    static func reader(
        at items: JSONPath, status: StatusMember?, _ mappings: [String: ValueMapping]
    ) -> ItemListReader<InstrumentItem> {
        var initial = InstrumentItem()
        initial.currency = mappings["currency"]?.constant
        initial.exchange = mappings["exchange"]?.constant
        initial.assetClass = mappings["assetClass"]?.constant.flatMap(AssetClass.init)
        if case .value(let name)? = mappings["assetClass"]?.otherwise {
            initial.assetClass = name.flatMap(AssetClass.init)
        }
        let texts: [(String, WritableKeyPath<InstrumentItem, String?>)] = [
            ("name", \.name), ("exchange", \.exchange), ("currency", \.currency), ("about", \.about),
        ]
        let table = JSONPathFields(initial) { builder in
            builder.required(mappings["symbol"], \.symbol) { $0.scalarText }
            for (name, property) in texts {
                builder.optional(mappings[name], property, orNil: { $0.optionalText })
            }
            builder.optional(mappings["assetClass"], \.assetClass, orNil: { $0.choice(AssetClass.self) })
        }
        return ItemListReader(at: items, status: status, maximum: SearchEndpoint.maximumItems, table)
    }

    /// The item as an `Instrument` of Portico; nil for a symbol that Portico does not have.
    func instrument(_ symbols: FileSymbols, source: ProviderID, fetchedAt: Instant) -> Instrument? {
        guard let symbol = symbols.symbol(for: self.symbol) else { return nil }
        let assetClass: AssetClass =
            switch SymbolKind(symbol) {
            case .currencies: .fx
            case .crypto: .crypto
            case .index: .index
            case .listing: self.assetClass ?? .other
            case .future: .future
            case nil: .other
            }
        var instrument = Instrument(
            symbol: symbol, assetClass: assetClass,
            provenance: Provenance(source: source, fetchedAt: fetchedAt))
        instrument.name = name
        instrument.exchange = exchange
        let code = currency.map { $0.uppercased() }.flatMap { FiatCurrency.isCode($0) ? $0 : nil }
        instrument.currency =
            code ?? currency.flatMap { PriceUnit($0)?.currency } ?? symbols.currency(of: symbol)
        instrument.about = about
        instrument.listing = Listing(provider: source, key: self.symbol)
        return instrument
    }
}

/// The instruments of a provider file.
struct FileInstruments: InstrumentSource {
    let client: FileProviderClient

    func search(_ text: String, limit: Int, in call: CallContext) async throws(ProviderFailure) -> SearchHits
    {
        guard let endpoint = client.description.search else { throw ProviderFailure(client.id, .unsupported) }
        let limit = min(max(limit, 1), endpoint.maximum)
        let list = try await client.items(
            "search", endpoint.request, ["text": text, "limit": String(limit)], in: call, by: endpoint.reader)
        let fetchedAt = client.clock.wallTime()
        let hits = list.items.lazy.compactMap { item in
            item.instrument(client.symbols, source: client.id, fetchedAt: fetchedAt)
                .map { SearchHit(instrument: $0) }
        }
        return SearchHits(Array(hits.prefix(limit)), unreadable: list.unreadable)
    }

    func instrument(_ symbol: Symbol, in call: CallContext) async throws(ProviderFailure) -> Instrument {
        guard let endpoint = client.description.instrument else {
            throw ProviderFailure(client.id, .unsupported)
        }
        guard let spelling = client.symbols.providerSymbol(for: symbol) else {
            throw ProviderFailure(client.id, .notFound)
        }
        let list = try await client.items(
            "instrument", endpoint.request, ["symbol": spelling], in: call, by: endpoint.reader)
        let fetchedAt = client.clock.wallTime()
        // A list may contain similar symbols.
        let found = list.items.lazy.compactMap { item in
            item.instrument(client.symbols, source: client.id, fetchedAt: fetchedAt)
        }.first { $0.symbol == symbol }
        if let found { return found }
        // The item that could not be read may be the instrument.
        throw ProviderFailure(client.id, list.failures.first.map { .invalidResponse($0) } ?? .notFound)
    }
}
