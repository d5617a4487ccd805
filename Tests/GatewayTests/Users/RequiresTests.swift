import Gateway
import GraphQL
import Storage
import TestSupport
import Testing

@Suite("Scopes")
struct RequiresTests {
    /// What a session may do, nil for none; code and message of the refusal.
    static let refusals: [(scopes: Set<Scope>?, code: String, message: String)] = [
        (
            nil, "UNAUTHENTICATED",
            "This field needs a session: send its token as `Authorization: Bearer …`."
        ),
        (
            [.write], "FORBIDDEN",
            """
            This field needs a session with the scope READ; this one has WRITE. Sign in again and ask for it with \
            `scopes`.
            """
        ),
        (
            [.write, .trade], "FORBIDDEN",
            """
            This field needs a session with the scope READ; this one has WRITE, TRADE. Sign in again and ask for it with \
            `scopes`.
            """
        ),
    ]

    @Test(
        "a field without its scope fails before a call; other fields are returned",
        arguments: refusals)
    func refused(scopes: Set<Scope>?, code: String, message: String) async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("a", of: alice)])
            let session = scopes.map { Session(owner: alice, scopes: $0) } ?? .anonymous
            let answer = try JSONValue(
                parsing: try await gateway.respond(
                    to: "{ account { equity } positions { symbol } quotes(symbols: [\"AAPL\"]) { price } }",
                    in: session, backends
                ).value().body)
            #expect(
                Set(answer.failures) == [
                    FieldFailure("account", code, nil), FieldFailure("positions", code, nil),
                ])
            #expect(answer["errors"]?[0]?["message"]?.string == message)
            #expect(answer["data"]?["quotes"]?[0]?["price"]?.string != nil)
            #expect(gateway.calls.keys.allSatisfy { $0.contains("snapshots") }, "\(gateway.calls)")
        }
    }

    @Test("every mutation except those that create a session needs one")
    func mutations() throws {
        let schema = try PublicSchema.schema()
        let root = try #require(schema.type(named: "Mutation"))
        guard case .object(let type) = root.kind else {
            Issue.record("Mutation is no object type")
            return
        }
        let open = type.fields.filter { $0.appliedDirectives.first(named: "requires") == nil }.map(\.name)
        #expect(Set(open) == ["startGuestSession", "signUp", "signIn", "beginSignIn", "completeSignIn"])
    }
}
