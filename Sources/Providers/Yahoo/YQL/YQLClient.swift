package import Brokerage
package import Upstream

/// A server with Yahoo's query language of 2017.
///
/// Every call throws ``Upstream/ProviderFailure`` only, and ends by its deadline.
package struct YQLClient: Sendable {
    package let configuration: YQLConfiguration
    package let symbolMapping = YahooSymbols()
    private let clock: TimeSource
    private let httpClient: ProviderHTTPClient

    /// - Parameters:
    ///   - configuration: The server's address.
    ///   - channel: Sends the calls, and has their quota.
    package init(_ configuration: YQLConfiguration, over channel: ProviderChannel) {
        self.configuration = configuration
        clock = channel.clock
        httpClient = channel.client(
            within: configuration.windows,
            failure: { response, now in ProviderFailure.Cause(yahoo: response, now: now) })
    }

    /// The rows of instruments; those that are not known are left out.
    private func rows(
        of symbols: [Symbol], _ operation: String, in context: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, YQLQuote> {
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
        var rows = KeyedResults<Symbol, YQLQuote>()
        for row in answer.quotes where row.isKnown {
            if let symbol = wanted[row.symbol] { rows[symbol] = row }
        }
        rows.fail(wanted, except: answer.quotes.map(\.symbol), answer.failures, of: .yahoo)
        return rows
    }

    /// No symbol contains a quotation mark.
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
        let rows = try await rows(of: symbols, "quotes", in: context)
        var quotes = KeyedResults<Symbol, Quote>(failures: rows.failures)
        for (symbol, row) in rows.found {
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
        let rows = try await rows(of: [symbol], "fundamentals", in: context)
        guard let row = rows[symbol] else {
            throw rows.failures[symbol] ?? ProviderFailure(.yahoo, .notFound)
        }
        guard let figures = row.fundamentals(of: symbol, fetchedAt: clock.wallTime()) else {
            throw ProviderFailure(.yahoo, .invalidResponse(nil))
        }
        return figures
    }
}

/// The address of a server with Yahoo's query language (YQL) in its form of 2017.
///
/// Yahoo's server was shut down in 2019; replacements for it serve programs of that time.
package struct YQLConfiguration: Sendable {
    /// The address before `/v1/public/yql`.
    package let base: ProviderBaseURL
    /// The maximum number of symbols in one query; at least 1.
    package let symbolsPerCall: Int
    package let windows: [QuotaWindow]

    package init(base: ProviderBaseURL, symbolsPerCall: Int = 100, windows: [QuotaWindow] = []) {
        self.base = base
        self.symbolsPerCall = max(symbolsPerCall, 1)
        self.windows = windows
    }
}

/// Figures as the query language has them: text, made to be shown.
package enum YQLNumber {
    /// Reads `143.46`, `+0.12`, `+0.08%`, `753.40B` and `<b>143.46</b>`.
    ///
    /// - Returns: The number, in per cent if it has the sign; `.some(nil)` for a text that means a missing
    ///   number; nil for any other text.
    package static func read(_ text: String) -> Decimal?? {
        var text = plain(text)
        if text.isEmpty || text == "N/A" || text == "-" { return .some(nil) }
        if text.hasSuffix("%") { text.removeLast() }
        var factor = 1
        if let last = text.last, let scale = scales[last] {
            factor = scale
            text.removeLast()
        }
        guard let value = Decimal(text), let figure = try? value * Decimal(factor) else { return nil }
        return .some(figure)
    }

    /// The text without marks of HTML and the white space around it.
    static func plain(_ text: String) -> String {
        var (plain, isMark) = ("", false)
        for character in text {
            switch character {
            case "<": isMark = true
            case ">" where isMark: isMark = false
            default: if !isMark { plain.append(character) }
            }
        }
        let start = plain.drop { $0 == " " }
        let end = start.lastIndex { $0 != " " }
        return end.map { String(start[...$0]) } ?? ""
    }

    /// The text in bold type: the price in `4:00pm - <b>143.46</b>`.
    static func bold(in text: String) -> Decimal? {
        guard let start = text.firstRange(of: "<b>"), let end = text.firstRange(of: "</b>"),
            start.upperBound <= end.lowerBound,
            let figure = read(String(text[start.upperBound..<end.lowerBound]))
        else { return nil }
        return figure
    }

    private static let scales: [Character: Int] = [
        "K": 1_000, "M": 1_000_000, "B": 1_000_000_000, "T": 1_000_000_000_000,
    ]

    /// Reads a date like `4/10/2017` and a time like `4:00pm` in New York time; nil for other texts.
    package static func newYorkTime(date: String, time: String) -> Instant? {
        let day = date.split(separator: "/").map { Int($0) }
        guard day.count == 3, let month = day[0], let dayOfMonth = day[1], let year = day[2],
            let date = CalendarDate(year: year, month: month, day: dayOfMonth)
        else { return nil }
        let clock = time.dropLast(2).split(separator: ":").map { Int($0) }
        guard clock.count == 2, let hour = clock[0], let minute = clock[1], (1...12).contains(hour) else {
            return nil
        }
        let half: Int
        switch time.suffix(2).lowercased() {
        case "am": half = 0
        case "pm": half = 12
        default: return nil
        }
        return LocalTime(date: date, hour: hour % 12 + half, minute: minute).map(Instant.init(newYork:))
    }
}

extension JSONReader {
    /// Reads a number in any form of the query language; nil for null and for texts that mean a missing
    /// number.
    static func queryFigure(_ reader: inout JSONReader) throws(JSONError) -> Decimal? {
        guard try reader.kind() == .string else { return try reader.decimalOrNil() }
        return try reader.token(oneOf: "figures like +1.50, 0.5% and 753.40B") { YQLNumber.read($0.string) }
    }
}
