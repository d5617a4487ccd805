import Brokerage
import Sandbox
import TestSupport
import Testing

@Suite("Alpaca's OAuth")
struct FakeAlpacaOAuthTests {
    static let callback = "http://127.0.0.1:9/callback"
    static let authorize =
        "/alpaca-app/oauth/authorize?response_type=code&client_id=sandbox-client&state=a%26b%3Dc"
        + "&redirect_uri=http%3A%2F%2F127.0.0.1%3A9%2Fcallback&scope=trading%20data"

    static func form(_ changes: [String: String?] = [:], code: String) -> String {
        var fields: [String: String?] = [
            "grant_type": "authorization_code", "code": code, "client_id": "sandbox-client",
            "client_secret": "sandbox-client-secret", "redirect_uri": "http%3A%2F%2F127.0.0.1%3A9%2Fcallback",
        ]
        fields.merge(changes) { $1 }
        return fields.compactMap { name, value in value.map { "\(name)=\($0)" } }.sorted().joined(
            separator: "&")
    }

    /// Returns the form of a page's first button, encoded as by a browser.
    static func approval(_ page: String, decision: String) throws -> String {
        let form = try #require(page.split(separator: "<form", maxSplits: 1).last?.prefix { $0 != "\n" })
        let fields = form.matches(of: /name="([a-z_]+)" value="([^"]*)"/).map { match in
            (String(match.1), String(match.2).replacing("&amp;", with: "%26"))
        }
        return (fields.map { "\($0.0)=\($0.1.replacing("=", with: "%3D"))" } + ["decision=\(decision)"])
            .joined(
                separator: "&")
    }

    private func code(_ fixture: RunningSandbox, user: String = "demo") async throws -> String {
        fixture.sandbox.oauth.decision = .approve(user: user)
        let reply = try await fixture.client.get(Self.authorize)
        let location = try #require(reply.headers["location"])
        return String(try #require(location.firstMatch(of: /code=([0-9a-f-]+)/)?.1))
    }

    private func token(_ fixture: RunningSandbox, _ form: String) async throws -> Client.Reply {
        try await fixture.client.send(
            "POST", "/alpaca/oauth/token",
            [
                "Content-Type": "application/x-www-form-urlencoded",
                "Content-Length": String(form.utf8.count),
            ], form)
    }

    @Test("a user approves on the page, the code becomes a token, the token opens their account")
    func flow() async throws {
        try await withSandbox { fixture in
            let page = try await fixture.client.get(Self.authorize)
            #expect(page.status == 200)
            #expect(page.headers["content-type"] == "text/html; charset=UTF-8")
            #expect(page.body.contains("Approve as demo"))
            let approved = try await fixture.client.post(
                "/alpaca-app/oauth/authorize", Self.approval(page.body, decision: "approve"))
            #expect(approved.status == 302)
            let location = try #require(approved.headers["location"])
            #expect(location.hasPrefix(Self.callback + "?code="))
            #expect(location.hasSuffix("&state=a%26b%3Dc"))
            let code = String(try #require(location.firstMatch(of: /code=([0-9a-f-]+)/)?.1))
            let reply = try await token(fixture, Self.form(code: code))
            #expect(reply.status == 200)
            let document = try JSONValue(parsing: reply.body)
            #expect(try Golden.schema(of: "alpaca").definition("OAuthToken").violations(in: document) == [])
            #expect(document["scope"] == "trading data")
            #expect(document["expires_in"] == nil && document["refresh_token"] == nil)
            let bearer = try #require(document["access_token"]?.string)
            let account = try await fixture.trading("/v2/account", ["Authorization": "Bearer \(bearer)"])
            #expect(try JSONValue(parsing: account.body)["id"] == .string(SandboxUser.demo.ledger.accountID))
        }
    }

    @Test("a refusal goes back with its reason and the state")
    func refusal() async throws {
        try await withSandbox { fixture in
            let page = try await fixture.client.get(Self.authorize)
            let denied = try await fixture.client.post(
                "/alpaca-app/oauth/authorize", Self.approval(page.body, decision: "deny"))
            fixture.sandbox.oauth.decision = .deny
            let refused = try await fixture.client.get(Self.authorize)
            for reply in [denied, refused] {
                #expect(reply.status == 302)
                #expect(
                    reply.headers["location"] == Self.callback
                        + "?error=access_denied&error_description=the%20user%20refused&state=a%26b%3Dc")
            }
        }
    }

    @Test(
        "nobody is sent to a place that is not registered",
        arguments: [
            "client_id=nobody&redirect_uri=http://127.0.0.1:9/callback&response_type=code",
            "client_id=sandbox-client&redirect_uri=http://evil.example/&response_type=code",
            "client_id=sandbox-client&redirect_uri=http://localhost.evil.example/&response_type=code",
            "client_id=sandbox-client&redirect_uri=http://localhost:80@evil.example/&response_type=code",
            "client_id=sandbox-client&response_type=code", "",
        ])
    func strangers(query: String) async throws {
        let reply = try await withSandbox { try await $0.client.get("/alpaca-app/oauth/authorize?\(query)") }
        #expect(reply.status == 400)
        #expect(reply.headers["location"] == nil)
    }

    @Test(
        "a request that is wrong otherwise goes back with its error",
        arguments: [
            ("response_type=token", "unsupported_response_type"),
            ("response_type=code&scope=everything", "invalid_scope"),
        ])
    func faults(query: String, error: String) async throws {
        let reply = try await withSandbox {
            try await $0.client.get(
                "/alpaca-app/oauth/authorize?client_id=sandbox-client&redirect_uri=\(Self.callback)&\(query)")
        }
        #expect(reply.status == 302)
        #expect(reply.headers["location"]?.contains("error=\(error)") == true)
    }

    @Test("what the page shows of the request is text, never markup")
    func escaping() async throws {
        let reply = try await withSandbox {
            try await $0.client.get(Self.authorize + "%22%3E%3Cscript%3E&state=%22%3E%3Cscript%3E&scope=data")
        }
        #expect(reply.status == 200)
        #expect(!reply.body.contains("<script"))
        #expect(reply.body.contains("&quot;&gt;&lt;script&gt;"))
    }

    @Test(
        "a code is good once, for its application and address",
        arguments: [
            (["client_id": "nobody"], 401, "invalid_client"),
            (["client_secret": "wrong"], 401, "invalid_client"),
            (["redirect_uri": "http%3A%2F%2F127.0.0.1%3A9%2Fother"], 400, "invalid_grant"),
            (["code": "guessed"], 400, "invalid_grant"),
            (["grant_type": "refresh_token"], 400, "unsupported_grant_type"),
            (["code": nil], 400, "invalid_request"),
            (["code": "%zz"], 400, "invalid_request"),
        ] as [([String: String?], Int, String)])
    func wrong(changes: [String: String?], status: Int, error: String) async throws {
        try await withSandbox { fixture in
            let reply = try await token(fixture, Self.form(changes, code: code(fixture)))
            #expect(reply.status == status)
            #expect(try JSONValue(parsing: reply.body)["error"] == .string(error))
        }
    }

    @Test("a code that was used, or is older than ten minutes, is worth nothing")
    func spent() async throws {
        try await withClock { fixture, clock in
            let used = try await code(fixture)
            #expect(try await token(fixture, Self.form(code: used)).status == 200)
            #expect(try await token(fixture, Self.form(code: used)).status == 400)
            let old = try await code(fixture)
            clock.advance(by: .seconds(600))
            #expect(try await token(fixture, Self.form(code: old)).status == 400)
        }
    }

    @Test("a token does what its scopes allow, and reads everything")
    func scopes() async throws {
        try await withSandbox { fixture in
            let reply = try await token(fixture, Self.form(code: code(fixture)))
            let bearer = try #require(try JSONValue(parsing: reply.body)["access_token"]?.string)
            let headers = ["Authorization": "Bearer \(bearer)"]
            let order = try await fixture.write(
                "POST", "/v2/orders", FakeAlpacaOrdersTests.resting(), headers)
            #expect(order.status == 200)
            #expect(try await fixture.trading("/v2/watchlists", headers).status == 200)
            let list = try await fixture.write("POST", "/v2/watchlists", #"{"name":"Core"}"#, headers)
            #expect(list.status == 403)
            #expect(list.body == #"{"message":"forbidden."}"#)
        }
    }

    @Test("a reset of the sandbox forgets tokens")
    func forgotten() async throws {
        try await withSandbox { fixture in
            let reply = try await token(fixture, Self.form(code: code(fixture, user: "second")))
            let bearer = try #require(try JSONValue(parsing: reply.body)["access_token"]?.string)
            let headers = ["Authorization": "Bearer \(bearer)"]
            #expect(try await fixture.trading("/v2/account", headers).status == 200)
            fixture.sandbox.reset()
            #expect(try await fixture.trading("/v2/account", headers).status == 401)
        }
    }

    @Test("the control desk decides too, and says what it does not understand")
    func desk() async throws {
        try await withSandbox { fixture in
            let set = try await fixture.client.post(
                "/_sandbox/oauth", #"{"decision":"approve","user":"demo"}"#)
            #expect(set.status == 200)
            #expect(fixture.sandbox.oauth.decision == .approve(user: "demo"))
            let wrong = try await fixture.client.post("/_sandbox/oauth", #"{"decision":"perhaps"}"#)
            #expect(wrong.status == 400)
            #expect(wrong.body == #"{"error":"\"decision\" must be one of ask, approve, refuse"}"#)
        }
    }
}
