import Brokerage
import GraphQL
import PorticoCore
import Upstream

extension InstrumentService {
    /// Instruments by ticker or name, from all providers of the route, and behind them a failure for each provider that
    /// could not be searched, and for each instrument that could not be read.
    ///
    /// Providers with a low quota are called only if the others find nothing, one after the other until one finds something.
    /// A symbol that no name has is looked up instead, at the providers that can have it.
    ///
    /// - Throws: The error of the first provider if none could be searched.
    func search(_ arguments: SearchArguments) throws -> MaybeAsync<BatchResults<SearchHit>?> {
        let query = try SearchQuery(arguments)
        let sources = try reads.sources(for: .instruments, from: arguments.provider)
        if let symbol = Symbol(denotedBy: query.text) { return try hits(of: symbol, from: sources) }
        let groups = Self.groups(of: sources)
        let (others, scarce) = (groups.filter { !$0.hasLowQuota }, groups.filter(\.hasLowQuota))
        let first = MaybeAsync.each(others) { try hits(like: query, from: $0.sources) }
        if case .ready(let lists) = first, scarce.isEmpty || SearchHit.any(in: lists) {
            return .ready(try SearchHit.merged(lists, limit: query.limit))
        }
        return .async { [self] in
            var lists = try await first.value()
            for group in scarce where !SearchHit.any(in: lists) {
                lists += try await MaybeAsync.each([group]) {
                    try hits(like: query, from: $0.sources)
                }.value()
            }
            return try SearchHit.merged(lists, limit: query.limit)
        }
    }

    /// The instrument of a symbol from the first source that knows it, those with a low quota last; empty if none knows it.
    private func hits(
        of symbol: Symbol, from sources: [MarketDataSource]
    ) throws -> MaybeAsync<BatchResults<SearchHit>?> {
        let scarce = sources.filter(\.provider.traits.hasLowQuota)
        let others = sources.filter { !$0.provider.traits.hasLowQuota }
        return try reads.results(for: [symbol], named: \.phrase, as: { SearchHit(instrument: $0) }) {
            () throws(FieldError) in instrumentRead(from: others + scarce)
        }.map { results in
            try results.filter { result in
                guard case .failure(let error) = result else { return true }
                guard let error = error as? FieldError, error.meansNoValue else { throw error }
                return false
            }
        }
    }

    /// The instrument of each result of a search.
    ///
    /// If the currency or the decimals are selected, those that the search of a provider omits are read from this provider,
    /// together for all results. If that fails, an instrument has what the search has.
    func instruments(
        of hits: [SearchHit], with selected: Set<String>
    ) -> MaybeAsync<BatchResults<Instrument>> {
        let found = hits.map(\.instrument)
        let wanted = found.filter { instrument in
            selected.contains("currency") && instrument.currency == nil
                || selected.contains("decimals") && instrument.decimals == nil
        }
        let groups = Dictionary(grouping: wanted, by: \.provenance.source)
        let details: MaybeAsync<BatchResults<BatchResults<Instrument>>> = .each(Array(groups)) { group in
            let sources = try reads.sources(for: .instruments, from: group.key)
                .filter { $0.instruments?.searchOmitsDetails == true }
            if sources.isEmpty { return .ready([]) }
            return reads.results(for: group.value.map(\.symbol), named: \.phrase, as: { $0 }) {
                () throws(FieldError) in instrumentRead(from: sources)
            }
        }
        return details.map { lists in
            var complete: [Symbol: Instrument] = [:]
            for case .success(let results) in lists {
                for case .success(let instrument) in results { complete[instrument.symbol] = instrument }
            }
            return found.map { .success(complete[$0.symbol] ?? $0) }
        }
    }

    /// The sources of each provider, in the order of the route.
    private static func groups(of sources: [MarketDataSource]) -> [ProviderSources] {
        var groups: [ProviderSources] = []
        for source in sources {
            if let last = groups.indices.last, groups[last].provider == source.provider {
                groups[last].sources.append(source)
            } else {
                groups.append(ProviderSources(provider: source.provider, sources: [source]))
            }
        }
        return groups
    }

    /// The hits of the first source of a provider that does not fail.
    private func hits(
        like query: SearchQuery, from sources: [MarketDataSource]
    ) throws -> MaybeAsync<FoundHits> {
        let provider = sources.first?.provider
        return try reads.result(for: query, named: { "instrument like \"\($0.text)\"" }) {
            () throws(FieldError) in
            RoutedRead(
                sources: sources, cache: caches.searches,
                load: { source, queries, call throws(ProviderFailure) in
                    var hits = KeyedResults<SearchQuery, SearchHits>()
                    for query in queries {
                        hits[query] = try await source.instruments?
                            .search(query.text, limit: query.limit, in: call)
                    }
                    return hits
                })
        }.map { FoundHits(provider: provider, hits: $0) }
    }
}

/// The server's source of a provider and those of the user's connections.
private struct ProviderSources {
    let provider: ProviderID
    var sources: [MarketDataSource]

    var hasLowQuota: Bool { provider.traits.hasLowQuota }
}

/// The hits of a provider.
private struct FoundHits: Sendable {
    let provider: ProviderID?
    let hits: SearchHits

    /// A failure for each hit that could not be read.
    var failures: BatchResults<SearchHit> {
        guard let provider else { return [] }
        return hits.unreadable.map { .failure(FieldError.unreadable("an instrument", $0, of: provider)) }
    }
}

extension SearchHit {
    fileprivate static func any(in lists: BatchResults<FoundHits>) -> Bool {
        lists.contains { (try? $0.get())?.hits.isEmpty == false }
    }

    /// The hits of several providers: the best of each, then the second of each, and so on; each instrument once, in its
    /// best place.
    ///
    /// - Throws: The first failure, if there is no list.
    fileprivate static func merged(
        _ lists: BatchResults<FoundHits>, limit: Int
    ) throws -> BatchResults<SearchHit> {
        let found = lists.compactMap { try? $0.get() }
        if found.isEmpty, let first = lists.first { _ = try first.get() }
        var symbols: Set<Symbol> = []
        var hits: [SearchHit] = []
        for rank in 0..<(found.map(\.hits.count).max() ?? 0) {
            for list in found.map(\.hits) where rank < list.count {
                if symbols.insert(list[rank].instrument.symbol).inserted { hits.append(list[rank]) }
            }
        }
        let failures = lists.flatMap { list -> BatchResults<SearchHit> in
            switch list {
            case .success(let found): return found.failures
            // A provider without a search has no results to lose.
            case .failure(let error):
                return (error as? FieldError)?.code == .unsupported ? [] : [.failure(error)]
            }
        }
        return hits.prefix(limit).map { .success($0) } + failures
    }
}

/// The parameters of a search.
struct SearchQuery: CacheQuery {
    private let words: ExactText
    let limit: Int

    var text: String { words.text }

    /// The name of persisted hits: it must not change.
    var cacheName: String { "\(limit) \(text)" }

    private static let maximumHits = 50

    init(_ arguments: SearchArguments) throws(FieldError) {
        words = ExactText(arguments.text.split(separator: " ").joined(separator: " "))
        limit = arguments.first
        try FieldError.check(limit, of: "first", in: 1...Self.maximumHits)
    }
}
