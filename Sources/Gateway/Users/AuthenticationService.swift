import Brokerage
package import Coordination
package import Storage
import Upstream

/// Authenticates guests, new users and users, and manages sessions and passwords.
package struct AuthenticationService: Sendable {
    /// Found by their tokens, for each request.
    package let sessions: SessionStore
    /// Those of other processes.
    package let changes: any Changes
    let users: UserStore
    package let hasher: PasswordHasher
    let signUpPolicy: SignUpPolicy
    /// Whether users can sign in with a password.
    let allowsPasswords: Bool
    /// Signs users in with the identity provider; nil if the server has none.
    package var identityProvider: IdentityProviderService?
    /// The failed sign-ins of all processes.
    package let attempts: SignInThrottle
    private let limits: CallLimits
    /// The rate of all attempts to sign in, whether they fail or not.
    private let signIns: CallRateLimiter<SignInClient>
    /// The rate of new guests and users.
    private let arrivals: CallRateLimiter<ClientOrigin>
    let report: @Sendable (StorageError) -> Void

    /// Opens the sessions of the database.
    ///
    /// It blocks, so it is for the start of the process.
    ///
    /// - Throws: `wrongMasterKey` if the database was created with another key.
    package init(
        in file: UserDatabase, _ master: MasterKey, _ settings: UserPolicy = UserPolicy(),
        attempts: any Attempts = LocalAttempts(),
        report: @escaping @Sendable (StorageError) -> Void = { _ in }
    ) throws(StorageError) {
        self.report = report
        sessions = try SessionStore(in: file, master, settings.sessions)
        changes = try Coordination.changes(of: sessions)
        users = UserStore(in: file)
        self.attempts = SignInThrottle(attempts)
        limits = settings.limits
        hasher = PasswordHasher(settings.passwordCost, queueLimit: settings.passwordQueue)
        signUpPolicy = settings.signUp
        allowsPasswords = settings.allowsPasswords
        signIns = CallRateLimiter(perClient: settings.limits.signIns)
        arrivals = CallRateLimiter(
            perClient: settings.limits.arrivals, total: settings.limits.totalArrivals)
    }
}

extension AuthenticationService {
    /// Opens a session for a new guest.
    func startGuest(label: String?, from address: ClientOrigin) async throws -> SessionStore.NewSession {
        guard signUpPolicy == .open else {
            throw FieldError(.forbidden, "This server takes no guests. Sign in, or ask who runs it.")
        }
        try await checkSignUpLimit(from: address)
        let options = SessionStore.Options(scopes: [.read, .write], label: label)
        let opened = try await mapStorageErrors(reporting: report) { () throws(StorageError) in
            try await sessions.openForGuest(options)
        }
        guard let opened else {
            throw FieldError(
                .rateLimited,
                "There are as many guests as this server takes, \(sessions.policy.guests). Sign up, or try again later.",
                retryAt: Instant.now + .seconds(3_600))
        }
        return opened
    }

    private static let arrivalsName = "new guests and users"

    func checkSignUpLimit(from address: ClientOrigin) async throws {
        do {
            try arrivals.consume(address)
            try await attempts.consume(
                Self.arrivalsName, from: address, limits.arrivals, total: limits.totalArrivals, now: .now)
        } catch let refusal as CallRateLimiter<ClientOrigin>.Refusal {
            throw FieldError(refusal, of: Self.arrivalsName, "from this address")
        } catch let error as StorageError {
            report(error)
            throw FieldError(error)
        }
    }

