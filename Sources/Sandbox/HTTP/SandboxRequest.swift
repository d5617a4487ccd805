package import NIOCore
package import NIOHTTP1

/// A whole request, as a route receives it.
package struct SandboxRequest: Sendable {
    package let method: HTTPMethod
    /// The path, percent-decoded, segment by segment.
    package let path: [String]
    /// The query's pairs in their order, percent-decoded.
    package let query: [(name: String, value: String)]
    package let headers: HTTPHeaders
    package let body: [UInt8]
    /// Who asks; nil where the connection does not tell.
    package let peer: SocketAddress?
    /// What the route's template took from the path, by name.
    package var parameters: [String: String] = [:]

    /// Nil when the target is no absolute path, or an escape in it is malformed.
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

    /// The last value of that name; nil when there is none.
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
