import Foundation

/// A row of a list of a provider with one member that is not as usual.
package struct RowVariant: Sendable {
    package let member: String
    /// The member of the row that is varied, or that contains the varied one; empty for the row itself.
    package let outerMember: String
    package let change: String
    /// The row as JSON.
    package let text: String

    package init(path: [String], change: String, text: String) {
        member = path.joined(separator: ".")
        outerMember = path.first ?? ""
        self.change = change
        self.text = text
    }

    /// A text that must not be in an error.
    package static let longText = String(repeating: "private value ", count: 750)

    /// The row with each member, also of inner objects, in turn absent, null, of each other type, of an unknown name, a number
    /// as text, a text of 10 KB and an extreme number.
    package static func all(of row: JSONValue) -> [RowVariant] {
        paths(in: row).flatMap { path -> [RowVariant] in
            let old = path.reduce(row) { value, name in value[name] ?? .null }
            return substitutes(for: old).map { name, value in
                RowVariant(
                    path: path, change: name,
                    text: row.replacing(path[...], with: value).serialized)
            }
        }
    }

    private static func paths(in row: JSONValue) -> [[String]] {
        (row.members ?? [:]).sorted { $0.key < $1.key }.flatMap { name, value in
            [[name]] + paths(in: value).map { [name] + $0 }
        }
    }

    private static func substitutes(for old: JSONValue) -> [(String, JSONValue?)] {
        var values: [(String, JSONValue?)] = [
            ("absent", nil), ("null", .null), ("bool", .bool(true)), ("array", .array([.array([1]), .null])),
            ("object", .object(["a": .object(["b": "c"])])), ("unknown name", "UNHEARD_OF"),
            ("long text", .string(longText)), ("number", 7),
            ("extreme", .number(Decimal(string: "1e120") ?? 0)),
            ("extreme", .number(Decimal(string: "-9e-100") ?? 0)),
        ]
        if let digits = old.digits { values.append(("number as text", .string(digits))) }
        return values
    }
}

extension JSONValue {
    /// The document with the value at a path of names replaced, or removed.
    fileprivate func replacing(_ path: ArraySlice<String>, with value: JSONValue?) -> JSONValue {
        guard let name = path.first, var members else { return value ?? .null }
        members[name] = path.count == 1 ? value : members[name]?.replacing(path.dropFirst(), with: value)
        return .object(members)
    }

    /// The document as JSON, with the members of objects in the order of their names.
    package var serialized: String {
        switch self {
        case .null: "null"
        case .bool(let bool): "\(bool)"
        case .number(let number): "\(number)"
        case .string(let text): Self.quoted(text)
        case .array(let elements): "[\(elements.map(\.serialized).joined(separator: ","))]"
        case .object(let members):
            "{"
                + members.sorted { $0.key < $1.key }.map { Self.quoted($0) + ":" + $1.serialized }
                .joined(separator: ",") + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
            + "\""
    }
}
