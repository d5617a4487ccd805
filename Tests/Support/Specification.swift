import Foundation

/// The facts of a provider's official OpenAPI documents, in `Tests/Golden/specifications`.
package struct Specification: Sendable {
    private let operations: [Operation]
    private let types: [String: [String: JSONValue]]

    /// A method of a path, with the types of its bodies.
    package struct Operation: Sendable {
        /// The document of the operation.
        package let document: String
        package let method: String
        /// The segments of the path; nil is a path parameter.
        let path: [String?]
        /// The names of the query parameters.
        package let parameters: Set<String>
        package let request: JSONValue?
        /// The type of the body of a successful response.
        package let response: JSONValue?
    }

    /// A part of a document that the specification does not have.
    package struct Difference: Sendable, Hashable, CustomStringConvertible {
        /// The type and the member, joined by a point.
        package let member: String
        package let reason: Reason

        package enum Reason: Sendable, Hashable {
            case unknownMember
            /// A value that is none of the enumeration's.
            case unknownValue(String)
            /// A value of another JSON type than this one.
            case otherType(String)
        }

        package var description: String {
            switch reason {
            case .unknownMember: "\(member) does not exist"
            case .unknownValue(let value): "\(member) has no value \"\(value)\""
            case .otherType(let type): "\(member) is not of the type \(type)"
            }
        }
    }

    /// Reads the table of a provider, for instance `alpaca`.
    package init(of provider: String) throws {
        let url = Golden.url("specifications/\(provider).json")
        let table = try JSONValue(parsing: Data(contentsOf: url))
        types = (table["types"]?.members ?? [:]).mapValues { $0.members ?? [:] }
        operations = (table["operations"]?.members ?? [:]).compactMap { Operation($0, $1) }
    }

    /// Returns the operation of a method and a path, whose parameters in braces may have other names.
    package func operation(_ method: String, _ path: String) -> Operation? {
        let path = Operation.segments(path)
        return operations.first { $0.method == method && $0.path == path }
    }

    /// Returns the members and values of a document that its type does not have, without repetition.
    package func differences(in document: JSONValue, of type: JSONValue, in source: String) -> Set<Difference>
    {
        check(document, type, at: "", types[source] ?? [:])
    }

    private func check(
        _ value: JSONValue, _ type: JSONValue, at member: String, _ types: [String: JSONValue]
    ) -> Set<Difference> {
        switch (type, value) {
        case (.array(let item), .array(let elements)):
            return elements.reduce(into: []) {
                $0.formUnion(check($1, item.first ?? .null, at: member, types))
            }
        case (.string(let name), .object(let members)):
            guard let declared = types[name]?["members"]?.members else { return [] }
            return members.reduce(into: []) { differences, member in
                let path = "\(name).\(member.key)"
                if let type = declared[member.key] {
                    differences.formUnion(check(member.value, type, at: path, types))
                } else {
                    differences.insert(Difference(member: path, reason: .unknownMember))
                }
            }
        case (.object(let description), _):
            return check(value, described: description, at: member, types)
        case (.string(let name), _):
            guard value != .null, let isType = Self.jsonTypes[name], !isType(value) else { return [] }
            return [Difference(member: member, reason: .otherType(name))]
        default: return []
        }
    }

    private static let jsonTypes: [String: @Sendable (JSONValue) -> Bool] = [
        "string": { $0.string != nil },
        "number": { $0.number != nil },
        "integer": { $0.number.map { $0 == Decimal(Int(truncating: $0 as NSNumber)) } ?? false },
        "boolean": { if case .bool = $0 { true } else { false } },
    ]

    /// Checks a value whose type is an enumeration, a map or one of several.
    private func check(
        _ value: JSONValue, described: [String: JSONValue], at member: String, _ types: [String: JSONValue]
    ) -> Set<Difference> {
        if let values = described["enum"]?.elements, let text = value.string, !values.contains(.string(text))
        {
            return [Difference(member: member, reason: .unknownValue(text))]
        }
        if let type = described["map"], let members = value.members {
            return members.values.reduce(into: []) { $0.formUnion(check($1, type, at: member, types)) }
        }
        let choices = (described["oneOf"]?.elements ?? []).map { check(value, $0, at: member, types) }
        return choices.min { $0.count < $1.count } ?? []
    }
}

extension Specification.Operation {
    fileprivate init?(_ name: String, _ fact: JSONValue) {
        let words = name.split(separator: " ", maxSplits: 1).map(String.init)
        guard words.count == 2, let document = fact["document"]?.string else { return nil }
        self.document = document
        method = words[0]
        path = Self.segments(words[1])
        parameters = Set((fact["parameters"]?.elements ?? []).compactMap(\.string))
        request = fact["request"]
        response = fact["responses"]?.members?.min { $0.key < $1.key }?.value
    }

    fileprivate static func segments(_ path: String) -> [String?] {
        path.split(separator: "/").map { $0.contains("{") ? nil : String($0) }
    }
}