    /// Creates a user, or signs up the guest of the session.
    func signUp(
        _ input: SignUpInput, in session: Session, from address: ClientOrigin
    ) async throws -> SessionStore.NewSession {
        try checkPasswordsAllowed()
        let (username, password) = try input.checked()
        switch signUpPolicy {
        case .open: break
        case .invitation:
            if input.invitation == nil {
                throw FieldError(.forbidden, "Who signs up here needs an invitation: `input.invitation`.")
            }
        case .off: throw FieldError(.forbidden, "Nobody can sign up here. Ask who runs this server.")
        }
        // The user of a token in the settings has a name there.
        if session.owner != nil, session.stored == nil { throw Self.notAGuest }
        try await checkSignUpLimit(from: address)
        let hash: PasswordHash
        do throws(FieldError) {
            hash = try await hashed(password, for: HashingClient(knownUser: nil, at: address))
        } catch {
            arrivals.refund(address)
            await attempts.refund(
                Self.arrivalsName, from: address, limits.arrivals, total: limits.totalArrivals, now: .now)
            throw error
        }
        let candidate = SessionStore.NewUser(
            username: username, hash: hash, invitation: input.invitation, guest: session.stored)
        let options = SessionStore.Options(scopes: [.read, .write], label: input.label)
        let result = try await mapStorageErrors(reporting: report) { () throws(StorageError) in
            try await sessions.signUp(candidate, options)
        }
        switch result {
        case .success(let opened):
            await attempts.know(
                address, of: UserStore.Registered(user: opened.user, hash: hash), now: .now)
            return opened
        case .failure(.nameTaken):
            throw FieldError(.conflict, "The username \"\(username.text)\" is taken: choose another.")
        case .failure(.unknownInvitation):
            throw FieldError.argument("input.invitation", "It is unknown, used, or has expired.")
        case .failure(.notAGuest): throw Self.notAGuest
        case .failure(.endedSession): throw session.unauthenticated
        }
    }

    private static let notAGuest = FieldError(
        .conflict,
        "This session belongs to a user with a name. Sign up without a session, or with a guest session.")

    /// Opens a session for a user with the right name and password.
    ///
    /// A failed attempt does not reveal whether the name exists, neither by its message nor by its duration.
    /// A `session` of the same user makes the request's client a known client.
    func signIn(
        _ input: SignInInput, in session: Session, from address: ClientOrigin
    ) async throws -> SessionStore.NewSession {
        try checkPasswordsAllowed()
        let username = try? Username(input.username)
        let known: UserStore.Registered?
        if let username {
            known = try await mapStorageErrors(reporting: report) { () throws(StorageError) in
                try await users.registered(username)
            }
        } else {
            known = nil
        }
        // Names that differ only in case are one user; an invalid name counts as it is written.
        let subject =
            username?.text.lowercased() ?? String(decoding: input.username.utf8.prefix(64), as: UTF8.self)
        let proved = try await prove(
            input.password, of: known, as: subject, in: session, from: address)
        guard let proved else { throw FieldError(.unauthenticated, Self.wrongCredentials) }
        let scopes = Set(input.scopes ?? [.read, .write]).union([.read])
        if scopes.contains(.admin), !proved.user.isAdmin {
            throw FieldError.argument("input.scopes", code: .forbidden, "this user does not run the server.")
        }
        let options = SessionStore.Options(scopes: scopes, label: input.label)
        let opened = try await mapStorageErrors(reporting: report) { () throws(StorageError) in
            try await sessions.open(options, for: proved)
        }
        // Changed or deleted in the moment between.
        guard let opened else { throw FieldError(.unauthenticated, Self.wrongCredentials) }
        return opened
    }

    /// - Throws: `FieldError` FORBIDDEN if the settings do not permit passwords.
    func checkPasswordsAllowed() throws(FieldError) {
        guard allowsPasswords else {
            throw FieldError(
                .forbidden, "This server has no passwords. Sign in with its identity provider: `beginSignIn`."
            )
        }
    }

    private static let wrongCredentials = "There is no user with this name and password."
}

