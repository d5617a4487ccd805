import Foundation
import IssuerSupport
import TestSupport
import Testing

@Suite("A bearer token whose user ends all other sessions")
struct RevokedTokenTests {
    /// A way to end all other sessions of Ann.
    struct End: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let act: @Sendable (IssuerServer, _ password: String, URL) async throws -> Void

        /// A mutation in a session that was opened with the password.
        private static func mutation(
            _ name: String, _ text: @escaping @Sendable (_ password: String) -> String
        ) -> End {
            End(testDescription: name) { test, password, _ in
                let session = try await test.server.token(
                    of: #"signIn(input: { username: "ann", password: "\#(password)" })"#)
                let answer = try await test.server.ask("mutation { \(text(password)) }", token: session)
                #expect(answer.failures.isEmpty, "\(answer.body)")
            }
        }

        static let all = [
            mutation("revokeOtherSessions") { _ in "revokeOtherSessions { deletedId }" },
            mutation("changePassword") { password in
                #"changePassword(input: { currentPassword: "\#(password)", newPassword: "another password" }) { token }"#
            },
            End(testDescription: "portico users reset-password") { _, _, folder in
                _ = try await RevokedTokenTests.resetPassword(folder)
            },
        ]
    }

    /// Sets a new password with the command, and returns it.
    private static func resetPassword(_ folder: URL) async throws -> String {
        let run = try await Program.run(
            ["users", "reset-password", "ann", "--sandbox", "--data", folder.path],
            environment: ["PORTICO_PASSWORD_COST": "4"])
        #expect(run.status == 0, "\(run.errors)")
        return run.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static let viewer = "{ viewer { username } }"

    /// A new token, as soon as one is accepted: the time of issue has whole seconds.
    private static func acceptedToken(_ test: IssuerServer, id: String) async throws -> String {
        var token = ""
        try await waitUntil {
            token = try test.issuer.token(["jti": "\"\(id)\""])
            return try await test.server.ask(viewer, token: token).failures.isEmpty
        }
        return token
    }

    @Test(
        "is refused from then on with its WebSockets, also after a restart; a later one is accepted",
        arguments: End.all)
    func ends(end: End) async throws {
        try await withFolder { folder in
            try await TestIssuer.with { issuer in
                let environment = IssuerServer.environment(issuer).merging(["PORTICO_DATA": folder.path]) {
                    $1
                }
                let texts = try await withServer(environment: environment) { server in
                    let test = IssuerServer(issuer: issuer, server: server)
                    let first = try await test.subscription(issuer.token(["jti": "\"0\""]))
                    // Users of an identity provider have no password of their own.
                    let password = try await Self.resetPassword(folder)
                    try await test.expectEnd(first)
                    let token = try await Self.acceptedToken(test, id: "1")
                    let other = try issuer.token(["sub": "\"subject-2\""])
                    let socket = try await test.subscription(token)
                    let open = try await test.subscription(other)

                    try await end.act(test, password, folder)

                    try await test.expectEnd(socket)
                    let texts = [token, try IssuerKey.otherForm(of: token)]
                    for text in texts {
                        let refused = try await server.ask(Self.viewer, token: text)
                        #expect(refused.refusalReason == "SIGNED_OUT", "\(refused.body)")
                    }
                    // A sign-in by a code, also in the same second, and another user.
                    let session = try await test.sessionToken()
                    #expect(try await server.ask(Self.viewer, token: session).failures.isEmpty)
                    try await open.subscribe("2", "{ viewer { session { current } } }")
                    #expect(try await open.next().text.contains(#""current":true"#))
                    _ = try await Self.acceptedToken(test, id: "2")
                    return texts
                }
                try await withServer(environment: environment) { server in
                    for text in texts {
                        let refused = try await server.ask(Self.viewer, token: text)
                        #expect(refused.refusalReason == "SIGNED_OUT", "\(refused.body)")
                    }
                }
            }
        }
    }

    @Test("ends at each replica; the token with which the request was made remains, with its WebSockets")
    func replicas() async throws {
        try await TestIssuer.with { issuer in
            try await withFolder { folder in
                let environment = try Replicas.environment(IssuerServer.environment(issuer), folder)
                try await Replicas.run(2, environment) { replicas in
                    let second = IssuerServer(issuer: issuer, server: replicas[1])
                    let (stolen, own) = (try issuer.token(), try issuer.token(["jti": "\"own\""]))
                    for token in [stolen, own] {
                        let read = try await replicas[0].ask(Self.viewer, token: token)
                        #expect(read.failures.isEmpty, "\(read.body)")
                    }
                    let socket = try await second.subscription(stolen)
                    let open = try await second.subscription(own)

                    let revoked = try await replicas[0].ask(
                        "mutation { revokeOtherSessions { deletedId } }", token: own)
                    #expect(revoked.failures.isEmpty, "\(revoked.body)")

                    try await second.expectEnd(socket)
                    for replica in replicas {
                        let refused = try await replica.ask(Self.viewer, token: stolen)
                        #expect(refused.refusalReason == "SIGNED_OUT", "\(refused.body)")
                        let read = try await replica.ask(Self.viewer, token: own)
                        #expect(read.failures.isEmpty, "\(read.body)")
                    }
                    try await open.subscribe("2", Self.viewer)
                    #expect(try await open.next().text.contains(#""username":"ann""#))
                }
            }
        }
    }

    @Test("lets its client continue with the next token of its session, and with no other one for a minute")
    func nextToken() async throws {
        try await withIssuerServer(["PORTICO_OIDC_CLOCK_SKEW": "60"]) { test in
            let issuer = test.issuer
            let own = try issuer.token(["iat": "\(issuer.now - 5)"])
            let revoked = try await test.server.ask(
                "mutation { revokeOtherSessions { deletedId } }", token: own)
            #expect(revoked.failures.isEmpty, "\(revoked.body)")
            for (sid, isAccepted) in [(nil, true), ("\"another\"", false), ("", false)] as [(String?, Bool)] {
                let token = try issuer.token(sid.map { ["sid": $0] } ?? ["jti": "\"next\""])
                let read = try await test.server.ask(Self.viewer, token: token)
                #expect(read.failures.isEmpty == isAccepted, "\(read.body)")
                if !isAccepted {
                    #expect(read.refusalReason == "SIGNED_OUT")
                    #expect(read.body.contains("get a new token after the difference of clocks"))
                }
            }
        }
    }
}
