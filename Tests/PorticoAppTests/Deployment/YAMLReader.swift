import TestSupport

/// Reads the part of YAML that the files in `Docker` are written in.
///
/// That is block mappings and sequences, flow sequences of scalars, anchors with merge keys, and comments. Every scalar
/// is a string. Anything else is refused by its line, so that nothing is read as what it is not.
struct YAMLReader {
    private struct Line {
        let number: Int
        var indent: Int
        var text: Substring
    }

    struct Malformed: Error, CustomStringConvertible {
        let description: String
    }

    private var lines: [Line]
    private var position = 0
    private var anchors: [String: JSONValue] = [:]

    private init(_ text: String) throws {
        lines = try text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
            .compactMap { index, line in
                let indent = line.prefix { $0 == " " }.count
                let content = YAMLReader.withoutComment(line.dropFirst(indent))
                if content.contains("\t") { throw Malformed(description: "line \(index + 1): a tab") }
                return content.isEmpty ? nil : Line(number: index + 1, indent: indent, text: content)
            }
    }

    /// The value that a text says.
    static func value(of text: String) throws -> JSONValue {
        var reader = try YAMLReader(text)
        let value = try reader.block(indent: 0)
        if reader.position < reader.lines.count {
            throw Malformed(description: "line \(reader.lines[reader.position].number): not understood")
        }
        return value
    }

    private static func withoutComment(_ text: Substring) -> Substring {
        var quote: Character?
        var previous: Character = " "
        for index in text.indices {
            let character = text[index]
            if let open = quote {
                if character == open { quote = nil }
            } else if character == "\"" || character == "'" {
                quote = character
            } else if character == "#", previous == " " {
                return trimmed(text[..<index])
            }
            previous = character
        }
        return trimmed(text)
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while text.last == " " { text.removeLast() }
        return text
    }

    // MARK: - Blocks

    private mutating func block(indent: Int) throws -> JSONValue {
        guard position < lines.count, lines[position].indent >= indent else { return .string("") }
        let indent = lines[position].indent
        return isItem(lines[position].text) ? try sequence(indent: indent) : try mapping(indent: indent)
    }

    private func isItem(_ text: Substring) -> Bool { text == "-" || text.hasPrefix("- ") }

    private mutating func sequence(indent: Int) throws -> JSONValue {
        var items: [JSONValue] = []
        while position < lines.count, lines[position].indent == indent, isItem(lines[position].text) {
            let rest = lines[position].text.dropFirst().drop { $0 == " " }
            if rest.isEmpty {
                position += 1
                items.append(try block(indent: indent + 1))
            } else if key(of: rest) != nil {
                // The mapping begins behind the dash.
                lines[position].indent = indent + lines[position].text.count - rest.count
                lines[position].text = rest
                items.append(try mapping(indent: lines[position].indent))
            } else {
                items.append(try scalar(rest, lines[position].number))
                position += 1
            }
        }
        return .array(items)
    }

    private mutating func mapping(indent: Int) throws -> JSONValue {
        var members: [String: JSONValue] = [:]
        var merged: [String: JSONValue] = [:]
        while position < lines.count, lines[position].indent == indent, !isItem(lines[position].text) {
            let line = lines[position]
            guard let key = key(of: line.text) else {
                throw Malformed(description: "line \(line.number): no key")
            }
            let rest = line.text.dropFirst(key.count + 1).drop { $0 == " " }
            position += 1
            let value = try memberValue(rest, line)
            if key == "<<" {
                merged = value.members ?? [:]
            } else if members.updateValue(value, forKey: String(key)) != nil {
                throw Malformed(description: "line \(line.number): \(key) comes twice")
            }
        }
        return .object(merged.merging(members) { _, own in own })
    }

    /// The key that a line begins with; nil where it begins with none.
    private func key(of text: Substring) -> Substring? {
        guard let first = text.first, first != "\"", first != "'", first != "[" else { return nil }
        guard let colon = text.firstIndex(of: ":") else { return nil }
        let behind = text.index(after: colon)
        return behind == text.endIndex || text[behind] == " " ? text[..<colon] : nil
    }

    private mutating func memberValue(_ rest: Substring, _ line: Line) throws -> JSONValue {
        if rest.isEmpty {
            // A sequence may stand no deeper than its key.
            let isSequence = position < lines.count && isItem(lines[position].text)
            return try block(indent: isSequence ? line.indent : line.indent + 1)
        }
        if rest.hasPrefix("&") {
            let value = try block(indent: line.indent + 1)
            anchors[String(rest.dropFirst())] = value
            return value
        }
        if rest.hasPrefix("*") {
            guard let value = anchors[String(rest.dropFirst())] else {
                throw Malformed(description: "line \(line.number): nothing is called \(rest)")
            }
            return value
        }
        return try scalar(rest, line.number)
    }

    // MARK: - Scalars

    private func scalar(_ text: Substring, _ number: Int) throws -> JSONValue {
        guard let first = text.first, !"{|>%@`!&*?".contains(first) else {
            throw Malformed(description: "line \(number): \(text) is not understood")
        }
        if first == "[" {
            guard text.last == "]" else { throw Malformed(description: "line \(number): an open list") }
            let items = text.dropFirst().dropLast().split(separator: ",").map { item in
                YAMLReader.trimmed(item.drop { $0 == " " })
            }
            return .array(try items.map { try scalar($0, number) })
        }
        if first == "\"" || first == "'" {
            guard text.count > 1, text.last == first, !text.contains("\\") else {
                throw Malformed(description: "line \(number): a string that is not understood")
            }
            return .string(String(text.dropFirst().dropLast()))
        }
        return .string(String(text))
    }
}
