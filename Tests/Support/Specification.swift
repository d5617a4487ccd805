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

    /// Returns the names that the query and the body of an operation do not have.
    ///
    /// - Parameters:
    ///   - names: The names of query parameters, and of members of the body with those of the outer ones before them:
    ///     `take_profit.limit_price`.
    ///   - operation: The operation.
    /// - Returns: The unknown names.
    package func unknownParameters(_ names: [String], of operation: Operation) -> [String] {
        names.filter { name in
            guard !operation.parameters.contains(name) else { return false }
            let body = name.split(separator: ".").reversed().reduce(JSONValue.null) { inner, step in
                .object([String(step): inner])
            }
            guard let type = operation.request else { return true }
            return !differences(in: body, of: type, in: operation.document).isEmpty
        }
    }

    /// Returns the values of an enumeration that a member of a type has, or an empty list.
    package func values(of member: String, in type: String, of document: String) -> [String] {
        var declared = types[document]?[type]?["members"]?[member]
        if case .array(let items)? = declared { declared = items.first }
        if let name = declared?.string { declared = types[document]?[name] }
        return (declared?["enum"]?.elements ?? []).compactMap(\.string)
    }

    /// Returns the values of an enumeration with a name, or an empty list.
    package func values(of enumeration: String, of document: String) -> [String] {
        (types[document]?[enumeration]?["enum"]?.elements ?? []).compactMap(\.string)
    }

    /// Returns the members that an object of a type always has; nil without such a type.
    package func requiredMembers(of type: String, of document: String) -> Set<String>? {
        types[document]?[type].map { Set(($0["required"]?.elements ?? []).compactMap(\.string)) }
    }

    /// Returns the members that each row of a list in a response has; nil without such a list of objects.
    package func requiredMembers(of operation: Operation, at list: String) -> Set<String>? {
        let types = types[operation.document] ?? [:]
        guard case .string(let response)? = operation.response,
            case .array(let items)? = types[response]?["members"]?[list],
            case .string(let row)? = items.first, let type = types[row]
        else { return nil }
        return Set((type["required"]?.elements ?? []).compactMap(\.string))
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
            if let values = types[name]?["enum"] {
                return check(value, described: ["enum": values], at: member, types)
            }
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
