import Gateway
import GraphQL
import NIOCore
import NIOHTTP1
import Storage
import Web

/// `GET /export`: everything that is a user's, as JSON, for the user.
struct ExportRoute: Route {
    let session: @Sendable (_ bearerToken: String?) -> Result<Session, Unauthorized>
    let export: HouseExport

    func admit(_ head: RequestHead, id: RequestID) -> Result<Answerer, Refusal> {
        guard head.method == .GET else {
            return .failure(Refusal(.methodNotAllowed(head.method, allowed: [.GET]), id: id))
        }
        do throws(Unauthorized) {
            let session = try session(BearerToken.read(head.fields.authorization)).get()
            guard let owner = session.owner, session.scopes.contains(.read) else {
                throw .missingToken("An export is of a user: send a session's token, one that may read.")
            }
            return .success { [export] _, _ in
                .later {
                    // A user of the settings who has entrusted nothing yet has nothing to take away.
                    let json = try await export.json(of: owner) ?? "{}"
                    var response = HTTPResponse(
                        .ok, "application/json; charset=utf-8", body: Array(json.utf8))
                    response.headers = [
                        HTTPResponse.Header("cache-control", "no-store"),
                        HTTPResponse.Header("content-disposition", "attachment; filename=\"portico.json\""),
                    ]
                    return response
                }
            }
        } catch {
            return .failure(Refusal(.unauthorized(error), id: id))
        }
    }
}
