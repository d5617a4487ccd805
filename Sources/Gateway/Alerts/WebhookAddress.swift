package import Brokerage
package import Upstream

/// Where messages may be sent.
package struct WebhookPolicy: Sendable {
    /// Whether receivers at loopback addresses are allowed, also without TLS: for tests only, because each user could send
    /// requests to services of the machine.
    package var allowsTestReceivers = false

    package init(allowsTestReceivers: Bool = false) {
        self.allowsTestReceivers = allowsTestReceivers
    }
}

/// The address of a webhook, whose form is permitted.
package struct WebhookAddress: Hashable, Sendable {
    package let url: HTTPURL
    private let allowsLoopback: Bool

    /// The longest address in characters.
    static let maximumLength = 2_000

    /// - Throws: `WebhookAddressError` for a text that is not an address, or not one with https.
    package init(_ text: String, _ policy: WebhookPolicy) throws(WebhookAddressError) {
        guard text.utf8.count <= Self.maximumLength, let url = HTTPURL(text) else { throw .malformed }
        guard url.isSecure || policy.allowsTestReceivers && url.isLoopback else { throw .notSecure }
        guard Self.isNameOrAddress(url.hostName) else { throw .unusualNumber(url.host) }
        self.url = url
        allowsLoopback = policy.allowsTestReceivers
    }

    /// Whether the host is a name, or an address in its usual form.
    ///
    /// The system also reads `127.1`, `2130706433` and `0x7f000001` as addresses of IPv4 (inet_aton).
    private static func isNameOrAddress(_ host: String) -> Bool {
        if IPAddress(host) != nil { return true }
        guard let last = host.split(separator: ".").last else { return false }
        let isNumber =
            last.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } || last.hasPrefix("0x")
        return !isNumber && !host.contains(":")
    }

    /// The address to connect to.
    ///
    /// The caller connects to it and does not resolve the name again, so that a second response of the resolver cannot
    /// have another address.
    ///
    /// - Parameters:
    ///   - owner: The user, who has one look-up at a time; nil for look-ups that may hold several threads.
    ///   - attempt: The number of the attempt; each takes another address, if there are several.
    ///   - resolver: Looks up the name.
    /// - Returns: One of the addresses of the host, all of which are permitted.
    /// - Throws: `WebhookAddressError` if the name has no address, has one that is not public, or is not resolved in time.
    package func resolve(
        for owner: OwnerID? = nil, attempt: Int = 0, by resolver: HostResolver = .shared
    ) async throws(WebhookAddressError) -> IPAddress {
        let addresses: [IPAddress]
        do throws(HostResolverError) {
            addresses = try await resolver.addresses(of: url.hostName, for: owner?.text)
        } catch {
            switch error {
            case .timedOut: throw .timedOut(url.host)
            case .overloaded, .cancelled: throw .overloaded(url.host)
            }
        }
        guard !addresses.isEmpty else { throw .unresolvable(url.host) }
        guard addresses.allSatisfy({ $0.isPublic || allowsLoopback && $0.isLoopback }) else {
            throw .notPublic(url.host)
        }
        return addresses[attempt % addresses.count]
    }
}

/// The reason why messages are not sent to an address.
package enum WebhookAddressError: Error, Hashable, Sendable {
    case malformed
    case notSecure
    /// The host is a number, but not in the usual form of an address.
    case unusualNumber(String)
    case notPublic(String)
    case unresolvable(String)
    /// No DNS server responded in time.
    case timedOut(String)
    /// The server did not begin to resolve the name in time.
    case overloaded(String)
}

extension WebhookAddressError: CustomStringConvertible {
    /// For the user, with the host.
    package var description: String { text { "\"\($0.beginning(80))\"" } }

    /// For the log and the database, which have no addresses of webhooks in clear.
    var withoutHost: String { text { _ in "The host" } }

    private func text(_ name: (String) -> String) -> String {
        switch self {
        case .malformed:
            """
            It is not an address of at most \(WebhookAddress.maximumLength) characters, like \
            https://example.com/alerts, without a user name, a password and a fragment.
            """
        case .notSecure: "It does not begin with https://. Messages are sent over TLS only."
        case .unusualNumber(let host):
            "\(name(host)) is a number. Use a name, or an address in its usual form."
        case .notPublic(let host):
            "\(name(host)) has an address that is not public. Messages are sent to public addresses only."
        case .unresolvable(let host):
            "\(name(host)) has no address. Correct the name, or register it when it can be resolved."
        case .timedOut(let host):
            "\(name(host)) could not be resolved in time, because no DNS server responds: try again later."
        case .overloaded(let host):
            """
            \(name(host)) could not be resolved in time, because this server resolves too many other names: try \
            again later.
            """
        }
    }
}

extension FieldError {
    /// The error of an argument; with the code RATE_LIMITED, the same address can succeed later.
    package init(_ error: WebhookAddressError, argument: String) {
        switch error {
        case .malformed, .notSecure, .unusualNumber, .notPublic, .unresolvable:
            self = .argument(argument, "\(error)")
        case .timedOut, .overloaded:
            self = FieldError(.rateLimited, "\(error)", retryAt: .now + .seconds(30)).of(argument: argument)
        }
    }
}
