import Brokerage
import Sandbox
import TestSupport
import Testing

@Suite("Saxo's login")
struct FakeSaxoOAuthTests {
    /// `sandbox-saxo-app:sandbox-saxo-secret` in base64.
    static let basic = [
        "Authorization": "Basic c2FuZGJveC1zYXhvLWFwcDpzYW5kYm94LXNheG8tc2VjcmV0",
        "Content-Type": "application/x-www-form-urlencoded",
    ]
    static let redirect = "http%3A%2F%2F127.0.0.1%3A9%2Fback"

    private func token(
        _ fixture: RunningSandbox, _ form: String, _ headers: [String: String] = basic
    ) async throws -> Client.Reply {
        let length = ["Content-Length": String(form.utf8.count)]
        return try await fixture.client.send(
            "POST", "/saxo-auth/token", headers.merging(length) { first, _ in first }, form)
    }

    private func refresh(_ fixture: RunningSandbox, _ token: String) async throws -> Client.Reply {
        try await self.token(
            fixture, "grant_type=refresh_token&refresh_token=\(token)&redirect_uri=\(Self.redirect)")
    }

    private func valid(_ reply: Client.Reply) throws -> JSONValue {
        let document = try JSONValue(parsing: reply.body)
        #expect(try Golden.schema(of: "saxo").definition("OAuthToken").violations(in: document) == [])
        return document
    }

    @Test("a code from the page becomes tokens, which open the gateway for its user")
    func code() async throws {
        try await withSandbox { fixture in
            fixture.sandbox.oauth.decision = .approve(user: "second")
            let page = try await fixture.client.get(
                "/saxo-auth/authorize?response_type=code&client_id=sandbox-saxo-app&state=s%201&redirect_uri=\(Self.redirect)"
            )
            #expect(page.status == 302)
            let location = try #require(page.headers["location"])
            let code = try #require(location.split(separator: "code=").last?.split(separator: "&").first)
            #expect(location.hasSuffix("state=s%201"))
            let form = "grant_type=authorization_code&code=\(code)&redirect_uri=\(Self.redirect)"
            let reply = try await token(fixture, form)
            #expect(reply.status == 201)
            let tokens = try valid(reply)
            #expect(
                tokens["expires_in"]?.digits == "1200" && tokens["refresh_token_expires_in"]?.digits == "3600"
            )
            let access = try #require(tokens["access_token"]?.string)
            let client = try await fixture.saxoDocument(
                "/port/v1/clients/me", ["Authorization": "bearer \(access)"])
            #expect(client["ClientId"]?.string == FakeSaxoClient.second.id)
            #expect(try await token(fixture, form).status == 400)
        }
    }

    @Test("every refresh token is good once: the next takes its place, the old one is refused")
    func rotates() async throws {
        try await withSandbox { fixture in
            var current = FakeSaxoClient.demo.credentials.refreshToken
            for _ in 0..<3 {
                let reply = try await refresh(fixture, current)
                #expect(reply.status == 201)
                let next = try #require(try valid(reply)["refresh_token"]?.string)
                let old = try await refresh(fixture, current)
                #expect(old.status == 400)
                #expect(try JSONValue(parsing: old.body)["error"] == "invalid_grant")
                #expect(next != current)
                current = next
            }
        }
    }

    @Test("an access token ends after 20 minutes, a refresh token after an hour")
    func lifetimes() async throws {
        try await withClock { fixture, clock in
            let tokens = try valid(await refresh(fixture, FakeSaxoClient.demo.credentials.refreshToken))
            let access = ["Authorization": "Bearer \(try #require(tokens["access_token"]?.string))"]
            clock.advance(by: .seconds(1_199))
            #expect(try await fixture.saxo("/port/v1/clients/me", access).status == 200)
            clock.advance(by: .seconds(1))
            #expect(try await fixture.saxo("/port/v1/clients/me", access).status == 401)
            clock.advance(by: .seconds(2_400))
            let late = try #require(tokens["refresh_token"]?.string)
            #expect(try await refresh(fixture, late).status == 400)
            #expect(try await refresh(fixture, FakeSaxoClient.second.credentials.refreshToken).status == 400)
        }
    }

    @Test("a configured token ends where it is told to")
    func developerToken() async throws {
        try await withClock({ $0.saxo.developerTokenLifetime = .seconds(60) }) { fixture, clock in
            for status in [200, 401] {
                let reply = try await fixture.saxo("/port/v1/clients/me")
                #expect(reply.status == status)
                clock.advance(by: .seconds(60))
            }
        }
    }

    @Test(
        "an app that does not prove itself gets nothing, and uses nothing up",
        arguments: [[:], ["Authorization": "Basic bm9ib2R5Om5vdGhpbmc="], ["Authorization": "Basic %%%"]])
    func unknownCredentials(headers: [String: String]) async throws {
        try await withSandbox { fixture in
            let form =
                "grant_type=refresh_token&refresh_token=\(FakeSaxoClient.demo.credentials.refreshToken)"
            let refused = try await token(fixture, form, headers)
            #expect(refused.status == 401)
            #expect(try JSONValue(parsing: refused.body)["error"] == "invalid_client")
            #expect(try await token(fixture, form).status == 201)
        }
    }
}
