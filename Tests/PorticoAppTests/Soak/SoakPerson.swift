import TestSupport
import Testing

/// A user, from an address of their own, and what is theirs.
struct SoakPerson: Sendable {
    let name: String
    let token: String
    /// What a trusted proxy says of where they are: so many new users come from one address only.
    private let origin: String
    let things = AcknowledgedWrites()

    private static let password = "a-password-of-the-soak"

    /// Signs up.
    init(_ number: Int, at server: RunningServer) async throws {
        name = "soak-\(number)"
        origin = "X-Forwarded-For: 10.1.\(number / 250).\(number % 250 + 1)"
        let signUp = Self.signUp(name)
        token = try #require(
            try await Self.ask(signUp, server, [origin])["signUp"]?["token"]?.string)
        things.acknowledged("live", as: "session \(token)")
    }

    static func signUp(_ name: String) -> String {
        """
        mutation { signUp(input: { username: "\(name)" password: "\(password)" }) { token session { id } } }
        """
    }

    func signIn(scopes: String) -> String {
        """
        mutation { signIn(input: { username: "\(name)" password: "\(Self.password)" scopes: [\(scopes)] }) {
            token session { id } } }
        """
    }

    /// A request of this user's; by their first session unless another token is given.
    func request(_ document: String, token: String? = nil, fields: [String] = []) -> String {
        RawRequest.post(
            RawRequest.query(document),
            fields: [origin, "Authorization: Bearer \(token ?? self.token)"] + fields)
    }

    /// Asks, and expects no failure.
    ///
    /// - Returns: the answer's `data`.
    /// - Throws: where no answer came.
    func ask(_ document: String, _ server: RunningServer, token: String? = nil) async throws -> JSONValue {
        try await Self.ask(
            document, server, [origin, "Authorization: Bearer \(token ?? self.token)"])
    }

    /// Asks without a session.
    func askAsStranger(_ document: String, _ server: RunningServer) async throws -> JSONValue {
        try await Self.ask(document, server, [origin])
    }

    private static func ask(
        _ document: String, _ server: RunningServer, _ fields: [String]
    ) async throws -> JSONValue {
        let answer = try await server.send(RawRequest.post(RawRequest.query(document), fields: fields))
        #expect(answer.failures.isEmpty, "\(document): \(answer.body)")
        return try #require(answer.json?["data"], "\(document): \(answer.status) \(answer.body)")
    }
}
