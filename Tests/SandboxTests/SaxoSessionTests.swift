import Brokerage
import Sandbox
import TestSupport
import Testing

@Suite("Saxo's sessions: what a refresh, a refusal and a proof are worth")
struct SaxoSessionTests {
    /// The example of RFC 7636, appendix B.
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    static let callback = "http://127.0.0.1:9/back"
    static let wrong = String(verifier.reversed())

    private static func authorize(_ client: String, _ more: String = "") -> String {
        "/saxo-auth/authorize?response_type=code&client_id=\(client)&state=s%201"
            + "&redirect_uri=\(FakeSaxoOAuthTests.redirect)" + more
    }

    /// Returns the parameters of the redirect, by name.
    private func parameters(_ reply: Client.Reply) throws -> [String: String] {
        #expect(reply.status == 302)
        let location = try #require(reply.headers["location"])
        #expect(location.hasPrefix(Self.callback + "?"))
        let pairs = location.dropFirst(Self.callback.count + 1).split(separator: "&").map { pair in
            pair.split(separator: "=", maxSplits: 1).map(String.init)
        }
        return Dictionary(pairs.map { ($0[0], $0.count > 1 ? $0[1] : "") }, uniquingKeysWith: { $1 })
    }

    /// Returns a code granted by the demonstration user.
    private func code(_ fixture: RunningSandbox, _ client: String, _ more: String = "") async throws -> String
    {
        fixture.sandbox.oauth.decision = .approve(user: "demo")
        let reply = try await fixture.client.get(Self.authorize(client, more))
        return try #require(try parameters(reply)["code"])
    }

    private func token(
        _ fixture: RunningSandbox, _ form: String, isProved: Bool = false
    ) async throws -> Client.Reply {
        var headers = isProved ? FakeSaxoOAuthTests.basic : [:]
        headers["Content-Type"] = "application/x-www-form-urlencoded"
        headers["Content-Length"] = String(form.utf8.count)
        return try await fixture.client.send("POST", "/saxo-auth/token", headers, form)
    }

    private func redemption(_ code: String, _ more: String) -> String {
        "grant_type=authorization_code&code=\(code)&redirect_uri=\(FakeSaxoOAuthTests.redirect)" + more
    }

    private func tokens(_ reply: Client.Reply) throws -> (access: [String: String], refresh: String) {
        try #require(reply.status == 201, "\(reply.body)")
        let document = try JSONValue(parsing: reply.body)
        #expect(try Golden.schema(of: "saxo").definition("OAuthToken").violations(in: document) == [])
        let access = try #require(document["access_token"]?.string)
        return (["Authorization": "Bearer \(access)"], try #require(document["refresh_token"]?.string))
    }

    private func expectRefused(
        _ reply: Client.Reply, _ error: String, at location: SourceLocation = #_sourceLocation
    ) throws {
        #expect(reply.status == (error == "invalid_client" ? 401 : 400), sourceLocation: location)
        let document = try JSONValue(parsing: reply.body)
        let schema = try Golden.schema(of: "supplement").definition("OAuthError")
        #expect(schema.violations(in: document) == [], sourceLocation: location)
        #expect(document["error"] == .string(error), sourceLocation: location)
    }

    private func status(_ fixture: RunningSandbox, _ access: [String: String]) async throws -> Int? {
        try await fixture.saxo("/port/v1/clients/me", access).status
    }

    @Test(
        "a refresh token that comes again is refused; its session stays or ends",
        arguments: RefreshReuse.allCases)
    func reuse(_ reuse: RefreshReuse) async throws {
        try await withSandbox({ $0.saxo.refreshReuse = reuse }) { fixture in
            func refresh(_ token: String) async throws -> Client.Reply {
                try await self.token(
                    fixture, "grant_type=refresh_token&refresh_token=\(token)", isProved: true)
            }
            let configured = FakeSaxoClient.demo.credentials.refreshToken
            let first = try tokens(await refresh(configured))
            let second = try tokens(await refresh(first.refresh))
            let other = try tokens(await refresh(FakeSaxoClient.second.credentials.refreshToken))
            #expect(try await status(fixture, second.access) == 200)
            for used in [first.refresh, configured] {
                try expectRefused(await refresh(used), "invalid_grant")
            }
            let ended = reuse == .endsSession
            #expect(try await status(fixture, second.access) == (ended ? 401 : 200))
            #expect(try await refresh(second.refresh).status == (ended ? 400 : 201))
            // No other user's session ends.
            #expect(try await status(fixture, other.access) == 200)
            #expect(try await refresh(other.refresh).status == 201)
            fixture.sandbox.reset()
            #expect(try await status(fixture, other.access) == 401)
            #expect(try await refresh(configured).status == 201)
        }
    }

    @Test("a code is good for ten minutes of the sandbox's clock, and once")
    func codeLifetime() async throws {
        try await withClock { fixture, clock in
            let codes = [
                try await code(fixture, "sandbox-saxo-app"), try await code(fixture, "sandbox-saxo-app"),
            ]
            clock.advance(by: .seconds(599))
            let first = redemption(codes[0], "")
            #expect(try await token(fixture, first, isProved: true).status == 201)
            try expectRefused(await token(fixture, first, isProved: true), "invalid_grant")
            clock.advance(by: .seconds(1))
            try expectRefused(await token(fixture, redemption(codes[1], ""), isProved: true), "invalid_grant")
        }
    }

    @Test("a user who refuses, on the page or by script, is told of as access_denied")
    func refusal() async throws {
        try await withSandbox { fixture in
            let login = Self.authorize("sandbox-saxo-app")
            let page = try await fixture.client.get(login)
            #expect(page.body.contains("Approve as second") && page.body.contains(">Deny<"))
            let denied = try await fixture.client.post(
                "/saxo-auth/authorize", FakeAlpacaOAuthTests.approval(page.body, decision: "deny"))
            fixture.sandbox.oauth.decision = .deny
            for reply in [denied, try await fixture.client.get(login)] {
                #expect(
                    try parameters(reply) == [
                        "error": "access_denied", "error_description": "the%20user%20refused",
                        "state": "s%201",
                    ])
            }
        }
    }

