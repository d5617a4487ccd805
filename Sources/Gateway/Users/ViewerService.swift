import Brokerage
import GraphQL
import Storage
import Upstream

/// The request's user and their sessions.
package struct ViewerService: Sendable {
    let scope: RequestScope
}

extension ViewerService {
    package init(_ scope: RequestScope) {
        self.init(scope: scope)
    }

    /// The service for sign-up and sign-in.
    var authentication: AuthenticationService { scope.services.userData.authentication }

    /// The session's user; nil without a token.
    ///
    /// - Throws: `FieldError` UNAUTHENTICATED if the request's token is unknown or has ended, because the
    ///   client expects a session.
    func viewer() throws -> MaybeAsync<Viewer?> {
        if scope.session.hasRejectedToken { throw scope.session.unauthenticated }
        guard let owner = scope.session.owner else { return .ready(nil) }
        return .async { [self] in
            let user = try await mapStorageErrors(reporting: authentication.report) {
                () throws(StorageError) in
                try await authentication.users.user(owner)
            }
            // Deleted in the moment since the request came in.
            guard let user else { throw scope.session.unauthenticated }
            return Viewer(user: user, session: ownSession(of: user))
        }
    }

    /// The request's session.
    private func ownSession(of user: User) -> SessionDetails {
        if let id = scope.session.id, let stored = authentication.sessions.session(id) {
            return SessionDetails(stored, authentication.sessions, isCurrent: true)
        }
        return SessionDetails(unstored: scope.session, user)
    }

    /// A user's sessions, the one used last first; a token of the settings, or of the identity provider, counts as one.
    func sessions(of owner: OwnerID, current: SessionDetails) -> [SessionDetails] {
        let stored = storedSessions(of: owner, currentID: current.id)
        return stored.contains(where: \.isCurrent) ? stored : [current] + stored
    }

    /// The stored sessions of a user.
    func storedSessions(of owner: OwnerID, currentID: String?) -> [SessionDetails] {
        let store = authentication.sessions
        return store.sessions(of: owner).map { session in
            SessionDetails(
                session, store, isCurrent: NodeID(.session, session.id).text == currentID)
        }
    }
}
