package import Brokerage
package import Upstream

/// A server that speaks Yahoo's query language as it was in 2017.
///
/// Every call fails with ``Upstream/ProviderFailure`` and nothing else, and is over by the deadline that it is given.
package struct YQLClient: Sendable {
    package let configuration: YQLConfiguration
    package let symbolMapping = YahooSymbols()
    private let clock: TimeSource
    private let httpClient: ProviderHTTPClient

    /// - Parameters:
    ///   - configuration: Where the server is.
    ///   - line: What the calls go over, and whose quota they spend.
    package init(_ configuration: YQLConfiguration, over line: ProviderChannel) {
        self.configuration = configuration
        clock = line.clock
        httpClient = line.client(
            within: configuration.windows,
            failure: { response, now in ProviderFailure.Cause(yahoo: response, now: now) })
    }

    /// The rows of instruments; those that are not known are left out.
    private func rows(
        of symbols: [Symbol], _ operation: String, in context: CallContext
    ) async throws(ProviderFailure) -> [Symbol: YQLQuote] {
        var wanted: [String: Symbol] = [:]
        for symbol in symbols {
            if let spelling = symbolMapping.providerSymbol(for: symbol) { wanted[spelling] = symbol }
        }
        guard !wanted.isEmpty else { return [:] }
        guard
            let url = configuration.base.url.appending(path: "v1", "public", "yql")?
                .appending(query: Self.query(wanted.keys.sorted()))
        else { throw ProviderFailure(.yahoo, transport: .badURL) }
        let request = HTTPClientRequest(.get, url, deadline: context.deadline)
        let answer = try await httpClient.call(operation, request, in: context) {
            response throws(JSONError) in
            try JSONReader.read(response.body) { reader throws(JSONError) in
                try YQLQuotes(json: &reader)
            }
        }
        var rows: [Symbol: YQLQuote] = [:]
        for row in answer.quotes where row.isKnown {
            if let symbol = wanted[row.symbol] { rows[symbol] = row }
        }
        return rows
    }

    /// No spelling has a quotation mark, as no symbol has one.
    private static func query(_ spellings: [String]) -> [(name: String, value: String?)] {
        let list = spellings.map { "\"\($0)\"" }.joined(separator: ",")
        return [
            ("q", "select * from yahoo.finance.quotes where symbol in (\(list))"), ("format", "json"),
            ("env", "store://datatables.org/alltableswithkeys"),
        ]
    }
}

extension YQLClient: QuoteSource {
    package var symbolsPerCall: Int { configuration.symbolsPerCall }

    /// One query for all.
    package func quotes(
        for symbols: [Symbol], in context: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, Quote> {
        let fetchedAt = clock.wallTime()
        var quotes = KeyedResults<Symbol, Quote>()
        for (symbol, row) in try await rows(of: symbols, "quotes", in: context) {
            if let quote = row.quote(of: symbol, fetchedAt: fetchedAt) {
                quotes[symbol] = quote
            } else {
                quotes.failures[symbol] = ProviderFailure(.yahoo, .invalidResponse(nil))
            }
        }
        return quotes
    }
}

extension YQLClient: FundamentalsSource {
    package func fundamentals(
        of symbol: Symbol, in context: CallContext
    ) async throws(ProviderFailure) -> Fundamentals {
        guard let row = try await rows(of: [symbol], "fundamentals", in: context)[symbol] else {
            throw ProviderFailure(.yahoo, .notFound)
        }
        guard let figures = row.fundamentals(of: symbol, fetchedAt: clock.wallTime()) else {
            throw ProviderFailure(.yahoo, .invalidResponse(nil))
        }
        return figures
    }
}