    struct Proof: Sendable, CustomTestStringConvertible {
        let application: String
        /// The challenge in the authorization request.
        let challenge: String
        /// The proof in the token request, in addition to code and address.
        let proof: String
        var isProved = false
        /// Nil for tokens.
        let error: String?
        var testDescription: String { "\(application) \(challenge) \(proof)" }

        static let native = "sandbox-saxo-native"
        static let hashed = "&code_challenge=\(SaxoSessionTests.challenge)&code_challenge_method=S256"
        static let plain = "&code_challenge=\(verifier)&code_challenge_method=plain"
        private static let id = "&client_id=\(native)"

        static let all: [Proof] = [
            Proof(
                application: native, challenge: hashed, proof: id + "&code_verifier=\(verifier)", error: nil),
            Proof(
                application: native, challenge: plain, proof: id + "&code_verifier=\(verifier)", error: nil),
            Proof(
                application: native, challenge: "&code_challenge=\(verifier)",
                proof: id + "&code_verifier=\(verifier)", error: nil),
            Proof(
                application: "sandbox-saxo-app", challenge: hashed, proof: "&code_verifier=\(verifier)",
                isProved: true, error: nil),
            Proof(
                application: native, challenge: hashed, proof: id + "&code_verifier=\(wrong)",
                error: "invalid_grant"),
            Proof(
                application: native, challenge: hashed,
                proof: id + "&code_verifier=\(SaxoSessionTests.challenge)",
                error: "invalid_grant"),
            Proof(
                application: native, challenge: plain, proof: id + "&code_verifier=short",
                error: "invalid_grant"),
            Proof(application: native, challenge: hashed, proof: id, error: "invalid_grant"),
            Proof(
                application: native, challenge: hashed,
                proof: id + "&client_secret=guessed&code_verifier=\(verifier)", error: "invalid_client"),
            Proof(
                application: native, challenge: hashed, proof: "&code_verifier=\(verifier)",
                error: "invalid_client"),
            Proof(
                application: "sandbox-saxo-app", challenge: hashed, proof: "", isProved: true,
                error: "invalid_grant"),
            // A verifier without a challenge indicates that the challenge was removed from the request.
            Proof(
                application: "sandbox-saxo-app", challenge: "", proof: "&code_verifier=\(verifier)",
                isProved: true, error: "invalid_grant"),
            Proof(
                application: "sandbox-saxo-app", challenge: hashed,
                proof: "&client_id=sandbox-saxo-app&code_verifier=\(verifier)", error: "invalid_client"),
        ]
    }

