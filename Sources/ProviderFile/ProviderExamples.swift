import Brokerage
import Upstream

/// The examples beside a provider file: requests, their recorded responses, and the values that they must give.
package struct ProviderExamples: Sendable {
    /// The result of an example.
    package struct Result: Sendable {
        /// The provider, the call and the number: `polygon charts 1`.
        package let name: String
        /// The differences; empty if the example passes.
        package let problems: [FileProblem]
    }

    private let examples: [ProviderExample]

    /// The file of the examples beside a provider file: `providers.examples.yaml` beside `providers.yaml`.
    package static func path(beside path: String) -> String {
        let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let dot = path[slash...].lastIndex(of: ".") ?? path.endIndex
        return path[..<dot] + ".examples" + path[dot...]
    }

    /// Reads a text.
    ///
    /// - Throws: `FileProblems` with all errors of the text.
    package init(_ text: String, file: String, of providers: ProviderFile) throws(FileProblems) {
        let node = try FileNode(text, file: file)
        var reader = ProviderFileReader(file: file, compiled: [])
        let elements = node["examples"]?.elements ?? []
        if elements.isEmpty { reader.fail(node, "It needs \"examples\", a list.") }
        examples = elements.compactMap { ProviderExample($0, of: providers, &reader) }
        guard reader.problems.isEmpty else { throw FileProblems(reader.problems) }
    }

    /// Runs all examples, without a connection.
    package func run() -> [Result] {
        examples.enumerated().map { index, example in
            Result(
                name: "\(example.provider.name) \(example.call.rawValue) \(index + 1)",
                problems: example.run())
        }
    }
}

/// One example.
struct ProviderExample: Sendable {
    enum Call: String, Sendable, CaseIterable {
        case quotes, charts, instrument, search, news
    }

    let provider: ProviderDescription
    let call: Call
    private let file: String
    private let node: FileNode
    private let symbols: [Symbol]
    private let window: ChartWindow
    private let limit: Int
    private let now: Instant

    private static let keys: Set<String> = [
        "provider", "call", "symbols", "text", "limit", "interval", "from", "to", "last", "adjustment", "now",
        "request", "status", "response", "expect", "error",
    ]

    /// Nil, and errors in the reader, for an example that cannot be run.
    init?(_ node: FileNode, of providers: ProviderFile, _ reader: inout ProviderFileReader) {
        let before = reader.problems.count
        for member in node.members where !Self.keys.contains(member.key) {
            reader.fail(
                member.value,
                "\"\(member.key)\" is not a key of an example. The keys are: "
                    + Self.keys.sorted().joined(separator: ", ") + ".")
        }
        func value<Value>(
            _ key: String, _ remedy: String, _ reader: inout ProviderFileReader, _ parse: (String) -> Value?
        ) -> Value? {
            guard let value = node[key] else { return nil }
            if let text = value.scalarText, let parsed = parse(text) { return parsed }
            reader.fail(value, remedy)
            return nil
        }
        let names = providers.providers.map(\.name.text).joined(separator: ", ")
        let provider = value("provider", "The providers of the file are: \(names).", &reader) { text in
            ProviderName(text).flatMap { providers[$0] }
        }
        let calls = Call.allCases.map(\.rawValue).joined(separator: ", ")
        let call = value("call", "The calls are: \(calls).", &reader, Call.init(rawValue:))
        symbols = (node["symbols"]?.elements ?? []).compactMap { element in
            let symbol = element.text.flatMap { Symbol($0) }
            if symbol == nil {
                reader.fail(element, "It is not a symbol of Portico, such as AAPL or EUR/USD.")
            }
            return symbol
        }
        let time = "It must be a time in RFC 3339, such as 2026-11-20T16:00:00Z."
        window = ChartWindow(
            interval: value("interval", "It must be an interval, such as ONE_DAY.", &reader, Interval.init)
                ?? .oneDay,
            from: value("from", time, &reader) { Instant($0) },
            to: value("to", time, &reader) { Instant($0) },
            last: value("last", "It must be a whole number.", &reader) { Int($0) },
            adjustment: value(
                "adjustment", "It must be an adjustment, such as RAW.", &reader, Adjustment.init))
        limit = value("limit", "It must be a whole number.", &reader) { Int($0) } ?? 10
        now = value("now", time, &reader) { Instant($0) } ?? Instant(secondsSince1970: 0) ?? .earliest
        for key in ["provider", "call", "response"] where node[key] == nil {
            reader.fail(node, "It needs \"\(key)\".")
        }
        if (node["expect"] == nil) == (node["error"] == nil) {
            reader.fail(node, "It needs either \"expect\", a list of values, or \"error\", a cause.")
        }
        switch call {
        case .quotes, .charts, .instrument:
            if symbols.isEmpty { reader.fail(node, "It needs \"symbols\".") }
        case .search: if node["text"] == nil { reader.fail(node, "It needs \"text\".") }
        case .news, nil: break
        }
        guard let provider, let call, reader.problems.count == before else { return nil }
        (self.provider, self.call, self.file, self.node) = (provider, call, reader.file, node)
    }

