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
    private let sessions: RouteSessions?

    /// - Parameters:
    ///   - counter: Has the counts.
    ///   - sessions: The sessions of tokens, which need the scope ADMIN; nil on the admin port, where every client may
    ///     read the counts.
    init(_ counter: SchemaUseCounter, sessions: RouteSessions?) {
        (self.counter, self.sessions) = (counter, sessions)
    }

    func admit(_ head: RequestHead, id: RequestID) -> Result<RequestHandler, RequestRejection> {
        guard head.method == .GET else {
            return .failure(RequestRejection(.methodNotAllowed(head.method, allowed: [.GET]), id: id))
        }
        let token: String?
        do throws(AuthenticationError) {
            token = sessions == nil ? nil : try BearerToken.read(head.fields.authorization)
            if let session = sessions?.known(token) { try Self.checkPermission(of: session) }
        } catch {
            return .failure(RequestRejection(.unauthorized(error), id: id))
        }
        return .success { [counter, sessions] _, _ in
            .async {
                do {
                    if let sessions { try Self.checkPermission(of: await sessions.verified(token)) }
                    let usage = try await counter.usage()
                    var response = HTTPResponse(
                        .ok, "application/json; charset=utf-8", body: Array(usage.json.utf8))
                    response.headers = [HTTPResponse.Header("cache-control", "no-store")]
                    return response
                } catch {
                    return try RequestRejection(for: error, id: id).response
                }
            }
        }
    }

    private static func checkPermission(
        of session: Result<Session, AuthenticationError>
    ) throws(AuthenticationError) {
        guard try session.get().scopes.contains(.admin) else {
            throw .missingToken(
                "The uses of the schema need a session with the scope ADMIN. The admin port serves them without a session."
            )
        }
    }
}
