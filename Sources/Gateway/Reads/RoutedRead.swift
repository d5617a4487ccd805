import Brokerage
import GraphQL
import Upstream

/// Asks the sources of a route for some things: what the first cannot tell is asked of the next.
///
/// What is at hand is taken without a task. Each source is asked for all that is still wanted at once, in as few calls as it
/// allows, and leaves time for those behind it. Where none can tell, what was last known is better than nothing, and marked as stale.
struct RoutedRead<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    let sources: [MarketDataSource]
    let reads: ReadCache<Value>
    /// What a key is kept under, parameters included.
    let subject: @Sendable (Key) -> String
    /// The part of a key that decides whether a source knows it, common to several keys: a chart's symbol and
    /// interval.
    ///
    /// Nil if each key is remembered by its own subject only.
    var unknownSubject: @Sendable (Key) -> String? = { _ in nil }
    /// Whether a source's response that it does not know a key applies to the key's ``unknownSubject``.
    var storesUnknown = true
    /// How many keys a source takes in one call.
    var keysPerCall: @Sendable (MarketDataSource) -> Int = { _ in 1 }
    /// Whether a source could have it at all; one that cannot is not asked.
    var mayHave: @Sendable (MarketDataSource, Key) -> Bool = { _, _ in true }
    /// Whether a value is complete, so that the next source is not queried.
    ///
    /// If no source has such a value, the first value is used.
    var isEnough: @Sendable (Value) -> Bool = { _ in true }
    let fetch:
        @Sendable (MarketDataSource, [Key], CallContext) async throws(ProviderFailure) -> KeyedResults<
            Key, Value
        >

    /// What became of a key.
    enum Outcome {
        case found(Value)
        /// What each source that was asked said, in the order of the route.
        case failed([ProviderFailure])
    }

    /// All of them, if each is in memory from one of its sources and young enough.
    func cached(_ keys: [Key], in call: CallContext) -> [Value]? {
        guard let first = sources.first else { return nil }
        // Mostly the first source has answered for all of them.
        if let values = cachedValues(for: keys.map { first.key(subject($0)) }, in: call) { return values }
        guard sources.count > 1 else { return nil }
        var wanted: [CacheKey] = []
        wanted.reserveCapacity(keys.count)
        for key in keys {
            guard let source = sources.first(where: { mayHave($0, key) }) else { return nil }
            wanted.append(source.key(subject(key)))
        }
        return cachedValues(for: wanted, in: call)
    }

    private func cachedValues(for keys: [CacheKey], in call: CallContext) -> [Value]? {
        guard let values = reads.cached(keys, in: call), values.allSatisfy(isEnough) else { return nil }
        return values
    }

    /// An outcome for each key, in their order.
    func outcomes(for keys: [Key], in call: CallContext) async -> [Outcome] {
        var found: [Key: Value] = [:]
        var partial: [Key: Value] = [:]
        var failures: [Key: [(CacheKey, ProviderFailure)]] = [:]
        for (position, source) in sources.enumerated() {
            var seen: Set<Key> = []
            let wanted = keys.filter { found[$0] == nil && seen.insert($0).inserted && mayHave(source, $0) }
            if wanted.isEmpty { continue }
            let hasNext = sources.dropFirst(position + 1).contains { later in
                wanted.contains { mayHave(later, $0) }
            }
            let share = hasNext ? call.halved(at: reads.clock.now()) : call
            for (key, result) in await request(source, for: wanted, in: share) {
                switch result {
                case .success(let value) where isEnough(value): found[key] = value
                case .success(let value): partial[key] = partial[key] ?? value
                case .failure(let failure):
                    failures[key, default: []].append((source.key(subject(key)), failure))
                }
            }
        }
        return keys.map { key in
            let said = failures[key] ?? []
            let value = found[key] ?? partial[key] ?? reads.lastKnown(after: said, in: call)
            return value.map(Outcome.found) ?? .failed(said.map(\.1))
        }
    }

    private func request(
        _ source: MarketDataSource, for wanted: [Key], in call: CallContext
    ) async -> [(Key, Result<Value, ProviderFailure>)] {
        let asked = wanted.filter { key in
            unknownSubject(key).map { !reads.isUnknown(source.key($0), in: call) } ?? true
        }
        let keyOf = Dictionary(
            asked.map { (source.key(subject($0)), $0) }, uniquingKeysWith: { first, _ in first })
        let fetch = fetch
        let results = await reads.values(
            for: asked.map { source.key(subject($0)) }, keysPerCall: keysPerCall(source), in: call
        ) { cacheKeys, call throws(ProviderFailure) in
            let subjects = Dictionary(
                cacheKeys.compactMap { cacheKey in keyOf[cacheKey].map { ($0, cacheKey) } },
                uniquingKeysWith: { first, _ in first })
            do throws(ProviderFailure) {
                let fetched = try await fetch(source, Array(subjects.keys), call)
                if fetched.found.isEmpty, let failure = fetched.failures.values.first {
                    source.health?.recordFailure(failure)
                } else {
                    source.health?.recordSuccess()
                }
                return fetched.keyed { subjects[$0] }
            } catch {
                source.health?.recordFailure(error)
                throw error
            }
        }
        if storesUnknown {
            for key in asked where results[source.key(subject(key))]?.isUnknown ?? false {
                if let subject = unknownSubject(key) { reads.storeUnknown(source.key(subject)) }
            }
        }
        return wanted.map { key in
            (key, results[source.key(subject(key))] ?? .failure(ProviderFailure(source.provider, .notFound)))
        }
    }
}

extension Result where Failure == ProviderFailure {
    /// Whether the failure means that the provider does not know the object.
    fileprivate var isUnknown: Bool {
        guard case .failure(let failure) = self else { return false }
        return failure.cause == .notFound
    }
}

extension FieldError {
    /// What a client is told where no source of a route could answer.
    ///
    /// A source that failed says more than one that knows no such thing: perhaps it would have known.
    init(_ failures: [ProviderFailure], of thing: String) {
        let telling = failures.first { failure in
            switch failure.cause {
            case .notFound, .unsupported: false
            default: true
            }
        }
        if let telling {
            self.init(telling)
            return
        }
        if failures.count == 1, let failure = failures.first, failure.cause == .unsupported {
            self.init(failure)
            return
        }
        if failures.isEmpty {
            self.init(.notFound, "No provider that is configured could have any \(thing).", provider: nil)
            return
        }
        let names = failures.map(\.provider.rawValue)
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
