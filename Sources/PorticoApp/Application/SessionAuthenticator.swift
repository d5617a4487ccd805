import Brokerage
import Coordination
import Gateway
import OpenIDConnect
import PorticoCore
import Storage
import Upstream
import Web

/// Determines the session of a request by its token.
struct SessionAuthenticator: Sendable {
    private let settings: Token
    private let store: SessionStore
    private let changes: any Changes
    /// Verifies tokens of the identity provider; nil if the server has none.
    private let identityProvider: IdentityProviderService?

    /// A token from the settings.
    enum Token: Sendable {
        /// The sandbox's demo user, with a public token. It exists only with the embedded sandbox.
        case sandbox(OwnerID)
        /// The owner of the configured broker credentials; nil if none is set, so that private data is
        /// visible to nobody.
        case owner(OwnerID, OwnerToken?)
    }

    /// The token of the sandbox's demo user.
    static let sandboxToken = "sandbox"

    init(
        _ settings: Token, _ store: SessionStore, _ changes: any Changes,
        _ identityProvider: IdentityProviderService? = nil
    ) {
        (self.settings, self.store, self.changes) = (settings, store, changes)
        self.identityProvider = identityProvider
    }

    /// The session of a request, by memory only.
    ///
    /// - Returns: Nil if memory alone cannot decide about the token: ``verdict(on:)``.
    @Sendable
    func session(_ token: String?) -> Result<Session, AuthenticationError>? {
        guard let token else { return .success(.anonymous) }
        if let session = store.session(ofToken: token) {
            return changes.isCurrent ? .success(Session(session)) : nil
        }
        if let identityProvider, identityProvider.accepts(token) {
            guard changes.isCurrent else { return nil }
            return identityProvider.knownSession(ofToken: token).map { .success(Session($0)) }
        }
        switch settings {
        case .sandbox(let owner) where token == SessionAuthenticator.sandboxToken:
            return .success(Session(owner: owner, scopes: [.read, .write, .trade]))
        case .owner(let owner, let known?) where known.matches(token):
            return .success(Session(owner: owner, scopes: [.read, .write, .trade]))
        case .sandbox, .owner:
            if changes.mayFind(token) { return nil }
            return .failure(.invalidToken(rejectionMessage(for: token)))
        }
    }

    /// The result of the check of a token, with the rights of its request.
    enum Verdict {
        case accepted(Session)
        case refused(AuthenticationError, Session)
        /// The database does not respond, so that the token may be valid.
        case unknown(StorageError)
    }

    /// Checks a token that memory alone cannot decide about: one of the identity provider, or one of a session that another
    /// process has opened or may have ended.
    func verdict(on token: String?) async -> Verdict {
        if let known = session(token) {
            switch known {
            case .success(let session): return .accepted(session)
            case .failure(let error): return .refused(error, Session(rejectingToken: error.message))
            }
        }
        guard let token else { return .accepted(.anonymous) }
        do throws(StorageError) {
            if let identityProvider, identityProvider.accepts(token) {
                // A logout at another process ends the session.
                if let known = try await changes.current({ identityProvider.knownSession(ofToken: token) }) {
                    return .accepted(Session(known))
                }
                switch try await identityProvider.session(ofToken: token) {
                case .success(let session): return .accepted(Session(session))
                case .failure(let reason):
                    return .refused(AuthenticationError(reason), Session(rejectingToken: reason))
                }
            }
            if let stored = try await changes.session(ofToken: token) {
                return .accepted(Session(stored))
            }
        } catch {
            return .unknown(error)
        }
        let message = rejectionMessage(for: token)
        return .refused(.invalidToken(message), Session(rejectingToken: message))
    }

    /// The session of a request, after a verification of its token if that is necessary.
    ///
    /// - Throws: `HTTPError.overloaded` if the database does not respond, so that the token may be valid.
    @Sendable
    func verifiedSession(
        _ token: String?
    ) async throws(HTTPError) -> Result<Session, AuthenticationError> {
        switch await AdmissionSlot.released(during: { await verdict(on: token) }) {
        case .accepted(let session): return .success(session)
        case .refused(let error, _): return .failure(error)
        case .unknown: throw .overloaded(.database)
        }
    }

    /// Whether the token of a session is still valid.
    func isValid(_ session: Session) -> Bool {
        if let stored = session.stored { return store.isValid(stored) }
        guard let bearer = session.bearer else { return true }
        return identityProvider?.isValid(bearer) ?? false
    }

    private func rejectionMessage(for token: String) -> String {
        // The message depends only on the form of the token, so that it does not reveal which sessions
        // existed.
        if token.hasPrefix(SessionToken.prefix) {
            return "The session has ended, or never was: sign in again."
        }
        switch settings {
        case .sandbox: return "The token is unknown. The sandbox's is `\(SessionAuthenticator.sandboxToken)`."
        case .owner: return "The token is unknown."
        }
    }
}

/// The static token of the owner of a server's broker credentials.
struct OwnerToken: Sendable {
    private let bytes: [UInt8]

    /// The minimum length in bytes: shorter tokens can be guessed.
    static let minimumLength = 16

    /// - Throws: `UsageError` if the token is too short, or cannot be a header value.
    init(_ text: String) throws {
        guard text.utf8.count >= OwnerToken.minimumLength else {
            throw UsageError(
                "The owner's token has \(text.utf8.count) bytes; it needs at least \(OwnerToken.minimumLength). "
                    + "`head -c 32 /dev/urandom | base64` generates one.")
        }
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw UsageError(
                "The owner's token has a character that an Authorization header cannot contain.")
        }
        bytes = Array(text.utf8)
    }

    /// Compares a request's token with this one in constant time.
    func matches(_ token: String) -> Bool {
        let other = Array(token.utf8)
        guard other.count == bytes.count else { return false }
        return zip(bytes, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

extension OwnerToken: CustomStringConvertible {
    var description: String { "OwnerToken(…)" }
}

extension AuthenticationError {
    /// The error of a token of the identity provider that is refused.
    init(_ reason: SignInRejection) {
        self = .invalidToken("\(reason.rawValue): \(reason.message)")
    }
}
