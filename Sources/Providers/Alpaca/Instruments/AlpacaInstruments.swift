package import Brokerage
package import Upstream

extension AlpacaClient: InstrumentSource {
    /// Finds shares by ticker or name in the list of all active assets: `GET /v2/assets`, once a day.
    ///
    /// The results have no score, because Alpaca has none.
    package func search(
        _ text: String, limit: Int, in context: CallContext
    ) async throws(ProviderFailure) -> SearchHits {
        let index = try await assetCache.index(in: context) { context throws(ProviderFailure) in
            try await assets(in: context)
        }
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
            try JSONReader.read(response.body) { reader throws(JSONError) in
                try AlpacaAsset(json: &reader).instrument(fetchedAt: clock.wallTime())
            }
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
            _ = try await assetCache.index(in: context) { context throws(ProviderFailure) in
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
            in: context, maximumBytes: AlpacaAssetCache.responseLimit
        ) { response throws(JSONError) in
            try JSONReader.read(response.body) { reader throws(JSONError) in
                AlpacaAssetIndex(try reader.array(of: AlpacaAsset.self), fetchedAt: clock.wallTime())
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
    /// The most memory that the list takes, in bytes.
    package static let weightLimit = 12 << 20
    /// The longest response with the list, in bytes: twice the current length of about ten thousand assets
    /// with 500 bytes each.
    package static let responseLimit = 10 << 20

    /// An empty cache, which the first search fills.
    package init(clock: TimeSource = .system) {
        reads = ReadCache(
            "assets", CacheBounds(entries: 1, bytes: Self.weightLimit), freshness: .fixed(.seconds(86_400)),
            weight: \.weight, time: clock)
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

/// Assets to be searched by ticker and name.
struct AlpacaAssetIndex: Sendable {
    let fetchedAt: Instant
    private let entries: [Entry]
    private let indexBySymbol: [Symbol: Int]
    /// The approximate size in bytes.
    let weight: Int

    private struct Entry: Sendable {
        let asset: AlpacaAsset
        /// In small letters.
        let ticker: [UInt8]
        let words: [[UInt8]]
    }

    /// The rank of a match; the first is the best.
    private enum MatchRank: Int, Comparable {
        case ticker
        case startOfTicker
        /// The name begins with the words of the search.
        case startOfName
        /// The name has words that begin with the words of the search.
        case words

        static func < (left: MatchRank, right: MatchRank) -> Bool { left.rawValue < right.rawValue }
    }

    init(_ assets: [AlpacaAsset], fetchedAt: Instant) {
        self.fetchedAt = fetchedAt
        let entries = assets.map { asset in
            Entry(
                asset: asset, ticker: Array(asset.symbol.text.lowercased().utf8),
                words: Self.words(asset.name ?? ""))
        }
        // Of a symbol that an active and a past asset have, the active one comes first in no order that is promised.
        indexBySymbol = Dictionary(entries.indices.map { (entries[$0].asset.symbol, $0) }) { first, second in
            entries[first].asset.isActive == false ? second : first
        }
        let letters = entries.reduce(0) { $0 + $1.ticker.count + $1.words.reduce(0) { $0 + $1.count + 32 } }
        self.entries = entries
        weight = letters * 2 + entries.count * (MemoryLayout<Entry>.stride + 96)
    }

    var count: Int { entries.count }

    subscript(symbol: Symbol) -> AlpacaAsset? { indexBySymbol[symbol].map { entries[$0].asset } }

    /// The best matches in order: by ticker, by a prefix of it, by words of the name; among equal matches,
    /// first tradable assets, then shorter tickers.
    func search(_ text: String, limit: Int) -> [AlpacaAsset] {
        let ticker = Array(text.lowercased().utf8.filter { $0 != UInt8(ascii: " ") })
        let words = Self.words(text)
        guard !ticker.isEmpty, limit > 0 else { return [] }
        var hits: [(fit: MatchRank, place: Int)] = []
        for place in entries.indices {
            if let fit = fit(entries[place], ticker, words) { hits.append((fit, place)) }
        }
        hits.sort { isBetter($0, $1) }
        return hits.prefix(limit).map { entries[$0.place].asset }
    }

    private func fit(_ entry: Entry, _ ticker: [UInt8], _ words: [[UInt8]]) -> MatchRank? {
        if entry.ticker.starts(with: ticker) {
            return entry.ticker.count == ticker.count ? .ticker : .startOfTicker
        }
        guard let last = words.last, entry.words.count >= words.count else { return nil }
        let whole = words.dropLast()
        if entry.words.starts(with: whole), entry.words[whole.count].starts(with: last) {
            return .startOfName
        }
        let hasAll = words.allSatisfy { word in entry.words.contains { $0.starts(with: word) } }
        return hasAll ? .words : nil
    }

    private func isBetter(_ left: (fit: MatchRank, place: Int), _ right: (fit: MatchRank, place: Int)) -> Bool
    {
        if left.fit != right.fit { return left.fit < right.fit }
        let (first, second) = (entries[left.place], entries[right.place])
        let (isFirst, isSecond) = (first.asset.isTradable == true, second.asset.isTradable == true)
        if isFirst != isSecond { return isFirst }
        if first.ticker.count != second.ticker.count { return first.ticker.count < second.ticker.count }
        return first.ticker.lexicographicallyPrecedes(second.ticker)
    }

    /// The words in lower case: `at`, `t`, `inc` of `AT&T Inc.`.
    private static func words(_ text: String) -> [[UInt8]] {
        text.lowercased().split { !$0.isLetter && !$0.isNumber }.map { Array($0.utf8) }
    }
}
