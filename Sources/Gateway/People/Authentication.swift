import Brokerage
package import Storage
import Upstream

/// Lets people in: guests, new users, users; and does what they may do with sessions and passwords.
package struct Authentication: Sendable {
    /// Found by their tokens, for each request.
    package let sessions: SessionStore
    let users: UserStore
    let hasher: PasswordHasher
    let signUpPolicy: SignUpPolicy
    let attempts = SignInAttempts()
    let arrivals = ArrivalAllowance()
    private let report: @Sendable (StorageError) -> Void

    /// Opens the file's sessions; for the start of the process: it waits.
    ///
    /// - Throws: `wrongMasterKey` where the file was made with another.
    package init(
        in file: HouseFile, _ master: MasterKey, _ settings: PeopleSettings = PeopleSettings(),
        report: @escaping @Sendable (StorageError) -> Void = { _ in }
    ) throws(StorageError) {
        self.report = report
        sessions = try SessionStore(in: file, master, settings.sessions)
        users = UserStore(in: file)
        hasher = PasswordHasher(settings.passwordCost)
        signUpPolicy = settings.signUp
    }
}

extension Authentication {
    /// Opens a session for a new guest.
    func startGuest(label: String?, from address: RequestOrigin) async throws -> SessionStore.Opened {
        guard signUpPolicy == .open else {
            throw FieldError(.forbidden, "This server takes no guests. Sign in, or ask who runs it.")
        }
        try takeArrival(from: address)
        let wish = SessionStore.Wish(scopes: [.read, .write], label: label)
        let opened = try await stored { () throws(StorageError) in try await sessions.openForGuest(wish) }
        guard let opened else {
            throw FieldError(
                .rateLimited,
                "There are as many guests as this server takes, \(sessions.policy.guests). Sign up, or try again later.",
                retryAt: Instant.now + .seconds(3_600))
        }
        return opened
    }

    func takeArrival(from address: RequestOrigin) throws {
        if let retryAt = arrivals.take(address, now: .now) {
            throw FieldError(
                .rateLimited, "Too many guests and new users come from this address.", retryAt: retryAt)
        }
    }

    /// Makes a user, or of a guest one.
    func signUp(
        _ input: SignUpInput, guest: OwnerID?, from address: RequestOrigin
    ) async throws -> SessionStore.Opened {
        let (username, password) = try input.checked()
        switch signUpPolicy {
        case .open: break
        case .invitation:
            if input.invitation == nil {
                throw FieldError(.forbidden, "Who signs up here needs an invitation: `input.invitation`.")
            }
        case .off: throw FieldError(.forbidden, "Nobody can sign up here. Ask who runs this server.")
        }
        try takeArrival(from: address)
        let candidate = SessionStore.Candidate(
            username: username, hash: try await hashed(password), invitation: input.invitation, guest: guest)
        let wish = SessionStore.Wish(scopes: [.read, .write], label: input.label)
        let result = try await stored { () throws(StorageError) in
            try await sessions.signUp(candidate, wish)
        }
        switch result {
        case .success(let opened): return opened
        case .failure(.nameTaken):
            throw FieldError(.conflict, "The username \"\(username.text)\" is taken: choose another.")
        case .failure(.unknownInvitation):
            throw FieldError.badInput("input.invitation", "It is unknown, used, or has expired.")
        case .failure(.notAGuest):
            throw FieldError(
                .conflict, "This session is a user's already. Sign up without a session, or with a guest's.")
        }
    }

    /// Opens a session for who knows name and password; whoever does not learns nothing of either, in what is said and
    /// in how long it takes.
    func signIn(_ input: SignInInput, from address: RequestOrigin) async throws -> SessionStore.Opened {
        let username = try? Username(input.username)
        let known: UserStore.Registered?
        if let username {
            known = try await stored { () throws(StorageError) in try await users.registered(username) }
        } else {
            known = nil
        }
        // Names that differ in case only are one user; what is no name counts as it was written.
        let subject = username?.text.lowercased() ?? String(input.username.prefix(64))
        let proved = try await prove(input.password, of: known, as: subject, from: address)
        guard let proved else { throw FieldError(.unauthenticated, Self.wrongCredentials) }
        let scopes = Set(input.scopes ?? [.read, .write]).union([.read])
        if scopes.contains(.admin), !proved.user.isAdmin {
            throw FieldError(.forbidden, "Argument \"input.scopes\": this user does not run the server.")
        }
        let wish = SessionStore.Wish(scopes: scopes, label: input.label)
        let opened = try await stored { () throws(StorageError) in try await sessions.open(wish, for: proved)
        }
        // Changed or deleted in the moment between.
        guard let opened else { throw FieldError(.unauthenticated, Self.wrongCredentials) }
        return opened
    }

    private static let wrongCredentials = "There is no user with this name and password."
}

extension Authentication {
    /// Compares a password with what is kept of a user's, and keeps a better hash of it where there is one.
    ///
    /// - Parameters:
    ///   - text: as it came.
    ///   - known: nil where there is no such user: it takes as long.
    ///   - subject: the user whom the failure counts against.
    ///   - address: where the request came from.
    /// - Throws: `FieldError` RATE_LIMITED after too many failures.
    /// - Returns: the user and the hash that is kept now; nil where the password is wrong.
    func prove(
        _ text: String, of known: UserStore.Registered?, as subject: String, from address: RequestOrigin
    ) async throws -> UserStore.Registered? {
        do throws(SignInAttempts.TooEarly) {
            try attempts.begin(user: subject, address: address, now: .now)
        } catch {
            throw FieldError(
                .rateLimited, "Too many attempts have failed: wait before the next.", retryAt: error.retryAt)
        }
        let comparison = try await hashing { () throws(PasswordHasher.Failure) in
            try await hasher.compare(Password(entered: text), with: known?.hash)
        }
        guard let known else { return nil }
        switch comparison {
        case .different: return nil
        case .equal:
            attempts.succeeded(user: subject, address: address)
            return known
        case .outdated(let better):
            attempts.succeeded(user: subject, address: address)
            try await stored { () throws(StorageError) in
                try await users.upgrade(known.hash, to: better, of: known.user.id)
            }
            return UserStore.Registered(user: known.user, hash: better)
        }
    }

    func hashed(_ password: Password) async throws -> PasswordHash {
        try await hashing { () throws(PasswordHasher.Failure) in try await hasher.hash(password) }
    }

    private func hashing<Value>(
        _ body: () async throws(PasswordHasher.Failure) -> Value
    ) async throws(FieldError) -> Value {
        do {
            return try await body()
        } catch {
            switch error {
            case .overloaded:
                throw FieldError(
                    .rateLimited, "Too many people sign in at this moment.",
                    retryAt: Instant.now + .seconds(5))
            case .failed: throw .noAnswer
            }
        }
    }

    /// What the store does, with its failures as clients see them.
    func stored<Value>(
        _ body: () async throws(StorageError) -> Value
    ) async throws(FieldError) -> Value {
        do {
            return try await body()
        } catch {
            report(error)
            throw FieldError(error)
        }
    }
}
