package import Foundation

/// A JSON document, parsed by Foundation and therefore independent of the writers under test.
package enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case number(Decimal)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// Parses a document; throws Foundation's `DecodingError`.
    package init(parsing data: some Sequence<UInt8>) throws {
        self = try JSONDecoder().decode(JSONValue.self, from: Data(data))
    }

    package init(parsing text: String) throws {
        try self.init(parsing: text.utf8)
    }

    package subscript(_ name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members[name]
    }

    package subscript(_ index: Int) -> JSONValue? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    package var string: String? {
        guard case .string(let string) = self else { return nil }
        return string
    }

    package var number: Decimal? {
        guard case .number(let number) = self else { return nil }
        return number
    }

    /// The digits of a number, for tests with another decimal type.
    package var digits: String? { number.map { "\($0)" } }

    package var elements: [JSONValue]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    package var members: [String: JSONValue]? {
        guard case .object(let members) = self else { return nil }
        return members
    }
}

extension JSONValue: Decodable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // The types are in the order of their frequency, since each failed attempt costs an error.
        if let string = try? container.decode(String.self) {
            self = .string(string)
        } else if let members = try? container.decode([String: JSONValue].self) {
            self = .object(members)
        } else if let number = try? container.decode(Decimal.self) {
            self = .number(number)
        } else if container.decodeNil() {
            self = .null
        } else if let bool = try? container.decode(Bool.self) {
            self = .bool(bool)
        } else {
            self = .array(try container.decode([JSONValue].self))
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int) { self = .number(Decimal(value)) }
}
