import Brokerage
import Upstream

extension SaxoListing {
    /// The same instrument under the name that somebody asked with.
    func named(_ symbol: Symbol) -> SaxoListing {
        SaxoListing(key, symbol: symbol, currencyName: currencyName)
    }
}

extension SaxoClient {
    // MARK: By symbol

    /// Which instruments these symbols are; one that Saxo does not know is not among them.
    ///
    /// - Throws: the failure of a look-up, whose symbol might be one that Saxo knows.
    func listings(
        for symbols: [Symbol], in context: CallContext
    ) async throws(ProviderFailure) -> [Symbol: SaxoListing] {
        let results = await concurrently(symbols, atMost: Self.lookUpsAtOnce) {
            symbol async throws(ProviderFailure) in
            (symbol, try await listing(for: symbol, in: context))
        }
        var listings: [Symbol: SaxoListing] = [:]
        for result in results {
            let (symbol, listing) = try result.get()
            listings[symbol] = listing
        }
        return listings
    }

    private static var lookUpsAtOnce: Int { 4 }

    /// Which instrument a symbol is; nil for one that Saxo does not know.
    func listing(
        for symbol: Symbol, in context: CallContext
    ) async throws(ProviderFailure) -> SaxoListing? {
        guard let name = SaxoName(symbol, in: configuration.dialect) else { return nil }
        let key = SaxoDirectory.key(symbol)
        if let known = directory.bySymbol.cached(key) { return known }
        guard directory.unknown.cached(key) == nil else { return nil }
        do throws(ProviderFailure) {
            return try await directory.bySymbol.value(for: key, in: context) {
                context async throws(ProviderFailure) in
                try await lookUp(symbol, name, in: context)
            }
        } catch {
            guard error.cause == .notFound else { throw error }
            _ = try await directory.unknown.value(for: key, in: context) { _ async throws(ProviderFailure) in
                true
            }
            return nil
        }
    }

    /// - Throws: `ProviderFailure`, with the cause `notFound` for what Saxo does not know.
    private func lookUp(
        _ symbol: Symbol, _ name: SaxoName, in context: CallContext
    ) async throws(ProviderFailure) -> SaxoListing {
        let dialect = configuration.dialect
        let (keywords, types): (String, [String])
        switch name {
        case .share(let ticker, _):
            (keywords, types) = (dialect.spelling(ofTicker: ticker), dialect.shareTypes)
        case .pair(let base, let quote): (keywords, types) = (base + quote, [SaxoDialect.spot])
        case .other(let spelling, let assetType):
            // The exchange is no word of the name.
            keywords = String(spelling.prefix { $0 != ":" })
            types = [assetType]
        case .uic(let key): return try await details(of: key, in: context).listing(named: symbol)
        }
        let found = try await instruments(keywords, of: types, limit: 100, in: context).filter { item in
            item.isInstrument && item.matches(name, in: dialect)
        }
        guard let best = found.min(by: { dialect.rank(of: $0) < dialect.rank(of: $1) }) else {
            throw ProviderFailure(.saxo, .notFound)
        }
        return SaxoListing(best.key, symbol: symbol, currencyName: best.currency)
    }

    /// Instruments with these words in their names.
    func instruments(
        _ keywords: String, of types: [String]?, limit: Int, in context: CallContext
    ) async throws(ProviderFailure) -> [SaxoInstrument] {
        let url = try address(
            .reference, ["v1", "instruments"],
            [
                ("Keywords", keywords), ("AssetTypes", types?.joined(separator: ",")),
                ("IncludeNonTradable", "true"), ("$top", String(limit)),
            ])
        // One page: what is not among the first hundred is no good match.
        return try await get("search", .reference, url, in: context) { response throws(JSONError) in
            try SaxoPage<SaxoInstrument>(response).items
        }
    }

    // MARK: By Uic

    /// What Saxo says of an instrument, from memory or by a call.
    func details(
        of key: SaxoKey, in context: CallContext
    ) async throws(ProviderFailure) -> SaxoInstrumentDetails {
        try await directory.details.value(for: SaxoDirectory.key(key), in: context) {
            context async throws(ProviderFailure) in
            let url = try address(
                .reference, ["v1", "instruments", "details", String(key.uic), key.assetType])
            return try await get("instrument", .reference, url, in: context) { response throws(JSONError) in
                try JSONReader.read(response.body) { reader throws(JSONError) in
                    try SaxoInstrumentDetails(json: &reader)
                }
            }
        }
    }

