import Brokerage
import Foundation
import NIOCore
import Sandbox
import Storage
import TestSupport
import Testing

/// The effect of each failure on clients: what two replicas respond during it, and that all is as before afterwards.
@Suite("Clients of replicas during a failure")
struct ReplicaFailureTests {
    /// A failure of servers that both replicas use, or of the first replica.
    enum Failure: String, CaseIterable, CustomTestStringConvertible {
        case databaseDown = "PostgreSQL is down"
        case databaseHangs = "PostgreSQL hangs"
        case redisDown = "Redis is down"
        case redisHangs = "Redis hangs"
        case cutFromDatabase = "A replica is cut off from PostgreSQL"
        case cutFromRedis = "A replica is cut off from Redis"
        case paused = "A replica is paused"
        case killed = "A replica is killed"

        var testDescription: String { rawValue }

        /// Whether a replica cannot use the database.
        func separatesFromDatabase(_ replica: Int) -> Bool {
            switch self {
            case .databaseDown, .databaseHangs: true
            case .cutFromDatabase: replica == 0
            case .redisDown, .redisHangs, .cutFromRedis, .paused, .killed: false
            }
        }

        /// The replicas that respond.
        var responding: [Int] { self == .paused || self == .killed ? [1] : [0, 1] }

        /// Whether the first replica, which owns the stream of prices, loses it to the other one.
        var movesStream: Bool { [.cutFromDatabase, .cutFromRedis, .killed].contains(self) }
    }

    /// The replicas, and the networks between each and its servers.
    private struct Site {
        let group: ReplicaGroup
        let sandbox: Sandbox
        let databases: [Proxy]
        let redis: [Proxy]
        let environment: [String: String]
        let account: String
        /// Of a user with a session that the first replica has opened.
        let token: String

        /// Executes a closure during a failure.
        func during(_ failure: Failure, _ body: () async throws -> Void) async throws {
            func change(_ proxies: [Proxy], _ mode: Proxy.Mode) async throws {
                for proxy in proxies { proxy.change(mode) }
                try await body()
                for proxy in proxies { proxy.change(.forwards) }
            }
            switch failure {
            case .databaseDown: try await change(databases, .cuts)
            case .databaseHangs: try await change(databases, .hangs)
            case .redisDown: try await change(redis, .cuts)
            case .redisHangs: try await change(redis, .hangs)
            case .cutFromDatabase: try await change([databases[0]], .cuts)
            case .cutFromRedis: try await change([redis[0]], .cuts)
            case .killed: try await group.kill(0, body)
            case .paused:
                group.pause(0)
                try await body()
                group.resume(0)
            }
        }
    }

    /// A request, and the code of its error with and without the database.
    private struct Cell {
        let name: String
        let document: String
        var token: String?
        var code: String?
        var codeWithoutDatabase: String? = "STORAGE_UNAVAILABLE"
    }

    private static let signIn =
        #"mutation { signIn(input: { username: "ann", password: "correct horse battery" }) { token } }"#
    private static let orders = "POST /v2/orders"
    private static let cached = #"{ quote(symbol: "AAPL", provider: "alpaca") { price } }"#
    private static let equity = "{ account { equity } }"

    private static func placing(_ replica: Int, _ site: Site) -> String {
        """
        mutation { placeOrder(input: { idempotencyKey: "key-\(replica)" accountId: "\(site.account)" side: BUY
            instrument: { symbol: "AMD" } size: { quantity: "1" } timeInForce: GTC price: { limit: "2.50" } }) {
            order { id } } }
        """
    }

    /// The order of a replica is the last one: it makes values of the account invalid.
    private static func cells(_ replica: Int, _ site: Site, last: Int) -> [Cell] {
        [
            Cell(name: "cached public value", document: cached, codeWithoutDatabase: nil),
            Cell(
                name: "new public value",
                document:
                    "{ chart(symbol: \"KO\", interval: ONE_DAY, last: \(last), provider: \"alpaca\") { symbol } }"
            ),
            Cell(
                name: "private value in memory", document: equity, token: ownerToken, codeWithoutDatabase: nil
            ),
            Cell(name: "data of a user", document: "{ watchlists { name } }", token: site.token),
            Cell(
                name: "unknown token", document: "{ watchlists { name } }",
                token: "pts_" + String(repeating: "a", count: 43), code: "UNAUTHENTICATED"),
            Cell(name: "sign-in", document: signIn),
            Cell(name: "order", document: placing(replica, site), token: ownerToken),
        ]
    }

