package import GraphQL
package import NIOCore
import NIOHTTP1

/// The handler of a path.
package protocol Route: Sendable {
    /// Decides by the head alone whether a request is accepted, so that the body of a rejected request is
    /// not read.
    func admit(_ head: RequestHead, id: RequestID) -> Result<RequestHandler, RequestRejection>
    /// Whether a POST from a page of another site is refused, as the Model Context Protocol requires of its servers.
    var checksOriginOfPOST: Bool { get }
}

extension Route {
    package var checksOriginOfPOST: Bool { false }
}

/// Responds to an admitted request after its body was read; `isStopping` if the server drains.
///
/// It is called on the connection's event loop, and must not block.
package typealias RequestHandler =
    @Sendable (_ body: ByteBuffer, _ isStopping: Bool) -> MaybeAsync<HTTPResponse>

/// A rejected request with its response.
package struct RequestRejection: Error {
    package let response: HTTPResponse

    package init(_ problem: HTTPError, as type: ResponseMediaType = .json, id: RequestID) {
        response = problem.response(as: type, id: id)
    }

    /// A rejection in the format of another protocol than GraphQL over HTTP.
    init(response: HTTPResponse) {
        self.response = response
    }
}

/// A route that is read: GET and HEAD, without a body.
package struct ReadOnlyRoute: Route {
    private let response: @Sendable (_ isStopping: Bool) -> HTTPResponse

    package init(_ response: @escaping @Sendable (_ isStopping: Bool) -> HTTPResponse) {
        self.response = response
    }

    package func admit(_ head: RequestHead, id: RequestID) -> Result<RequestHandler, RequestRejection> {
        guard head.method == .GET || head.method == .HEAD else {
            return .failure(RequestRejection(.methodNotAllowed(head.method, allowed: [.GET, .HEAD]), id: id))
        }
        return .success { [response] _, isStopping in .ready(response(isStopping)) }
    }
}

/// `/schema.graphql`: the contract, for code generators and people.
struct SchemaRoute: Sendable {
    let response: HTTPResponse

    /// As plain text, which browsers show; GraphQL's language has no registered media type.
    init(_ text: String) {
        response = HTTPResponse(.ok, "text/plain; charset=utf-8", body: Array(text.utf8))
    }
}
