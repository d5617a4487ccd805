import Brokerage
import Foundation
import Sandbox
import TestSupport
import Testing

@Suite("Access at several replicas")
struct ReplicaAccessTests {
    private static func ask(
        _ query: String, _ server: RunningServer, token: String?, client: Int
    ) async throws -> RawResponse {
        let authorization = token.map { ["Authorization: Bearer \($0)"] } ?? []
        // Each client has an address of its own: so many new users come from one address only.
        let address = "X-Forwarded-For: 10.1.\(client / 250).\(client % 250 + 1)"
        return try await server.send(
            RawRequest.post(RawRequest.query(query), fields: authorization + [address]))
    }

    // It runs after most other tests (`Makefile`), because its bound is a promise in seconds.
    @Test("of a session that ends at one replica is refused by the others a second later")
    func revocations() async throws {
        try await withSandbox { sandbox in
            try await withFolder { folder in
                var variables = Upstream(sandbox).environment
                variables["PORTICO_TRUSTED_PROXIES"] = "1"
                let environment = Replicas.impatient(try Replicas.environment(variables, folder))
                try await Replicas.run(3, environment) { replicas in
                    try await withThrowingTaskGroup { tasks in
                        for client in 0..<5 {
                            tasks.addTask {
                                for number in 0..<20 {
                                    let order = (0..<3).map { replicas[(number + $0) % 3] }
                                    try await Self.revoke(at: order, client: client * 20 + number)
                                }
                            }
                        }
                        try await tasks.waitForAll()
                    }
                }
            }
        }
    }

    /// Opens a session at the first replica, uses it at the second one, and ends it at the third one.
    private static func revoke(at replicas: [RunningServer], client: Int) async throws {
        let watchlists = "{ watchlists { name } }"
        let opened = try await ask(
            "mutation { startGuestSession { token } }", replicas[0], token: nil, client: client)
        let token = try #require(
            opened.json?["data"]?["startGuestSession"]?["token"]?.string, "\(opened.body)")
        let used = try await ask(watchlists, replicas[1], token: token, client: client)
        #expect(used.failures.isEmpty, "\(used.body)")
        let ended = try await ask(
            "mutation { signOut { deletedId } }", replicas[2], token: token, client: client)
        #expect(ended.failures.isEmpty, "\(ended.body)")
        try await Task.sleep(for: .seconds(1))
        for replica in replicas {
            let refused = try await ask(watchlists, replica, token: token, client: client)
            #expect(refused.code == "UNAUTHENTICATED", "\(refused.body)")
        }
    }

    @Test("with a password that is changed at one replica needs the new one at the others")
    func password() async throws {
        try await withSandbox { sandbox in
            try await withFolder { folder in
                let environment = try Replicas.environment(Upstream(sandbox).environment, folder)
                try await Replicas.run(2, environment) { replicas in
                    func token(_ mutation: String, at replica: RunningServer) async throws -> RawResponse {
                        try await replica.ask("mutation { it: \(mutation) { token } }", token: nil)
                    }
                    let (old, new) = ("correct horse battery", "another horse battery")
                    func signIn(_ password: String) -> String {
                        "signIn(input: { username: \"ann\", password: \"\(password)\" })"
                    }
                    let signUp = try await token(
                        "signUp(input: { username: \"ann\", password: \"\(old)\" })", at: replicas[0])
                    let first = try #require(
                        signUp.json?["data"]?["it"]?["token"]?.string, "\(signUp.body)")
                    let second = try await token(signIn(old), at: replicas[1])
                    let other = try #require(
                        second.json?["data"]?["it"]?["token"]?.string, "\(second.body)")
                    let changed = try await replicas[1].ask(
                        "mutation { changePassword(input: { currentPassword: \"\(old)\", newPassword: \"\(new)\" }) { __typename } }",
                        token: other)
                    #expect(changed.failures.isEmpty, "\(changed.body)")
                    let refused = try await token(signIn(old), at: replicas[0])
                    #expect(refused.code == "UNAUTHENTICATED", "\(refused.body)")
                    let again = try await token(signIn(new), at: replicas[0])
                    #expect(again.failures.isEmpty, "\(again.body)")
                    // The other sessions of the user have ended.
                    try await waitUntil {
                        try await replicas[0].ask("{ watchlists { name } }", token: first).code
                            == "UNAUTHENTICATED"
                    }
                }
            }
        }
    }

    @Test("to a broker is renewed by one replica when its tokens end, each time")
    func refreshToken() async throws {
        try await withSandbox { configuration in
            // A second use of a token would end the access.
            configuration.saxo.refreshReuse = .endsSession
            configuration.saxo.requestsPerMinute = 1_000_000
        } _: { sandbox in
            try await withFolder { folder in
                let environment = try Replicas.environment(
                    ConnectionProgramTests.environment(sandbox, folder), folder)
                try await Replicas.run(3, environment) { replicas in
                    let token = try await replicas[0].token()
                    _ = try await ConnectionProgramTests.connect("saxo", replicas[0], token: token)
                    func accounts(at replica: RunningServer) async throws -> RawResponse {
                        try await replica.ask("{ accounts { id equity } }", token: token)
                    }
                    for replica in replicas {
                        try await waitUntil {
                            try await accounts(at: replica).json?["data"]?["accounts"]?.elements?.count == 2
                        }
                    }
                    let account = try #require(
                        await accounts(at: replicas[0]).json?["data"]?["accounts"]?[0]?["id"]?.string)
                    // Portico sends at most a fixed number of these calls a minute.
                    for round in 1...8 {
                        let exchanged = sandbox.calls[.saxo, "POST /token"]
                        sandbox.expireAccessTokens(of: SandboxUser.demo.name)
                        // Previews are not cached: each is a call.
                        let preview = """
                            { previewOrder(input: { accountId: "\(account)" side: BUY
                                instrument: { symbol: "AAPL" } size: { quantity: "\(round)" } price: { limit: "1" }
                                timeInForce: DAY }) { calculatedBy } }
                            """
                        try await withThrowingTaskGroup { tasks in
                            for replica in replicas {
                                tasks.addTask {
                                    let answer = try await replica.ask(preview, token: token)
                                    #expect(answer.failures.isEmpty, "\(answer.body)")
                                }
                            }
                            try await tasks.waitForAll()
                        }
                        #expect(sandbox.calls[.saxo, "POST /token"] == exchanged + 1)
                    }
                    let read = try await replicas[2].ask(
                        "{ viewer { connections { status } } }", token: token)
                    #expect(
                        read.json?["data"]?["viewer"]?["connections"]?[0]?["status"] == "ACTIVE",
                        "\(read.body)")
                }
            }
        }
    }
}