    /// Asks for each cell at the replicas that respond.
    private static func check(_ failure: Failure, _ site: Site) async throws {
        for replica in failure.responding {
            let isWithoutDatabase = failure.separatesFromDatabase(replica)
            for cell in cells(replica, site, last: 20 + replica) {
                let answer = try await site.group.servers[replica].ask(
                    cell.document, token: cell.token)
                #expect(answer.status == 200, "\(replica), \(cell.name): \(answer.body)")
                let code = isWithoutDatabase ? cell.codeWithoutDatabase : cell.code
                #expect(answer.code == code, "\(replica), \(cell.name): \(answer.body)")
                if code == "STORAGE_UNAVAILABLE" {
                    #expect(
                        answer.body.contains("\"retryAt\":\""), "\(replica), \(cell.name): \(answer.body)")
                }
            }
        }
        let placed = failure.responding.count { !failure.separatesFromDatabase($0) }
        #expect(site.sandbox.calls[.alpaca, orders] == placed)
        for replica in failure.responding {
            let isReady = failure != .cutFromDatabase || replica == 1
            try await waitUntil {
                try await site.group.servers[replica].get("/health/ready").status == (isReady ? 200 : 503)
            }
        }
    }

    /// Waits until all requests at both replicas succeed, and each order exists once.
    private static func expectRecovery(_ site: Site) async throws {
        for replica in site.group.servers.indices {
            for cell in cells(replica, site, last: 30 + replica) {
                try await waitUntil {
                    try await site.group.servers[replica].ask(cell.document, token: cell.token)
                        .code
                        == cell.code
                }
            }
            try await waitUntil { try await site.group.servers[replica].get("/health/ready").status == 200 }
        }
        #expect(site.sandbox.calls[.alpaca, orders] == site.group.count)
        try await waitUntil { site.sandbox.streams[.alpaca, ReplicaTests.stream] == 1 }
    }

    private static func run(_ sandbox: Sandbox, _ test: (Site) async throws -> Void) async throws {
        let (cluster, redis) = (try PostgresCluster.shared.get(), try RedisServer())
        let database = try SocketAddress(unixDomainSocketPath: "\(cluster.directory)/.s.PGSQL.5432")
        let cache = try SocketAddress(unixDomainSocketPath: "\(redis.directory)/redis.sock")
        try await withFolder { folder in
            let environment = Replicas.impatient(try Replicas.environment(sandbox, redis, folder))
            let name = try #require(Replicas.database(environment))
            try await Proxy.run([database, database, cache, cache]) { proxies in
                let (databases, caches) = (Array(proxies[..<2]), Array(proxies[2...]))
                let settings = zip(databases, caches).map { database, cache in
                    environment.merging([
                        "PORTICO_DATABASE_URL": "postgresql://postgres@127.0.0.1:\(database.port)/\(name)",
                        "PORTICO_REDIS_URL": "redis://127.0.0.1:\(cache.port)/0",
                    ]) { $1 }
                }
                try await ReplicaGroup.run(settings, longestLife: .seconds(300)) { group in
                    let owned = try await group.servers[0].ask(equityAndID, token: ownerToken)
                    let signUp = try await group.servers[0].ask(
                        signIn.replacing("signIn", with: "signUp"), token: nil)
                    let site = Site(
                        group: group, sandbox: sandbox, databases: databases, redis: caches,
                        environment: environment,
                        account: try #require(
                            owned.json?["data"]?["account"]?["id"]?.string, "\(owned.body)"),
                        token: try #require(
                            signUp.json?["data"]?["signUp"]?["token"]?.string, "\(signUp.body)"))
                    try await test(site)
                }
            }
        }
    }

    private static let equityAndID = "{ account { id equity } }"

    @Test(
        "get the responses of the table, and prices; all requests succeed afterwards",
        arguments: Failure.allCases)
    func table(_ failure: Failure) async throws {
        try await withSandbox { configuration in
            configuration.hours = .always
        } _: { sandbox in
            try await Self.run(sandbox) { site in
                var clients: [RawClient] = []
                defer { for client in clients { client.close() } }
                for server in site.group.servers {
                    clients.append(try await StreamFailoverTests.subscribe(at: server))
                    // The first one owns the stream.
                    try await waitUntil { sandbox.streams[.alpaca, ReplicaTests.stream] == 1 }
                    for document in [Self.cached, Self.equity] {
                        let answer = try await server.ask(document, token: ownerToken)
                        #expect(answer.failures.isEmpty, "\(answer.body)")
                    }
                }
                for client in clients { try await ReplicaTests.readStreamed(client, sandbox) }
                let goals = try await site.group.servers[0].subscribe(
                    RawRequest.query("subscription { goalsProgress { __typename } }"), token: ownerToken)
                defer { goals.close() }
                func nextGoals() async throws -> JSONValue { try JSONValue(parsing: await goals.event()) }
                #expect(try await nextGoals().failures.isEmpty)
                try await site.during(failure) {
                    try await Self.check(failure, site)
                    // Longer than an owner keeps a lease without the database.
                    let trades = failure == .databaseDown ? 10 : 1
                    for replica in failure.responding {
                        for _ in 0..<trades { try await StreamFailoverTests.readNewTrade(clients[replica]) }
                    }
                    if failure.separatesFromDatabase(0) {
                        let event = try await nextGoals()
                        #expect(event.failures.map(\.code) == ["STORAGE_UNAVAILABLE"], "\(event)")
                    }
                    if failure.movesStream {
                        try await waitUntil {
                            sandbox.alpacaDataStreams.events.count { $0.kind == .accepted } > 1
                        }
                    }
                }
                try await Self.expectRecovery(site)
                // After one error, the same subscription continues.
                if failure.separatesFromDatabase(0) {
                    #expect(try await nextGoals().failures.isEmpty)
                }
                for replica in failure.responding {
                    try await StreamFailoverTests.readNewTrade(clients[replica])
                }
            }
        }
    }

    @Test(
        "do not get an order placed whose mark has no response; the entry is deleted, and the key is free",
        arguments: [OrderWriteState.pending, .sent])
    func markWithoutResponse(stored: OrderWriteState) async throws {
        try await withSandbox { sandbox in
            try await Self.run(sandbox) { site in
                func execute(_ sql: String) throws -> String { try Replicas.execute(sql, site.environment) }
                // The database executes the mark longer than a statement may take.
                _ = try execute(
                    """
                    CREATE FUNCTION wait_at_mark() RETURNS trigger LANGUAGE plpgsql AS $$
                    BEGIN PERFORM pg_sleep(60); RETURN NEW; END $$;
                    CREATE TRIGGER wait_at_mark BEFORE UPDATE ON journal_write
                        FOR EACH ROW WHEN (NEW.state = 'SENT') EXECUTE FUNCTION wait_at_mark();
                    """)
                async let response = site.group.servers[0].ask(
                    Self.placing(0, site), token: ownerToken)
                try await waitUntil {
                    let count = try execute(
                        """
                        SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state = 'active'
                            AND query LIKE 'UPDATE journal_write SET state = %sent_at%'
                        """)
                    return count == "1"
                }
                site.databases[0].change(.hangs)
                // On a slow machine, the first replica must not count as ended: the other one would then determine the outcome.
                _ = try execute("UPDATE replica SET expires_at = expires_at + 3600000")
                let answer = try await response
                #expect(answer.code == "STORAGE_UNAVAILABLE", "\(answer.body)")
                _ = try execute("DROP TRIGGER wait_at_mark ON journal_write")
                #expect(try execute("SELECT state FROM journal_write") == "PENDING")
                if stored == .sent {
                    // As after a commit of which only the response was lost.
                    _ = try execute("UPDATE journal_write SET state = 'SENT', sent_at = created_at")
                }
                site.databases[0].change(.forwards)
                try await waitUntil { try execute("SELECT count(*) FROM journal_write") == "0" }
                #expect(sandbox.calls[.alpaca, Self.orders] == 0)
                for server in site.group.servers.reversed() {
                    var placed: RawResponse?
                    // The first replica tries its database again after the pause of its circuit breaker.
                    try await waitUntil {
                        placed = try await server.ask(Self.placing(0, site), token: ownerToken)
                        return placed?.code != "STORAGE_UNAVAILABLE"
                    }
                    #expect(placed?.failures.isEmpty == true, "\(placed?.body ?? "")")
                }
                #expect(sandbox.calls[.alpaca, Self.orders] == 1)
            }
        }
    }
}
