package import Brokerage
package import GraphQL
import Upstream

/// Quotes, market depths and market clocks, from the providers of the route.
package struct QuoteService: Sendable {
    let scope: RequestScope
    let reads: MarketDataReads
    let caches: ReadCaches
}

extension QuoteService {
    package init(_ scope: RequestScope) {
        self.init(scope: scope, reads: MarketDataReads(scope), caches: scope.services.reads)
    }

    /// The maximum of symbols of one `quotes` field.
    static var maximumSymbols: Int { 200 }

    /// Returns quotes in the order of the symbols, with a failure for each symbol that is invalid, unknown or failed.
    package func quotes(
        of symbols: [Result<Symbol, FieldError>], from provider: ProviderID?
    ) throws -> MaybeAsync<BatchResults<Quote>?> {
        try FieldError.checkCount(of: symbols, maximum: Self.maximumSymbols)
        if let provider { try scope.services.check(provider) }
        return symbols.loadValid { quotes(for: $0, from: provider) }.map { $0 }
    }

    /// Returns a quote for each symbol, in as few calls as the sources allow; reads in flight are joined.
    package func quotes(for symbols: [Symbol], from provider: ProviderID?) -> MaybeAsync<BatchResults<Quote>>
    {
        quotes(for: symbols, from: provider, as: { $0 })
    }

    /// The same, with each quote converted by a function.
    func quotes<Shown>(
        for symbols: [Symbol], from provider: ProviderID?, as show: @escaping @Sendable (Quote) -> Shown
    ) -> MaybeAsync<BatchResults<Shown>> {
        if let event = scope.event {
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
        reads.results(for: symbols, named: \.phrase, as: show) { () throws(FieldError) in
            .quotes(from: try reads.sources(for: .quotes, from: provider), in: caches.quotes)
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
