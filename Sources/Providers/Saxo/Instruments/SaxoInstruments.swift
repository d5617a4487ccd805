package import Brokerage
package import Upstream

extension SaxoClient: InstrumentSource {
    /// Searches instruments by words of their names: `GET /ref/v1/instruments`.
    ///
    /// One name may find a share and the CFD on it, which are two instruments. Families, such as all options
    /// on a share, are omitted: they have no quotes.
    package func search(
        _ text: String, limit: Int, in context: CallContext
    ) async throws(ProviderFailure) -> SearchHits {
        guard !text.isEmpty, limit > 0 else { return [] }
        let page = try await instruments(text, of: nil, limit: min(limit, 100), in: context)
        let found = page.items.filter(\.isInstrument)
        await instrumentCache.learn(
            found.compactMap { $0.listing(in: configuration.symbolMapping) }, now: clock.now())
        let fetchedAt = clock.wallTime()
        return SearchHits(
            found.compactMap { $0.hit(in: configuration.symbolMapping, fetchedAt: fetchedAt) },
            unreadable: page.failures.map(\.description))
    }

    /// An instrument with the rules of its orders: `GET /ref/v1/instruments/details/{Uic}/{AssetType}`.
    package func instrument(
        _ symbol: Symbol, in context: CallContext
    ) async throws(ProviderFailure) -> Instrument {
        guard let listing = try await listing(for: symbol, in: context) else {
            throw ProviderFailure(.saxo, .notFound)
        }
        return try await details(of: listing.key, in: context)
            .instrument(named: symbol, fetchedAt: clock.wallTime())
    }

    package var searchOmitsDetails: Bool { true }

    package var instrumentsPerCall: Int { 1_000 }

    /// Instruments with the rules of their orders: `GET /ref/v1/instruments/details?Uics=&AssetTypes=`, a call for each
    /// hundred that were met before.
    package func instruments(
        _ symbols: [Symbol], in context: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, Instrument> {
        let listings = await listings(for: symbols, in: context)
        let details = await details(of: Array(Set(listings.found.values.map(\.key))), in: context)
        let fetchedAt = clock.wallTime()
        var instruments = KeyedResults<Symbol, Instrument>(failures: listings.failures)
        for (symbol, listing) in listings.found {
            instruments[symbol] = details[listing.key]?.instrument(named: symbol, fetchedAt: fetchedAt)
            if let failure = details.failures[listing.key] { instruments.failures[symbol] = failure }
        }
        return instruments
    }
}

extension SaxoClient: TradingPermissionSource {
    /// What Saxo permits the client: a call for each hundred instruments, because clients share the details in memory.
    ///
    /// An instrument that Saxo shows to another client only has no known permissions: the response for several does not have
    /// it, and a call for it alone is 404.
    package func permissions(
        of symbols: [Symbol], in context: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, TradingPermissions> {
        let listings = await listings(for: symbols, in: context)
        let keys = Array(Set(listings.found.values.map(\.key)))
        var details = KeyedResults<SaxoInstrumentKey, SaxoTradingPermissions>()
        for start in stride(from: 0, to: keys.count, by: Self.detailsPerCall) {
            let part = Array(keys.dropFirst(start).prefix(Self.detailsPerCall))
            do throws(ProviderFailure) {
                let found = try await fetchDetails(part, by: \SaxoTradingPermissions.key, in: context)
                details.merge(.success(found), for: part)
            } catch {
                if part.count > 1 || error.cause != .notFound { details.fail(part, error) }
            }
        }
        var permissions = KeyedResults<Symbol, TradingPermissions>(failures: listings.failures)
        for (symbol, listing) in listings.found {
            permissions[symbol] = details[listing.key]?.permissions ?? TradingPermissions()
            if let failure = details.failures[listing.key] {
                permissions[symbol] = nil
                permissions.failures[symbol] = failure
            }
        }
        return permissions
    }
}

extension SaxoClient {
    // MARK: By symbol

