import Brokerage
import Foundation
import IssuerSupport
import Sandbox
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#else
import Musl
#endif

@Suite("Several replicas with one PostgreSQL database")
struct ReplicaTests {
    private static let orders = "POST /v2/orders"

    private static func token(_ answer: RawResponse) throws -> String {
        try #require(answer.json?["data"]?["it"]?["token"]?.string, "\(answer.body)")
    }

    // MARK: Sessions

    @Test("accept a session that another one has opened, and refuse it after a third one has ended it")
    func sessions() async throws {
        try await withSandbox { sandbox in
            try await withFolder { folder in
                let environment = try Replicas.environment(Upstream(sandbox).environment, folder)
                try await Replicas.run(3, environment) { replicas in
                    let token = try Self.token(
                        await replicas[0].ask(
                            #"mutation { it: signUp(input: { username: "ann", password: "correct horse battery" }) { token } }"#,
                            token: nil))
                    // At once, before any change is read.
                    let created = try await replicas[1].ask(
                        #"mutation { createWatchlist(input: { name: "mine", symbols: ["AAPL"] }) { watchlist { id } } }"#,
                        token: token)
                    #expect(created.failures.isEmpty, "\(created.body)")
                    let id = try #require(
                        created.json?["data"]?["createWatchlist"]?["watchlist"]?["id"]?.string)
                    for replica in replicas {
                        let read = try await replica.ask(
                            "{ node(id: \"\(id)\") { id } watchlists { name } }", token: token)
                        #expect(read.json?["data"]?["node"]?["id"]?.string == id, "\(read.body)")
                        #expect(read.json?["data"]?["watchlists"]?[0]?["name"] == "mine", "\(read.body)")
                    }
                    let unknown = try await replicas[1].ask(
                        "{ watchlists { name } }", token: "pts_" + String(repeating: "a", count: 43))
                    #expect(unknown.code == "UNAUTHENTICATED", "\(unknown.body)")
                    // Stopped while the session ends: the first request afterwards is refused.
                    kill(replicas[1].program.processID, SIGSTOP)
                    let ended = try await replicas[2].ask("mutation { signOut { deletedId } }", token: token)
                    #expect(ended.failures.isEmpty, "\(ended.body)")
                    try await waitUntil {
                        try await replicas[0].ask("{ watchlists { name } }", token: token).code
                            == "UNAUTHENTICATED"
                    }
                    try await Task.sleep(for: .seconds(2))
                    kill(replicas[1].program.processID, SIGCONT)
                    let refused = try await replicas[1].ask("{ watchlists { name } }", token: token)
                    #expect(refused.code == "UNAUTHENTICATED", "\(refused.body)")
                    // The same user signs in again at another one.
                    let again = try Self.token(
                        await replicas[1].ask(
                            #"mutation { it: signIn(input: { username: "ann", password: "correct horse battery" }) { token } }"#,
                            token: nil))
                    let read = try await replicas[2].ask("{ watchlists { name } }", token: again)
                    #expect(read.json?["data"]?["watchlists"]?[0]?["name"] == "mine", "\(read.body)")
                    try await waitUntil {
                        try await replicas[0].get("/metrics").body.contains("\nportico_replicas 3\n")
                    }
                }
            }
        }
    }

    @Test("refuse a bearer token that another one has ended, also the first time after a stop")
    func bearerTokens() async throws {
        try await TestIssuer.with { issuer in
            try await withFolder { folder in
                let environment = try Replicas.environment(IssuerServer.environment(issuer), folder)
                try await Replicas.run(2, environment) { replicas in
                    let token = try issuer.token()
                    for replica in replicas {
                        let read = try await replica.ask("{ watchlists { name } }", token: token)
                        #expect(read.failures.isEmpty, "\(read.body)")
                    }
                    kill(replicas[1].program.processID, SIGSTOP)
                    let ended = try await replicas[0].ask("mutation { signOut { deletedId } }", token: token)
                    #expect(ended.failures.isEmpty, "\(ended.body)")
                    // Longer than its state counts as current.
                    try await Task.sleep(for: .seconds(2))
                    kill(replicas[1].program.processID, SIGCONT)
                    let refused = try await replicas[1].ask("{ watchlists { name } }", token: token)
                    #expect(refused.code == "UNAUTHENTICATED", "\(refused.body)")
                    #expect(refused.refusalReason == "SIGNED_OUT")
                }
            }
        }
    }

    @Test("count failed sign-ins together")
    func failedSignIns() async throws {
        try await withSandbox { sandbox in
            try await withFolder { folder in
                let environment = try Replicas.environment(Upstream(sandbox).environment, folder)
                try await Replicas.run(2, environment) { replicas in
                    // One less than the number that makes the client wait.
                    for index in 0..<4 {
                        let answer = try await replicas[index % 2].ask(
                            #"mutation { signIn(input: { username: "nobody", password: "wrong password" }) { token } }"#,
                            token: nil)
                        #expect(answer.code == "UNAUTHENTICATED", "\(answer.body)")
                    }
                    // For the name at the address, for the address, and for the name.
                    let counts = try Replicas.execute("SELECT failures FROM attempt", environment)
                    #expect(counts.split(whereSeparator: \.isNewline) == ["4", "4", "4"])
                }
            }
        }
    }

    @Test("complete a consent that another one has begun, and have its connection until a third one ends it")
    func consents() async throws {
        try await withSandbox { sandbox in
            try await withFolder { folder in
                let environment = try Replicas.environment(
                    ConnectionProgramTests.environment(sandbox, folder), folder)
                try await Replicas.run(3, environment) { replicas in
                    let token = try await replicas[0].token()
                    let redirect = "http://localhost:3000/connected"
                    let begun = try await replicas[0].ask(
                        "mutation { beginConnection(provider: \"alpaca\", redirectUri: \"\(redirect)\") { url state } }",
                        token: token)
                    let url = try #require(
                        begun.json?["data"]?["beginConnection"]?["url"]?.string, "\(begun.body)")
                    let back = try await Browser.approve(url, as: "demo")
                    let connect = """
                        mutation { connectProvider(input: { provider: "alpaca" credential: { authorization: {
                            code: "\(back["code"] ?? "")", state: "\(back["state"] ?? "")", redirectUri: "\(redirect)" } } }) {
                            connection { id } } }
                        """
                    let connected = try await replicas[1].ask(connect, token: token)
                    let id = try #require(
                        connected.json?["data"]?["connectProvider"]?["connection"]?["id"]?.string,
                        "\(connected.body)")
                    // A state is valid once, at whichever replica.
                    let repeated = try await replicas[2].ask(connect, token: token)
                    #expect(repeated.code == "BAD_USER_INPUT", "\(repeated.body)")
                    for replica in replicas {
                        try await waitUntil {
                            let read = try await replica.ask("{ accounts { id } }", token: token)
                            return read.json?["data"]?["accounts"]?.elements?.count == 1
                        }
                    }
                    let ended = try await replicas[2].ask(
                        "mutation { disconnectProvider(id: \"\(id)\") { deletedId } }", token: token)
                    #expect(ended.failures.isEmpty, "\(ended.body)")
                    for replica in replicas {
                        try await waitUntil {
                            let read = try await replica.ask("{ accounts { id } }", token: token)
                            return read.json?["data"]?["accounts"]?.elements?.isEmpty == true
                        }
                    }
                }
            }
        }
    }

    // MARK: Orders

    private static func place(_ server: RunningServer, _ key: String) async throws -> RawResponse {
        let account = try await server.accountID()
        return try await server.ask(
            """
            mutation { placeOrder(input: { idempotencyKey: "\(key)" accountId: "\(account)" side: BUY
                instrument: { symbol: "AMD" } size: { quantity: "1" } timeInForce: GTC price: { limit: "2.50" } }) {
                order { id state providerOrderId } } }
            """, token: ownerToken)
    }

    /// Waits until the journal has the outcome of its only write; each query of an order would be a call to the broker.
    private static func settled(_ environment: [String: String]) async throws {
        try await waitUntil {
            try await Task.sleep(for: .milliseconds(100))
            return try Replicas.execute("SELECT state FROM journal_write", environment) == "DONE"
        }
    }

    @Test("place an order once for a key that is sent to all of them at the same time")
    func sameKey() async throws {
        try await withSandbox { sandbox in
            try await withFolder { folder in
                let environment = try Replicas.environment(Upstream(sandbox).environment, folder)
                try await Replicas.run(2, environment) { replicas in
                    let answers = try await withThrowingTaskGroup(of: RawResponse.self) { group in
                        for index in 0..<6 {
                            group.addTask { try await Self.place(replicas[index % 2], "one") }
                        }
                        return try await group.reduce(into: []) { $0.append($1) }
                    }
                    let ids = answers.map { $0.json?["data"]?["placeOrder"]?["order"]?["id"]?.string }
                    #expect(Set(ids).count == 1 && ids[0] != nil, "\(answers.map(\.body))")
                    #expect(sandbox.calls[.alpaca, Self.orders] == 1)
                }
            }
        }
    }

    @Test("determine the outcome of an order whose replica was killed, and never send it again")
    func killedHolder() async throws {
        try await withSandbox { sandbox in
            try await withFolder { folder in
                let environment = try Replicas.environment(Upstream(sandbox).environment, folder)
                // The broker takes the order, and its answer comes too late for the replica.
                try #require(
                    sandbox.faults.add(
                        Fault(
                            .latency(.seconds(60)), provider: .alpaca, endpoint: Self.orders, remaining: 1)))
                try await withServer(environment: environment) { other in
                    try await withCrashingServer(environment: environment) { server in
                        await withTaskGroup { group in
                            group.addTask { _ = try? await Self.place(server, "one") }
                            // The sandbox counts a call when it comes, and tells nobody.
                            group.addTask {
                                try? await waitUntil { sandbox.calls[.alpaca, Self.orders] > 0 }
                            }
                            await group.next()
                            server.program.crash()
                            group.cancelAll()
                        }
                    }
                    // While the first one may still run, the order is known and not sent.
                    let known = try await Self.place(other, "one")
                    #expect(known.failures.isEmpty, "\(known.body)")
                    try await Self.settled(environment)
                    let order = try await Self.place(other, "one").json?["data"]?["placeOrder"]?["order"]
                    #expect(order?["providerOrderId"]?.string != nil, "\(String(describing: order))")
                    #expect(
                        order?["state"] == "OPEN" || order?["state"] == "ACCEPTED",
                        "\(String(describing: order))")
                }
                #expect(sandbox.calls[.alpaca, Self.orders] == 1)
            }
        }
    }

    @Test("place orders in their shutdown delay, which another one finds by their keys")
    func shutdownDelay() async throws {
        try await withSandbox { sandbox in
            try await withFolder { folder in
                let environment = try Replicas.environment(Upstream(sandbox).environment, folder)
                let delay = ["PORTICO_SHUTDOWN_DELAY": "300"]
                try await withServer(environment: environment) { other in
                    try await withServer(environment: environment.merging(delay) { $1 }) { server in
                        await server.beginShutdownDelay()
                        let placed = try await Self.place(server, "one")
                        let id = placed.json?["data"]?["placeOrder"]?["order"]?["id"]?.string
                        #expect(id != nil, "\(placed.body)")
                        let known = try await Self.place(other, "one")
                        #expect(known.json?["data"]?["placeOrder"]?["order"]?["id"]?.string == id)
                        #expect(sandbox.calls[.alpaca, Self.orders] == 1)
                    }
                }
            }
        }
    }

    // MARK: Quotas

    @Test("together make as many calls as a quota allows, also if one is stopped in between")
    func quota() async throws {
        try await withSandbox { sandbox in
            try await withFolder { folder in
                var variables = Upstream(sandbox).environment
                variables["PORTICO_POLYGON_BASE_URL"] = sandbox.polygon.baseURL
                variables["PORTICO_POLYGON_KEY"] = FakePolygonSettings.demoKey
                let environment = try Replicas.environment(variables, folder)
                try await Replicas.run(2, environment) { replicas in
                    func ask(_ symbol: String, _ server: RunningServer) async throws -> RawResponse {
                        try await server.ask(
                            "{ chart(symbol: \"\(symbol)\", interval: ONE_DAY, last: 3, provider: \"polygon\") { symbol } }",
                            token: ownerToken)
                    }
                    for symbol in ["AAPL", "AMD"] {
                        let answer = try await ask(symbol, replicas[0])
                        #expect(answer.failures.isEmpty, "\(answer.body)")
                    }
                    kill(replicas[0].program.processID, SIGSTOP)
                    for symbol in ["BA", "BAC", "C"] {
                        let answer = try await ask(symbol, replicas[1])
                        #expect(answer.failures.isEmpty, "\(answer.body)")
                    }
                    kill(replicas[0].program.processID, SIGCONT)
                    // The free plan has five calls a minute.
                    for replica in replicas {
                        let refused = try await ask("KO", replica)
                        #expect(refused.code == "QUOTA_EXHAUSTED", "\(refused.body)")
                    }
                    #expect(sandbox.calls.all(of: .polygon).reduce(0) { $0 + $1.count } == 5)
                }
            }
        }
    }

    // MARK: Streams

    static let stream = "GET /v2/{feed}"

    /// Reads events of a subscription until they have more trades of the time from now on than the provider was polled:
    /// its stream has delivered the others.
    static func readStreamed(_ client: RawClient, _ sandbox: Sandbox) async throws {
        func polls() -> Int { sandbox.calls[.alpaca, "GET /v2/stocks/snapshots"] }
        let (polledBefore, start) = (polls(), Instant.now)
        var trades: Set<Instant> = []
        // The response to the last poll before can have a later trade.
        while trades.count <= polls() - polledBefore + 1 {
            let event = try JSONValue(parsing: await client.event())
            let time = try #require(
                event["data"]?["quotes"]?["asOf"]?.string.flatMap { Instant($0) }, "\(event)")
            if start < time { trades.insert(time) }
        }
    }

    @Test("have one stream of prices with Redis, which another one continues when its owner stops")
    func stream() async throws {
        let redis = try RedisServer()
        try await withSandbox { configuration in
            configuration.hours = .always
        } _: { sandbox in
            try await withFolder { folder in
                let environment = try Replicas.environment(sandbox, redis, folder)
                func subscribe(at server: RunningServer) async throws -> RawClient {
                    let query = #"subscription { quotes(symbols: ["AAPL"]) { price asOf } }"#
                    return try await server.subscribe(RawRequest.query(query), token: ownerToken)
                }
                try await withServer(environment: environment) { other in
                    let clients = try await withServer(environment: environment) { owner in
                        let clientOfOwner = try await subscribe(at: owner)
                        // The other one does not need the stream yet.
                        try await waitUntil { sandbox.streams[.alpaca, Self.stream] == 1 }
                        let clients = [clientOfOwner, try await subscribe(at: other)]
                        for client in clients { try await Self.readStreamed(client, sandbox) }
                        #expect(sandbox.calls[.alpaca, Self.stream] == 1)
                        #expect(sandbox.streams[.alpaca, Self.stream] == 1)
                        return clients
                    }
                    // SIGTERM has ended the owner, although its subscription was open.
                    defer { for client in clients { client.close() } }
                    try await waitUntil { sandbox.calls[.alpaca, Self.stream] > 1 }
                    try await Self.readStreamed(clients[1], sandbox)
                    #expect(sandbox.streams[.alpaca, Self.stream] == 1)
                }
            }
        }
    }
}
