import Brokerage
import TestSupport
import Testing
import Upstream

/// What a gateway tells of a connection that was made.
let connectionFields = """
    connection { id provider environment label status expiresAt lastSuccessAt failure { code message }
      accounts { id number currency } capabilities { features } rateLimits { name limit remaining } }
    """

extension TestGateway {
    static let redirectURI = "http://localhost:3000/connected"

    /// Begins a consent; the address of its page, and the state.
    func begin(_ provider: ProviderID, as user: OwnerID) async throws -> (url: String, state: String) {
        let answer = try await ask(
            """
            mutation { beginConnection(provider: "\(provider.name.text)", redirectUri: "\(Self.redirectURI)") {
              url state expiresAt } }
            """, as: user)
        let request = answer["data"]?["beginConnection"]
        return (
            try #require(request?["url"]?.string, "\(answer.failures)"),
            try #require(request?["state"]?.string)
        )
    }

    /// Connects with what came back from a consent.
    func connect(
        _ provider: ProviderID, code: String, state: String, redirectURI: String = TestGateway.redirectURI,
        more: String = "", as user: OwnerID
    ) async throws -> JSONValue {
        try await connect(
            provider,
            """
            { authorization: { code: "\(code)", state: "\(state)", redirectUri: "\(redirectURI)" } }
            """, more: more, as: user)
    }

    /// Connects with a credential, as the schema spells it.
    func connect(
        _ provider: ProviderID, _ credential: String, more: String = "", as user: OwnerID
    ) async throws -> JSONValue {
        try await ask(
            """
            mutation { connectProvider(input: { provider: "\(provider.name.text)" credential: \(credential) \(more) }) {
              \(connectionFields) } }
            """, as: user)
    }

    /// Connects a user with a provider by the consent of one of the sandbox's users.
    func consent(
        _ provider: ProviderID, of sandboxUser: String = "demo", more: String = "", as user: OwnerID
    ) async throws -> JSONValue {
        let (url, state) = try await begin(provider, as: user)
        let back = try await Browser.approve(url, as: sandboxUser)
        #expect(back["state"] == state)
        let answer = try await connect(
            provider, code: try #require(back["code"]), state: state, more: more, as: user)
        #expect(answer.failures.isEmpty, "\(answer.failures)")
        return try #require(answer["data"]?["connectProvider"]?["connection"])
    }
}