    /// Returns the instruments of symbols.
    ///
    /// A symbol that Saxo does not know has no result, and one that could not be looked up fails alone.
    ///
    /// Results are cached for a day. A new name costs a call, because Saxo searches for the words of one
    /// name; symbols that contain a Uic are looked up together.
    func listings(for symbols: [Symbol], in context: CallContext) async -> KeyedResults<Symbol, SaxoListing> {
        var batch = KeyedResults<Symbol, SaxoListing>()
        var named: [(symbol: Symbol, name: SaxoSymbolQuery)] = []
        var keys: [Symbol: SaxoInstrumentKey] = [:]
        for symbol in symbols {
            guard let name = SaxoSymbolQuery(symbol, in: configuration.symbolMapping) else { continue }
            if let known = instrumentCache.bySymbol.cached(symbol, in: .shared(.saxo)) {
                batch[symbol] = known
            } else if case .uic(let key) = name {
                keys[symbol] = key
            } else if instrumentCache.unknown.cached(symbol, in: .shared(.saxo)) == nil {
                named.append((symbol, name))
            }
        }
        let results = await concurrently(named, atMost: Self.maximumConcurrentLookups) {
            item async throws(ProviderFailure) in try await find(item.symbol, item.name, in: context)
        }
        for (item, result) in zip(named, results) { batch.add(result, for: item.symbol) }
        await addListings(of: keys, to: &batch, in: context)
        return batch
    }

    /// Adds the instruments of keys, which are looked up together; a symbol whose Uic Saxo does not know has no result.
    private func addListings(
        of keys: [Symbol: SaxoInstrumentKey], to batch: inout KeyedResults<Symbol, SaxoListing>,
        in context: CallContext
    ) async {
        if keys.isEmpty { return }
        let byKey = await listings(of: Array(Set(keys.values)), in: context)
        for (symbol, key) in keys {
            batch[symbol] = byKey[key]?.named(symbol)
            if let failure = byKey.failures[key] { batch.failures[symbol] = failure }
        }
    }

    /// Returns the instruments of symbols for prices and charts, which state their own currency: those of watchlists are not
    /// looked up, and have no currency.
    ///
    /// The unit of a price may be unknown: see ``withPriceUnits(_:in:where:)``.
    func pricedListings(
        for symbols: [Symbol], in context: CallContext
    ) async -> KeyedResults<Symbol, SaxoListing> {
        let listed = symbols.compactMap { symbol in
            instrumentCache.bySymbol.cached(symbol, in: .shared(.saxo)) == nil
                ? instrumentCache.listed.cached(symbol, in: .shared(.saxo)) : nil
        }
        let known = Set(listed.map(\.symbol))
        var batch = await listings(for: symbols.filter { !known.contains($0) }, in: context)
        for listing in listed { batch[listing.symbol] = listing }
        return batch
    }

    private static var maximumConcurrentLookups: Int { 4 }

    /// The listing of a symbol; nil if Saxo does not know it.
    package func listing(
        for symbol: Symbol, in context: CallContext
    ) async throws(ProviderFailure) -> SaxoListing? {
        let batch = await listings(for: [symbol], in: context)
        if let failure = batch.failures[symbol] { throw failure }
        return batch[symbol]
    }

    /// Nil for a name that Saxo does not know, which is not looked up again for some time.
    private func find(
        _ symbol: Symbol, _ name: SaxoSymbolQuery, in context: CallContext
    ) async throws(ProviderFailure) -> SaxoListing? {
        do throws(ProviderFailure) {
            return try await instrumentCache.bySymbol.read(symbol, in: .shared(.saxo), for: context) {
                context async throws(ProviderFailure) in
                try await lookUp(symbol, name, in: context)
            }
        } catch {
            guard error.cause == .notFound else { throw error }
            _ = try await instrumentCache.unknown.read(symbol, in: .shared(.saxo), for: context) {
                _ async throws(ProviderFailure) in
                true
            }
            return nil
        }
    }

