package import NIOCore
package import NIOHTTP1
import PorticoCore

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

    /// The names in the query and of the members of a JSON body, see ``Calls/parameters(of:)``.
    var parameterNames: Set<String> {
        var names = Set(query.map(\.name))
        if !body.isEmpty, let document = try? JSONDocument(parsing: body) {
            document.addNames(to: &names, below: "")
        }
        return names
    }

    private static func segments(_ path: Substring) -> [String]? {
        let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        let decoded = segments.compactMap { PercentEncoding.decode($0) }
        return decoded.count == segments.count ? decoded : nil
    }

    private static func pairs(_ query: Substring) -> [(name: String, value: String)]? {
        let pairs = query.split(separator: "&").map { $0.split(separator: "=", maxSplits: 1) }
        let decoded = pairs.compactMap { pair -> (name: String, value: String)? in
            guard let name = pair.first.flatMap({ PercentEncoding.decode($0, plusIsSpace: true) }) else {
                return nil
            }
            guard pair.count > 1 else { return (name, "") }
            return PercentEncoding.decode(pair[1], plusIsSpace: true).map { (name, $0) }
        }
        return decoded.count == pairs.count ? decoded : nil
    }
}

extension JSONDocument {
    /// Adds the names of members, those of inner objects below that of the outer member.
    fileprivate func addNames(to names: inout Set<String>, below outer: String) {
        switch self {
        case .object(let members):
            for member in members {
                names.insert(outer + member.name)
                member.value.addNames(to: &names, below: outer + member.name + ".")
            }
        case .array(let elements): for element in elements { element.addNames(to: &names, below: outer) }
        case .null, .bool, .number, .scientific, .string: break
        }
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
