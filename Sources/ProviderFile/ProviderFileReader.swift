import Brokerage
import Upstream

/// Reads the providers of a file, and notes every error that the schema cannot express.
///
/// A value of the wrong type is skipped: the schema has reported it.
struct ProviderFileReader {
    let file: String
    private let compiled: [ProviderID]
    private(set) var problems: [FileProblem] = []

    init(file: String, compiled: [ProviderID]) {
        self.file = file
        self.compiled = compiled
    }

    mutating func fail(_ node: FileNode, _ message: String) {
        problems.append(
            FileProblem(
                file: file, line: node.line, column: node.column, field: node.field, message: message))
    }

    /// The providers; those with errors are left out.
    mutating func providers(_ node: FileNode) -> [ProviderDescription] {
        var names: Set<ProviderName> = []
        return (node["providers"]?.elements ?? []).compactMap { provider in
            let name = name(provider, among: &names)
            let description = description(provider, name)
            return description
        }
    }

    private mutating func name(_ node: FileNode, among names: inout Set<ProviderName>) -> ProviderName? {
        guard let value = node["name"], let name = value.text.flatMap({ ProviderName($0) }) else {
            return nil
        }
        if compiled.contains(ProviderID(name)) {
            fail(value, "\"\(name)\" is the name of a compiled provider. Choose another one.")
        }
        if !names.insert(name).inserted {
            fail(value, "Another provider of the file has the name \"\(name)\". Choose another one.")
        }
        return name
    }

    private mutating func description(_ node: FileNode, _ name: ProviderName?) -> ProviderDescription? {
        let base = base(node)
        let key = key(node["key"])
        let quotas = quotas(node["quotas"])
        let symbols = symbols(node["symbols"])
        let errors = errors(node["errors"])
        var calls = CallReader(reader: self)
        let quotes = node["quotes"].flatMap { calls.quotes($0) }
        let charts = node["charts"].flatMap { calls.charts($0) }
        let instrument = node["instrument"].flatMap { calls.instrument($0) }
        let search = node["search"].flatMap { calls.search($0, instrument: node["instrument"]) }
        let news = node["news"].flatMap { calls.news($0) }
        self = calls.reader
        let routes = routes(node)
        if case .object = node.content,
            ["quotes", "charts", "instrument", "search", "news"].allSatisfy({ node[$0] == nil })
        {
            fail(node, "It has no call. Add quotes, charts, instrument, search or news.")
        }
        guard let name, let base else { return nil }
        return ProviderDescription(
            name: name, base: base, key: key, quotas: quotas, symbols: symbols, routes: routes,
            errors: errors, quotes: quotes, charts: charts, instrument: instrument, search: search, news: news
        )
    }

    private mutating func base(_ node: FileNode) -> ProviderBaseURL? {
        guard let value = node["url"], let text = value.text else { return nil }
        guard let url = HTTPURL(text) else {
            fail(value, "It is not an address. Write it like https://api.example.com/v1.")
            return nil
        }
        guard url.isSecure || url.isLoopback else {
            fail(value, "It would send the key and the requests in clear text. Use https.")
            return nil
        }
        do {
            return try ProviderBaseURL(url)
        } catch {
            fail(value, "It has a query. Write the query items in `query` of the calls.")
            return nil
        }
    }

