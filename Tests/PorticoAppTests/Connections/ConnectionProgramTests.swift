import Brokerage
import Foundation
import Sandbox
import TestSupport
import Testing

@Suite("A connection of the executable")
struct ConnectionProgramTests {
    private static let redirectURI = "http://localhost:3000/connected"
    private static let holdings = "{ accounts { id number equity } positions { symbol quantity provider } }"

    /// What points a server at a sandbox as an application of both brokers, with an owner and a data folder.
    static func environment(_ sandbox: Sandbox, _ folder: URL) throws -> [String: String] {
        let (alpaca, saxo) = (OAuthApplication.sandbox, FakeSaxoSettings().application)
        let secret = folder.appending(path: "saxo-secret")
        try (saxo.clientSecret ?? "").write(to: secret, atomically: true, encoding: .utf8)
        return try ownerSetting(in: folder).merging([
            "PORTICO_DATA": folder.appending(path: "data").path, "PORTICO_SIGN_UP": "open",
            "PORTICO_REDIRECT_URIS": "https://app.example/connected, \(redirectURI)",
            "PORTICO_ALPACA_BASE_URL": sandbox.alpaca.tradingURL,
            "PORTICO_ALPACA_DATA_URL": sandbox.alpaca.dataURL,
            "PORTICO_ALPACA_CLIENT_ID": alpaca.clientID,
            "PORTICO_ALPACA_CLIENT_SECRET": alpaca.clientSecret ?? "",
            "PORTICO_ALPACA_AUTHORIZE_URL": sandbox.alpaca.authorizeURL,
            "PORTICO_ALPACA_TOKEN_URL": sandbox.alpaca.tokenURL,
            "PORTICO_SAXO_BASE_URL": sandbox.saxo.gatewayURL,
            "PORTICO_SAXO_LOGIN_URL": sandbox.saxo.authURL, "PORTICO_SAXO_APP_KEY": saxo.clientID,
            "PORTICO_SAXO_APP_SECRET_FILE": secret.path,
            "PORTICO_POLYGON_BASE_URL": sandbox.polygon.baseURL,
            "PORTICO_POLYGON_KEY": FakePolygonSettings.demoKey,
        ]) { $1 }
    }

    /// Connects a session's user by the consent of the sandbox's demo user; the connection's id.
    static func connect(_ provider: String, _ server: RunningServer, token: String) async throws
        -> String
    {
        let begun = try await server.ask(
            """
            mutation { beginConnection(provider: "\(provider)", redirectUri: "\(redirectURI)") { url state expiresAt } }
            """, token: token)
        let request = begun.json?["data"]?["beginConnection"]
        let back = try await Browser.approve(
            try #require(request?["url"]?.string, "\(begun.body)"), as: "demo")
        let state = try #require(back["state"])
        #expect(request?["state"]?.string == state)
        let connected = try await server.ask(
            """
            mutation { connectProvider(input: { provider: "\(provider)" credential: { authorization: {
              code: "\(back["code"] ?? "")", state: "\(state)", redirectUri: "\(redirectURI)" } } }) {
              connection { id status environment } } }
            """, token: token)
        let connection = connected.json?["data"]?["connectProvider"]?["connection"]
        #expect(connection?["status"] == "ACTIVE", "\(connected.body)")
        #expect(connection?["environment"] == "PAPER")
        return try #require(connection?["id"]?.string)
    }

    private static func expectHoldings(
        _ server: RunningServer, token: String, accounts: Int,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let answer = try await server.ask(holdings, token: token)
        #expect(answer.failures.isEmpty, "\(answer.body)", sourceLocation: sourceLocation)
        let found = answer.json?["data"]?["accounts"]?.elements ?? []
        #expect(found.count == accounts, sourceLocation: sourceLocation)
        #expect(found.allSatisfy { $0["equity"]?.string != nil }, sourceLocation: sourceLocation)
        let positions = answer.json?["data"]?["positions"]?.elements
        #expect(positions?.isEmpty == (accounts == 0), sourceLocation: sourceLocation)
    }

    @Test("belongs to its guest only, and exists after kill -9 immediately after Saxo's tokens were renewed")
    func crash() async throws {
        try await withSandbox { sandbox in
            try await withFolder { folder in
                let environment = try Self.environment(sandbox, folder)
                func tokenCalls() -> Int { sandbox.calls[.saxo, "POST /token"] }
                /// Saxo refuses the next call's token, so that it is renewed.
                func refuseOnce() {
                    #expect(
                        sandbox.faults.add(
                            Fault(
                                .expiredToken, provider: .saxo, endpoint: "GET /port/v1/clients/me",
                                remaining: 1)))
                }
                let connections = "{ viewer { connections { id provider status } } }"
                let (token, connected) = try await withCrashingServer(environment: environment) { server in
                    let token = try await server.token()
                    let ids = [
                        try await Self.connect("saxo", server, token: token),
                        try await Self.connect("alpaca", server, token: token),
                    ]
                    #expect(tokenCalls() == 1)
                    refuseOnce()
                    try await Self.expectHoldings(server, token: token, accounts: 3)
                    #expect(tokenCalls() == 2)
                    let viewer = try await server.ask(connections, token: token)
                    let found = viewer.json?["data"]?["viewer"]?["connections"]?.elements ?? []
                    #expect(found.map { $0["id"]?.string } == ids)
                    return (token, found)
                }
                for renewal in 3...4 {
                    try await withCrashingServer(environment: environment) { server in
                        refuseOnce()
                        try await Self.expectHoldings(server, token: token, accounts: 3)
                        #expect(tokenCalls() == renewal)
                        let viewer = try await server.ask(connections, token: token)
                        #expect(viewer.json?["data"]?["viewer"]?["connections"]?.elements == connected)
                        let stranger = try await server.token()
                        try await Self.expectHoldings(server, token: stranger, accounts: 0)
                        let id = connected.first?["id"]?.string ?? ""
                        for document in [
                            "{ node(id: \"\(id)\") { id } }",
                            "mutation { disconnectProvider(id: \"\(id)\") { deletedId } }",
                        ] {
                            let answer = try await server.ask(document, token: stranger)
                            #expect(answer.json?["data"]?.members?.values.first == .null, "\(answer.body)")
                        }
                        let nobody = try await server.ask(
                            """
                            mutation { beginConnection(provider: "saxo", redirectUri: "\(Self.redirectURI)") { url } }
                            """, token: nil)
                        #expect(nobody.code == "UNAUTHENTICATED")
                    }
                }
            }
        }
    }

