import Foundation
import IssuerSupport
import TestSupport
import Testing

@Suite("A sign-in with the identity provider")
struct SignInTests {
    @Test("opens a session of the user who is bound to issuer and subject")
    func signIn() async throws {
        try await withIssuerServer { test in
            let first = try await test.signIn(#"scopes: [TRADE] label: "laptop""#)
            #expect(first["session"]?["scopes"] == .array(["READ", "TRADE"]))
            #expect(first["session"]?["label"] == "laptop")
            #expect(first["viewer"]?["username"] == "ann")
            let token = try #require(first["token"]?.string)
            let made = try await test.server.ask(
                #"mutation { createWatchlist(input: { name: "A" }) { watchlist { id } } }"#, token: token)
            #expect(made.code == "FORBIDDEN", "\(made.body)")

            // The same subject under another name is the same user; the default scopes have no TRADE.
            test.issuer.set { $0.claims = ["preferred_username": "\"bob\""] }
            let again = try await test.signIn()
            #expect(again["viewer"] == first["viewer"])
            #expect(again["session"]?["scopes"] == .array(["READ", "WRITE"]))

            // Another subject with the same name and address is another user.
            test.issuer.set { $0.claims = ["sub": "\"subject-2\"", "email": "\"ann@example.com\""] }
            let other = try await test.signIn()
            #expect(other["viewer"]?["id"] != first["viewer"]?["id"])
            #expect(other["viewer"]?["username"]?.string?.hasPrefix("user-") == true)
        }
    }

    /// A sign-in that is refused, with its code and reason.
    struct Attack: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var code = "UNAUTHENTICATED"
        let reason: String?
        /// Completes a sign-in with the values of the redirect.
        var complete:
            @Sendable (IssuerServer, IssuerServer.Start, _ back: [String: String]) async throws -> RawResponse =
                {
                    try await $0.complete(
                        code: $2["code"] ?? "", state: $2["state"] ?? "", browserSecret: $1.browserSecret)
                }

        /// What the issuer does wrong.
        var faults: @Sendable (inout TestIssuer.Faults) -> Void = { _ in }

        private static func claims(_ name: String, _ reason: String, _ claims: [String: String]) -> Attack {
            Attack(testDescription: name, reason: reason, faults: { $0.claims = claims })
        }

        static let all = [
            Attack(testDescription: "a replayed state", reason: "UNKNOWN_STATE") { test, start, back in
                let first = try await test.complete(
                    code: back["code"] ?? "", state: start.state, browserSecret: start.browserSecret)
                #expect(first.failures.isEmpty, "\(first.body)")
                return try await test.complete(
                    code: try test.issuer.approve(start.url)["code"] ?? "", state: start.state,
                    browserSecret: start.browserSecret)
            },
            Attack(testDescription: "a replayed code", reason: "CODE_REFUSED") { test, start, back in
                let code = back["code"] ?? ""
                let first = try await test.complete(
                    code: code, state: start.state, browserSecret: start.browserSecret)
                #expect(first.failures.isEmpty, "\(first.body)")
                let second = try await test.begin()
                return try await test.complete(
                    code: code, state: second.state, browserSecret: second.browserSecret)
            },
            Attack(testDescription: "a state of another browser", reason: "OTHER_BROWSER") {
                test, start, back in
                let own = try await test.begin()
                return try await test.complete(
                    code: back["code"] ?? "", state: start.state, browserSecret: own.browserSecret)
            },
            Attack(testDescription: "an invented state", reason: "UNKNOWN_STATE") { test, start, back in
                try await test.complete(
                    code: back["code"] ?? "", state: start.browserSecret, browserSecret: start.browserSecret)
            },
            Attack(testDescription: "a state without its form", reason: "UNKNOWN_STATE") {
                test, start, back in
                try await test.complete(
                    code: back["code"] ?? "", state: "1", browserSecret: start.browserSecret)
            },
            Attack(testDescription: "a code of another sign-in", reason: "CODE_REFUSED") {
                test, start, back in
                let other = try await test.begin()
                let code = try test.issuer.approve(other.url)["code"] ?? ""
                return try await test.complete(
                    code: code, state: start.state, browserSecret: start.browserSecret)
            },
            Attack(testDescription: "a code of another client", reason: "CODE_REFUSED") { test, start, _ in
                try await test.complete(
                    code: try test.issuer.codeOfOtherClient(), state: start.state,
                    browserSecret: start.browserSecret)
            },
            Attack(testDescription: "a response of another issuer", reason: "WRONG_ISSUER") {
                test, start, back in
                try await test.complete(
                    code: back["code"] ?? "", state: start.state, browserSecret: start.browserSecret,
                    more: #"issuer: "https://id.example.com""#)
            },
            Attack(
                testDescription: "a response without the issuer that the metadata promise",
                reason: "WRONG_ISSUER", faults: { $0.promisesIssuer = true }),
            claims("a wrong nonce", "WRONG_NONCE", ["nonce": "\"other\""]),
            claims("an ID token of another issuer", "WRONG_ISSUER", ["iss": "\"https://id.example.com\""]),
            claims("an ID token for another client", "WRONG_AUDIENCE", ["aud": "\"other\""]),
            claims("an expired ID token", "EXPIRED", ["iat": "1700000000", "exp": "1700000300"]),
            Attack(
                testDescription: "claims without a scope", code: "FORBIDDEN", reason: "NO_SCOPE",
                faults: { $0.claims = ["roles": "[\"other\"]"] }),
        ]
    }

    @Test(
        "is refused with its code and reason if a value is forged, replayed or of another sign-in",
        arguments: Attack.all)
    func attacks(_ attack: Attack) async throws {
        try await withIssuerServer { test in
            test.issuer.set(attack.faults)
            let start = try await test.begin()
            let answer = try await attack.complete(test, start, try test.issuer.approve(start.url))
            #expect(answer.failures == [FieldFailure("completeSignIn", attack.code, nil)], "\(answer.body)")
            #expect(answer.refusalReason == attack.reason)
            // The user of the browser is not affected.
            test.issuer.set { $0 = TestIssuer.Faults() }
            if attack.reason == "OTHER_BROWSER" {
                let own = try await test.complete(
                    code: try test.issuer.approve(start.url)["code"] ?? "", state: start.state,
                    browserSecret: start.browserSecret)
                #expect(own.failures.isEmpty, "\(own.body)")
            }
        }
    }

    @Test("needs a redirect URI of the settings, and scopes that the user has")
    func arguments() async throws {
        try await withIssuerServer { test in
            let foreign = try await test.server.ask(
                #"mutation { beginSignIn(input: { redirectUri: "https://evil.example.com/" }) { url } }"#)
            #expect(foreign.code == "BAD_USER_INPUT", "\(foreign.body)")
            #expect(foreign.json?["errors"]?[0]?["extensions"]?["argument"] == "input.redirectUri")
            let start = try await test.begin("scopes: [ADMIN]")
            let back = try test.issuer.approve(start.url)
            let answer = try await test.complete(
                code: back["code"] ?? "", state: start.state, browserSecret: start.browserSecret)
            #expect(answer.code == "FORBIDDEN")
            #expect(
                answer.message
                    == "The claims of this user do not give the scope ADMIN. Begin without it.",
                "\(answer.body)")
        }
    }

    @Test("creates no user if the settings do not permit it")
    func noUser() async throws {
        try await withIssuerServer(["PORTICO_OIDC_CREATE_USERS": "false"]) { test in
            let start = try await test.begin()
            let answer = try await test.complete(
                code: try test.issuer.approve(start.url)["code"] ?? "", state: start.state,
                browserSecret: start.browserSecret)
            #expect(answer.code == "FORBIDDEN", "\(answer.body)")
            #expect(answer.refusalReason == "UNKNOWN_USER")
        }
    }

    @Test("fails with a code if the identity provider cannot be used, and succeeds when it can again")
    func outage() async throws {
        try await withIssuerServer { test in
            test.issuer.set { $0.metadataStatus = 503 }
            let begin =
                #"mutation { beginSignIn(input: { redirectUri: "\#(IssuerServer.redirectURI)" }) { url } }"#
            let answer = try await test.server.ask(begin, token: nil)
            #expect(answer.code == "PROVIDER_UNAVAILABLE", "\(answer.body)")
            #expect(answer.refusalReason == "IDENTITY_PROVIDER_UNAVAILABLE")
        }
    }

    @Test("holds no slot of the requests in progress while the identity provider does not respond")
    func silence() async throws {
        try await withIssuerServer(["PORTICO_MAXIMUM_REQUESTS": "1"]) { test in
            let begin =
                #"mutation { beginSignIn(input: { redirectUri: "\#(IssuerServer.redirectURI)" }) { url } }"#
            try await test.expectOthers(
                during: begin, waitingFor: "/.well-known/openid-configuration")
            let start = try await test.begin()
            try await test.expectOthers(
                during: """
                    mutation { completeSignIn(input: {
                      code: "invented" state: "\(start.state)" browserSecret: "\(start.browserSecret)" }) { token } }
                    """, waitingFor: "/token")
        }
    }

    @Test("is UNSUPPORTED without an identity provider")
    func unsupported() async throws {
        try await withServer { server in
            let answer = try await server.ask(
                #"mutation { beginSignIn(input: { redirectUri: "http://localhost/" }) { url } }"#)
            #expect(answer.code == "UNSUPPORTED", "\(answer.body)")
            #expect(
                answer.message == "This server has no identity provider. Sign in with `signIn`.")
        }
    }

    @Test("is the only one if passwords are off")
    func passwordsOff() async throws {
        try await withIssuerServer(["PORTICO_PASSWORDS": "false"]) { test in
            for mutation in [
                #"signUp(input: { username: "ann", password: "correct horse battery" }) { token }"#,
                #"signIn(input: { username: "ann", password: "correct horse battery" }) { token }"#,
            ] {
                let answer = try await test.server.ask("mutation { \(mutation) }", token: nil)
                #expect(answer.code == "FORBIDDEN", "\(answer.body)")
                #expect(
                    answer.message
                        == "This server has no passwords. Sign in with its identity provider: `beginSignIn`.")
            }
            #expect(try await test.signIn()["viewer"]?["username"] == "ann")
        }
    }

    @Test("lets a user without a password be deleted, and the identity gets a new user")
    func deletion() async throws {
        try await withIssuerServer { test in
            let first = try await test.signIn()
            let export = try await test.server.get("/export", token: first["token"]?.string)
            #expect(
                export.json?["identities"]?[0]?["subject"]?.string == TestIssuer.subject, "\(export.body)")
            let deleted = try await test.server.ask(
                "mutation { deleteUser { deletedId } }", token: first["token"]?.string)
            #expect(
                deleted.json?["data"]?["deleteUser"]?["deletedId"] == first["viewer"]?["id"],
                "\(deleted.body)")
            #expect(try await test.signIn()["viewer"]?["id"] != first["viewer"]?["id"])
        }
    }
}
