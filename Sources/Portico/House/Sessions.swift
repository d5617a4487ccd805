import Gateway
import Upstream
import Web

/// Whose request it is, by the token that it carries.
enum Sessions {
    /// The sandbox's demo user, under a token that everybody knows. There is one only with the embedded sandbox.
    case sandbox(OwnerID)
    /// The owner of the configured broker keys; nil where none was named, so that nobody sees private data.
    case owner(OwnerID, OwnerToken?)

    /// The token of the sandbox's demo user.
    static let sandboxToken = "sandbox"

    /// The session of a request.
    @Sendable
    func session(_ token: String?) -> Result<Session, Unauthorized> {
        guard let token else { return .success(.anonymous) }
        switch self {
        case .sandbox(let owner) where token == Sessions.sandboxToken:
            return .success(Session(owner: owner, scopes: [.read, .write, .trade]))
        case .owner(let owner, let known?) where known.matches(token):
            return .success(Session(owner: owner, scopes: [.read, .write, .trade]))
        case .sandbox:
            return .failure(
                .invalidToken("The token is unknown. The sandbox's is `\(Sessions.sandboxToken)`."))
        case .owner:
            return .failure(.invalidToken("The token is unknown."))
        }
    }
}
