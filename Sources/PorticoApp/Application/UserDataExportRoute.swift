package import Brokerage
package import Coordination
package import Gateway
import GraphQL
import NIOHTTP1
package import Storage
import Synchronization
import Upstream
package import Web

/// The sessions of the tokens of requests to routes other than GraphQL.
package struct RouteSessions: Sendable {
    /// The session of a token by memory only; nil if the token must be verified.
    let known: @Sendable (_ bearerToken: String?) -> Result<Session, AuthenticationError>?
    /// The session of a token, after its verification if that is necessary.
    ///
    /// It throws if the database does not respond, so that the token may be valid.
    let verified: Verification

    package typealias Verification =
        @Sendable (_ bearerToken: String?) async throws(HTTPError) -> Result<Session, AuthenticationError>

    package init(
        known: @escaping @Sendable (_ bearerToken: String?) -> Result<Session, AuthenticationError>?,
        verified: @escaping Verification
    ) {
        (self.known, self.verified) = (known, verified)
    }
}

extension RequestRejection {
    /// The rejection for an error of a route.
    ///
    /// - Throws: The error if it is internal.
    init(for error: any Error, id: RequestID) throws {
        switch error {
        case let refusal as AuthenticationError: self.init(.unauthorized(refusal), id: id)
        case let problem as HTTPError: self.init(problem, id: id)
        case let failure as StorageError where FieldError(expected: failure)?.code == .storageUnavailable:
            self.init(.overloaded(.database), id: id)
        default: throw error
        }
    }
}

/// `GET /export`: returns all data of the requesting user as JSON.
///
/// The number of exports is limited for each user and for all users together. The number of concurrent
/// exports is limited so that other readers of the file do not wait for them.
package final class UserDataExportRoute: Route {
    private let sessions: RouteSessions
    private let export: UserDataExport
    private let rate: CallRateLimiter<OwnerID>
    private let maximumConcurrent: Int
    private let running = Atomic<Int>(0)

    package init(
        sessions: RouteSessions, export: UserDataExport, limits: CallLimits
    ) {
        (self.sessions, self.export) = (sessions, export)
        rate = CallRateLimiter(perClient: limits.exports, total: limits.totalExports)
        maximumConcurrent = max(1, limits.exportsAtOnce)
    }

    package func admit(_ head: RequestHead, id: RequestID) -> Result<RequestHandler, RequestRejection> {
        guard head.method == .GET else {
            return .failure(RequestRejection(.methodNotAllowed(head.method, allowed: [.GET]), id: id))
        }
        do throws(AuthenticationError) {
            let token = try BearerToken.read(head.fields.authorization)
            // A client without permission does not have to send a body.
            if let session = sessions.known(token) { _ = try Self.owner(of: session) }
            return .success { [self] _, _ in
                .async { [self] in
                    do {
                        // The token may have ended since the head arrived.
                        return try await response(for: Self.owner(of: sessions.verified(token)))
                    } catch {
                        return try RequestRejection(for: error, id: id).response
                    }
                }
            }
        } catch {
            return .failure(RequestRejection(.unauthorized(error), id: id))
        }
    }

    /// The user of a token.
    ///
    /// - Throws: `AuthenticationError` if the token is not valid now, or has no scope to read.
    private static func owner(
        of session: Result<Session, AuthenticationError>
    ) throws(AuthenticationError) -> OwnerID {
        let session = try session.get()
        guard let owner = session.owner, session.scopes.contains(.read) else {
            throw .missingToken("An export needs a user. Send the token of a session with the scope to read.")
        }
        return owner
    }

    /// Counts an export against the limits, and in `running` until it ends.
    private func begin(for owner: OwnerID) throws(HTTPError) {
        guard running.wrappingAdd(1, ordering: .relaxed).newValue <= maximumConcurrent else {
            running.wrappingSubtract(1, ordering: .relaxed)
            throw Self.tooMany(.everyone, after: .seconds(1))
        }
        do {
            try rate.consume(owner)
        } catch {
            running.wrappingSubtract(1, ordering: .relaxed)
            switch error {
            case .client(let retryAfter): throw Self.tooMany(.user, after: retryAfter)
            case .total(let retryAfter): throw Self.tooMany(.everyone, after: retryAfter)
            }
        }
    }

    private static func tooMany(_ sender: HTTPError.Sender, after delay: Duration) -> HTTPError {
        .tooManyRequests(sender, of: "requests for exports", after: delay)
    }

    /// The export of a user.
    ///
    /// - Throws: `HTTPError.tooManyRequests` if the limit of the user or of all users is reached.
    package func response(for owner: OwnerID) async throws -> Web.HTTPResponse {
        try begin(for: owner)
        defer { running.wrappingSubtract(1, ordering: .relaxed) }
        // A user of the settings without stored data has nothing to export.
        let json = try await export.json(of: owner) ?? "{}"
        var response = Web.HTTPResponse(.ok, "application/json; charset=utf-8", body: Array(json.utf8))
        response.headers = [
            Web.HTTPResponse.Header("cache-control", "no-store"),
            Web.HTTPResponse.Header("content-disposition", "attachment; filename=\"portico.json\""),
        ]
        return response
    }
}