    private func problem(_ node: FileNode, _ message: String) -> FileProblem {
        FileProblem(file: file, line: node.line, column: node.column, field: node.field, message: message)
    }

    /// The differences; empty if the example passes.
    func run() -> [FileProblem] {
        guard let (request, values) = request else {
            return [problem(node, "\(provider.name) has no such call, or no such symbol.")]
        }
        var problems: [FileProblem] = []
        let base = provider.base.url
        let address = request.url(base, values).map { String($0.text.dropFirst(base.text.count)) }
        if let expected = node["request"], expected.text != address {
            problems.append(problem(expected, "The request is \(address ?? "no address")."))
        }
        let body = Array((node["response"]?.scalarText ?? "").utf8)
        let response = HTTPClientResponse(status: node["status"]?.integer ?? 200, head: [], body: body)
        let outcome: Swift.Result<[[String: String]], ProviderFailure>
        if let cause = provider.errors.cause(response, now: now) {
            outcome = .failure(ProviderFailure(provider.id, cause))
        } else {
            do throws(JSONError) {
                outcome = .success(
                    try JSONReader.read(body) { reader throws(JSONError) in try read(&reader) })
            } catch {
                outcome = .failure(ProviderFailure(provider.id, .invalidResponse(error)))
            }
        }
        switch outcome {
        case .failure(let failure):
            let cause = failure.cause
            if let error = node["error"] {
                if error.text != cause.name { problems.append(problem(error, "The cause is \(cause.name).")) }
            } else if let expected = node["expect"] {
                problems.append(problem(expected, "The call fails: \(cause)."))
            }
        case .success(let items):
            if let error = node["error"] {
                problems.append(problem(error, "The call succeeds with \(items.count) values."))
            } else if let expected = node["expect"] {
                problems += differences(items, expected)
            }
        }
        return problems
    }

    /// The address of the call and the values of its placeholders.
    private var request: (RequestTemplate, [String: String])? {
        let spellings = symbols.compactMap(provider.symbols.providerSymbol)
        switch call {
        case .quotes:
            guard let endpoint = provider.quotes, !spellings.isEmpty else { return nil }
            return (endpoint.request, endpoint.values(spellings))
        case .charts:
            guard let endpoint = provider.charts, let spelling = spellings.first,
                let range = ChartQueryRange(window, now: now), endpoint.intervals[window.interval] != nil
            else { return nil }
            return (endpoint.request, endpoint.values(spelling, window, range))
        case .instrument:
            guard let endpoint = provider.instrument, let spelling = spellings.first else { return nil }
            return (endpoint.request, ["symbol": spelling])
        case .search:
            guard let endpoint = provider.search else { return nil }
            let count = min(max(limit, 1), endpoint.maximum)
            return (endpoint.request, ["text": node["text"]?.scalarText ?? "", "limit": String(count)])
        case .news:
            guard let endpoint = provider.news else { return nil }
            var values = ["limit": String(min(max(limit, 1), endpoint.maximum))]
            values["symbol"] = spellings.first
            if !spellings.isEmpty { values["symbols"] = spellings.joined(separator: endpoint.separator) }
            return (endpoint.request, values)
        }
    }