    @Test("a code challenge is met by its verifier alone, and stands for a secret", arguments: Proof.all)
    func proof(_ wanted: Proof) async throws {
        try await withSandbox { fixture in
            let code = try await code(fixture, wanted.application, wanted.challenge)
            let reply = try await token(
                fixture, redemption(code, wanted.proof), isProved: wanted.isProved)
            if let error = wanted.error { return try expectRefused(reply, error) }
            #expect(try await status(fixture, tokens(reply).access) == 200)
        }
    }

    @Test("the page hands the challenge on")
    func page() async throws {
        try await withSandbox { fixture in
            let page = try await fixture.client.get(Self.authorize(Proof.native, Proof.hashed))
            let approved = try await fixture.client.post(
                "/saxo-auth/authorize", FakeAlpacaOAuthTests.approval(page.body, decision: "approve"))
            let code = try #require(try parameters(approved)["code"])
            let proof = "&client_id=\(Proof.native)&code_verifier=\(Self.verifier)"
            #expect(try await token(fixture, redemption(code, proof)).status == 201)
        }
    }

    @Test(
        "a challenge that cannot be met goes back, and so does a native app without one",
        arguments: [
            "", "&code_challenge_method=S256", "&code_challenge=short&code_challenge_method=S256",
            "&code_challenge=\(SaxoSessionTests.challenge)&code_challenge_method=S512",
            "&code_challenge=\(SaxoSessionTests.challenge.replacing("-", with: "%2B"))&code_challenge_method=S256",
        ])
    func malformed(challenge: String) async throws {
        try await withSandbox { fixture in
            fixture.sandbox.oauth.decision = .approve(user: "demo")
            let reply = try await fixture.client.get(Self.authorize(Proof.native, challenge))
            let received = try parameters(reply)
            #expect(received["error"] == "invalid_request" && received["code"] == nil)
            #expect(received["state"] == "s%201")
        }
    }

    @Test("a native app refreshes by its verifier, without its id; nothing else will do")
    func nativeRefresh() async throws {
        try await withSandbox { fixture in
            let code = try await code(fixture, Proof.native, Proof.hashed)
            let proof = "&client_id=\(Proof.native)&code_verifier=\(Self.verifier)"
            let first = try tokens(await token(fixture, redemption(code, proof)))
            let form = "grant_type=refresh_token&refresh_token=\(first.refresh)"
            for (more, error) in [
                ("", "invalid_client"), ("&code_verifier=\(Self.wrong)", "invalid_grant"),
                ("&client_id=\(Proof.native)&code_verifier=\(Self.wrong)", "invalid_grant"),
                ("&client_id=sandbox-saxo-app&code_verifier=\(Self.verifier)", "invalid_client"),
            ] {
                try expectRefused(await token(fixture, form + more), error)
            }
            try expectRefused(await token(fixture, form, isProved: true), "invalid_grant")
            // A rejected request consumes nothing.
            let second = try tokens(await token(fixture, form + "&code_verifier=\(Self.verifier)"))
            #expect(try await status(fixture, second.access) == 200)
            try expectRefused(
                await token(fixture, form + "&code_verifier=\(Self.verifier)"), "invalid_grant")
        }
    }

    @Test("Alpaca passes over challenges")
    func alpaca() async throws {
        try await withSandbox { fixture in
            fixture.sandbox.oauth.decision = .approve(user: "demo")
            let page = try await fixture.client.get(FakeAlpacaOAuthTests.authorize + Proof.hashed)
            let code = try #require(page.headers["location"]?.firstMatch(of: /code=([0-9a-f-]+)/)?.1)
            let form = FakeAlpacaOAuthTests.form(code: String(code))
            let reply = try await fixture.client.send(
                "POST", "/alpaca/oauth/token",
                [
                    "Content-Type": "application/x-www-form-urlencoded",
                    "Content-Length": String(form.utf8.count),
                ], form)
            #expect(reply.status == 200)
        }
    }
}
