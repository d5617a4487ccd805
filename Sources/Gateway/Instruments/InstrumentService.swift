package import Brokerage
package import GraphQL
import Upstream

/// Instruments, and what providers report about them: identity, fundamentals, listings and increments.
package struct InstrumentService: Sendable {
    let scope: RequestScope
    let reads: MarketDataReads
    let caches: ReadCaches
}

extension InstrumentService {
    package init(_ scope: RequestScope) {
        self.init(scope: scope, reads: MarketDataReads(scope), caches: scope.services.reads)
    }

    /// The instrument of a symbol, which may be a symbol of the named provider.
    func instrument(_ text: String, from provider: ProviderID?) throws -> MaybeAsync<Instrument?> {
        guard let symbol = try symbol(text, of: provider) else { return .ready(nil) }
        return try reads.result(for: symbol, named: \.phrase) { () throws(FieldError) in
            instrumentRead(from: try reads.sources(for: .instruments, from: provider))
        }.map { $0 }
    }

    /// The instrument of a symbol as a provider trades it.
    func instrument(_ symbol: Symbol, at provider: ProviderID) throws -> MaybeAsync<Instrument?> {
        try reads.result(for: symbol, named: \.phrase) { () throws(FieldError) in
            instrumentRead(from: try reads.sources(for: .instruments, from: provider))
        }.map { $0 }
    }

    /// The instrument of each symbol.
    func instruments(for symbols: [Symbol]) -> MaybeAsync<BatchResults<Instrument?>> {
        reads.results(for: symbols, named: \.phrase, as: Optional.some) { () throws(FieldError) in
            instrumentRead(from: try reads.sources(for: .instruments, from: nil))
        }
    }

    /// The instruments of objects that may have a symbol; nil for an object without one.
    func instruments(of symbols: [Symbol?]) -> MaybeAsync<BatchResults<Instrument?>> {
        instruments(for: symbols.compactMap(\.self)).map { instruments in
            var rest = instruments[...]
            return symbols.map { symbol -> Result<Instrument?, any Error> in
                guard symbol != nil else { return .success(nil) }
                return rest.popFirst() ?? .failure(FieldError.internalError)
            }
        }
    }

    /// The routed read of instruments.
    func instrumentRead(from sources: [MarketDataSource]) -> RoutedRead<Symbol, Instrument> {
        RoutedRead(
            sources: sources, cache: caches.instruments,
            batchSize: { $0.instruments?.instrumentsPerCall ?? 1 }, supports: { $0.has($1) },
            load: { source, symbols, call throws(ProviderFailure) in
                try await source.instruments?.instruments(symbols, in: call) ?? [:]
            })
    }

    /// A symbol from a client: Portico's own, or that of the named provider.
    private func symbol(_ text: String, of provider: ProviderID?) throws(FieldError) -> Symbol? {
        if let provider {
            let dialects = try reads.sources(for: .instruments, from: provider).map(\.symbolMapping)
            if let symbol = dialects.lazy.compactMap({ $0.symbol(for: text) }).first {
                // A mapping does not change the case.
                return Symbol(typed: symbol.text)
            }
        }
        guard let symbol = Symbol(typed: text) else {
            throw .argument("symbol", Symbol.fault(of: text), provider: provider)
        }
        return symbol
    }

    /// The asset class of each position.
    ///
    /// It is the broker's, otherwise that of the instrument at the first provider that returns one other than
    /// OTHER, otherwise the one that the broker makes probable; nil if there is none.
    package func assetClasses(of positions: [ConnectedPosition]) -> MaybeAsync<[AssetClass?]> {
        let unknown = positions.filter { $0.position.assetClass == nil }.map(\.position.symbol)
        if unknown.isEmpty { return .ready(positions.map(\.position.assetClass)) }
        let pending: MaybeAsync<BatchResults<Instrument?>> = reads.results(
            for: unknown, named: \.phrase, as: Optional.some
        ) { () throws(FieldError) in
            var routedRead = instrumentRead(from: try reads.sources(for: .instruments, from: nil))
            routedRead.isComplete = { $0.assetClass != .other }
            return routedRead
        }
        return pending.map { instruments in
            var rest = instruments[...]
            return positions.map { connected in
                if let known = connected.position.assetClass { return known }
                let instrument = rest.popFirst().flatMap { try? $0.get() }
                guard let found = instrument?.assetClass, found != .other else {
                    return connected.position.probableAssetClass ?? instrument?.assetClass
                }
                return found
            }
        }
    }

