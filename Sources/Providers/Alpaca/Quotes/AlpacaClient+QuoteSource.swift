package import Brokerage
package import Upstream

extension AlpacaClient: QuoteSource {
    /// Alpaca names no limit; two hundred make an address of some 2 KB, which every proxy lets through.
    package var symbolsPerCall: Int { 200 }

    /// The latest prices of American shares: `GET /v2/stocks/snapshots`.
    ///
    /// What Alpaca does not know is not in the result, nor what cannot be a share: that is not even asked for, as one
    /// malformed symbol makes Alpaca refuse all others with it. One that it refuses nevertheless is left out, and the
    /// others are asked for again.
    package func quotes(
        for symbols: [Symbol], in context: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, Quote> {
        let snapshots = try await snapshots(of: symbols.filter(\.isAlpacaShare), in: context)
        return KeyedResults(quotes(symbols, of: snapshots))
    }

    /// The snapshots of some shares, as far as Alpaca knows them.
    func snapshots(
        of shares: [Symbol], in context: CallContext
    ) async throws(ProviderFailure) -> [Symbol: AlpacaSnapshot] {
        var wanted = AlpacaSymbolList(shares)
        while let list = try wanted.list() {
            let items = [("symbols", list), ("feed", configuration.feed?.rawValue)]
            let snapshots = try await get(
                "quotes", from: .data,
                { $0.appending(path: "v2", "stocks", "snapshots")?.appending(query: items) },
                in: context
            ) { response throws(JSONError) -> [Symbol: AlpacaSnapshot]? in
                if wanted.remove(rejectedIn: response) { return nil }
                return try JSONReader.read(response.body) { reader throws(JSONError) in
                    try AlpacaSnapshots(json: &reader).bySymbol
                }
            }
            if let snapshots { return snapshots }
        }
        return [:]
    }

    private func quotes(_ symbols: [Symbol], of snapshots: [Symbol: AlpacaSnapshot]) -> [Symbol: Quote] {
        let fetchedAt = clock.wallTime()
        var quotes: [Symbol: Quote] = [:]
        quotes.reserveCapacity(symbols.count)
        for symbol in symbols {
            quotes[symbol] = snapshots[symbol]?.quote(
                of: symbol, feed: configuration.feed, fetchedAt: fetchedAt)
        }
        return quotes
    }
}
