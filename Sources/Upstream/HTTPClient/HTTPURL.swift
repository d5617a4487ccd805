package import PorticoCore

/// An absolute `http` or `https` address, known to be well formed.
///
/// It contains no user name, password or fragment, and no path segment that changes the path (`.` or `..`).
/// Its ``description`` contains no secret; ``text`` is the whole address.
package struct HTTPURL: Sendable, Hashable {
    /// The whole address, as it is sent.
    ///
    /// It may hold a key: not for logs.
    package let text: String
    /// The host's name in lower case, without a port: `api.alpaca.markets`, `127.0.0.1`, `[::1]`.
    package let host: String
    /// Host and port as in the URL: `127.0.0.1:8080`.
    package let authority: String
    package let isSecure: Bool
    /// Whether the host is this machine: `localhost`, or an address of the loopback interface.
    ///
    /// A name that begins like an address (`127.example.com`), and a form of an address that only some resolvers read
    /// (`127.1`, `0x7f.1`, `localhost.`), may be another machine.
    package let isLoopback: Bool

    /// Nil unless the scheme is `http` or `https`, there is a host, and every byte is allowed in an address.
    ///
    /// Addresses with a segment `.` or `..` in their path are refused, escaped or not: libcurl and servers
    /// change their path (RFC 3986, section 5.2.4).
    ///
    /// Addresses with a user or password are refused, since an address is no place for a secret.
    package init?(_ text: String) {
        guard let scheme = Self.schemes.first(where: { text.utf8.starts(with: $0.prefix.utf8) }),
            text.utf8.allSatisfy(Self.isAllowed),
            text.utf8.count <= Self.maximumLength
        else { return nil }
        let authority = text.dropFirst(scheme.prefix.count).prefix { $0 != "/" && $0 != "?" }
        let path = text[authority.endIndex...].prefix { $0 != "?" }
        guard let host = Self.host(of: authority), !Self.hasDotSegment(path) else { return nil }
        self.text = text
        self.host = host.lowercased()
        self.authority = String(authority)
        self.isSecure = scheme.isSecure
        isLoopback = self.host == "localhost" || IPAddress(Self.hostName(self.host))?.isLoopback == true
    }

    /// The address that begins with another one, followed by a path or query of escaped values; nil if it is too long.
    ///
    /// Each call of a provider makes one, so what is known of `base` is not checked again.
    private init?(_ text: String, extending base: HTTPURL) {
        guard text.utf8.count <= Self.maximumLength else { return nil }
        self.text = text
        (host, authority) = (base.host, base.authority)
        (isSecure, isLoopback) = (base.isSecure, base.isLoopback)
    }

    private static let schemes = [(prefix: "https://", isSecure: true), (prefix: "http://", isSecure: false)]
    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: "^"),
            UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"), UInt8(ascii: "#"):
            false
        default: (0x21...0x7E).contains(byte)
        }
    }

    private static let maximumLength = 16_384

    private static func hasDotSegment(_ path: Substring) -> Bool {
        path.utf8.split(separator: UInt8(ascii: "/")).contains { segment in
            // `%2E%2E` is the longest form.
            guard segment.count <= 6 else { return false }
            let plain = String(Substring(segment)).replacing("%2e", with: ".").replacing("%2E", with: ".")
            return plain == "." || plain == ".."
        }
    }

    private static func host(of authority: Substring) -> Substring? {
        guard !authority.isEmpty, !authority.contains("@") else { return nil }
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]"), isPort(authority[authority.index(after: end)...])
            else {
                return nil
            }
            return authority[...end]
        }
        let end = authority.firstIndex(of: ":") ?? authority.endIndex
        guard end > authority.startIndex, isPort(authority[end...]) else { return nil }
        return authority[..<end]
    }

    /// Whether the text is empty, or a colon and a port.
    private static func isPort(_ rest: Substring) -> Bool {
        if rest.isEmpty { return true }
        let digits = rest.dropFirst()
        guard rest.hasPrefix(":"), digits.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
        else {
            return false
        }
        return UInt16(digits).map { $0 > 0 } ?? false
    }

    private static func hostName(_ host: String) -> String {
        host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    }
}

