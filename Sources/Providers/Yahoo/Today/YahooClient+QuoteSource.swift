package import Brokerage
package import Upstream

extension YahooClient: QuoteSource {
    /// Yahoo names no limit; lists of so many are in use.
    package var symbolsPerCall: Int { 50 }

    /// `GET /v7/finance/quote`, with a crumb.
    package func quotes(
        for symbols: [Symbol], in context: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, Quote> {
        let entries = try await entries(of: symbols, "quotes", in: context)
        let fetchedAt = clock.wallTime()
        var quotes = KeyedResults<Symbol, Quote>()
        for (symbol, entry) in entries {
            if let quote = entry.quote(of: symbol, fetchedAt: fetchedAt) {
                quotes[symbol] = quote
            } else {
                quotes.failures[symbol] = ProviderFailure(.yahoo, .invalidResponse(nil))
            }
        }
        return quotes
    }

    /// What Yahoo tells of instruments; those that it does not know or no longer lists are left out.
    func entries(
        of symbols: [Symbol], _ operation: String, in context: CallContext
    ) async throws(ProviderFailure) -> [Symbol: YahooQuote] {
        var wanted: [String: Symbol] = [:]
        for symbol in symbols {
            if let spelling = symbolMapping.providerSymbol(for: symbol) { wanted[spelling] = symbol }
        }
        guard !wanted.isEmpty else { return [:] }
        let items = [("symbols", Optional(wanted.keys.sorted().joined(separator: ",")))]
        let answer = try await getWithCrumb(
            operation, { $0.appending(path: "v7", "finance", "quote")?.appending(query: items) }, in: context
        ) { reader throws(JSONError) in try YahooQuotes(json: &reader) }
        var entries: [Symbol: YahooQuote] = [:]
        for entry in answer.quotes where entry.isListed {
            if let symbol = wanted[entry.symbol] { entries[symbol] = entry }
        }
        return entries
    }
}
