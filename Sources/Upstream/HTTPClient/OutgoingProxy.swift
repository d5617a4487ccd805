import Glibc
import PorticoCore

/// The proxy through which a connection is made that libcurl does not make.
///
/// It is taken from the environment by the rules of libcurl, so that streams use the proxy of the other calls:
/// `https_proxy`, `HTTPS_PROXY`, `http_proxy`, `all_proxy` and `ALL_PROXY`, except for the hosts of `no_proxy` or `NO_PROXY`,
/// and never for addresses of the loopback interface.
package struct OutgoingProxy: Sendable, Equatable {
    /// The address of the proxy, without credentials.
    package let url: HTTPURL
    /// 1080 for `http`, and 443 for `https`, unless the URL has a port.
    package let port: Int
    /// The value of the field Proxy-Authorization (RFC 7617); nil without a user.
    let authorization: Secret?

    /// A variable of the environment whose value is not the URL of an HTTP proxy.
    package struct Unusable: Error, Hashable {
        /// The variable; its value may have a password.
        package let variable: String
    }

    /// Creates the proxy; nil for a direct connection.
    ///
    /// - Parameters:
    ///   - url: The address to connect to.
    ///   - environment: Returns the value of a variable.
    /// - Throws: ``Unusable``, for example for a SOCKS proxy.
    package init?(for url: HTTPURL, in environment: (String) -> String?) throws(Unusable) {
        func value(_ names: [String]) -> (name: String, value: String)? {
            for name in names {
                if let value = environment(name), !value.isEmpty { return (name, value) }
            }
            return nil
        }
        // The variable of http has no capitals: CGI programs get the header field Proxy as HTTP_PROXY.
        let names = url.isSecure ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
        guard !url.isLoopback, let setting = value(names + ["all_proxy", "ALL_PROXY"]) else { return nil }
        if let list = value(["no_proxy", "NO_PROXY"])?.value, Self.lists(list, url.hostName) { return nil }
        guard let proxy = Self.parts(of: setting.value) else { throw Unusable(variable: setting.name) }
        self.url = proxy.url
        port = proxy.url.authority == proxy.url.host ? (proxy.url.isSecure ? 443 : 1_080) : proxy.url.port
        authorization = proxy.user.map { Secret("Basic " + Base64.standard.padded($0)) }
    }

    /// The environment of the process.
    @Sendable
    package static func environment(_ name: String) -> String? {
        // libcurl reads it at each call, too; nothing in the process changes it.
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }

    /// The parts of `[http[s]://][user[:password]@]host[:port]`; nil for another text.
    private static func parts(of text: String) -> (url: HTTPURL, user: String?)? {
        var (scheme, rest) = ("http", text[...])
        if let separator = text.firstRange(of: "://") {
            scheme = text[..<separator.lowerBound].lowercased()
            rest = text[separator.upperBound...]
        }
        rest = rest.prefix { $0 != "/" }
        let at = rest.lastIndex(of: "@")
        let host = at.map { rest[rest.index(after: $0)...] } ?? rest
        guard let url = HTTPURL("\(scheme)://\(host)") else { return nil }
        guard let at else { return (url, nil) }
        // A user without a password has an empty one.
        let user = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            .compactMap { PercentEncoding.decode($0, plusIsSpace: false) }
        guard let name = user.first, !name.contains(":") else { return nil }
        return (url, "\(name):\(user.dropFirst().first ?? "")")
    }

    // MARK: Hosts without a proxy

    /// Whether a list, separated by commas or spaces, has a host: by its name or that of its domain, its address, or a
    /// network in the form of CIDR; `*` has all.
    private static func lists(_ list: String, _ host: String) -> Bool {
        if list == "*" { return true }
        let entries = list.split { $0 == "," || $0 == " " || $0 == "\t" }
        if let address = IPAddress(host) { return entries.contains { contains($0, address) } }
        let name = trimmed(host.lowercased())
        return entries.contains { entry in
            let domain = trimmed(entry.lowercased())
            return !domain.isEmpty && (name == domain || name.hasSuffix("." + domain))
        }
    }

    /// A name without the point before a domain and that of the root.
    private static func trimmed(_ name: String) -> String {
        String(name.drop { $0 == "." }.reversed().drop { $0 == "." }.reversed())
    }

    private static func contains(_ entry: Substring, _ address: IPAddress) -> Bool {
        let parts = entry.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let text = parts[0].hasPrefix("[") ? parts[0].dropFirst().prefix { $0 != "]" } : parts[0]
        guard let network = IPAddress(String(text)) else { return false }
        guard parts.count == 2 else { return network == address }
        return Int(parts[1]).map { address.hasPrefix(of: network, bits: $0) } ?? false
    }
}

extension OutgoingProxy: CustomStringConvertible {
    package var description: String { url.description }
}

extension IPAddress {
    /// Whether the first bits are those of another address of the same family.
    fileprivate func hasPrefix(of network: IPAddress, bits: Int) -> Bool {
        switch (self, network) {
        case (.v4(let one), .v4(let other)):
            return (0...32).contains(bits) && (bits == 0 || (one ^ other) >> UInt32(32 - bits) == 0)
        case (.v6(let high, let low), .v6(let otherHigh, let otherLow)):
            guard (0...128).contains(bits) else { return false }
            if bits <= 64 { return bits == 0 || (high ^ otherHigh) >> UInt64(64 - bits) == 0 }
            return high == otherHigh && (low ^ otherLow) >> UInt64(128 - bits) == 0
        case (.v4, .v6), (.v6, .v4): return false
        }
    }
}
