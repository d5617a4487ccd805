import Brokerage
import GraphQL
import Upstream

/// Reads of market data from the sources that the request may use.
struct MarketDataReads: Sendable {
    let scope: RequestScope

    init(_ scope: RequestScope) {
        self.scope = scope
    }

    /// Returns the sources of a kind of data, in the order of the route.
    ///
    /// For each provider, the source with the server's own key precedes the user's connections.
    ///
    /// - Throws: `FieldError` with UNSUPPORTED if there is none.
    func sources(for capability: MarketDataCapability, from provider: ProviderID?) throws(FieldError)
        -> [MarketDataSource]
    {
        if let provider { try scope.services.check(provider) }
        let order = provider.map { [$0] } ?? scope.services.routes[capability]
        let known = allSources
        let sources = order.flatMap { provider in
            known.filter { $0.provider == provider && capability.isServed(by: $0) }
        }
        guard sources.isEmpty else { return sources }
        guard let provider else {
            throw FieldError(.unsupported, "No provider of \(capability.name) is configured.")
        }
        let isKnown = known.contains { $0.provider == provider }
        throw FieldError(
            .unsupported,
            isKnown
                ? "\(provider.name.text) has no \(capability.name)."
                : "\(provider.name.text) is neither configured nor connected.", provider: provider)
    }

    /// All sources that the session may use, those of the server first.
    var allSources: [MarketDataSource] {
        scope.services.market + ConnectionDirectory(scope).own.compactMap(\.market)
    }

    /// The result of a routed read for each key, with a failure for each key that no source returned.
    ///
    /// `explain` returns the error to report for a key and its error.
    func results<Key: CacheQuery, Value, Shown>(
        for keys: [Key], named name: @escaping @Sendable (Key) -> String,
        as show: @escaping @Sendable (Value) -> Shown,
        explaining explain: @escaping @Sendable (Key, FieldError) -> FieldError = { $1 },
        using routedRead: () throws(FieldError) -> RoutedRead<Key, Value>
    ) -> MaybeAsync<BatchResults<Shown>> {
        do throws(FieldError) {
            let routedRead = try routedRead()
            if let values = routedRead.cached(keys, for: scope.call) {
                return .ready(values.map { .success(show($0)) })
            }
            return .async { [call = scope.call] in
                zip(keys, await routedRead.read(keys, for: call)).map { key, result in
                    switch result {
                    case .success(let value): .success(show(value))
                    case .failure(let error):
                        .failure(
                            explain(
                                key,
                                FieldError(
                                    error.failures, of: name(key), from: routedRead.sources.map(\.provider))))
                    }
                }
            }
        } catch {
            return .ready(keys.map { _ in .failure(error) })
        }
    }

    /// The result of a routed read for one key.
    func result<Key: CacheQuery, Value>(
        for key: Key, named name: @escaping @Sendable (Key) -> String,
        using routedRead: () throws(FieldError) -> RoutedRead<Key, Value>
    ) throws -> MaybeAsync<Value> {
        try results(for: [key], named: name, as: { $0 }, using: routedRead).map { results in
            guard let result = results.first else { throw FieldError.internalError }
            return try result.get()
        }
    }
}

extension GatewayServices {
    /// Checks that a provider exists, whether or not it is configured.
    ///
    /// - Throws: `FieldError` with BAD_USER_INPUT for a name of none.
    func check(_ provider: ProviderID, of argument: String = "provider") throws(FieldError) {
        guard !providers.contains(provider) else { return }
        let names = providers.map { "\"\($0)\"" }.joined(separator: ", ")
        throw .argument(argument, "There is no provider \"\(provider)\". The providers are \(names).")
    }
}

extension Array {
    /// Loads the values of the valid entries of a list together, in their order; an invalid entry has its error.
    func loadValid<Key: Sendable, Value>(
        _ load: ([Key]) throws -> MaybeAsync<BatchResults<Value>>
    ) rethrows -> MaybeAsync<BatchResults<Value>> where Element == Result<Key, FieldError> {
        let keys = compactMap { try? $0.get() }
        if keys.count == count { return try load(keys) }
        return try load(keys).map { values in
            var rest = values.makeIterator()
            return map { entry in
                switch entry {
                case .success: rest.next() ?? .failure(FieldError.internalError)
                case .failure(let error): .failure(error)
                }
            }
        }
    }
}
