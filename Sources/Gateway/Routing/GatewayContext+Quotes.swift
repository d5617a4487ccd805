import Brokerage
import GraphQL
import Upstream

extension GatewayContext {
    /// As many symbols as one `quotes` field may ask for.
    private static var mostSymbols: Int { 200 }

    /// Quotes in the order asked; a failure in the place of a symbol that is unknown or failed.
    func quotes(of symbols: [Symbol], from provider: Provider?) throws -> Loading<Answers<Quote>> {
        guard symbols.count <= GatewayContext.mostSymbols else {
            throw FieldError(
                .badUserInput,
                """
                `symbols` has \(symbols.count) entries; at most \(GatewayContext.mostSymbols) can be asked for at \
                once.
                """)
        }
        return quotes(for: symbols, from: provider)
    }

    /// A quote for each symbol, in as few calls as the source allows, symbols that are asked for elsewhere at this
    /// moment not asked for again.
    func quotes(for symbols: [Symbol], from provider: Provider?) -> Loading<Answers<Quote>> {
        guard let route = backends.quoteRoute(provider) else {
            let failure = FieldError(.unsupported, "No provider of quotes is configured.", provider: provider)
            return .ready(symbols.map { _ in .failure(failure) })
        }
        let keys = symbols.map { CacheKey.public(route.provider, $0.text) }
        let reads = backends.reads.quotes
        if let quotes = reads.cached(keys, in: call) { return .ready(quotes.map { .success($0) }) }
        return .later { [call] in
            let quotes = await reads.values(
                for: keys, keysPerCall: route.source.symbolsPerCall, in: call, fetch: route.fetch)
            return zip(symbols, keys).map { symbol, key in
                GatewayContext.answer(quotes[key], for: symbol, from: route.provider)
            }
        }
    }

    private static func answer(
        _ result: Result<Quote, ProviderFailure>?, for symbol: Symbol, from provider: Provider
    ) -> Result<Quote, any Error> {
        switch result {
        case .success(let quote)?: .success(quote)
        case .failure(let failure)? where failure.cause != .notFound: .failure(FieldError(failure))
        case .failure, nil:
            .failure(
                FieldError(
                    .notFound, "\(provider.rawValue) knows no symbol \"\(symbol)\".", provider: provider))
        }
    }
}

extension QuoteRoute {
    /// Asks the source for what the cache lacks.
    fileprivate func fetch(
        _ keys: [CacheKey], _ call: CallContext
    ) async throws(ProviderFailure) -> [CacheKey: Quote] {
        let quotes = try await source.quotes(for: keys.compactMap { Symbol($0.subject) }, in: call)
        var found: [CacheKey: Quote] = [:]
        for (symbol, quote) in quotes { found[.public(provider, symbol.text)] = quote }
        return found
    }
}
