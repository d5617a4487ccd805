package import NIOCore
import NIOHTTP1

/// The origins whose pages may read responses (Fetch standard, section "CORS protocol").
///
/// Credentials are never allowed: there are no cookies, and a token in `Authorization` needs no such
/// permission.
package struct CORSPolicy: Sendable, Hashable {
    package var origins = Origins.none
    /// The request headers, in lower case, that pages may send in addition to those that Portico reads; nil
    /// for any.
    package var allowedHeaders: [String]? = CORSPolicy.clientHeaders
    /// How long a browser may cache a preflight response.
    package var maxAge = TimeAmount.hours(1)

    /// The sites.
    package enum Origins: Sendable, Hashable {
        case none
        case any
        /// Pages of this machine, with any port, such as those of a development server.
        case loopback
        /// The origins as browsers send them: `https://app.example.com`, with a port unless it is the
        /// default.
        case listed(Set<String>)
    }

    package init() {}

    /// The request headers that Portico reads.
    private static let ownHeaders = [
        "accept", "authorization", "cache-control", "content-type", "last-event-id", "portico-upstream",
        "traceparent", "tracestate",
    ]

    /// The request headers that common GraphQL clients and tracing libraries add.
    package static let clientHeaders = [
        "apollo-require-preflight", "apollographql-client-name", "apollographql-client-version", "baggage",
        "graphql-client-name", "graphql-client-version", "sentry-trace", "x-apollo-operation-id",
        "x-apollo-operation-name", "x-graphql-event-stream-token",
    ]

    /// The form in which browsers send a configured origin (RFC 6454, section 6.2).
    ///
    /// - Parameter text: An origin of `http` or `https`; it may end with a slash.
    /// - Returns: The origin in lower case without the default port of its scheme; nil for a text that no
    ///   browser sends as the origin of a site, such as `https://*.example.com`.
    package static func normalized(_ text: String) -> String? {
        let text = text.lowercased()
        for (scheme, defaultPort) in [("https://", ":443"), ("http://", ":80")] where text.hasPrefix(scheme) {
            let authority = text.dropFirst(scheme.count)
            guard let host = HostName.normalized(authority.hasSuffix("/") ? authority.dropLast() : authority)
            else { return nil }
            return scheme + (host.hasSuffix(defaultPort) ? String(host.dropLast(defaultPort.count)) : host)
        }
        return nil
    }

    /// The name of a request header in lower case; nil for text that is not a token (RFC 9110, section 5.6.2).
    package static func normalizedHeader(_ text: String) -> String? {
        let isToken = text.utf8.allSatisfy(\.isTokenCharacter)
        return isToken && (1...100).contains(text.utf8.count) ? text.lowercased() : nil
    }

    /// The value of `Access-Control-Allow-Headers`.
    ///
    /// `*` does not include Authorization (Fetch standard, section "CORS-preflight fetch").
    private var allowedHeadersValue: String {
        guard let allowedHeaders else { return "*, authorization" }
        return Set(CORSPolicy.ownHeaders + allowedHeaders).sorted().joined(separator: ", ")
    }

    /// The value of `Access-Control-Allow-Origin` for a request from an origin; nil if the origin is not
    /// allowed.
    ///
    /// The value is one from the configuration, or the origin of a page of this machine.
    func allowed(_ origin: String?) -> String? {
        guard let origin else { return nil }
        switch origins {
        case .none: return nil
        case .any: return "*"
        case .loopback: return HostPolicy.isLoopback(origin: origin) ? origin : nil
        case .listed(let sites): return sites.first { $0 == origin }
        }
    }

    /// The headers of responses, also to other clients: a shared cache may store one response for all of
    /// them.
    func headers(for origin: String?) -> [HTTPResponse.Header] {
        var headers: [HTTPResponse.Header] = []
        switch origins {
        case .listed, .loopback: headers.append(HTTPResponse.Header("vary", "origin"))
        case .none, .any: break
        }
        guard let allowed = allowed(origin) else { return headers }
        headers.append(HTTPResponse.Header("access-control-allow-origin", allowed))
        headers.append(HTTPResponse.Header("access-control-expose-headers", "retry-after, x-request-id"))
        return headers
    }

    /// The response to a preflight request.
    var preflight: HTTPResponse {
        var response = HTTPResponse(.noContent)
        response.headers = [
            HTTPResponse.Header("access-control-allow-methods", "GET, HEAD, POST, PUT, DELETE"),
            HTTPResponse.Header("access-control-allow-headers", allowedHeadersValue),
            HTTPResponse.Header("access-control-max-age", "\(maxAge.nanoseconds / 1_000_000_000)"),
        ]
        return response
    }
}
