package import Brokerage
package import Upstream

extension AlpacaClient: InstrumentSource {
    /// Finds shares by ticker or name in the list of all active assets: `GET /v2/assets`, once a day.
    ///
    /// The results have no score, because Alpaca has none.
    package func search(
        _ text: String, limit: Int, in context: CallContext
    ) async throws(ProviderFailure) -> SearchHits {
        let index = try await assetCache.index(in: context) { [self] context throws(ProviderFailure) in
            try await assets(in: context)
        }
        // The search compares up to 33,000 names. If the list is in memory, nothing before it waits, and the task can still be
        // on the event loop that received the request.
        await Task.yield()
        return SearchHits(
            index.search(text, limit: limit).map {
                SearchHit(instrument: $0.instrument(fetchedAt: index.fetchedAt))
            })
    }

    /// An instrument: from the list if it is cached, else `GET /v2/assets/{symbol}`.
    package func instrument(
        _ symbol: Symbol, in context: CallContext
    ) async throws(ProviderFailure) -> Instrument {
        guard let spelling = AlpacaSymbols().providerSymbol(for: symbol) else {
            throw ProviderFailure(.alpaca, .notFound)
        }
        if let index = assetCache.cached, let asset = index[symbol] {
            return asset.instrument(fetchedAt: index.fetchedAt)
        }
        return try await get(
            "instrument", from: .trading, { $0.appending(path: "v2", "assets", spelling) }, in: context
        ) { response throws(JSONError) in
            try AlpacaAsset(json: response.body).instrument(fetchedAt: clock.wallTime())
        }
    }

    package var instrumentsPerCall: Int { 1_000 }

    /// Reads instruments: a few with one call each, more from the list, which is one call.
    ///
    /// The list contains active ones only, so those that it lacks are then read one by one.
    package func instruments(
        _ symbols: [Symbol], in context: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, Instrument> {
        if symbols.count > Self.few {
            _ = try await assetCache.index(in: context) { [self] context throws(ProviderFailure) in
                try await assets(in: context)
            }
        }
        return await eachInstrument(of: symbols, in: context)
    }

    /// The list is as large as many single responses.
    private static var few: Int { 3 }

    private func assets(in context: CallContext) async throws(ProviderFailure) -> AlpacaAssetIndex {
        let items: [(name: String, value: String?)] = [("status", "active"), ("asset_class", "us_equity")]
        return try await get(
            "assets", from: .trading, { $0.appending(path: "v2", "assets")?.appending(query: items) },
            in: context, maximumBytes: AlpacaAssetCache.responseLimit, filter: AlpacaAssetCache.filter
        ) { response throws(JSONError) in
            try JSONReader.read(response.body) { reader throws(JSONError) in
                try AlpacaAssetIndex(json: &reader, fetchedAt: clock.wallTime())
            }
        }
    }
}

/// All assets of Alpaca, which has no search: its list is read once a day and searched here.
///
/// The list is the same for all users, so the clients of one Alpaca share it; live, paper and sandbox have
/// separate lists.
package struct AlpacaAssetCache: Sendable {
    private let reads: ReadCache<SingleValueQuery, AlpacaAssetIndex>
    /// The most memory that the list takes, in bytes: 33,000 assets take some 6 MB.
    package static let weightLimit = 8 << 20
    /// The most that is kept of the response with the list until it is read, in bytes: of 33,000 assets some 6 MB.
    package static let responseLimit = 8 << 20
    /// The members that are kept.
    ///
    /// The whole response of 33,000 assets has some 21 MB.
    package static let filter = JSONMemberFilter(
        keeping: [
            "symbol", "name", "class", "exchange", "status", "tradable", "fractionable", "shortable",
        ], maximumBytes: 64 << 20)

    /// An empty cache, which the first search fills.
    package init(clock: TimeSource = .system) {
        reads = ReadCache(
            "assets", CacheBounds(entries: 1, bytes: Self.weightLimit), freshness: .fixed(.seconds(86_400)),
            weight: \.weight, loadsWithCallersCredential: true, time: clock)
    }

    /// The list if it is cached, without waiting.
    var cached: AlpacaAssetIndex? { reads.cached(SingleValueQuery(), in: .shared(.alpaca)) }

    func index(
        in context: CallContext,
        fetch: @escaping @Sendable (CallContext) async throws(ProviderFailure) -> AlpacaAssetIndex
    ) async throws(ProviderFailure) -> AlpacaAssetIndex {
        try await reads.read(SingleValueQuery(), in: .shared(.alpaca), for: context, load: fetch)
    }
}
