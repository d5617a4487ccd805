import Foundation
import IssuerSupport
import TestSupport
import Testing

@Suite("A logout by the identity provider")
struct BackChannelLogoutTests {
    @Test("ends the sessions and bearer tokens of its session, with their WebSockets, also after a restart")
    func session() async throws {
        try await withFolder { folder in
            try await TestIssuer.with { issuer in
                let environment = IssuerServer.environment(issuer).merging(["PORTICO_DATA": folder.path]) {
                    $1
                }
                let ended = try issuer.token()
                let other = try issuer.token(["sid": "\"issuer-session-2\""])
                let code = try await withServer(environment: environment) { server in
                    let test = IssuerServer(issuer: issuer, server: server)
                    let code = try await test.sessionToken()
                    let sockets = [try await test.subscription(code), try await test.subscription(ended)]
                    let open = try await test.subscription(other)

                    let answer = try await test.logOut(try issuer.logoutToken())

                    #expect(answer.status == 200, "\(answer.body)")
                    #expect(answer["cache-control"] == "no-store")
                    for socket in sockets { try await test.expectEnd(socket) }
                    for token in [code, ended] {
                        let refused = try await server.ask("{ viewer { id } }", token: token)
                        #expect(refused.code == "UNAUTHENTICATED", "\(refused.body)")
                    }
                    // Its WebSocket still responds.
                    try await open.subscribe("2", "{ viewer { username } }")
                    #expect(try await open.next().text.contains(#""username":"ann""#))
                    return code
                }
                try await withServer(environment: environment) { server in
                    for token in [code, ended] {
                        let refused = try await server.ask("{ viewer { id } }", token: token)
                        #expect(refused.code == "UNAUTHENTICATED", "\(refused.body)")
                    }
                    let refused = try await server.ask("{ viewer { id } }", token: ended)
                    #expect(refused.refusalReason == "SIGNED_OUT")
                    #expect(try await server.ask("{ viewer { id } }", token: other).failures.isEmpty)
                }
            }
        }
    }

    @Test("of a subject ends all its sessions, and no session of another user")
    func subject() async throws {
        try await withIssuerServer { test in
            let tokens = [
                try await test.sessionToken(), try test.issuer.token(),
                try test.issuer.token(["sid": "\"issuer-session-2\""]),
            ]
            let other = try test.issuer.token(["sub": "\"subject-2\""])
            for token in tokens + [other] {
                #expect(try await test.server.ask("{ viewer { id } }", token: token).failures.isEmpty)
            }
            #expect(try await test.logOut(try test.issuer.logoutToken(["sid": ""])).status == 200)
            for token in tokens {
                #expect(
                    try await test.server.ask("{ viewer { id } }", token: token).code == "UNAUTHENTICATED")
            }
            #expect(try await test.server.ask("{ viewer { id } }", token: other).failures.isEmpty)
        }
    }

    @Test(
        "of a session ends all its tokens, whatever their subject, and those of its subject without a session"
    )
    func sessionAndSubject() async throws {
        try await withIssuerServer { test in
            let ended = [
                try test.issuer.token(), try test.issuer.token(["sub": "\"subject-2\""]),
                try test.issuer.token(["sid": ""]),
            ]
            let others = [
                try test.issuer.token(["sid": "\"issuer-session-2\""]),
                try test.issuer.token(["sub": "\"subject-2\"", "sid": ""]),
            ]
            for token in ended + others {
                #expect(try await test.server.ask("{ viewer { id } }", token: token).failures.isEmpty)
            }
            #expect(try await test.logOut(try test.issuer.logoutToken()).status == 200)
            for token in ended {
                let refused = try await test.server.ask("{ viewer { id } }", token: token)
                #expect(refused.code == "UNAUTHENTICATED")
                #expect(refused.refusalReason == "SIGNED_OUT", "\(refused.body)")
            }
            for token in others {
                #expect(try await test.server.ask("{ viewer { id } }", token: token).failures.isEmpty)
            }
        }
    }

    @Test("is refused with 400 if its token was accepted before; another token is accepted")
    func replay() async throws {
        try await withIssuerServer { test in
            let token = try test.issuer.logoutToken(["sid": ""])
            #expect(try await test.logOut(token).status == 200)
            let replay = try await test.logOut(token)
            #expect(replay.status == 400)
            #expect(
                replay.json?["error_description"]?.string?.hasPrefix("REPLAYED: ") == true, "\(replay.body)")
            let other = try test.issuer.logoutToken(["sid": "", "jti": "\"logout-2\""])
            #expect(try await test.logOut(other).status == 200)
        }
    }

    @Test("is accepted by one of several replicas only, and ends no session that began later")
    func replayAtReplica() async throws {
        try await TestIssuer.with { issuer in
            try await withFolder { folder in
                let environment = try Replicas.environment(IssuerServer.environment(issuer), folder)
                try await Replicas.run(2, environment) { replicas in
                    let tests = replicas.map { IssuerServer(issuer: issuer, server: $0) }
                    let earlier = try await tests[1].sessionToken()
                    // Times of tokens have whole seconds.
                    let time = issuer.now
                    let token = try issuer.logoutToken(["sid": "", "iat": "\(time)"])
                    #expect(try await tests[0].logOut(token).status == 200)
                    try await waitUntil { issuer.now > time }
                    let later = try await tests[1].sessionToken()
                    let bearer = try issuer.token()
                    #expect(try await replicas[1].ask("{ viewer { id } }", token: bearer).failures.isEmpty)

                    let replay = try await tests[1].logOut(token)

                    #expect(replay.status == 400)
                    #expect(
                        replay.json?["error_description"]?.string?.hasPrefix("REPLAYED: ") == true,
                        "\(replay.body)")
                    for token in [later, bearer] {
                        let answer = try await replicas[1].ask("{ viewer { id } }", token: token)
                        #expect(answer.failures.isEmpty, "\(answer.body)")
                    }
                    // It learns of the end within a second.
                    try await waitUntil {
                        try await replicas[1].ask("{ viewer { id } }", token: earlier).code
                            == "UNAUTHENTICATED"
                    }
                }
            }
        }
    }

    /// A request that is refused, with its reason.
    private static let refusals:
        [(name: String, reason: String, token: @Sendable (TestIssuer) throws -> String)] = [
            ("an ID token", "WRONG_TOKEN_TYPE", { try $0.token(["jti": "\"1\""]) }),
            ("for another client", "WRONG_AUDIENCE", { try $0.logoutToken(["aud": "\"other\""]) }),
            ("with a nonce", "MALFORMED_TOKEN", { try $0.logoutToken(["nonce": "\"1\""]) }),
            ("without a token", "MALFORMED_TOKEN", { _ in "" }),
            (
                "signed with another key", "INVALID_SIGNATURE",
                { try IssuerKey(.es256, id: "key-1").token($0.claims()) }
            ),
        ]

    @Test(
        "is refused with 400 and its reason if its token is not valid, and ends nothing", arguments: refusals)
    func refused(name: String, reason: String, token: @Sendable (TestIssuer) throws -> String) async throws {
        try await withIssuerServer { test in
            let session = try await test.sessionToken()
            let answer = try await test.logOut(try token(test.issuer))
            #expect(answer.status == 400, "\(name)")
            #expect(answer.json?["error"] == "invalid_request")
            #expect(
                answer.json?["error_description"]?.string?.hasPrefix("\(reason): ") == true, "\(answer.body)")
            #expect(try await test.server.ask("{ viewer { id } }", token: session).failures.isEmpty)
        }
    }
}