extension AuthenticationService {
    /// Compares a password with the stored hash of a user, and stores a better hash if the parameters have
    /// changed.
    ///
    /// A refused attempt computes no hash. An attempt whose hash could not be computed does not count.
    ///
    /// - Parameters:
    ///   - text: The password as received.
    ///   - known: Nil if there is no such user; the duration is the same.
    ///   - subject: The user against whom a failure counts.
    ///   - session: The session of the request.
    ///   - address: The address from which the request came.
    /// - Throws: `FieldError` RATE_LIMITED after too many failures or attempts, and if too many hashes wait.
    /// - Returns: The user and the hash that is stored now; nil if the password is wrong.
    func prove(
        _ text: String, of known: UserStore.Registered?, as subject: String, in session: Session,
        from address: ClientOrigin
    ) async throws -> UserStore.Registered? {
        let isOwn = known != nil && session.owner == known?.user.id
        let attempt: SignInThrottle.Attempt
        do {
            attempt = try await attempts.begin(
                user: subject, registered: known, from: address, session: isOwn ? session.id : nil,
                now: .now)
        } catch let refusal as SignInThrottle.RetryLater {
            throw FieldError(
                .rateLimited, "Too many attempts have failed: wait before the next.", retryAt: refusal.retryAt
            )
        } catch let error as StorageError {
            report(error)
            throw FieldError(error)
        }
        let caller = SignInClient(attempt, from: address)
        let client = HashingClient(knownUser: attempt.isKnown ? attempt.user : nil, at: address)
        let comparison: PasswordHasher.Comparison
        do {
            try signIns.consume(caller)
        } catch {
            await attempts.withdraw(attempt, now: .now)
            throw FieldError(error, of: "attempts to sign in", caller.description)
        }
        do {
            comparison = try await hashing { () throws(PasswordHasher.Failure) in
                try await hasher.compare(
                    Password(entered: text), with: known?.hash, for: client)
            }
        } catch {
            await attempts.withdraw(attempt, now: .now)
            signIns.refund(caller)
            throw error
        }
        guard let known else { return nil }
        switch comparison {
        case .different: return nil
        case .equal:
            await attempts.succeeded(attempt, now: .now)
            return known
        case .outdated(let better):
            await attempts.succeeded(attempt, now: .now)
            try await mapStorageErrors(reporting: report) { () throws(StorageError) in
                try await users.upgrade(known.hash, to: better, of: known.user.id)
            }
            return UserStore.Registered(user: known.user, hash: better)
        }
    }

    func hashed(_ password: Password, for client: HashingClient) async throws(FieldError) -> PasswordHash {
        try await hashing { () throws(PasswordHasher.Failure) in
            try await hasher.hash(password, for: client)
        }
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
                    .rateLimited, "Too many clients are signing in. Try again soon.",
                    retryAt: Instant.now + .seconds(5))
            case .failed: throw .internalError
            }
        }
    }
}

/// The client for which attempts to sign in are counted.
enum SignInClient: Hashable {
    /// All known clients of a user together, because each session is one and a user can open many.
    case user(String)
    /// All other clients of an address, for any user.
    case address(ClientOrigin)
}

extension SignInClient {
    init(_ attempt: SignInThrottle.Attempt, from address: ClientOrigin) {
        self = attempt.isKnown ? .user(attempt.user) : .address(address)
    }

    /// The description in messages.
    var description: String {
        switch self {
        case .user: "as this user"
        case .address: "from this address"
        }
    }
}

extension HashingClient {
    init(knownUser: String?, at address: ClientOrigin) {
        self.init(knownUser: knownUser, address: address.number)
    }
}

/// The rules of sign-up and the limits of sessions.
package struct UserPolicy: Sendable {
    package var signUp = SignUpPolicy.open
    /// Whether users can sign in with a password.
    package var allowsPasswords = true
    package var passwordCost = PasswordCost.standard
    /// The number of passwords that may wait to be hashed.
    package var passwordQueue = 64
    package var sessions = SessionPolicy()
    package var limits = CallLimits()

    package init() {}
}

/// The policy for new users.
package enum SignUpPolicy: String, Sendable, CaseIterable {
    /// Anyone, including guests.
    case open
    /// Anyone with the code of an invitation.
    case invitation
    /// No user can sign up.
    case off
}

extension FieldError {
    /// The error for a request that a limit of this server refuses.
    ///
    /// `calls` names the requests, such as "new guests and users"; `client` names the client, such as "from
    /// this address".
    init<Client>(_ refusal: CallRateLimiter<Client>.Refusal, of calls: String, _ client: String) {
        let message =
            switch refusal {
            case .client: "Too many \(calls) \(client): try again later."
            case .total: "This server has too many \(calls) at present: try again later."
            }
        self.init(.rateLimited, message, retryAt: Instant.now + refusal.retryAfter)
    }
}
