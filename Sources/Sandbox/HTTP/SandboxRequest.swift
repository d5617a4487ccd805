package import NIOCore
package import NIOHTTP1

/// A complete request.
package struct SandboxRequest: Sendable {
    package let method: HTTPMethod
    /// The path as percent-decoded segments.
    package let path: [String]
    /// The query's pairs in order, percent-decoded.
    package let query: [(name: String, value: String)]
    package let headers: HTTPHeaders
    package let body: [UInt8]
    /// The client's address; nil if it is unknown.
    package let peer: SocketAddress?
    /// The path parameters of the route's template, by name.
    package var parameters: [String: String] = [:]

    /// Nil if the target is not an absolute path, or an escape in it is malformed.
    package init?(
        method: HTTPMethod, target: String, headers: HTTPHeaders = [:], body: [UInt8] = [],
        peer: SocketAddress? = nil
    ) {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard target.hasPrefix("/"), let path = Self.segments(parts[0]),
            let query = Self.pairs(parts.count > 1 ? parts[1] : "")
        else { return nil }
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.peer = peer
    }

    /// The last value of that name; nil if there is none.
    package subscript(query name: String) -> String? {
        query.last { $0.name == name }?.value
    }

    /// The pairs of a form (`application/x-www-form-urlencoded`); nil when an escape in it is malformed.
    package var form: [(name: String, value: String)]? {
        String(validating: body, as: UTF8.self).flatMap { Self.pairs($0[...]) }
    }

    private static func segments(_ path: Substring) -> [String]? {
        let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        let decoded = segments.compactMap { PercentEncoding.decoded($0) }
        return decoded.count == segments.count ? decoded : nil
    }

    private static func pairs(_ query: Substring) -> [(name: String, value: String)]? {
        let pairs = query.split(separator: "&").map { $0.split(separator: "=", maxSplits: 1) }
        let decoded = pairs.compactMap { pair -> (name: String, value: String)? in
            guard let name = pair.first.flatMap({ PercentEncoding.decoded($0, plusIsSpace: true) }) else {
                return nil
            }
            guard pair.count > 1 else { return (name, "") }
            return PercentEncoding.decoded(pair[1], plusIsSpace: true).map { (name, $0) }
        }
        return decoded.count == pairs.count ? decoded : nil
    }
}

/// The response of a route, and the way it is delivered.
package struct SandboxResponse: Sendable {
    package var status: HTTPResponseStatus
    package var headers: HTTPHeaders
    package var body: [UInt8]
    package var delivery: Delivery = .complete

    /// The part of the response that reaches the client.
    package enum Delivery: Sendable, Hashable {
        case complete
        /// The header announces the whole body; the connection closes after half of it.
        case truncated
        /// The connection closes without a byte.
        case none
    }

    package init(status: HTTPResponseStatus, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    package static func json(_ document: JSONDocument, status: HTTPResponseStatus = .ok) -> SandboxResponse {
        SandboxResponse(
            status: status, headers: ["Content-Type": "application/json; charset=UTF-8"], body: document.bytes
        )
    }

    package static func text(
        _ text: String, type: String = "text/plain; charset=UTF-8", status: HTTPResponseStatus
    ) -> SandboxResponse {
        SandboxResponse(status: status, headers: ["Content-Type": type], body: Array(text.utf8))
    }
}

/// The escapes of a URL (RFC 3986, section 2.1) and of a form (a plus is a space).
enum PercentEncoding {
    /// Nil if an escape lacks its two digits, or the bytes are not UTF-8.
    static func decoded(_ text: Substring, plusIsSpace: Bool = false) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = digit(rest.popFirst()), let low = digit(rest.popFirst()) else { return nil }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+"): bytes.append(plusIsSpace ? UInt8(ascii: " ") : byte)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Escapes all but the unreserved characters (RFC 3986, section 2.3).
    static func encoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF")
        return text.utf8.reduce(into: "") { result, byte in
            if unreserved.contains(byte) {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                result += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
            }
        }
    }

    private static let unreserved = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)

    private static func digit(_ byte: UInt8?) -> UInt8? {
        byte.flatMap { Character(Unicode.Scalar($0)).hexDigitValue }.map(UInt8.init)
    }
}

/// Base64 with the standard alphabet or the alphabet for URLs (RFC 4648, sections 4 and 5).
struct Base64: Sendable {
    static let standard = Base64(lastDigits: "+/")
    static let url = Base64(lastDigits: "-_")

    private let alphabet: [UInt8]

    private init(lastDigits: String) {
        alphabet = Array(("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + lastDigits).utf8)
    }

    /// Encodes bytes without padding.
    func encoded(_ bytes: some Sequence<UInt8>) -> String {
        var (text, bits, count) = ([UInt8](), UInt32(0), 0)
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                text.append(alphabet[Int(bits >> UInt32(count)) & 63])
            }
            bits &= (1 << UInt32(count)) - 1
        }
        if count > 0 { text.append(alphabet[Int(bits << UInt32(6 - count)) & 63]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes digits without padding; nil for a character outside of the alphabet.
    ///
    /// Remaining bits that do not fill a byte are ignored.
    func decoded(_ digits: some Sequence<UInt8>) -> [UInt8]? {
        var (bytes, bits, count) = ([UInt8](), 0, 0)
        for digit in digits {
            guard let value = alphabet.firstIndex(of: digit) else { return nil }
            bits = (bits << 6 | value) & 0xFFFF
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> count))
            }
        }
        return bytes
    }

    /// Encodes text with padding.
    func padded(_ text: String) -> String {
        let digits = encoded(text.utf8)
        return digits + String(repeating: "=", count: (4 - digits.utf8.count % 4) % 4)
    }

    /// Decodes padded UTF-8 text; nil for anything else.
    func text(padded: String) -> String? {
        let characters = Array(padded.utf8)
        let digits = characters.prefix { $0 != UInt8(ascii: "=") }
        let padding = characters[digits.count...]
        guard characters.count.isMultiple(of: 4), padding.count <= 2,
            padding.allSatisfy({ $0 == UInt8(ascii: "=") }), let bytes = decoded(digits)
        else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension HTTPHeaders {
    /// The token of `Authorization: Bearer …` (RFC 6750).
    var bearerToken: String? {
        first(name: "Authorization").flatMap { Self.credentials($0, scheme: "bearer") }
    }

    /// Returns the credentials in the value of an `Authorization` header; nil for another scheme.
    ///
    /// The scheme is in lower case, and compared without case.
    static func credentials(_ authorization: String, scheme: String) -> String? {
        let words = authorization.split(separator: " ")
        return words.count == 2 && words[0].lowercased() == scheme ? String(words[1]) : nil
    }
}