    /// The instruments of what an account holds or has ordered: by what the answer itself tells, else looked up.
    ///
    /// One that cannot be named otherwise is named by its Uic.
    func listings(
        of items: [(key: SaxoKey, format: SaxoFormat)], in context: CallContext
    ) async throws(ProviderFailure) -> [SaxoKey: SaxoListing] {
        var listings: [SaxoKey: SaxoListing] = [:]
        for (key, format) in items {
            guard let spelling = format.symbol, let currency = format.currency else { continue }
            listings[key] = listing(key, spelled: spelling, currency)
        }
        await directory.learn(Array(listings.values), now: clock.now())
        let missing = Set(items.map(\.key)).subtracting(listings.keys)
        for (key, listing) in try await lookUp(Array(missing), in: context) { listings[key] = listing }
        for (key, format) in items where listings[key] == nil {
            listings[key] = listing(key, spelled: format.symbol, format.currency)
        }
        return listings
    }

    private func listing(_ key: SaxoKey, spelled spelling: String?, _ currency: String?) -> SaxoListing? {
        configuration.dialect.symbol(of: key, spelled: spelling).map {
            SaxoListing(key, symbol: $0, currencyName: currency)
        }
    }

    private func lookUp(
        _ keys: [SaxoKey], in context: CallContext
    ) async throws(ProviderFailure) -> [SaxoKey: SaxoListing] {
        let byCacheKey = Dictionary(keys.map { (SaxoDirectory.key($0), $0) }) { first, _ in first }
        let results = await directory.byKey.values(
            for: Array(byCacheKey.keys), keysPerCall: Self.detailsPerCall, in: context
        ) { wanted, context async throws(ProviderFailure) in
            try await fetchListings(wanted.compactMap { byCacheKey[$0] }, in: context)
        }
        var listings: [SaxoKey: SaxoListing] = [:]
        for (cacheKey, result) in results {
            guard let key = byCacheKey[cacheKey] else { continue }
            switch result {
            case .success(let listing): listings[key] = listing
            case .failure(let failure): guard failure.cause == .notFound else { throw failure }
            }
        }
        return listings
    }

    /// Saxo names no maximum; as many make an address of less than 2 KB.
    private static var detailsPerCall: Int { 100 }

    /// `GET /ref/v1/instruments/details?Uics=&AssetTypes=`, which may also tell of pairs that nobody asked for.
    private func fetchListings(
        _ keys: [SaxoKey], in context: CallContext
    ) async throws(ProviderFailure) -> [CacheKey: SaxoListing] {
        let url = try address(
            .reference, ["v1", "instruments", "details"],
            [
                ("Uics", Set(keys.map(\.uic)).sorted().map(String.init).joined(separator: ",")),
                ("AssetTypes", Set(keys.map(\.assetType)).sorted().joined(separator: ",")),
                ("$top", Self.pageSize),
            ])
        let items = try await list(
            "instruments", .reference, url, of: SaxoInstrumentDetails.self, in: context)
        var listings: [CacheKey: SaxoListing] = [:]
        for item in items { listings[SaxoDirectory.key(item.key)] = item.listing(in: configuration.dialect) }
        return listings
    }
}

extension SaxoInstrumentDetails {
    /// The listing under the name that somebody asked with.
    fileprivate func listing(named symbol: Symbol) -> SaxoListing {
        SaxoListing(key, symbol: symbol, currencyName: about.currency)
    }
}

extension SaxoInstrument {
    /// Whether it is what a symbol means, rather than something with the same words in its name.
    fileprivate func matches(_ name: SaxoName, in dialect: SaxoDialect) -> Bool {
        guard let symbol = dialect.symbol(spelled: spelling, assetType: key.assetType) else { return false }
        return SaxoName(symbol, in: dialect) == name
    }
}

extension SaxoDialect {
    /// Below others for what is rather meant: the primary listing, then the exchanges in their order.
    fileprivate func rank(of item: SaxoInstrument) -> (Int, Int, Int) {
        let exchange = Self.exchange(in: item.spelling)?.lowercased()
        let place = exchange.flatMap { homeExchanges.firstIndex(of: $0) } ?? homeExchanges.count
        return (item.primaryListing == item.key.uic ? 0 : 1, place, item.key.uic)
    }
}