    /// The description of each company: that of its instrument's source, otherwise of the first source of
    /// company figures that has one; null for instruments without a company: currencies, coins and indices.
    func descriptions(of instruments: [Instrument]) -> MaybeAsync<BatchResults<String?>> {
        let unknown = instruments.filter { $0.about == nil && $0.symbol.isShareOrFund }.map(\.symbol)
        if unknown.isEmpty { return .ready(instruments.map { .success($0.about) }) }
        let reports = reads.results(for: unknown, named: { "company \"\($0)\"" }, as: Optional.some) {
            () throws(FieldError) in
            var routedRead = fundamentalsRead(from: try reads.sources(for: .fundamentals, from: nil))
            routedRead.isComplete = { $0.about != nil }
            return routedRead
        }
        return reports.map { results in
            let found = Dictionary(zip(unknown, results), uniquingKeysWith: { first, _ in first })
            return instruments.map { instrument in
                if let about = instrument.about { return .success(about) }
                return found[instrument.symbol].map { $0.map { $0?.about } } ?? .success(nil)
            }
        }
    }

    /// The listings of each instrument.
    ///
    /// What a broker permits its client is read only if it is selected: once for each connection, for all instruments together.
    func listings(
        of instruments: [Instrument], with selected: Set<String>
    ) -> MaybeAsync<BatchResults<[ListingObject]>> {
        let listings: MaybeAsync<BatchResults<[ListingObject]>> = .each(instruments) { self.listings(of: $0) }
        let sources = reads.allSources.filter { $0.permissions != nil }
        if sources.isEmpty || selected.isDisjoint(with: ["tradable", "orderTypes"]) { return listings }
        return .async {
            var listings = try await listings.value()
            for source in sources {
                let places = listings.indices.filter { place in
                    (try? listings[place].get())?.contains { $0.scope == source.scope } ?? false
                }
                let permissions = try await reads.results(
                    for: places.map { instruments[$0].symbol }, named: \.phrase, as: { $0 }
                ) { () throws(FieldError) in permissionRead(from: source) }.value()
                for (place, permissions) in zip(places, permissions) {
                    listings[place] = listings[place].map { listings in
                        listings.map { listing in
                            var listing = listing
                            if listing.scope == source.scope { listing.permissions = permissions }
                            return listing
                        }
                    }
                }
            }
            return listings
        }
    }

    private func permissionRead(from source: MarketDataSource) -> RoutedRead<Symbol, TradingPermissions> {
        RoutedRead(
            sources: [source], cache: caches.permissions,
            batchSize: { $0.instruments?.instrumentsPerCall ?? 1 }, supports: { $0.has($1) },
            load: { source, symbols, call throws(ProviderFailure) in
                try await source.permissions?.permissions(of: symbols, in: call) ?? [:]
            })
    }

    /// The listing of an instrument at each provider that may have it: brokers are called, the symbols of
    /// data services follow from their rules.
    private func listings(of instrument: Instrument) -> MaybeAsync<[ListingObject]> {
        let symbol = instrument.symbol
        let sources = reads.allSources.filter { $0.has(symbol) }
        let brokers = sources.filter {
            $0.isBroker && $0.instruments != nil && $0.provider != instrument.listing?.provider
        }
        let pending: MaybeAsync<BatchResults<Instrument?>> = .each(brokers) { source in
            try reads.result(for: symbol, named: \.phrase) { () throws(FieldError) in
                instrumentRead(from: try reads.sources(for: .instruments, from: source.provider))
            }.map { $0 }
        }
        return pending.map { results in
            // A broker that fails or does not know the instrument has no listing.
            let listings =
                results.compactMap { try? $0.get()?.listing } + [instrument.listing].compactMap(\.self)
            return sources.compactMap { source in
                if let listing = listings.first(where: { $0.provider == source.provider }) {
                    return ListingObject(listing: listing, scope: source.scope)
                }
                guard !source.isBroker, let key = source.symbolMapping.providerSymbol(for: symbol) else {
                    return nil
                }
                let listing = Listing(provider: source.provider, key: key)
                return ListingObject(listing: listing, scope: source.scope)
            }
        }
    }
}
