package import Brokerage

/// A JSON document as the sandbox writes and reads it: numbers stay exact decimals, members stay in order.
///
/// Written by hand instead of through `Codable`, which takes numbers through binary floating point and leaves
/// the order of members to chance; the same seed and clock must give the same bytes.
package enum JSONDocument: Sendable, Hashable {
    case null
    case bool(Bool)
    case number(Decimal)
    /// A number that is written with an exponent, as .NET writes small ones: `5E-05`. It is never read as such.
    case scientific(Decimal)
    case string(String)
    case array([JSONDocument])
    case object([Member])

    package struct Member: Sendable, Hashable {
        package let name: String
        package let value: JSONDocument
    }
}

extension JSONDocument {
    /// A decimal carried as a JSON string, without trailing zeros: the way of Alpaca's trading API.
    package static func text(_ decimal: Decimal) -> JSONDocument {
        .string(decimal.withoutTrailingZeros.description)
    }

    /// A decimal carried as a JSON number, without trailing zeros.
    package static func number(shortest decimal: Decimal) -> JSONDocument {
        .number(decimal.withoutTrailingZeros)
    }

    /// `null` where there is no value.
    package static func optional<Value>(_ value: Value?, _ write: (Value) -> JSONDocument) -> JSONDocument {
        value.map(write) ?? .null
    }

    /// The member of that name; nil on any other kind of value.
    package subscript(_ name: String) -> JSONDocument? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    package var string: String? {
        guard case .string(let string) = self else { return nil }
        return string
    }

    /// The whole number that this is; nil for fractions and for what `Int` does not hold.
    package var integer: Int? {
        guard case .number(let number) = self else { return nil }
        let shortest = number.withoutTrailingZeros
        return shortest.scale == 0 ? Int(exactly: shortest.coefficient) : nil
    }
}

extension JSONDocument: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (String, JSONDocument)...) {
        self = .object(elements.map { Member(name: $0, value: $1) })
    }
}

extension JSONDocument: ExpressibleByArrayLiteral {
    package init(arrayLiteral elements: JSONDocument...) { self = .array(elements) }
}

extension JSONDocument: ExpressibleByStringLiteral {
    package init(stringLiteral value: String) { self = .string(value) }
}

extension JSONDocument: ExpressibleByIntegerLiteral {
    package init(integerLiteral value: Int) { self = .number(Decimal(value)) }
}

extension JSONDocument: ExpressibleByBooleanLiteral {
    package init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension JSONDocument: ExpressibleByNilLiteral {
    package init(nilLiteral: ()) { self = .null }
}
