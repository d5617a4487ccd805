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

/// Base64 with padding (RFC 4648, section 4).
enum Base64 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func encoded(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var output: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = (0..<3).reduce(0) { $0 << 8 | (start + $1 < bytes.count ? Int(bytes[start + $1]) : 0) }
            for index in 0..<4 {
                output.append(
                    index <= group.count ? alphabet[bits >> (18 - 6 * index) & 63] : UInt8(ascii: "="))
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Nil for invalid Base64, or bytes that are not UTF-8.
    static func decoded(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        guard bytes.count.isMultiple(of: 4) else { return nil }
        let digits = bytes.prefix(while: { $0 != UInt8(ascii: "=") })
        guard bytes.count - digits.count <= 2, bytes[digits.count...].allSatisfy({ $0 == UInt8(ascii: "=") })
        else { return nil }
        var output: [UInt8] = []
        var (bits, count) = (0, 0)
        for byte in digits {
            guard let value = alphabet.firstIndex(of: byte) else { return nil }
            bits = (bits << 6 | value) & 0xFFFF
            count += 6
            if count >= 8 {
                count -= 8
                output.append(UInt8(truncatingIfNeeded: bits >> count))
            }
        }
        return String(validating: output, as: UTF8.self)
    }
}