    @Test("leaves no part of a credential in the data directory, a log or a response")
    func secrets() async throws {
        let planted = (
            key: "PKPLANTED00000000099", secret: "planted-secret-of-a-user", token: "planted-token-of-a-user"
        )
        var user = SandboxUser.demo
        user = SandboxUser(
            name: user.name, ledger: user.ledger,
            alpaca: .init(keyID: planted.key, secretKey: planted.secret, token: planted.token),
            saxo: user.saxo)
        let users = [user, .second]
        try await withSandbox(configured: { $0.users = users }) { sandbox in
            try await withFolder { folder in
                let environment = try Self.environment(sandbox, folder)
                var said: [String] = []
                let program = try await withServer(["--log-level", "trace"], environment: environment) {
                    server in
                    for (credential, environment) in [
                        ("{ apiKey: { key: \"\(planted.key)\", secret: \"\(planted.secret)\" } }", "PAPER"),
                        ("{ accessToken: \"\(planted.token)\" }", "PAPER"),
                        ("{ accessToken: \"\(planted.token)\" }", "LIVE"),
                        ("{ apiKey: { key: \"\(planted.secret)\", secret: \"\(planted.key)\" } }", "PAPER"),
                    ] {
                        let answer = try await server.ask(
                            """
                            mutation { connectProvider(input: { provider: "alpaca" credential: \(credential)
                              environment: \(environment) }) { connection { id accounts { number } failure { message } } } }
                            """, token: ownerToken)
                        said.append(answer.body)
                    }
                    said.append(try await server.ask(Self.holdings, token: ownerToken).body)
                    #expect(sandbox.faults.add(Fault(.malformedBody)))
                    said.append(try await server.ask(Self.holdings, token: ownerToken).body)
                    return server.program
                }
                // The first did work.
                #expect(said[0].contains("Connection:"), "\(said)")
                #expect(said[1].contains("CONFLICT"), "\(said)")
                #expect(said[3].contains("did not accept the credential"), "\(said)")
                said += [await program.output.whole(), await program.errors.whole()]
                let data = folder.appending(path: "data")
                for name in try FileManager.default.contentsOfDirectory(atPath: data.path) {
                    let bytes = try Data(contentsOf: data.appending(path: name))
                    for secret in [planted.key, planted.secret, planted.token] {
                        #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(name)")
                        #expect(bytes.range(of: Data(Data(secret.utf8).base64EncodedString().utf8)) == nil)
                    }
                }
                for text in said {
                    for secret in [planted.key, planted.secret, planted.token] {
                        #expect(!text.contains(secret))
                    }
                }
            }
        }
    }

    @Test("works while the master key is changed, and needs the new key afterwards")
    func keysRotate() async throws {
        try await withSandbox { sandbox in
            try await withFolder { folder in
                let environment = try Self.environment(sandbox, folder)
                let data = folder.appending(path: "data").path
                let newKey = folder.appending(path: "new.key").path
                let keyFile = data + "/portico.key"
                try await withServer(environment: environment) { server in
                    _ = try await Self.connect("saxo", server, token: ownerToken)
                    let old = try String(contentsOfFile: keyFile, encoding: .utf8)
                    let run = try await Program.run(
                        ["keys", "rotate", "--data", data, "--new-key-file", newKey])
                    #expect(run.status == 0, "\(run.errors)")
                    #expect(run.output.contains("are now encrypted with the key in \(newKey)."))
                    let new = try String(contentsOfFile: keyFile, encoding: .utf8)
                    #expect(new != old)
                    #expect(new == (try String(contentsOfFile: newKey, encoding: .utf8)))
                    #expect(
                        sandbox.faults.add(
                            Fault(
                                .expiredToken, provider: .saxo, endpoint: "GET /port/v1/clients/me",
                                remaining: 1)))
                    // The renewed tokens are sealed and kept as before.
                    try await Self.expectHoldings(server, token: ownerToken, accounts: 2)
                    _ = try await Self.connect("alpaca", server, token: ownerToken)
                    try old.write(to: folder.appending(path: "old.key"), atomically: true, encoding: .utf8)
                }
                try await withServer(environment: environment) { server in
                    try await Self.expectHoldings(server, token: ownerToken, accounts: 3)
                }
                let stale = environment.merging(
                    ["PORTICO_MASTER_KEY_FILE": folder.appending(path: "old.key").path]) { $1 }
                let run = try await Program.run(["serve", "--port", "0"], environment: stale)
                #expect(run.status == 1)
                #expect(run.errors.contains("was encrypted with another master key"), "\(run.errors)")
            }
        }
    }

    @Test("keys rotate reports that there is nothing to encrypt")
    func nothing() async throws {
        try await withFolder { folder in
            let run = try await Program.run(
                ["keys", "rotate", "--data", folder.path, "--new-key-file", folder.path + "/new.key"])
            #expect(run.status == 2)
            #expect(run.errors.contains("has no portico.db"), "\(run.errors)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        }
    }
}
