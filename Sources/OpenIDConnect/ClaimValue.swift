package import Brokerage
package import Upstream

/// The value of a claim: JSON, read strictly.
package indirect enum ClaimValue: Sendable, Hashable {
    case object([String: ClaimValue])
    case list([ClaimValue])
    case text(String)
    case number(Decimal)
    case boolean(Bool)
    case null

    package init(json reader: inout JSONReader) throws(JSONError) {
        switch try reader.kind() {
        case .object:
            var members: [String: ClaimValue] = [:]
            try reader.object { key, reader throws(JSONError) in
                members[try Self.name(key, in: reader)] = try ClaimValue(json: &reader)
            }
            self = .object(members)
        case .array:
            var elements: [ClaimValue] = []
            try reader.array { reader throws(JSONError) in elements.append(try ClaimValue(json: &reader)) }
            self = .list(elements)
        case .string: self = .text(try reader.string())
        case .number: self = .number(try reader.decimal())
        case .true, .false: self = .boolean(try reader.bool())
        case .null:
            _ = try reader.null()
            self = .null
        }
    }

    /// Reads a JSON object of at most 16 levels; a duplicate key is an error.
    package static func members(of json: [UInt8]) throws(JSONError) -> [String: ClaimValue] {
        try JSONReader.read(json, maximumDepth: 16) { reader throws(JSONError) in
            var members: [String: ClaimValue] = [:]
            try reader.object { key, reader throws(JSONError) in
                members[try Self.name(key, in: reader)] = try ClaimValue(json: &reader)
            }
            return members
        }
    }

    /// The maximum length of a name in bytes.
    ///
    /// Swift hashes the normal form of a text, which takes time quadratic in the number of combining marks, and the names of a
    /// token are hashed before its signature is verified.
    private static let maximumNameLength = 256

    private static func name(_ key: JSONKey, in reader: borrowing JSONReader) throws(JSONError) -> String {
        let name = key.string
        guard name.utf8.count <= maximumNameLength else {
            throw reader.failure(.unreadable(.oneOf("names of at most \(maximumNameLength) bytes")))
        }
        return name
    }

    package var text: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }

    /// The texts of a text or of a list of texts; nil for anything else.
    package var texts: [String]? {
        switch self {
        case .text(let text): return [text]
        case .list(let elements):
            let texts = elements.compactMap(\.text)
            return texts.count == elements.count ? texts : nil
        case .object, .number, .boolean, .null: return nil
        }
    }

    /// A NumericDate (RFC 7519, section 2), whose fraction of a second is cut off; nil for anything else.
    var instant: Instant? {
        guard case .number(let seconds) = self else { return nil }
        let whole = seconds.rounded(to: 0, .towardZero)
        guard whole.scale == 0, let count = Int64(exactly: whole.coefficient) else { return nil }
        return Instant(secondsSince1970: count)
    }
}

extension [String: ClaimValue] {
    /// The value at a path of keys with dots between them, such as `realm_access.roles`.
    ///
    /// A key that contains dots itself, such as an address, is found if the whole path is its name.
    package func value(at path: String) -> ClaimValue? {
        if let value = self[path] { return value }
        var members = self
        let keys = path.split(separator: ".").map(String.init)
        for key in keys.dropLast() {
            guard case .object(let inner)? = members[key] else { return nil }
            members = inner
        }
        return keys.last.flatMap { members[$0] }
    }
}
