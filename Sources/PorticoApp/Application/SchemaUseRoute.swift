import Gateway
import GraphQL
import GraphQLTools
import NIOHTTP1
import Storage
import Web

/// `GET /schema/usage`: the counted uses of the schema by clients, as `portico schema usage --json` prints them.
final class SchemaUseRoute: Route {
    static let path = "/schema/usage"

    private let counter: SchemaUseCounter
    private let session: (@Sendable (_ bearerToken: String?) -> Result<Session, AuthenticationError>)?

    /// - Parameters:
    ///   - counter: Has the counts.
    ///   - session: Returns the session of a token, which needs the scope ADMIN; nil on the admin port, where every
    ///     client may read the counts.
    init(
        _ counter: SchemaUseCounter,
        session: (@Sendable (_ bearerToken: String?) -> Result<Session, AuthenticationError>)?
    ) {
        (self.counter, self.session) = (counter, session)
    }

    func admit(_ head: RequestHead, id: RequestID) -> Result<RequestHandler, RequestRejection> {
        guard head.method == .GET else {
            return .failure(RequestRejection(.methodNotAllowed(head.method, allowed: [.GET]), id: id))
        }
        do throws(AuthenticationError) {
            try checkPermission(of: head)
        } catch {
            return .failure(RequestRejection(.unauthorized(error), id: id))
        }
        return .success { [counter] _, _ in
            .async {
                let usage = try await counter.usage()
                var response = HTTPResponse(
                    .ok, "application/json; charset=utf-8", body: Array(usage.json.utf8))
                response.headers = [HTTPResponse.Header("cache-control", "no-store")]
                return response
            }
        }
    }

    private func checkPermission(of head: RequestHead) throws(AuthenticationError) {
        guard let session else { return }
        let reader = try session(BearerToken.read(head.fields.authorization)).get()
        guard reader.scopes.contains(.admin) else {
            throw .missingToken(
                "The uses of the schema need a session with the scope ADMIN. The admin port serves them without a session."
            )
        }
    }
}
