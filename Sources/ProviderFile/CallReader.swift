import Brokerage
import Upstream

/// Reads the calls of a provider, and notes their errors in the reader of the file.
struct CallReader {
    var reader: ProviderFileReader

    mutating func quotes(_ node: FileNode) -> QuoteEndpoint? {
        let count = node["symbolsPerCall"]?.integer ?? 1
        let name = count > 1 ? "symbols" : "symbol"
        let request = request(node, ["symbol", "symbols"], needs: [name])
        let isKeyed = node["keyed"]?.flag ?? false
        let fields = fields(node["fields"], QuoteField.self)
        if count > 1, !isKeyed, let node = node["fields"], fields["symbol"] == nil, !fields.isEmpty {
            reader.fail(node, "Several symbols are read by one call, so an item needs \"symbol\".")
        }
        if isKeyed, let symbol = node["fields"]?["symbol"] {
            reader.fail(symbol, "The keys of `keyed` items are the symbols. Remove one of the two.")
        }
        let items = items(node["items"])
        let status = status(node["status"])
        guard let request else { return nil }
        return QuoteEndpoint(
            request, symbolsPerCall: count, separator: node["separator"]?.text ?? ",", items: items,
            isKeyed: isKeyed, status: status, fields: fields)
    }

    mutating func charts(_ node: FileNode) -> ChartEndpoint? {
        var intervals: [Interval: [String: String]] = [:]
        var names: Set<String>?
        for member in node["intervals"]?.members ?? [] {
            var values: [String: String] = [:]
            if let text = member.value.scalarText { values = ["interval": text] }
            for part in member.value.members { values[part.key] = part.value.scalarText }
            if let names, names != Set(values.keys) {
                reader.fail(
                    member.value,
                    "It has other placeholders than the intervals before it. Give each interval the same.")
            }
            names = names ?? Set(values.keys)
            if let interval = Interval(rawValue: member.key) { intervals[interval] = values }
        }
        let adjustments = (node["adjustments"]?.members ?? []).compactMap { member in
            Adjustment(rawValue: member.key).map { ($0, member.value.scalarText ?? "") }
        }
        var known: Set<String> = ["symbol", "from", "to", "limit"]
        known.formUnion(names ?? [])
        var needed = ["symbol"] + (names ?? []).sorted()
        if !adjustments.isEmpty { known.insert("adjustment") }
        if adjustments.count > 1 { needed.append("adjustment") }
        let request = request(node, known, needs: needed)
        if let request, !request.placeholders.isDisjoint(with: ["from", "to"]), node["times"] == nil {
            reader.fail(node, "It has {from} or {to}, so it needs \"times\", the form of both.")
        }
        let isNewestFirst = node["order"]?.text == "NEWEST_FIRST"
        let more = node["more"].flatMap { reader.path($0) }
        if let pages = node["pages"], (pages.integer ?? 1) > 1 {
            if !isNewestFirst || node["more"] == nil || request?.placeholders.contains("to") == false {
                reader.fail(
                    pages,
                    "Older candles are read by time: it needs \"order\": NEWEST_FIRST, \"more\" and {to}.")
            }
        }
        let fields = fields(node["fields"], CandleField.self)
        let status = status(node["status"])
        let items = items(node["items"])
        guard let request else { return nil }
        return ChartEndpoint(
            request: request, intervals: intervals, adjustments: adjustments,
            hasExtendedHours: node["extendedHours"]?.text.map { $0 == "ALWAYS" },
            times: node["times"]?.text.flatMap(ChartEndpoint.TimeForm.init(rawValue:)) ?? .seconds,
            isNewestFirst: isNewestFirst, pages: node["pages"]?.integer ?? 1,
            hasDates: fields["time"]?.date == .date,
            reader: ChartEndpoint.reader(at: items, status: status, more: more, fields: fields),
            delayMinutes: status?.delayMinutes)
    }

    mutating func instrument(_ node: FileNode) -> InstrumentEndpoint? {
        let request = request(node, ["symbol"], needs: ["symbol"])
        let fields = fields(node["fields"], InstrumentField.self)
        let status = status(node["status"])
        let item = items(node["item"])
        guard let request else { return nil }
        return InstrumentEndpoint(
            request: request, reader: InstrumentItem.reader(at: item, status: status, fields))
    }