    /// - Throws: `ProviderFailure`, with the cause `notFound` for a symbol that Saxo does not know.
    private func lookUp(
        _ symbol: Symbol, _ name: SaxoSymbolQuery, in context: CallContext
    ) async throws(ProviderFailure) -> SaxoListing {
        let symbolMapping = configuration.symbolMapping
        let (keywords, types): (String, [String])
        switch name {
        case .share(let ticker, let market):
            keywords = symbolMapping.providerSymbol(forTicker: ticker, at: market)
            types = symbolMapping.shareTypes
        case .pair(let base, let quote): (keywords, types) = (base + quote, SaxoSymbols.pairTypes)
        case .other(let spelling, let assetType):
            // The exchange is not a word of the name.
            keywords = String(spelling.prefix { $0 != ":" })
            types = [assetType]
        case .uic(let key):
            let listing = try await details(of: key, in: context).listing(in: symbolMapping)
            guard let listing else { throw ProviderFailure(.saxo, .notFound) }
            return listing.named(symbol)
        }
        let page = try await instruments(keywords, of: types, limit: 100, in: context)
        let found = page.items.filter { item in
            item.isInstrument && item.matches(name, in: symbolMapping)
        }
        guard let best = found.min(by: { symbolMapping.rank(of: $0) < symbolMapping.rank(of: $1) }) else {
            // It may be one of those that cannot be read.
            throw ProviderFailure(.saxo, page.failures.first.map { .invalidResponse($0) } ?? .notFound)
        }
        return SaxoListing(best.key, symbol: symbol, currencyName: best.currency)
    }

    /// Returns the instruments with these words in their names.
    func instruments(
        _ keywords: String, of types: [String]?, limit: Int, in context: CallContext
    ) async throws(ProviderFailure) -> SaxoPage<SaxoInstrument> {
        let url = try address(
            .reference, ["v1", "instruments"],
            [
                ("Keywords", keywords), ("AssetTypes", types?.joined(separator: ",")),
                ("IncludeNonTradable", "true"), ("$top", String(limit)),
            ])
        // One page: an instrument that is not among the first hundred is not a good match.
        return try await get("search", .reference, url, in: context) { response throws(JSONError) in
            try SaxoPage<SaxoInstrument>(response)
        }
    }

    // MARK: By Uic

    /// The details of an instrument, from memory or by a call.
    ///
    /// - Throws: `ProviderFailure`, with the cause `notFound` for an instrument that Saxo does not know.
    func details(
        of key: SaxoInstrumentKey, in context: CallContext
    ) async throws(ProviderFailure) -> SaxoInstrumentDetails {
        let batch = await details(of: [key], in: context)
        guard let details = batch[key] else {
            throw batch.failures[key] ?? ProviderFailure(.saxo, .notFound)
        }
        return details
    }

    /// The details of instruments, each once: from memory, and the others by one call.
    func details(of keys: [SaxoInstrumentKey], in context: CallContext) async -> KeyedResults<
        SaxoInstrumentKey, SaxoInstrumentDetails
    > {
        let results = await instrumentCache.details.read(
            keys, in: .shared(.saxo), batchSize: Self.detailsPerCall, for: context
        ) { wanted, context async throws(ProviderFailure) in
            try await fetchDetails(wanted, by: \SaxoInstrumentDetails.key, in: context)
        }
        var batch = KeyedResults<SaxoInstrumentKey, SaxoInstrumentDetails>()
        for (key, result) in zip(keys, results) { batch.add(result.map { $0 }, for: key) }
        return batch
    }

    /// Saxo names no maximum; as many make an address of less than 2 KB.
    private static var detailsPerCall: Int { 100 }