extension HTTPURL {
    /// The address with an extended path, one segment for each value; this is the only way to put a value
    /// into a path.
    ///
    /// `base.appending(path: "v2", "positions", "BRK/B")` ends in `/v2/positions/BRK%2FB`.
    ///
    /// - Parameter values: Every byte of them that is not unreserved is escaped (RFC 3986, section 2.3).
    /// - Returns: nil if a value is empty, `.` or `..`, which escaping cannot make a segment, and if the
    ///   address has a query or would be too long.
    package func appending(path values: String...) -> HTTPURL? {
        guard !text.utf8.contains(UInt8(ascii: "?")),
            !values.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." })
        else { return nil }
        var longer = text
        if longer.utf8.last == UInt8(ascii: "/") { longer.removeLast() }
        for value in values { longer += "/" + PercentEncoding.encode(value) }
        return HTTPURL(longer, extending: self)
    }

    /// The address with more query items, names and values escaped; an item whose value is nil is left out.
    package func appending(query items: [(name: String, value: String?)]) -> HTTPURL? {
        var longer = text
        var separator = text.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        for case (let name, let value?) in items {
            longer += separator + PercentEncoding.encode(name) + "=" + PercentEncoding.encode(value)
            separator = "&"
        }
        return HTTPURL(longer, extending: self)
    }
}

extension HTTPURL {
    /// Reads the address that an option or argument of a command gives.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - example: A valid address, for the error.
    ///   - canHaveHeader: Whether the command has the option `--header`, for the error.
    /// - Returns: The address.
    /// - Throws: `UsageError`, which does not contain a text that can have a password or key.
    package static func read(
        _ text: String, like example: String, canHaveHeader: Bool = false
    ) throws(UsageError) -> HTTPURL {
        if let url = HTTPURL(text) { return url }
        // A password that is not escaped can have a slash, after which the "@" is not in the authority.
        if text.contains("@") {
            throw UsageError(
                "The address has an @, as one with a user or password has. Leave them out"
                    + (canHaveHeader ? ", and send them with --header." : "."))
        }
        if text.contains("?") {
            throw UsageError("The address is not one like \(example), without a query.")
        }
        throw UsageError("\"\(text)\" is not an address like \(example), without a query.")
    }
}

extension HTTPURL: CustomStringConvertible, CustomReflectable {
    /// The address with `…` for the values of secret query items.
    package var description: String { Redaction.address(text) }

    package var customMirror: Mirror { Mirror(self, children: ["address": description]) }
}

extension HTTPURL {
    /// The URL of a WebSocket: `wss` corresponds to `https`, `ws` to `http`.
    package init?(webSocket text: String) {
        if text.utf8.starts(with: "wss://".utf8) {
            self.init("https" + text.dropFirst(3))
        } else if text.utf8.starts(with: "ws://".utf8) {
            self.init("http" + text.dropFirst(2))
        } else {
            return nil
        }
    }

    /// Path and query, as the first line of a request has them.
    package var target: String {
        let rest = afterScheme.drop { $0 != "/" && $0 != "?" }
        return rest.hasPrefix("/") ? String(rest) : "/" + rest
    }

    /// The port, or the scheme's own.
    package var port: Int {
        let digits = authority.dropFirst(host.count).dropFirst()
        return Int(digits) ?? (isSecure ? 443 : 80)
    }

    /// The host as the system's functions take it: an address of IPv6 without brackets.
    package var hostName: String { Self.hostName(host) }

    /// The name that a certificate must have; nil for an IP address, which RFC 6066, section 3, excludes
    /// from a handshake.
    var serverName: String? {
        host.hasPrefix("[") || IPAddress(host) != nil ? nil : host
    }

    private var afterScheme: Substring {
        text.dropFirst(isSecure ? "https://".count : "http://".count)
    }
}

extension SettingType where Value == HTTPURL {
    /// An `http` or `https` URL.
    package static var url: SettingType {
        SettingType(.address, format: \.text) { HTTPURL($0) }
    }
}

extension SettingValues {
    /// The URL to which a secret is sent; nil if it is not set.
    ///
    /// - Parameters:
    ///   - setting: The setting of the URL.
    ///   - secret: The kind of the secret, for the message.
    /// - Returns: The URL, which is secure or a loopback address.
    /// - Throws: `UsageError` for any other URL.
    package func secureURL(_ setting: Setting<HTTPURL?>, for secret: String) throws(UsageError) -> HTTPURL? {
        guard let url = try self[setting] else { return nil }
        guard url.isSecure || url.isLoopback else {
            throw UsageError(
                "\(name(of: setting)) would send the \(secret) over a network in clear text; use https.")
        }
        return url
    }

    /// A URL that is set, or a provider's own.
    package func url(_ setting: Setting<HTTPURL?>, otherwise standard: HTTPURL?) throws(UsageError) -> HTTPURL
    {
        if let url = try self[setting] ?? standard { return url }
        throw UsageError("Set \(setting.variable): there is no default URL.")
    }
}
