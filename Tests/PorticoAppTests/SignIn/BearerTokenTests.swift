import Foundation
import IssuerSupport
import TestSupport
import Testing

@Suite("A bearer token of the identity provider")
struct BearerTokenTests {
    private static let create = #"mutation { createWatchlist(input: { name: "A" }) { watchlist { name } } }"#
    private static let lists =
        "{ viewer { id username session { scopes expiresAt current } } watchlists { name } }"

    @Test("acts as a session of its user, with the scopes of its claims")
    func session() async throws {
        try await withIssuerServer { test in
            let token = try test.issuer.token(["exp": "\(test.issuer.now + 200)"])
            let made = try await test.server.ask(Self.create, token: token)
            #expect(made.failures.isEmpty, "\(made.body)")
            let own = try await test.server.ask(Self.lists, token: token)
            let viewer = own.json?["data"]?["viewer"]
            #expect(viewer?["username"] == "ann", "\(own.body)")
            #expect(viewer?["session"]?["scopes"] == .array(["READ", "WRITE", "TRADE"]))
            #expect(viewer?["session"]?["current"] == .bool(true))
            #expect(viewer?["session"]?["expiresAt"]?.string != nil)
            #expect(own.json?["data"]?["watchlists"]?.elements?.count == 1)

            // A session that was opened by a code has the same user.
            let signedIn = try await test.signIn()
            #expect(signedIn["viewer"]?["id"] == viewer?["id"])
            let same = try await test.server.ask("{ watchlists { name } }", token: signedIn["token"]?.string)
            #expect(same.json?["data"]?["watchlists"]?.elements?.count == 1)

            // Another subject has another user, who sees nothing of this one.
            let other = try test.issuer.token(["sub": "\"subject-2\"", "roles": #"["portico-read"]"#])
            let theirs = try await test.server.ask(Self.lists, token: other)
            #expect(theirs.json?["data"]?["viewer"]?["id"] != viewer?["id"])
            #expect(theirs.json?["data"]?["watchlists"] == .array([]), "\(theirs.body)")
            let refused = try await test.server.ask(Self.create, token: other)
            #expect(refused.code == "FORBIDDEN")
            #expect(try await test.server.get("/export", token: token).body.contains("\"name\":\"A\""))
        }
    }

    @Test("cannot renew its session or delete its user")
    func unstored() async throws {
        try await withIssuerServer { test in
            let token = try test.issuer.token()
            for mutation in ["renewSession { token }", "deleteUser { deletedId }"] {
                let answer = try await test.server.ask("mutation { \(mutation) }", token: token)
                #expect(answer.code == "FORBIDDEN", "\(answer.body)")
                #expect(answer.message?.hasPrefix("This token is the identity provider's.") == true)
            }
        }
    }

    @Test("is refused with its reason: by fields, exports and tools, and by WebSockets")
    func refused() async throws {
        try await withIssuerServer(["PORTICO_MCP": "true"]) { test in
            let token = try test.issuer.token(["aud": "\"other\""])
            let answer = try await test.server.ask(
                "{ viewer { id } providers { provider: name } }", token: token)
            #expect(answer.status == 200)
            #expect(answer.failures == [FieldFailure("viewer", "UNAUTHENTICATED", nil)], "\(answer.body)")
            #expect(answer.refusalReason == "WRONG_AUDIENCE")
            #expect(answer.json?["data"]?["providers"]?.elements?.isEmpty == false)
            let export = try await test.server.get("/export", token: token)
            #expect(export.status == 401)
            #expect(export.message?.hasPrefix("WRONG_AUDIENCE: ") == true, "\(export.body)")
            let tools = try await test.server.send(
                RawRequest.post(
                    #"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#, path: "/mcp",
                    fields: ["Authorization: Bearer \(token)"]))
            #expect(tools.status == 401)
            #expect(
                tools["www-authenticate"] == """
                    Bearer realm="graphql", error="invalid_token", resource_metadata="http://localhost/.well-known/oauth-protected-resource/mcp"
                    """)
            #expect(try await test.socket(token).next().closeCode == 4403)
        }
    }

    @Test("is not accepted if the setting is off")
    func off() async throws {
        try await withIssuerServer(["PORTICO_OIDC_BEARER": "false"]) { test in
            let answer = try await test.server.ask("{ viewer { id } }", token: try test.issuer.token())
            #expect(answer.code == "UNAUTHENTICATED", "\(answer.body)")
            #expect(test.issuer.keyFetches == 0)
        }
    }

    @Test("ends its subscriptions and WebSockets when it expires")
    func expiry() async throws {
        try await withIssuerServer { test in
            // Long enough for the subscription on a machine with many tests.
            let token = try test.issuer.token(["exp": "\(test.issuer.now + 20)"])
            let socket = try await test.subscription(token)
            try await test.expectEnd(socket)
        }
    }

    @Test("is refused from its sign-out on, with its WebSockets; another token of the user is not")
    func signOut() async throws {
        try await withIssuerServer { test in
            let (token, other) = (try test.issuer.token(), try test.issuer.token(["jti": "\"2\""]))
            let socket = try await test.subscription(token)
            let out = try await test.server.ask("mutation { signOut { deletedId } }", token: token)
            #expect(out.failures.isEmpty, "\(out.body)")
            try await test.expectEnd(socket)
            let answer = try await test.server.ask("{ viewer { id } }", token: token)
            #expect(answer.code == "UNAUTHENTICATED", "\(answer.body)")
            #expect(answer.refusalReason == "SIGNED_OUT")
            #expect(try await test.server.ask("{ viewer { id } }", token: other).failures.isEmpty)
        }
    }

    @Test("ends the oldest session of its own user if there are too many, and none of another user")
    func share() async throws {
        try await withIssuerServer { test in
            let others = try await test.subscription(test.issuer.token(["sub": "\"subject-2\""]))
            let first = try await test.subscription(test.issuer.token(["jti": "\"0\""]))
            let second = try await test.subscription(test.issuer.token(["jti": "\"1\""]))
            for number in 2...100 {
                let token = try test.issuer.token(["jti": "\"\(number)\""])
                #expect(try await test.server.ask("{ viewer { id } }", token: token).failures.isEmpty)
            }
            try await test.expectEnd(first)
            for socket in [second, others] {
                try await socket.subscribe("2", "{ viewer { session { current } } }")
                #expect(try await socket.next().text.contains(#""current":true"#))
            }
        }
    }

    @Test(
        "with an unknown key holds no slot of the requests in progress while the identity provider does not respond"
    )
    func silentIssuer() async throws {
        try await withIssuerServer(["PORTICO_MAXIMUM_REQUESTS": "1"]) { test in
            let known = try test.issuer.token()
            #expect(try await test.server.ask("{ viewer { id } }", token: known).failures.isEmpty)
            test.issuer.set { $0.silentPaths = ["/keys"] }
            let unknown = try IssuerKey(.es256, id: "invented").token(test.issuer.claims())
            let client = try RawClient(port: test.server.port)
            for path in ["/graphql", "/export"] {
                let fetches = test.issuer.keyFetches
                let request =
                    path == "/export"
                    ? RawRequest.get(path, fields: ["Authorization: Bearer \(unknown)"])
                    : RawRequest.post(
                        #"{"query":"{ viewer { id } }"}"#, fields: ["Authorization: Bearer \(unknown)"])
                try await client.send(request)
                try await waitUntil { test.issuer.keyFetches > fetches }
                // It waits for the keys now.
                let metrics = try await test.server.get("/metrics").body
                #expect(metrics.contains("\nportico_http_requests_in_flight 0\n"), "\(path): \(metrics)")
                let quotes = try await test.server.ask(
                    #"{ quotes(symbols: ["AAPL"]) { price } }"#, token: known)
                #expect(quotes.failures.isEmpty, "\(path): \(quotes.body)")
                let refused = try await client.response()
                #expect(
                    path == "/export" ? refused.status == 401 : refused.refusalReason == "UNKNOWN_KEY",
                    "\(path): \(refused.body)")
            }
            test.issuer.set { $0.silentPaths = [] }
        }
    }

    @Test("is accepted while the keys are replaced under load: no request fails")
    func rotation() async throws {
        try await withIssuerServer { test in
            // One fetch at the start, and four for new keys: the limit of fetches at once.
            var keys = [test.issuer.key]
            for number in 0..<4 {
                keys.append(try IssuerKey(IssuerKey.Algorithm.allCases[number % 3], id: "new-\(number)"))
            }
            let rotation = keys
            try await withThrowingTaskGroup { group in
                for client in 0..<8 {
                    group.addTask {
                        for number in 0..<40 {
                            // The old keys stay published, because their tokens are valid.
                            if client == 0, number > 0, number % 8 == 0 {
                                test.issuer.publish(rotation[...(number / 8)].reversed())
                            }
                            // A new token in each second request.
                            let token = try test.issuer.token(["jti": "\"\(client)-\(number / 2)\""])
                            let answer = try await test.server.ask("{ viewer { username } }", token: token)
                            #expect(
                                answer.json?["data"]?["viewer"]?["username"] == "ann",
                                "\(client), \(number): \(answer.body)")
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(test.issuer.keyFetches == 5)
        }
    }

    @Test(
        "is accepted while old keys are withdrawn under load: one fetch for each new key, and no request fails"
    )
    func withdrawalUnderLoad() async throws {
        try await withIssuerServer { test in
            let first = test.issuer.key
            var old = first
            for (round, algorithm) in IssuerKey.Algorithm.allCases.enumerated() {
                let (previous, new) = (old, try IssuerKey(algorithm, id: "new-\(round)"))
                test.issuer.publish([new, previous])
                try await Self.load(test, "\(round) both") { $0.isMultiple(of: 2) ? previous : new }
                // No client has a token of the old key any more.
                try await Self.load(test, "\(round) new") { number in
                    if number == 20 { test.issuer.publish([new]) }
                    return new
                }
                old = new
            }
            // The first one also fetched the key of before.
            #expect(test.issuer.keyFetches == 3)
            let refused = try await test.server.ask(
                "{ viewer { id } }", token: try first.token(test.issuer.claims()))
            #expect(refused.refusalReason == "UNKNOWN_KEY", "\(refused.body)")
            #expect(test.issuer.keyFetches == 4)
        }
    }

    /// Sends 64 requests of eight clients at once, each with a new token.
    private static func load(
        _ test: IssuerServer, _ name: String, key: @escaping @Sendable (_ number: Int) -> IssuerKey
    ) async throws {
        try await withThrowingTaskGroup { group in
            for client in 0..<8 {
                group.addTask {
                    for request in 0..<8 {
                        let number = 8 * request + client
                        let claims = test.issuer.claims(["jti": "\"\(name) \(number)\""])
                        let answer = try await test.server.ask(
                            "{ viewer { username } }", token: try key(number).token(claims))
                        #expect(
                            answer.json?["data"]?["viewer"]?["username"] == "ann",
                            "\(name) \(number): \(answer.body)")
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("ends with its subscriptions when the issuer withdraws its key")
    func withdrawal() async throws {
        try await withIssuerServer { test in
            let old = try test.issuer.token()
            let socket = try await test.subscription(old)
            test.issuer.publish([try IssuerKey(.es256, id: "new")])
            // The token of the new key causes a fetch of the keys.
            #expect(
                try await test.server.ask("{ viewer { id } }", token: test.issuer.token()).failures.isEmpty)
            try await test.expectEnd(socket)
            let refused = try await test.server.ask("{ viewer { id } }", token: old)
            #expect(refused.refusalReason == "UNKNOWN_KEY", "\(refused.body)")
        }
    }

    @Test("finds the issuer by the metadata of /mcp, and a tool without a token names the metadata")
    func metadata() async throws {
        let environment = ["PORTICO_MCP": "true", "PORTICO_PUBLIC_URL": "https://portico.example.com/"]
        try await withIssuerServer(environment) { test in
            for path in [
                "/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource",
            ] {
                let metadata = try await test.server.get(path)
                #expect(metadata.status == 200)
                #expect(metadata.json?["resource"] == "https://portico.example.com/mcp", "\(metadata.body)")
                #expect(metadata.json?["authorization_servers"] == .array([.string(test.issuer.url)]))
            }
            func call(_ fields: [String]) async throws -> RawResponse {
                try await test.server.send(
                    RawRequest.post(
                        #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"Goals"}}"#,
                        path: "/mcp", fields: fields))
            }
            let refused = try await call([])
            #expect(refused.status == 401, "\(refused.body)")
            #expect(
                refused["www-authenticate"]?.hasSuffix(
                    #"resource_metadata="https://portico.example.com/.well-known/oauth-protected-resource/mcp""#
                )
                    == true)
            let answer = try await call(["Authorization: Bearer \(try test.issuer.token())"])
            #expect(answer.status == 200, "\(answer.body)")
        }
    }
}