    /// Reads the details of instruments, or a part of them: of one by `GET /ref/v1/instruments/details/{Uic}/{AssetType}`, of
    /// several by `GET /ref/v1/instruments/details?Uics=&AssetTypes=`, which may also return combinations that were not requested.
    private func fetchDetails<Details: JSONDecodable & Sendable>(
        _ keys: [SaxoInstrumentKey], by key: KeyPath<Details, SaxoInstrumentKey>, in context: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<SaxoInstrumentKey, Details> {
        let path = ["v1", "instruments", "details"]
        if keys.count == 1, let only = keys.first {
            let url = try address(.reference, path + [String(only.uic), only.assetType])
            let item: Details = try await get("instrument", .reference, url, in: context) {
                response throws(JSONError) in
                try JSONReader.read(response.body) { reader throws(JSONError) in
                    try Details(json: &reader)
                }
            }
            return [only: item]
        }
        let url = try address(
            .reference, path,
            [
                ("Uics", Set(keys.map(\.uic)).sorted().map(String.init).joined(separator: ",")),
                ("AssetTypes", Set(keys.map(\.assetType)).sorted().joined(separator: ",")),
                ("$top", Self.pageSize),
            ])
        let list = try await list("instruments", .reference, url, of: Details.self, in: context)
        var details = KeyedResults<SaxoInstrumentKey, Details>()
        // One that cannot be read is one of those that are missing.
        if let failure = list.failures.first {
            details.fail(keys, ProviderFailure(.saxo, .invalidResponse(failure)))
        }
        for item in list.items where details[item[keyPath: key]] == nil { details[item[keyPath: key]] = item }
        return details
    }

    /// Returns the instruments of keys from the cache, or looks them up together, with the units of their prices.
    ///
    /// One whose details cannot be read has no unit if it is in the cache, else a failure.
    func listings(of keys: [SaxoInstrumentKey], in context: CallContext) async -> KeyedResults<
        SaxoInstrumentKey, SaxoListing
    > {
        var batch = KeyedResults<SaxoInstrumentKey, SaxoListing>()
        for key in keys { batch[key] = instrumentCache.byKey.cached(key, in: .shared(.saxo)) }
        let missing = keys.filter { batch[$0]?.priceUnit == nil }
        if missing.isEmpty { return batch }
        let details = await details(of: missing, in: context)
        for (key, failure) in details.failures where batch[key] == nil || !failure.isUnreadableContent {
            batch[key] = nil
            batch.failures[key] = failure
        }
        for (key, about) in details.found {
            let listing = about.listing(in: configuration.symbolMapping)
            batch[key] = batch[key].map { known in listing.map(known.adding) ?? known } ?? listing
        }
        return batch
    }

    /// Returns the instruments of an account's positions or orders: from the response itself, or looked up.
    ///
    /// An instrument without a symbol is named by its Uic. One whose details cannot be read has no currency, so that its amounts
    /// are nil, or no unit of prices, so that these are nil; it does not remove the others.
    func listings(
        of items: [(key: SaxoInstrumentKey, format: SaxoDisplayFormat)], in context: CallContext
    ) async throws(ProviderFailure) -> [SaxoInstrumentKey: SaxoListing] {
        var listings: [SaxoInstrumentKey: SaxoListing] = [:]
        for (key, format) in items {
            guard let spelling = format.symbol, let currency = format.currency else { continue }
            listings[key] = listing(key, providerSymbol: spelling, currency)
        }
        await instrumentCache.learn(Array(listings.values), now: clock.now())
        let missing = Set(items.map(\.key)).filter { listings[$0]?.priceUnit == nil }
        let lookedUp = await self.listings(of: Array(missing), in: context)
        // Positions and orders are returned completely or not at all, also without the prices of those whose unit is unknown.
        let failure = lookedUp.failures.first { listings[$0.key] == nil && !$0.value.isUnreadableContent }
        if let failure { throw failure.value }
        for (key, listing) in lookedUp.found { listings[key] = listings[key]?.adding(listing) ?? listing }
        for (key, format) in items where listings[key] == nil {
            listings[key] = listing(key, providerSymbol: format.symbol, format.currency)
        }
        return listings
    }

    private func listing(_ key: SaxoInstrumentKey, providerSymbol spelling: String?, _ currency: String?)
        -> SaxoListing?
    {
        configuration.symbolMapping.symbol(of: key, providerSymbol: spelling).map {
            SaxoListing(key, symbol: $0, currencyName: currency)
        }
    }
}

extension SaxoInstrument {
    /// Whether it is the instrument of the symbol, and not another one with the same words in its name.
    fileprivate func matches(_ name: SaxoSymbolQuery, in symbolMapping: SaxoSymbols) -> Bool {
        guard let symbol = symbolMapping.symbol(for: providerSymbol, assetType: key.assetType) else {
            return false
        }
        return SaxoSymbolQuery(symbol, in: symbolMapping) == name
    }
}

extension SaxoSymbols {
    /// The order of search results, lowest first: the primary listing, then the exchanges in their order.
    fileprivate func rank(of item: SaxoInstrument) -> (Int, Int, Int) {
        let exchange = Self.exchange(in: item.providerSymbol)?.lowercased()
        let place = exchange.flatMap { homeExchanges.firstIndex(of: $0) } ?? homeExchanges.count
        return (item.primaryListing == item.key.uic ? 0 : 1, place, item.key.uic)
    }
}
