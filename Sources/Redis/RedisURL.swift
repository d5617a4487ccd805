import Foundation
import PorticoCore

/// The address of a Redis server with the credential.
///
/// `redis://user:password@host:6379/0`, `rediss://…` for TLS, or `unix:///run/redis.sock` for a socket of this machine. User
/// and password are percent-encoded.
package struct RedisURL: Sendable {
    /// Where the server listens.
    enum Endpoint: Hashable, Sendable {
        case host(String, port: Int)
        case socket(path: String)
    }

    /// The TLS of a connection.
    struct TLS: Hashable, Sendable {
        /// A file of certificates in PEM that replaces those of the system; nil for those.
        let authorities: String?
    }

    let endpoint: Endpoint
    /// Nil for a connection without TLS.
    let tls: TLS?
    /// Nil for the user `default`.
    let user: String?
    let password: Secret?
    let database: Int
    /// The URL without user and password, for messages.
    package let location: String

    /// The reason why a text is no URL of a Redis server; it contains no part of the text.
    package enum Fault: Error, Hashable, Sendable {
        case scheme
        case host
        case port
        case database
        case credential
        /// A parameter behind `?` that is unknown, or has no meaning for the scheme.
        case parameter
        /// `#` begins a part that no such URL has.
        case fragment

        /// The sentence of a message, behind the name of the setting.
        package var reason: String {
            switch self {
            case .scheme: "does not begin with redis://, rediss:// or unix://."
            case .host: "has no host, or for unix:// no absolute path of a socket."
            case .port: "has a port that is not a number from 1 to 65535."
            case .database: "has a database that is not a number from 0 to 65535."
            case .credential: "has a user without a password, or a percent-encoding that is invalid."
            case .parameter:
                "has a parameter that is neither ca-file (with rediss://) nor db (with unix://)."
            case .fragment:
                "has a part behind #. Write # in a password as %23, / as %2F, @ as %40, ? as %3F and % as %25."
            }
        }
    }

    /// - Throws: The fault of another text.
    package init(_ text: String) throws(Fault) {
        let schemes: [(prefix: String, isSecure: Bool, isSocket: Bool)] = [
            ("redis://", false, false), ("rediss://", true, false), ("unix://", false, true),
        ]
        guard let scheme = schemes.first(where: { text.hasPrefix($0.prefix) }) else { throw .scheme }
        var rest = text.dropFirst(scheme.prefix.count)
        guard !rest.contains("#") else { throw .fragment }
        var parameters = try Self.parameters(of: &rest)
        let authorities = parameters.removeValue(forKey: "ca-file")
        var databaseText = parameters.removeValue(forKey: "db")
        guard parameters.isEmpty, authorities == nil || scheme.isSecure,
            databaseText == nil || scheme.isSocket
        else { throw .parameter }
        tls = scheme.isSecure ? TLS(authorities: authorities) : nil
        (user, password) = try Self.credential(of: &rest)
        if scheme.isSocket {
            guard rest.hasPrefix("/"), rest.count > 1, let path = PercentEncoding.decode(rest) else {
                throw .host
            }
            endpoint = .socket(path: path)
        } else {
            if let slash = rest.firstIndex(of: "/") {
                let path = rest[rest.index(after: slash)...]
                databaseText = path.isEmpty ? nil : String(path)
                rest = rest[..<slash]
            }
            endpoint = try Self.host(rest)
        }
        guard let database = Self.number(databaseText ?? "0"), database <= 65_535 else { throw .database }
        self.database = database
        location =
            switch endpoint {
            case .host(let host, let port):
                "\(scheme.prefix)\(URLAuthority.host(host)):\(port)/\(database)"
            case .socket(let path): "\(scheme.prefix)\(path)?db=\(database)"
            }
    }

    /// The parameters behind `?`, which are removed from the rest.
    private static func parameters(of rest: inout Substring) throws(Fault) -> [String: String] {
        guard let mark = rest.firstIndex(of: "?") else { return [:] }
        let query = rest[rest.index(after: mark)...]
        rest = rest[..<mark]
        var parameters: [String: String] = [:]
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let value = PercentEncoding.decode(parts[1]), !value.isEmpty,
                parameters.updateValue(value, forKey: String(parts[0])) == nil
            else { throw .parameter }
        }
        return parameters
    }

    /// The user and the password before `@`, which are removed from the rest.
    private static func credential(of rest: inout Substring) throws(Fault) -> (String?, Secret?) {
        guard let mark = rest.lastIndex(of: "@") else { return (nil, nil) }
        let parts = rest[..<mark].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        rest = rest[rest.index(after: mark)...]
        let decoded = parts.map { PercentEncoding.decode($0) }
        guard decoded.count == 2, let user = decoded[0], let password = decoded[1], !password.isEmpty else {
            throw .credential
        }
        return (user.isEmpty ? nil : user, Secret(password))
    }

    private static func host(_ text: Substring) throws(Fault) -> Endpoint {
        var (host, port) = (text, Substring("6379"))
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { throw .host }
            host = text[text.index(after: text.startIndex)..<end]
            let behind = text[text.index(after: end)...]
            guard behind.isEmpty || behind.hasPrefix(":") else { throw .host }
            if !behind.isEmpty { port = behind.dropFirst() }
        } else if let colon = text.lastIndex(of: ":") {
            host = text[..<colon]
            port = text[text.index(after: colon)...]
        }
        guard !host.isEmpty, text.hasPrefix("[") || !host.contains(":"),
            host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { throw .host }
        guard let number = number(port), (1...65_535).contains(number) else { throw .port }
        return .host(String(host), port: number)
    }

    /// A number of digits only.
    private static func number(_ text: some StringProtocol) -> Int? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(text) : nil
    }
}

extension RedisURL: CustomStringConvertible, CustomReflectable {
    package var description: String { location }
    package var customMirror: Mirror { Mirror(self, children: ["location": location]) }
}