    /// The values of the response, as texts by the names of the format.
    private func read(_ reader: inout JSONReader) throws(JSONError) -> [[String: String]] {
        switch call {
        case .quotes:
            guard let endpoint = provider.quotes else { return [] }
            let spellings = symbols.compactMap { symbol in
                provider.symbols.providerSymbol(for: symbol).map { (symbol: symbol, text: $0) }
            }
            return endpoint.quotes(
                try endpoint.reader.readAll(&reader), of: spellings, currency: provider.symbols.currency,
                source: provider.id, fetchedAt: now
            ).map(\.exampleValues)
        case .charts:
            guard let endpoint = provider.charts, let symbol = symbols.first else { return [] }
            let list = try endpoint.reader.readAll(&reader)
            do throws(ProviderFailure) {
                let series = try endpoint.series(
                    of: symbol, list, window, provider.symbols, source: provider.id, fetchedAt: now)
                return (0..<series.count).map { series[$0].exampleValues }
            } catch {
                throw reader.failure(.outOfRange(.decimal))
            }
        case .instrument:
            return instruments(try provider.instrument?.reader.readAll(&reader))
        case .search:
            return instruments(try provider.search?.reader.readAll(&reader))
        case .news:
            guard let endpoint = provider.news else { return [] }
            return try endpoint.reader.readAll(&reader).items
                .map { $0.article(provider.symbols, source: provider.id).exampleValues }
        }
    }

    private func instruments(_ list: ItemList<InstrumentItem>?) -> [[String: String]] {
        (list?.items ?? []).compactMap { item in
            item.instrument(provider.symbols, source: provider.id, fetchedAt: now)?.exampleValues
        }
    }

    private func differences(_ items: [[String: String]], _ expected: FileNode) -> [FileProblem] {
        var problems: [FileProblem] = []
        let elements = expected.elements
        if elements.count != items.count {
            problems.append(
                problem(expected, "The call gives \(items.count) values, not \(elements.count)."))
        }
        for (item, element) in zip(items, elements) {
            for member in element.members {
                let (actual, wanted) = (item[member.key], member.value.scalarText)
                if actual == wanted { continue }
                if let actual, let wanted, let one = Decimal(actual), let other = Decimal(wanted),
                    one == other
                {
                    continue
                }
                problems.append(problem(member.value, "It is \(actual ?? "null")."))
            }
        }
        return problems
    }
}

extension ProviderFailure.Cause {
    /// The name in the format; the description of the cause for those that it does not have.
    fileprivate var name: String {
        switch self {
        case .unavailable: ErrorForms.Cause.unavailable.rawValue
        case .timedOut: ErrorForms.Cause.timedOut.rawValue
        case .invalidResponse: ErrorForms.Cause.invalidResponse.rawValue
        case .unauthorized: ErrorForms.Cause.unauthorized.rawValue
        case .notEntitled: ErrorForms.Cause.notEntitled.rawValue
        case .notFound: ErrorForms.Cause.notFound.rawValue
        case .rateLimited: ErrorForms.Cause.rateLimited.rawValue
        case .quotaExhausted: ErrorForms.Cause.quotaExhausted.rawValue
        case .unsupported: ErrorForms.Cause.unsupported.rawValue
        case .circuitOpen, .overloaded, .tooMany, .feedFull, .cancelled, .notAllowed: description
        }
    }
}

extension Quote {
    fileprivate var exampleValues: [String: String] {
        let values: [String: String?] = [
            "symbol": symbol.text, "price": price?.description, "bid": bid?.description,
            "ask": ask?.description, "open": open?.description, "high": high?.description,
            "low": low?.description, "previousClose": previousClose?.description,
            "volume": volume?.description, "extendedHoursPrice": extendedHoursPrice?.description,
            "marketState": marketState?.rawValue, "timeliness": timeliness?.rawValue, "currency": currency,
            "delayMinutes": delayMinutes.map(String.init), "asOf": provenance.asOf?.description,
        ]
        return values.compactMapValues(\.self)
    }
}

extension Candle {
    fileprivate var exampleValues: [String: String] {
        let values: [String: String?] = [
            "time": Instant(secondsSince1970: time)?.description, "open": prices.open.description,
            "high": prices.high.description, "low": prices.low.description, "close": prices.close.description,
            "volume": volume?.description,
        ]
        return values.compactMapValues(\.self)
    }
}

extension Instrument {
    fileprivate var exampleValues: [String: String] {
        let values: [String: String?] = [
            "symbol": symbol.text, "name": name, "assetClass": assetClass.rawValue, "exchange": exchange,
            "currency": currency, "about": about,
        ]
        return values.compactMapValues(\.self)
    }
}

extension Article {
    fileprivate var exampleValues: [String: String] {
        let values: [String: String?] = [
            "id": id, "headline": headline, "summary": summary, "author": author, "url": url,
            "imageUrl": imageURL, "publisher": publisher,
            "symbols": symbols.map(\.text).joined(separator: ","), "publishedAt": publishedAt.description,
        ]
        return values.compactMapValues(\.self)
    }
}
