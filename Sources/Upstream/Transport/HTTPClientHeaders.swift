/// Header fields of a request, in the order in which they are sent.
///
/// Names and values that could break out of their line are refused, so no value can smuggle in another header.
package struct HTTPClientHeaders: Sendable, Hashable {
    package private(set) var fields: [Field] = []

    package struct Field: Sendable, Hashable {
        package let name: String
        package let value: String
    }

    package init() {}

    /// Adds a field; false, and nothing added, if the name is no token (RFC 9110, section 5.6.2) or the value has
    /// control characters.
    @discardableResult
    package mutating func add(_ name: String, _ value: String) -> Bool {
        guard !name.isEmpty, name.utf8.allSatisfy(Self.isTokenByte),
            value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 })
        else { return false }
        fields.append(Field(name: name, value: value))
        return true
    }

    /// The first value of a field, whatever the case of its name.
    package subscript(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}

extension HTTPClientHeaders: CustomStringConvertible, CustomReflectable {
    /// `Accept: application/json, Authorization: …`.
    package var description: String {
        fields.map { "\($0.name): \(Redaction.header($0.name, $0.value))" }.joined(separator: ", ")
    }

    package var customMirror: Mirror { Mirror(self, children: ["fields": description]) }
}

extension HTTPClientHeaders.Field: CustomStringConvertible, CustomReflectable {
    package var description: String { "\(name): \(Redaction.header(name, value))" }

    package var customMirror: Mirror { Mirror(self, children: ["field": description]) }
}
