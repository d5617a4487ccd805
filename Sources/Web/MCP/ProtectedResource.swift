import GraphQL
import NIOHTTP1

/// The metadata of `/mcp` as a protected resource of OAuth (RFC 9728): where its clients get tokens.
package struct ProtectedResource: Sendable {
    /// The address of the server for its clients, without a path; nil for the host of each request.
    private let publicURL: String?
    private let isSecure: Bool
    private let issuer: String

    private static let wellKnown = "/.well-known/oauth-protected-resource"
    /// The paths of the metadata: that of the resource, and that of the host (RFC 9728, section 3.1).
    static let paths = [wellKnown + "/mcp", wellKnown]

    /// - Parameters:
    ///   - publicURL: The address of the server for its clients; nil for the host of each request.
    ///   - isSecure: Whether the server has TLS itself.
    ///   - issuer: The authorization server.
    package init(publicURL: String?, isSecure: Bool, issuer: String) {
        self.publicURL = publicURL.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
        (self.isSecure, self.issuer) = (isSecure, issuer)
    }

    private func origin(of head: RequestHead) -> String {
        publicURL ?? "\(isSecure ? "https" : "http")://\(head.fields[.host] ?? "localhost")"
    }

    /// The address of the metadata, for `WWW-Authenticate` (RFC 9728, section 5.1).
    func metadataURL(for head: RequestHead) -> String { origin(of: head) + Self.wellKnown + "/mcp" }

    /// The metadata.
    fileprivate func metadata(for head: RequestHead) -> HTTPResponse {
        let metadata: InputObject = [
            "resource": .string(origin(of: head) + "/mcp"),
            "authorization_servers": .list([.string(issuer)]),
            "bearer_methods_supported": .list([.string("header")]),
            "resource_name": .string("Portico"),
        ]
        return HTTPResponse(.ok, ResponseMediaType.json.contentType, body: InputValue.object(metadata).json)
    }
}

/// `/.well-known/oauth-protected-resource`.
struct ProtectedResourceRoute: Route {
    let resource: ProtectedResource

    func admit(_ head: RequestHead, id: RequestID) -> Result<RequestHandler, RequestRejection> {
        guard head.method == .GET || head.method == .HEAD else {
            return .failure(RequestRejection(.methodNotAllowed(head.method, allowed: [.GET, .HEAD]), id: id))
        }
        let response = resource.metadata(for: head)
        return .success { _, _ in .ready(response) }
    }
}