    mutating func search(_ node: FileNode, instrument: FileNode?) -> SearchEndpoint? {
        let request = request(node, ["text", "limit"], needs: ["text"])
        if node["fields"] == nil, instrument?["fields"] == nil {
            reader.fail(node, "It needs \"fields\", or those of \"instrument\".")
        }
        // The errors of the fields of `instrument` have been noted there.
        let before = reader
        let fields = fields(node["fields"] ?? instrument?["fields"], InstrumentField.self)
        if node["fields"] == nil { reader = before }
        let status = status(node["status"])
        let items = items(node["items"])
        guard let request else { return nil }
        return SearchEndpoint(
            request: request, maximum: node["maximum"]?.integer ?? 50,
            reader: InstrumentItem.reader(at: items, status: status, fields))
    }

    mutating func news(_ node: FileNode) -> NewsEndpoint? {
        let request = request(node, ["symbol", "symbols", "limit"], needs: [])
        let fields = fields(node["fields"], ArticleField.self)
        let status = status(node["status"])
        let items = items(node["items"])
        let next = node["next"].flatMap { reader.path($0) }
        if let query = node["nextQuery"], node["next"] == nil {
            reader.fail(query, "It needs \"next\", the path of the mark of the next page.")
        }
        if let item = node["nextItem"], node["next"] == nil {
            reader.fail(item, "It needs \"next\", the path of the address of the next page.")
        }
        let nextQuery = node["nextQuery"].map {
            query($0, ["next", "limit", "symbol", "symbols"], needs: ["next"])
        }
        let fromQuery = node["fromQuery"].map { query($0, ["from", "limit"], needs: ["from"]) }
        guard let request else { return nil }
        return NewsEndpoint(
            request: request, symbolsPerCall: node["symbolsPerCall"]?.integer ?? 1,
            separator: node["separator"]?.text ?? ",", maximum: node["maximum"]?.integer ?? 100,
            nextItem: node["nextItem"]?.text, nextQuery: nextQuery, fromQuery: fromQuery,
            reader: ArticleItem.reader(at: items, status: status, next: next, fields))
    }

    // MARK: Requests

    private mutating func request(
        _ node: FileNode, _ known: Set<String>, needs needed: [String]
    ) -> RequestTemplate? {
        let query = node["query"].map { self.query($0, known, needs: []) } ?? []
        guard let value = node["path"], let path = path(value) else { return nil }
        check(path.flatMap(\.placeholders), known, at: value)
        let request = RequestTemplate(path: path, query: query)
        for name in needed where !request.placeholders.contains(name) {
            reader.fail(value, "The path or the query needs {\(name)}.")
        }
        return request
    }