    private mutating func key(_ node: FileNode?) -> ProviderDescription.KeyPlace? {
        guard let node else { return nil }
        if let header = node["header"]?.text {
            let prefix = node["prefix"]?.text ?? ""
            guard prefix.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
                if let value = node["prefix"] { fail(value, "It has characters other than visible ASCII.") }
                return nil
            }
            if Self.reservedHeaders.contains(header.lowercased()), let value = node["header"] {
                fail(value, "\"\(header)\" is set by the HTTP client. Use the field that has the key.")
            }
            return .header(header, prefix: prefix)
        }
        if let prefix = node["prefix"] { fail(prefix, "Only a header field has a prefix. Remove it.") }
        guard let value = node["query"], let name = value.text else { return nil }
        // Addresses in logs and errors hide the values of items with such names only.
        guard Redaction.isSecret(queryItem: name) else {
            fail(
                value,
                """
                "\(name)" would not be hidden in logs: the name of the item must contain key, token, secret, auth or \
                the like. Use `header`, if the provider accepts the key there.
                """)
            return nil
        }
        return .query(name)
    }

    private static let reservedHeaders: Set<String> = [
        "accept", "accept-encoding", "connection", "content-length", "content-type", "host",
        "transfer-encoding",
        "user-agent",
    ]

    private mutating func quotas(_ node: FileNode?) -> [QuotaWindow] {
        var names: Set<String> = []
        var windows: [QuotaWindow] = []
        for quota in node?.elements ?? [] {
            guard let value = quota["name"], let name = value.text, let calls = quota["calls"]?.integer else {
                continue
            }
            if !names.insert(name).inserted {
                fail(value, "Another limit of the provider has the name \"\(name)\". Choose another one.")
            }
            let period = quota["seconds"]?.integer.map { QuotaWindow.Period.rolling(seconds: $0) }
            windows.append(QuotaWindow(name, limit: calls, per: period ?? .newYorkDay))
        }
        return windows
    }

    // MARK: Symbols

    private mutating func symbols(_ node: FileNode?) -> FileSymbols {
        var keys: Set<String> = []
        var forms: [FileSymbols.Form] = []
        for element in node?.elements ?? [] {
            guard let value = element["text"], let text = value.text else { continue }
            let template = Template(text)
            if template == nil {
                fail(value, "A brace has no counterpart. Write placeholders like {ticker}.")
            }
            guard let kind = element["kind"]?.text.flatMap(FileSymbols.Kind.init(rawValue:)) else { continue }
            let market = element["market"]
            if kind == .market, market == nil { fail(element, "MARKET needs \"market\", such as XLON.") }
            if kind != .market, let market {
                fail(market, "Only the kind MARKET has a market. Remove it.")
            }
            if !keys.insert("\(kind) \(market?.text ?? "")").inserted {
                fail(element, "The provider has another form of \(kind.rawValue). Remove one of them.")
            }
            guard let template else { continue }
            guard template.placeholders.sorted() == kind.placeholders.sorted() else {
                let names = kind.placeholders.map { "{\($0)}" }.joined(separator: " and ")
                fail(value, "The text of \(kind.rawValue) needs \(names) once, and no other placeholder.")
                continue
            }
            forms.append(
                FileSymbols.Form(
                    kind: kind, text: template, market: market?.text, currency: element["currency"]?.text,
                    days: element["days"]?.text.flatMap(CandleCalendar.Days.init(rawValue:)) ?? kind.days))
        }
        return FileSymbols(forms)
    }

    // MARK: Routes and errors

    private mutating func routes(_ node: FileNode) -> [MarketDataCapability: Int] {
        var routes: [MarketDataCapability: Int] = [:]
        for member in node["routes"]?.members ?? [] {
            let capability: MarketDataCapability
            let calls: [String]
            switch member.key {
            case "quotes": (capability, calls) = (.quotes, ["quotes"])
            case "charts": (capability, calls) = (.charts, ["charts"])
            case "instruments": (capability, calls) = (.instruments, ["instrument", "search"])
            case "news": (capability, calls) = (.news, ["news"])
            default: continue
            }
            if calls.allSatisfy({ node[$0] == nil }) {
                let names = calls.map { "`\($0)`" }.joined(separator: " or ")
                fail(member.value, "The provider has no such data. Add \(names), or remove the position.")
            }
            routes[capability] = member.value.integer
        }
        return routes
    }

    private mutating func errors(_ node: FileNode?) -> ErrorForms {
        var forms: [ErrorForms.Form] = []
        for element in node?.elements ?? [] {
            if element["status"] == nil, element["path"] == nil, case .object = element.content {
                fail(element, "It would apply to every response. Add \"status\" or \"path\".")
            }
            if let contains = element["contains"], element["path"] == nil {
                fail(contains, "It needs \"path\", the place of the text.")
            }
            let path = element["path"].flatMap { self.path($0) }
            guard let cause = element["cause"]?.text.flatMap(ErrorForms.Cause.init(rawValue:)) else {
                continue
            }
            if let pause = element["retryAfterSeconds"], cause != .rateLimited, cause != .quotaExhausted {
                fail(pause, "Only RATE_LIMITED and QUOTA_EXHAUSTED have a pause. Remove it.")
            }
            forms.append(
                ErrorForms.Form(
                    status: element["status"]?.integer, path: path,
                    text: element["contains"]?.text?.lowercased(), cause: cause,
                    retryAfterSeconds: element["retryAfterSeconds"]?.integer))
        }
        return ErrorForms(forms)
    }

    // MARK: Paths

    /// A path of a value; nil, and an error, for a text that is not one.
    mutating func path(_ node: FileNode) -> JSONPath? {
        guard let text = node.text, !text.isEmpty else { return nil }
        var steps: [JSONPath.Step] = []
        var rest = text[...]
        var needsSeparator = false
        func invalid(_ message: String) -> String {
            "\(message) Write a path like results[0].price or ['Global Quote']['05. price']."
        }
        while let first = rest.first {
            if first == "[" {
                rest = rest.dropFirst()
                if rest.first == "'" {
                    guard let end = rest.dropFirst().firstIndex(of: "'"),
                        rest[rest.index(after: end)...].first == "]"
                    else {
                        fail(node, invalid("A quoted key has no end."))
                        return nil
                    }
                    steps.append(.key(String(rest[rest.index(after: rest.startIndex)..<end])))
                    rest = rest[end...].dropFirst(2)
                } else {
                    guard let end = rest.firstIndex(of: "]"), let index = Int(rest[..<end]),
                        (0...JSONPath.maximumIndex).contains(index)
                    else {
                        fail(node, invalid("An index is a whole number from 0 to \(JSONPath.maximumIndex)."))
                        return nil
                    }
                    steps.append(.index(index))
                    rest = rest[end...].dropFirst()
                }
            } else {
                if needsSeparator {
                    guard first == "." else {
                        fail(node, invalid("\"\(first)\" follows a bracket."))
                        return nil
                    }
                    rest = rest.dropFirst()
                }
                let key = rest.prefix { $0 != "." && $0 != "[" && $0 != "]" }
                guard !key.isEmpty else {
                    fail(node, invalid("A key is empty."))
                    return nil
                }
                steps.append(.key(String(key)))
                rest = rest.dropFirst(key.count)
                if rest.first == "]" {
                    fail(node, invalid("A bracket has no counterpart."))
                    return nil
                }
            }
            needsSeparator = true
        }
        for case .key(let key) in steps
        where !(1...JSONPath.maximumKeyLength).contains(key.utf8.count) {
            fail(node, "The key \"\(key.prefix(60))\" has not 1 to \(JSONPath.maximumKeyLength) bytes.")
            return nil
        }
        return JSONPath(steps)
    }
}

extension FileSymbols.Kind {
    /// The time zone of days, unless the file has another.
    fileprivate var days: CandleCalendar.Days {
        switch self {
        case .listing, .index: .newYork
        case .market: .utc
        case .currencies, .crypto: .candles
        }
    }
}
