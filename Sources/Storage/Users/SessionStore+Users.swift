package import Brokerage

extension SessionStore {
    /// Opens a session for a new guest.
    ///
    /// - Returns: Nil if the maximum number of guests is reached.
    package func openForGuest(_ options: Options, now: Instant = .now) async throws(StorageError)
        -> NewSession?
    {
        try await opening { [self] db in
            guard try UserStore.countOfGuests(in: db) < policy.guests else { return nil }
            return try open(options, for: UserStore.insertGuest(in: db, now: now), in: db, now: now)
        }
    }

    /// Opens a session for a user whose password was just verified.
    ///
    /// - Returns: Nil if the user no longer exists, or the password was changed.
    package func open(
        _ options: Options, for known: UserStore.Registered, now: Instant = .now
    ) async throws(StorageError) -> NewSession? {
        try await opening(for: known.user.id) { [self] db in
            guard let user = try UserStore.user(known.user.id, in: db),
                try UserStore.hash(of: user.id, in: db) == known.hash
            else { return nil }
            return try open(options, for: user, in: db, now: now)
        }
    }

    /// A user to be created.
    package struct NewUser: Sendable {
        package let username: Username
        package let hash: PasswordHash
        /// The code of an invitation; nil if none is required.
        package let invitation: String?
        /// The request's session, which belongs to a guest.
        ///
        /// The guest keeps all data.
        package let guest: ActiveSession?

        package init(username: Username, hash: PasswordHash, invitation: String?, guest: ActiveSession?) {
            (self.username, self.hash, self.invitation, self.guest) = (username, hash, invitation, guest)
        }
    }

    /// The reason why no user was created; nothing was changed.
    package enum SignUpError: Error, Hashable, Sendable {
        case nameTaken
        case unknownInvitation
        /// The session's user has a name already.
        case notAGuest
        /// The session's token has ended since the request began.
        case endedSession
    }

    /// Creates a user, or gives a guest a name, and opens a session, in one transaction.
    ///
    /// The guest's own sessions end: their tokens belong to a user without a password.
    package func signUp(
        _ candidate: NewUser, _ options: Options, now: Instant = .now
    ) async throws(StorageError) -> Result<NewSession, SignUpError> {
        try await opening { [self] db in
            do {
                return .success(try signUp(candidate, options, in: db, now: now))
            } catch let refusal as SignUpError {
                return .failure(refusal)
            }
        }
    }

    private func signUp(_ candidate: NewUser, _ options: Options, in db: SQLTransaction, now: Instant) throws
        -> NewSession
    {
        if let guest = candidate.guest { try db.lock(guest.owner) }
        let guest = try candidate.guest.map { try owningGuest(of: $0, in: db, now: now) }
        // Before the name, so that a person without an invitation cannot find out names.
        if let code = candidate.invitation, try !UserStore.isValid(code, in: db, now: now) {
            throw SignUpError.unknownInvitation
        }
        guard try UserStore.user(named: candidate.username, in: db) == nil else {
            throw SignUpError.nameTaken
        }
        // The last that can refuse: it takes the invitation.
        var isAdmin = false
        if let code = candidate.invitation {
            guard let grant = try UserStore.accept(code, in: db, now: now) else {
                throw SignUpError.unknownInvitation
            }
            isAdmin = grant
        }
        let user = try UserStore.name(guest, candidate.username, isAdmin: isAdmin, in: db, now: now)
        try UserStore.set(candidate.hash, of: user.id, in: db)
        let old: [String] = try db.values("SELECT id FROM session WHERE user_id = ?", [user.id.text])
        try delete(old, in: db)
        return try open(options, for: user, in: db, now: now)
    }

    /// The guest of the session, as the request's token has opened it.
    ///
    /// - Throws: `SignUpError` if the token has ended meanwhile, or the user is not a guest.
    private func owningGuest(of session: ActiveSession, in db: SQLTransaction, now: Instant) throws -> User {
        guard try row(of: session, in: db, now: now) != nil else { throw SignUpError.endedSession }
        guard let user = try UserStore.user(session.owner, in: db), user.kind == .guest else {
            throw SignUpError.notAGuest
        }
        return user
    }

    /// Sets a user's password, ends the other sessions, refuses the user's bearer tokens, and gives this session a new token.
    ///
    /// - Parameters:
    ///   - old: The user and the password that the request has just proved.
    ///   - new: The hash of the new password.
    ///   - session: The session of the request.
    ///   - now: The time of the change.
    /// - Throws: The error that prevented the write; then nothing was changed.
    /// - Returns: Nil if the password or the session has changed in between; then nothing was changed.
    package func change(
        _ old: UserStore.Registered, to new: PasswordHash, in session: ActiveSession, now: Instant = .now
    ) async throws(StorageError) -> NewSession? {
        try await database.write(for: old.user.id) { [self] db in
            try IdentityStore.lockEnds(db)
            if database.postgres != nil {
                // This session is changed before the others, which ``delete(_:in:)`` changes in the order of their ids.
                _ = try db.rows(
                    "SELECT 1 FROM session WHERE user_id = ? ORDER BY id FOR UPDATE", [old.user.id.text])
            }
            guard try UserStore.hash(of: old.user.id, in: db) == old.hash,
                session.owner == old.user.id,
                // With a token and a validity of its own: everything that was opened before ends.
                let opened = try replaceToken(
                    of: session, by: SessionToken(), validity: SessionValidity(), in: db, now: now)
            else { return nil }
            try UserStore.set(new, of: old.user.id, in: db)
            try IdentityStore.revokeTokens(of: old.user.id, in: db, now: now)
            _ = try end(of: old.user.id, in: db) { $0 != session.id }
            return opened
        }
    }

    /// Deletes the user of a session and all data of the user, unless orders of the user are in progress.
    ///
    /// - Parameters:
    ///   - session: The session that the request's token has opened.
    ///   - now: The time of the deletion.
    /// - Throws: The reason that it was not written; then nothing has changed.
    /// - Returns: The outcome; `unknown` if the token has ended meanwhile.
    package func deleteUser(
        of session: ActiveSession, now: Instant = .now
    ) async throws(StorageError) -> Deletion {
        let owner = session.owner
        let deletion: Deletion = try await database.write(for: owner) { [self] db in
            try IdentityStore.lockEnds(db)
            guard try row(of: session, in: db, now: now) != nil else { return .unknown }
            let count = try JournalWrite.countInProgress(of: owner, in: db)
            guard count == 0 else { return .ordersInProgress(count) }
            // A guest goes with the last session; the others do not.
            _ = try end(of: owner, in: db) { _ in true }
            _ = try UserStore.delete(owner, in: db, now: now)
            return .deleted
        }
        if deletion == .deleted { deletions.report([owner]) }
        return deletion
    }
}
