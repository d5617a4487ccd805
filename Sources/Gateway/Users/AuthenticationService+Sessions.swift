import Brokerage
import Coordination
import GraphQL
import PorticoCore
package import Storage
import Upstream

extension AuthenticationService {
    /// The stored session of the request.
    ///
    /// - Throws: `FieldError` if the request has none, or a token of the settings or of the identity provider.
    func storedSession(_ session: Session) throws(FieldError) -> ActiveSession {
        guard session.owner != nil else { throw session.unauthenticated }
        if session.bearer != nil { throw .tokenOfIdentityProvider }
        guard let stored = session.stored else { throw .tokenOfSettings }
        return stored
    }

    /// Ends the request's session.
    ///
    /// - Returns: The id of the session in the schema.
    func signOut(_ session: Session) async throws -> String {
        if let bearer = session.bearer, let identityProvider {
            try await identityProvider.signOut(bearer)
            return NodeID(.session, bearer.id).text
        }
        let stored = try storedSession(session)
        return try await revoke(NodeID(.session, stored.id).text, of: stored.owner)
    }

    /// Gives the request's session a new token.
    func renew(_ session: Session) async throws -> SessionStore.NewSession {
        let stored = try storedSession(session)
        let opened = try await mapStorageErrors(reporting: report) { () throws(StorageError) in
            try await sessions.renew(stored)
        }
        guard let opened else { throw session.unauthenticated }
        return opened
    }

    /// Ends a session by its id in the schema.
    func revoke(_ globalID: String, of owner: OwnerID) async throws -> String {
        let unknown = FieldError(.notFound, "There is no session \"\(globalID.beginning(80))\".")
        guard let id = NodeID(globalID), id.kind == .session else { throw unknown }
        let isDone = try await mapStorageErrors(reporting: report) { () throws(StorageError) in
            try await sessions.revoke(id.localID, of: owner)
        }
        guard isDone else { throw unknown }
        return globalID
    }

    /// Ends all sessions of a user but the request's, also those of tokens of the identity provider.
    ///
    /// - Returns: The ids of the stored sessions that ended, in the schema.
    func revokeOthers(than session: Session) async throws -> [String] {
        guard let owner = session.owner else { throw session.unauthenticated }
        let result = await Result.of {
            try await mapStorageErrors(reporting: report) { () throws(StorageError) in
                // With a token of the settings none is the request's own: all end.
                try await sessions.revokeOthers(
                    than: session.id ?? "", exceptToken: session.bearer?.kept, of: owner)
            }
        }
        if case .success(nil) = result { throw session.unauthenticated }
        // Also after a failure, since the database may have stored it: a token that has not ended is verified again.
        identityProvider?.endSessions(of: owner, except: session.bearer)
        let ids = try result.get() ?? []
        return ids.map { NodeID(.session, $0).text }
    }

    /// Sets another password, once the old one is proved.
    func changePassword(
        _ input: ChangePasswordInput, in session: Session, from address: ClientOrigin
    ) async throws -> SessionStore.NewSession {
        try checkPasswordsAllowed()
        let stored = try storedSession(session)
        let known = try await registered(stored.owner)
        guard case .named(let name) = known.user.kind, let username = try? Username(name) else {
            throw FieldError.internalError
        }
        let new: Password
        do throws(Password.Refusal) {
            new = try Password(new: input.newPassword, for: username)
        } catch {
            throw FieldError.argument("input.newPassword", error.description)
        }
        guard
            let proved = try await prove(
                input.currentPassword, of: known, as: username.text.lowercased(), in: session, from: address)
        else { throw FieldError.wrongPassword("input.currentPassword") }
        let hash = try await hashed(
            new, for: HashingClient(knownUser: username.text.lowercased(), at: address))
        defer { identityProvider?.endSessions(of: stored.owner) }
        let opened = try await mapStorageErrors(reporting: report) { () throws(StorageError) in
            try await sessions.change(proved, to: hash, in: stored)
        }
        guard let opened else {
            throw FieldError(.conflict, "The password was changed by somebody else in this moment.")
        }
        // Addresses are known by the password with which they have signed in.
        await attempts.know(address, of: UserStore.Registered(user: known.user, hash: hash), now: .now)
        return opened
    }

