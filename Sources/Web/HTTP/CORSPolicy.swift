package import NIOCore
import NIOHTTP1

/// The origins whose pages may read responses (Fetch standard, section "CORS protocol").
///
/// Credentials are never allowed: there are no cookies, and a token in `Authorization` needs no such
/// permission.
package struct CORSPolicy: Sendable, Hashable {
    package var origins = Origins.none
    /// How long a browser may cache a preflight response.
    package var maxAge = TimeAmount.hours(1)

    /// The sites.
    package enum Origins: Sendable, Hashable {
        case none
        case any
        /// The origins as browsers send them: `https://app.example.com`, with a port unless it is the
        /// default.
        case listed(Set<String>)
    }

    package init() {}

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

    /// The value of `Access-Control-Allow-Origin` for a request from an origin; nil if the origin is not
    /// allowed.
    ///
    /// The value is one from the configuration, never text from a client.
    func allowed(_ origin: String?) -> String? {
        guard let origin else { return nil }
        switch origins {
        case .none: return nil
        case .any: return "*"
        case .listed(let sites): return sites.first { $0 == origin }
        }
    }

    /// The headers of responses, also to other clients: a shared cache may store one response for all of
    /// them.
    func headers(for origin: String?) -> [HTTPResponse.Header] {
        var headers: [HTTPResponse.Header] = []
        if case .listed = origins { headers.append(HTTPResponse.Header("vary", "origin")) }
        guard let allowed = allowed(origin) else { return headers }
        headers.append(HTTPResponse.Header("access-control-allow-origin", allowed))
        headers.append(HTTPResponse.Header("access-control-expose-headers", "retry-after, x-request-id"))
        return headers
    }

    /// The response to a preflight request.
    var preflight: HTTPResponse {
        var response = HTTPResponse(.noContent)
        response.headers = [
            HTTPResponse.Header("access-control-allow-methods", "GET, HEAD, POST"),
            HTTPResponse.Header(
                "access-control-allow-headers",
                "accept, authorization, cache-control, content-type, last-event-id, portico-upstream, "
                    + "traceparent, tracestate"),
            HTTPResponse.Header("access-control-max-age", "\(maxAge.nanoseconds / 1_000_000_000)"),
        ]
        return response
    }
}
