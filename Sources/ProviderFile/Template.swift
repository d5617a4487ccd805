import Upstream

/// A text with placeholders in braces: `/quotes/{symbol}`.
struct Template: Hashable, Sendable {
    enum Part: Hashable, Sendable {
        case text(String)
        case placeholder(String)
    }

    let parts: [Part]

    /// Nil for a brace without its counterpart, or an empty placeholder.
    init?(_ text: String) {
        var parts: [Part] = []
        var literal = ""
        var name: String?
        for character in text {
            switch (character, name) {
            case ("{", nil):
                if !literal.isEmpty { parts.append(.text(literal)) }
                (literal, name) = ("", "")
            case ("}", let placeholder?):
                if placeholder.isEmpty { return nil }
                parts.append(.placeholder(placeholder))
                name = nil
            case ("{", _), ("}", nil): return nil
            case (_, let placeholder?): name = placeholder + String(character)
            case (_, nil): literal.append(character)
            }
        }
        guard name == nil else { return nil }
        if !literal.isEmpty { parts.append(.text(literal)) }
        self.parts = parts
    }

    var placeholders: [String] {
        parts.compactMap { part in
            if case .placeholder(let name) = part { return name }
            return nil
        }
    }

    /// The text with the values of its placeholders; nil if one has no value.
    func filled(_ values: [String: String]) -> String? {
        var text = ""
        for part in parts {
            switch part {
            case .text(let literal): text += literal
            case .placeholder(let name):
                guard let value = values[name] else { return nil }
                text += value
            }
        }
        return text
    }
}

/// The address of a call: a path and a query with placeholders.
struct RequestTemplate: Sendable {
    /// The segments of the path.
    let path: [Template]
    let query: [(name: String, value: Template)]

    /// All placeholders.
    var placeholders: Set<String> {
        Set(path.flatMap(\.placeholders) + query.flatMap { $0.value.placeholders })
    }

    /// The same path with another query.
    func with(query: [(name: String, value: Template)]) -> RequestTemplate {
        RequestTemplate(path: path, query: query)
    }

    /// The address below the base, every value escaped; nil if a placeholder of the path has no value, or a segment would
    /// be empty.
    ///
    /// A query item whose placeholder has no value is left out.
    func url(_ base: HTTPURL, _ values: [String: String]) -> HTTPURL? {
        var url = base
        for segment in path {
            guard let text = segment.filled(values), let longer = url.appending(path: text) else {
                return nil
            }
            url = longer
        }
        return url.appending(query: query.map { ($0.name, $0.value.filled(values)) })
    }
}
