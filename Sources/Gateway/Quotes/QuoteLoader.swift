import Brokerage
import GraphQL
import Upstream

extension GatewayContext {
    /// The maximum of symbols of one `quotes` field.
    static var maximumSymbols: Int { 200 }

    /// Returns quotes in the order of the symbols, with a failure for each symbol that is invalid, unknown or failed.
    func quotes(
        of symbols: [Result<Symbol, FieldError>], from provider: ProviderID?
    ) throws -> MaybeAsync<BatchResults<Quote>?> {
        try Self.checkCount(of: symbols, maximum: Self.maximumSymbols)
        if let provider { try check(provider) }
        return Self.loadValid(symbols) { quotes(for: $0, from: provider) }.map { $0 }
    }

    /// Returns a quote for each symbol, in as few calls as the sources allow; reads in flight are joined.
    func quotes(for symbols: [Symbol], from provider: ProviderID?) -> MaybeAsync<BatchResults<Quote>> {
        quotes(for: symbols, from: provider, as: { $0 })
    }

    /// The same, with each quote converted by a function.
    func quotes<Shown>(
        for symbols: [Symbol], from provider: ProviderID?, as show: @escaping @Sendable (Quote) -> Shown
    ) -> MaybeAsync<BatchResults<Shown>> {
        if let event {
            let carried = symbols.map { event.quote(of: $0, from: provider) }
            if carried.contains(where: { $0 != nil }) {
                let others = zip(symbols, carried).filter { $0.1 == nil }.map(\.0)
                let read = others.isEmpty ? .ready([]) : readQuotes(for: others, from: provider, as: show)
                return read.map { read in
                    var rest = read.makeIterator()
                    return carried.map { quote in
                        quote.map { .success(show($0)) } ?? rest.next() ?? .failure(FieldError.internalError)
                    }
                }
            }
        }
        return readQuotes(for: symbols, from: provider, as: show)
    }

    private func readQuotes<Shown>(
        for symbols: [Symbol], from provider: ProviderID?, as show: @escaping @Sendable (Quote) -> Shown
    ) -> MaybeAsync<BatchResults<Shown>> {
        results(for: symbols, named: \.phrase, as: show) { () throws(FieldError) in
            .quotes(from: try sources(for: .quotes, from: provider), in: services.reads.quotes)
        }
    }

    /// The result of a routed read for each key, with a failure for each key that no source returned.
    ///
    /// `explain` returns the error to report for the error of a key.
    func results<Key: CacheQuery, Value, Shown>(
        for keys: [Key], named name: @escaping @Sendable (Key) -> String,
        as show: @escaping @Sendable (Value) -> Shown,
        explaining explain: @escaping @Sendable (FieldError) -> FieldError = { $0 },
        using routedRead: () throws(FieldError) -> RoutedRead<Key, Value>
    ) -> MaybeAsync<BatchResults<Shown>> {
        do throws(FieldError) {
            let routedRead = try routedRead()
            if let values = routedRead.cached(keys, for: call) {
                return .ready(values.map { .success(show($0)) })
            }
            return .async { [call] in
                zip(keys, await routedRead.read(keys, for: call)).map { key, result in
                    switch result {
                    case .success(let value): .success(show(value))
                    case .failure(let error):
                        .failure(
                            explain(
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
        try results(for: [key], named: name, as: { $0 }, using: routedRead).map { answers in
            guard let answer = answers.first else { throw FieldError.internalError }
            return try answer.get()
        }
    }

    static func checkCount(
        of entries: some Collection, of argument: String = "symbols", maximum most: Int
    ) throws(FieldError) {
        guard entries.count <= most else {
            throw .argument(argument, "It has \(entries.count) entries; at most \(most) are allowed.")
        }
    }

    /// Loads the values of the valid entries of a list together, in their order; an invalid entry has its error.
    static func loadValid<Key: Sendable, Value>(
        _ entries: [Result<Key, FieldError>], _ load: ([Key]) throws -> MaybeAsync<BatchResults<Value>>
    ) rethrows -> MaybeAsync<BatchResults<Value>> {
        let keys = entries.compactMap { try? $0.get() }
        if keys.count == entries.count { return try load(keys) }
        return try load(keys).map { values in
            var rest = values.makeIterator()
            return entries.map { entry in
                switch entry {
                case .success: rest.next() ?? .failure(FieldError.internalError)
                case .failure(let error): .failure(error)
                }
            }
        }
    }
}

extension RoutedRead<Symbol, Quote> {
    /// Reads prices, many in one call if a source supports it; a symbol whose quote has no price is read from the next one,
    /// too.
    static func quotes(from sources: [MarketDataSource], in cache: ReadCache<Symbol, Quote>) -> RoutedRead {
        RoutedRead(
            sources: sources, cache: cache, batchSize: { $0.quotes?.symbolsPerCall ?? 1 },
            supports: { $0.has($1) }, isComplete: { $0.price != nil },
            load: { source, symbols, call throws(ProviderFailure) in
                guard let quotes = source.quotes else { return [:] }
                return try await quotes.quotes(for: symbols, in: call)
            })
    }
}