    /// Deletes the session's user and all data of the user; fails with CONFLICT while orders of the user are
    /// in progress.
    ///
    /// - Returns: The user's id in the schema.
    func deleteUser(password: String?, in session: Session, from address: ClientOrigin) async throws
        -> String
    {
        let stored = try storedSession(session)
        let owner = stored.owner
        let user = try await mapStorageErrors(reporting: report) { () throws(StorageError) in
            try await users.user(owner)
        }
        switch user?.kind {
        case nil: throw session.unauthenticated
        case .configured?: throw FieldError.tokenOfSettings
        case .guest?: break
        case .named(let name)?:
            let known = try await mapStorageErrors(reporting: report) { () throws(StorageError) in
                try await users.registered(owner)
            }
            guard let known else {
                // The user signs in with the identity provider only, which has asked for the password.
                guard Instant.now < stored.createdAt + Self.recentSignIn else { throw FieldError.oldSignIn }
                break
            }
            guard let password else {
                throw FieldError.argument("password", "A user with a name is deleted with the password only.")
            }
            let proved = try await prove(
                password, of: known, as: name.lowercased(), in: session, from: address)
            guard proved != nil else { throw FieldError.wrongPassword("password") }
        }
        switch try await mapStorageErrors(
            reporting: report,
            { () throws(StorageError) in
                try await sessions.deleteUser(of: stored)
            })
        {
        case .deleted: return NodeID(.user, owner.text).text
        case .unknown: throw session.unauthenticated
        case .ordersInProgress(let count):
            throw FieldError.ordersInProgress(count, "this user's", "Delete the user")
        }
    }

    /// The age of a session in which a user without a password can delete the user.
    private static let recentSignIn = Duration.seconds(300)

    private func registered(_ owner: OwnerID) async throws -> UserStore.Registered {
        let known = try await mapStorageErrors(reporting: report) { () throws(StorageError) in
            try await users.registered(owner)
        }
        guard let known else {
            throw FieldError(.forbidden, "This session's user has no password: sign up first.")
        }
        return known
    }
}

extension FieldError {
    /// The token is in the settings, and ends when it is removed there.
    static let tokenOfSettings = FieldError(
        .forbidden,
        "This token stands in the server's settings: only who runs the server can change or end it.")

    /// The token is the identity provider's, and ends when it expires.
    static let tokenOfIdentityProvider = FieldError(
        .forbidden,
        "This token is the identity provider's. Sign in with `beginSignIn` for a session that can do this.")

    /// A user without a password has signed in too long ago.
    static let oldSignIn = FieldError(
        .forbidden, "Sign in again with `beginSignIn`, and repeat this within five minutes.")

    static func wrongPassword(_ argument: String) -> FieldError {
        .argument(argument, "It is not the password of this user.")
    }

    /// The error for clients while the database does not respond, or for a text that it cannot store; nil for another
    /// failure of the store.
    package init?(expected error: StorageError) {
        self.init(error)
        guard code != .internalServerError else { return nil }
    }

    private static func unavailableDatabase(retryAt: Instant) -> FieldError {
        FieldError(
            .storageUnavailable,
            "The database of users is not available; nothing was changed. Try again later.", retryAt: retryAt)
    }

    /// A failure of the store; clients do not see the name of its file.
    init(_ error: StorageError) {
        switch error {
        case .full, .busy, .file: self = .unavailableDatabase(retryAt: .now + .seconds(5))
        case .unavailable(_, _, let retryAt): self = .unavailableDatabase(retryAt: retryAt)
        case .inputOutput, .unknownOutcome:
            self.init(
                .storageUnavailable,
                """
                The database of users did not respond. The change may have been stored: read the object before you \
                try again.
                """, retryAt: .now + .seconds(1))
        // SQLSTATE "character_not_in_repertoire".
        case .refused(_, "22021"):
            self.init(
                .badUserInput,
                """
                A text contains the character U+0000, which the database cannot store; nothing was changed. Remove this \
                character.
                """)
        case .folder, .damaged, .notCopy, .newer, .missing, .unreleased, .older, .failed, .badMasterKey,
            .wrongMasterKey,
            .decryptionFailed, .damagedConnection, .emptyFile, .missingMasterKey, .badDatabaseURL, .encoding,
            .refused, .notEmpty, .exists, .differs:
            self.init(.internalServerError, "It could not be stored or read; nothing was changed.")
        }
    }
}
