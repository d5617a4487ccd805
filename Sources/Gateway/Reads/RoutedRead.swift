import Brokerage
import GraphQL
import Upstream

/// Reads queries from the sources of a route in order: queries that one source does not return are requested
/// from the next.
///
/// Cached values are returned without a task. Each source gets all remaining queries at once, in as few
/// calls as it allows, and half of the remaining time if another source follows. If all fail, the latest
/// stored value is returned, marked as stale.
struct RoutedRead<Query: CacheQuery, Value: Sendable>: Sendable {
    let sources: [MarketDataSource]
    let cache: ReadCache<Query, Value>
    /// The queries that decide whether a source knows the object of several queries: a chart's symbol and interval.
    ///
    /// A source's response that it does not know an object is stored for the last of them, too. Empty if it is stored for
    /// its own query only.
    var existenceQueries: @Sendable (Query) -> [Query] = { _ in [] }
    /// The number of queries in one call to a source.
    var batchSize: @Sendable (MarketDataSource) -> Int = { _ in 1 }
    /// Whether a source can have a value at all; otherwise it is not called.
    var supports: @Sendable (MarketDataSource, Query) -> Bool = { _, _ in true }
    /// Whether a value is complete, so that the next source is not called.
    ///
    /// If no source has a complete value, the first value is used.
    var isComplete: @Sendable (Value) -> Bool = { _ in true }
    let load:
        @Sendable (MarketDataSource, [Query], CallContext) async throws(ProviderFailure) -> KeyedResults<
            Query, Value
        >

    /// All values, if each is in memory from one of its sources and fresh.
    func cached(_ queries: [Query], for call: CallContext) -> [Value]? {
        guard let first = sources.first else { return nil }
        // Usually the first source has responded to all of them.
        if let values = cache.cached(queries, in: first.scope, for: call), areComplete(values) {
            return values
        }
        guard sources.count > 1 else { return nil }
        var keys: [CacheKey<Query>] = []
        keys.reserveCapacity(queries.count)
        for query in queries {
            guard let source = sources.first(where: { supports($0, query) }) else { return nil }
            keys.append(CacheKey(query, in: source.scope))
        }
        guard let values = cache.cached(keys, for: call), areComplete(values) else { return nil }
        return values
    }

    private func areComplete(_ values: [Value]) -> Bool {
        // By index, because an iterator copies each value.
        values.indices.allSatisfy { isComplete(values[$0]) }
    }

    /// A value or an error for each query, in their order.
    func read(_ queries: [Query], for call: CallContext) async -> [Result<Value, RouteError>] {
        var complete: [Value?] = Array(repeating: nil, count: queries.count)
        var partial = complete
        var failures: [[(CacheScope, ProviderFailure)]] = Array(repeating: [], count: queries.count)
        for (position, source) in sources.enumerated() {
            var wanted: [Int] = []
            wanted.reserveCapacity(queries.count)
            for index in queries.indices where complete[index] == nil && supports(source, queries[index]) {
                wanted.append(index)
            }
            if wanted.isEmpty { continue }
            let hasNext = sources.dropFirst(position + 1).contains { later in
                wanted.contains { supports(later, queries[$0]) }
            }
            let share = hasNext ? call.halved(at: cache.time.now()) : call
            let results = await request(wanted.map { queries[$0] }, from: source, for: share)
            for (index, result) in zip(wanted, results) {
                switch result {
                case .success(let value) where isComplete(value): complete[index] = value
                case .success(let value): partial[index] = partial[index] ?? value
                case .failure(let failure): failures[index].append((source.scope, failure))
                }
            }
        }
        return queries.indices.map { index in
            let value =
                complete[index] ?? partial[index]
                ?? cache.stale(queries[index], after: failures[index], for: call)
            return value.map { .success($0) } ?? .failure(RouteError(failures: failures[index].map(\.1)))
        }
    }

    /// A value or a failure for each query from one source, in their order.
    private func request(
        _ queries: [Query], from source: MarketDataSource, for call: CallContext
    ) async -> [Result<Value, ProviderFailure>] {
        let isUnknown = queries.map { query in
            existenceQueries(query).contains { cache.isUnknown($0, in: source.scope, for: call) }
        }
        let requested =
            isUnknown.contains(true) ? zip(queries, isUnknown).filter { !$0.1 }.map(\.0) : queries
        let load = load
        let results = await cache.read(
            requested, in: source.scope, batchSize: batchSize(source), for: call
        ) { queries, call throws(ProviderFailure) in
            do throws(ProviderFailure) {
                let loaded = try await load(source, queries, call)
                // A chart can fail because another provider's splits could not be read.
                let failure = loaded.failures.values.first { $0.provider == source.provider }
                if loaded.found.isEmpty, let failure {
                    source.health?.recordFailure(failure)
                } else {
                    source.health?.recordSuccess()
                }
                return loaded
            } catch {
                source.health?.recordFailure(error)
                throw error
            }
        }
        for (query, result) in zip(requested, results) where result.isUnknown {
            if let last = existenceQueries(query).last { cache.storeUnknown(last, in: source.scope) }
        }
        var rest = results.makeIterator()
        return isUnknown.map { isUnknown in
            (isUnknown ? nil : rest.next()) ?? .failure(ProviderFailure(source.provider, .notFound))
        }
    }
}

/// The failure of all sources of a route.
struct RouteError: Error {
    /// The failure of each source that was called, in the order of the route.
    let failures: [ProviderFailure]
}

extension Result where Failure == ProviderFailure {
    /// Whether the failure means that the provider does not know the object.
    fileprivate var isUnknown: Bool {
        guard case .failure(let failure) = self else { return false }
        return failure.cause == .notFound
    }
}

extension ProviderFailure {
    /// Whether the provider has no value, so that the failure does not hide one.
    var meansNoValue: Bool {
        switch cause {
        case .notFound, .unsupported: true
        default: false
        }
    }
}

extension FieldError {
    /// The error if no source of a route returned a value.
    ///
    /// A source that failed takes precedence over one that does not know the object, because it might have
    /// known it. Without failures no source was called, because the form of the symbol is of none of `providers`.
    init(_ failures: [ProviderFailure], of thing: String, from providers: [ProviderID] = []) {
        let decisive = failures.first { !$0.meansNoValue }
        if let decisive {
            self.init(decisive)
            return
        }
        if failures.count == 1, let failure = failures.first, failure.cause == .unsupported {
            self.init(failure)
            return
        }
        if failures.isEmpty {
            // A provider can have several sources, one after the other.
            let names = providers.reduce(into: [ProviderID]()) { if $0.last != $1 { $0.append($1) } }
            let subject =
                switch names.count {
                case 0: "No provider that is configured could"
                case 1: "\(names[0].name.text) cannot"
                default: "None of \(names.map(\.name.text).joined(separator: ", ")) can"
                }
            self.init(
                .notFound, "\(subject) have any \(thing).", provider: names.count == 1 ? names[0] : nil)
            return
        }
        let names = failures.map(\.provider.name.text)
        if failures.contains(where: { $0.cause == .notFound }) {
            let message =
                names.count == 1
                ? "\(names[0]) knows no \(thing)."
                : "None of \(names.joined(separator: ", ")) knows any \(thing)."
            self.init(
                .notFound, message, provider: names.count == 1 ? failures[0].provider : nil)
        } else {
            self.init(
                .unsupported, "None of \(names.joined(separator: ", ")) serves any \(thing).", provider: nil)
        }
    }
}