    /// The segments of a path; nil if it has an error.
    private mutating func path(_ value: FileNode) -> [Template]? {
        guard let text = value.text, text.hasPrefix("/") else { return nil }
        if text.contains("?") || text.contains("#") {
            reader.fail(value, "A path has no query. Write its items in `query`.")
            return nil
        }
        var path: [Template] = []
        for segment in text.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            guard !segment.isEmpty, segment != ".", segment != "..", let template = Template(String(segment))
            else {
                reader.fail(
                    value, "A segment is empty, . or .., or a brace has no counterpart: \"\(segment)\".")
                return nil
            }
            path.append(template)
        }
        return path
    }

    private mutating func query(
        _ node: FileNode, _ known: Set<String>, needs needed: [String]
    ) -> [(name: String, value: Template)] {
        var query: [(name: String, value: Template)] = []
        for member in node.members {
            guard let text = member.value.scalarText else { continue }
            guard let template = Template(text) else {
                reader.fail(member.value, "A brace has no counterpart. Write placeholders like {symbol}.")
                continue
            }
            check(template.placeholders, known, at: member.value)
            query.append((member.key, template))
        }
        for name in needed where !query.contains(where: { $0.value.placeholders.contains(name) }) {
            reader.fail(node, "The query needs {\(name)}.")
        }
        return query
    }

    private mutating func check(_ placeholders: [String], _ known: Set<String>, at node: FileNode) {
        for name in placeholders where !known.contains(name) {
            let names = known.sorted().map { "{\($0)}" }.joined(separator: ", ")
            reader.fail(node, "{\(name)} is not a placeholder of this call. Its placeholders are: \(names).")
        }
    }

    // MARK: Responses

    /// The path of the items; the whole response without one.
    private mutating func items(_ node: FileNode?) -> JSONPath {
        node.flatMap { reader.path($0) } ?? JSONPath([])
    }

    private mutating func status(_ node: FileNode?) -> StatusMember? {
        guard let node, let path = node["path"].flatMap({ reader.path($0) }) else { return nil }
        var choices: [String: Timeliness] = [:]
        for member in node["choices"]?.members ?? [] {
            choices[member.key] = member.value.text.flatMap(Timeliness.init(rawValue:))
        }
        return StatusMember(
            path: path, choices: choices,
            delayMinutes: node["delayMinutes"]?.integer ?? StatusMember.standardDelay)
    }

    private mutating func fields<Field: ItemField>(
        _ node: FileNode?, _ type: Field.Type
    ) -> [String: ValueMapping] {
        var fields: [String: ValueMapping] = [:]
        var keys: [JSONPath: Set<String>] = [:]
        for member in node?.members ?? [] {
            guard let field = Field(rawValue: member.key) else { continue }
            guard let mapping = mapping(member.value, field.form) else { continue }
            fields[member.key] = mapping
            for (index, step) in (mapping.path?.steps ?? []).enumerated() {
                guard case .key(let key) = step else { continue }
                keys[JSONPath(Array(mapping.path?.steps.prefix(index) ?? [])), default: []].insert(key)
            }
        }
        if let node, keys.values.contains(where: { $0.count > JSONPath.maximumKeys }) {
            reader.fail(node, "One object has more than \(JSONPath.maximumKeys) keys that are read.")
        }
        return fields
    }

    private mutating func mapping(_ node: FileNode, _ form: ValueForm) -> ValueMapping? {
        var mapping = ValueMapping()
        if case .text = node.content {
            mapping.path = reader.path(node)
            return mapping.path == nil ? nil : mapping
        }
        guard case .object(let members) = node.content else { return nil }
        for member in members where !form.conversions.contains(member.key) {
            guard ValueForm.all.contains(member.key) else { continue }
            let names = form.conversions.map { "\"\($0)\"" }.joined(separator: ", ")
            reader.fail(
                member.value, "\"\(member.key)\" does not apply to \(form.name). These apply: \(names).")
        }
        mapping.path = node["path"].flatMap { reader.path($0) }
        mapping.constant = node["value"]?.scalarText
        if (node["path"] == nil) == (node["value"] == nil) {
            reader.fail(node, "It needs either \"path\" or \"value\".")
        }
        if let value = node["value"], let text = mapping.constant, let options = form.options,
            !options.contains(text)
        {
            reader.fail(value, "\"\(text)\" is none of \(options.joined(separator: ", ")).")
        }
        mapping.times = node["times"].flatMap { number($0) }
        mapping.plus = node["plus"].flatMap { number($0) }
        mapping.date = node["date"]?.text.flatMap(ValueMapping.DateForm.init(rawValue:))
        if mapping.date == .date, !form.allowsDates, let value = node["date"] {
            reader.fail(value, "DATE has no time of day. It applies to the time of a candle only.")
        }
        mapping.each = node["each"].flatMap { reader.path($0) }
        choices(node, form, &mapping)
        return mapping
    }

    private mutating func choices(_ node: FileNode, _ form: ValueForm, _ mapping: inout ValueMapping) {
        guard let options = form.options else { return }
        let otherwise: FileNode.Member? = node.members.first { $0.key == "otherwise" }
        let values = (node["choices"]?.members ?? []).map(\.value) + [otherwise?.value].compactMap(\.self)
        for value in values {
            guard let text = value.text, !options.contains(text) else { continue }
            reader.fail(value, "\"\(text)\" is none of \(options.joined(separator: ", ")).")
        }
        if let choices = node["choices"] {
            mapping.choices = Dictionary(
                choices.members.map { ($0.key, $0.value.text ?? "") }, uniquingKeysWith: { first, _ in first }
            )
        }
        if let otherwise {
            mapping.otherwise = .value(otherwise.value.text)
            if node["choices"] == nil {
                reader.fail(otherwise.value, "It needs \"choices\".")
            }
        }
    }

    private mutating func number(_ node: FileNode) -> Decimal? {
        guard case .number(let digits) = node.content else { return nil }
        guard let value = Decimal(digits) else {
            reader.fail(node, "\(digits) is not a decimal number. Write it like 0.01.")
            return nil
        }
        return value
    }
}
