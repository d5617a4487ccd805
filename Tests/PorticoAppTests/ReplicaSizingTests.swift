import Brokerage
import Foundation
import Sandbox
import TestSupport
import Testing

/// The values of the section "Sizing" of `docs/several-replicas.md`, in comparison with those that PostgreSQL and Redis count.
@Suite("The documented cost of requests of replicas")
struct ReplicaSizingTests {
    /// The statements and commands of one request.
    private struct Cost: Equatable, CustomStringConvertible {
        var statements = 0
        var controls = 0
        var commands = 0

        /// The last two cells of a row of the table.
        var description: String {
            "\(controls == 0 ? "\(statements)" : "\(statements), \(controls)") | \(commands)"
        }

        static func - (left: Cost, right: Cost) -> Cost {
            Cost(
                statements: left.statements - right.statements, controls: left.controls - right.controls,
                commands: left.commands - right.commands)
        }
    }

    /// The number of requests of a kind: the median is without the statements that a request causes now and then.
    private static let requests = 9

    /// The servers of a test.
    private final class Site {
        let replicas: [RunningServer]
        private let redis: RedisServer
        private let log: StatementLog
        /// The statements that replicas execute without requests.
        private var idle: Set<String> = []
        /// The commands that replicas send without requests.
        private var idleCommands: Set<String> = []

        init(_ log: StatementLog, _ redis: RedisServer, _ replicas: [RunningServer]) {
            (self.log, self.redis, self.replicas) = (log, redis, replicas)
        }

        /// Records the statements and commands of idle replicas, also those by which they apply changes of sessions.
        func watch() async throws {
            idle = try await sessionChangeStatements()
            _ = try log.next()
            let before = try QueryCounts.commands(of: redis)
            let heartbeats = { (transactions: [StatementLog.Transaction]) in
                transactions.count { $0.statements.contains { $0.hasPrefix("INSERT INTO replica ") } }
            }
            var seen: [StatementLog.Transaction] = []
            // Each of the two replicas reports every three seconds; changes and leases are read more often.
            try await waitUntil {
                try await Task.sleep(for: .milliseconds(100))
                seen += try log.next()
                return heartbeats(seen) >= 4
            }
            idle.formUnion(seen.flatMap(\.statements))
            let after = try QueryCounts.commands(of: redis)
            idleCommands = Set(after.filter { $0.value > before[$0.key, default: 0] }.keys)
        }

        /// The statements by which a replica without requests applies the sessions that begin and end at another one.
        ///
        /// Sessions begin and end until these statements are complete in the log: `next` leaves out a transaction
        /// that has not ended when it reads, and on a loaded machine, a replica reads changes later.
        private func sessionChangeStatements() async throws -> Set<String> {
            _ = try log.next()
            var statements: Set<String> = []
            try await waitUntil {
                let session = try await ask("mutation { it: startGuestSession { token } }")
                _ = try await ask("mutation { signOut { deletedId } }", token: try token(session))
                // Replicas read changes every 200 ms.
                try await Task.sleep(for: .milliseconds(500))
                let other = try log.next().filter { $0.application == ReplicaSizingTests.name(1) }
                statements.formUnion(other.flatMap(\.statements))
                return statements.contains { $0.contains("WHERE session.id IN ($)") }
            }
            return statements
        }

        func ask(_ document: String, token: String? = nil, at replica: Int = 0) async throws -> JSONValue {
            let answer = try await replicas[replica].ask(document, token: token)
            #expect(answer.failures.isEmpty, "\(document): \(answer.body)")
            return try #require(answer.json?["data"], "\(answer.body)")
        }

        func token(_ data: JSONValue) throws -> String { try #require(data["it"]?["token"]?.string) }

        /// The cost of one request: of the statements of one replica, or of all.
        func cost(at replica: Int? = nil, _ request: () async throws -> Void) async throws -> Cost {
            let before = try redisCounts()
            _ = try log.next()
            try await request()
            let transactions = try log.next().filter { transaction in
                transaction.statements.contains { !idle.contains($0) }
                    && replica.map { transaction.application == ReplicaSizingTests.name($0) } ?? true
            }
            return Cost(
                statements: transactions.reduce(0) { $0 + $1.statements.count + $1.controls },
                controls: transactions.reduce(0) { $0 + $1.controls },
                commands: try redisCounts() - before)
        }

        /// The number of commands, without those of idle replicas.
        ///
        /// Each script of an idle replica reads the time, and no script of a request does.
        private func redisCounts() throws -> Int {
            let commands = try QueryCounts.commands(of: redis)
            let own = commands.filter { !idleCommands.contains($0.key) }.values.reduce(0, +)
            return Int(own + commands["eval", default: 0] - commands["time", default: 0])
        }

        /// The statements of all replicas a minute without requests.
        func idleStatements(for time: Duration) async throws -> Double {
            let start = ContinuousClock.now
            _ = try log.next()
            try await Task.sleep(for: time)
            let statements = try log.next().reduce(0) { $0 + $1.statements.count + $1.controls }
            return Double(statements) * (.seconds(60) / start.duration(to: .now))
        }
    }

    private static func run(_ test: (Site) async throws -> Void) async throws {
        let (cluster, redis) = (try StatementLog.cluster(), try RedisServer())
        try await withSandbox { configuration in
            configuration.alpaca.dataRequestsPerMinute = 1_000_000
        } _: { sandbox in
            // A change that the stream reports before its response is recorded first, with fewer statements for the response.
            #expect(
                sandbox.faults.add(Fault(.hang, provider: .alpaca, endpoint: "GET /stream message")))
            try await withFolder { folder in
                var upstream = Upstream(sandbox)
                upstream.credential["PORTICO_REDIS_URL"] = redis.url()
                upstream.credential["PORTICO_GUESTS_PER_ADDRESS"] = "1000000"
                let environment = try Replicas.environment(upstream.environment, folder, in: cluster)
                let database = try #require(Replicas.database(environment))
                try await Self.runReplicas(environment) { replicas in
                    for replica in replicas {
                        try await waitUntil {
                            try await replica.get("/metrics").body.contains("\nportico_redis_up 1\n")
                        }
                    }
                    let site = Site(try StatementLog(of: database, in: cluster), redis, replicas)
                    try await site.watch()
                    try await test(site)
                }
            }
        }
    }

    /// The name of a replica in the log of the statements.
    private static func name(_ replica: Int) -> String { "replica\(replica)" }

    /// Runs two replicas, of which the first one follows the orders: it gets the lease before the other one starts.
    private static func runReplicas(
        _ environment: [String: String], _ test: ([RunningServer]) async throws -> Void
    ) async throws {
        func named(_ replica: Int) -> [String: String] {
            environment.merging([
                "PORTICO_DATABASE_URL":
                    "\(environment["PORTICO_DATABASE_URL"] ?? "")&application_name=\(name(replica))"
            ]) { $1 }
        }
        try await withServer(environment: named(0)) { first in
            try await withServer(environment: named(1)) { second in try await test([first, second]) }
        }
    }

    private static func page() throws -> String { try ContainerFiles.text("docs/several-replicas.md") }

    /// The rows of the table of requests: the last cells by the first one.
    private static func documented() throws -> [String: String] {
        let table = try #require(page().firstMatch(of: /\n\| Request \|.*\n\|[-|]+\n((?:\|.*\n)+)/)?.1)
        return try table.split(whereSeparator: \.isNewline).reduce(into: [:]) { rows, line in
            let row = try #require(line.wholeMatch(of: /\| (.*?) \| (.*) \|/), "\(line)")
            rows[String(row.1)] = String(row.2)
        }
    }

    private static func signUp(_ number: Int) -> String {
        "mutation { it: signUp(input: { username: \"user\(number)\", password: \"correct horse battery\" }) { token } }"
    }

    private static func signIn(_ number: Int) -> String {
        "mutation { it: signIn(input: { username: \"user\(number)\", password: \"correct horse battery\" }) { token } }"
    }

    // Names of instruments are fresh for a day.
    private static let hot = #"{ instrument(symbol: "AAPL") { name } }"#
    private static let equity = "{ account { equity } }"
    private static let guest = "mutation { it: startGuestSession { token } }"

    private static func chart(_ number: Int) -> String {
        "{ chart(symbol: \"KO\", interval: ONE_DAY, last: \(number + 10), provider: \"alpaca\") { symbol } }"
    }

    @Test("is the one that PostgreSQL and Redis count, for each kind of request")
    func requests() async throws {
        try await Self.run { site in
            var counted: [String: Cost] = [:]
            func count(_ kind: String, _ request: (Int) async throws -> Void) async throws {
                var costs: [Cost] = []
                for number in 0..<Self.requests {
                    costs.append(try await site.cost { try await request(number) })
                }
                counted[kind] = Self.median(costs)
            }
            for replica in site.replicas.indices { _ = try await site.ask(Self.hot, at: replica) }
            try await count("public value that is cached, also with a known session") { number in
                _ = try await site.ask(Self.hot, token: number.isMultiple(of: 2) ? ownerToken : nil)
            }
            _ = try await site.ask(Self.equity, token: ownerToken)
            try await count("private value that is cached") { _ in
                _ = try await site.ask(Self.equity, token: ownerToken)
            }
            try await count("public value from a provider, for each call") { number in
                _ = try await site.ask(Self.chart(number))
            }
            try await count("public value that another replica has read") { number in
                _ = try await site.ask(Self.chart(number), at: 1)
            }
            try await count("new guest") { _ in _ = try await site.ask(Self.guest) }
            counted["first request of a session at a replica that does not know it yet"] =
                try await Self.firstRequest(at: site, afterGuest: counted["new guest"] ?? Cost())

            var tokens: [String] = []
            try await count("sign-up") { number in
                tokens.append(try site.token(try await site.ask(Self.signUp(number))))
            }
            try await count("new watchlist") { number in
                _ = try await site.ask(
                    #"mutation { createWatchlist(input: { name: "mine", symbols: ["AAPL"] }) { watchlist { id } } }"#,
                    token: tokens[number])
            }
            try await count("watchlists") { number in
                _ = try await site.ask("{ watchlists { name } }", token: tokens[number])
            }
            try await count("sign-out") { number in
                _ = try await site.ask("mutation { signOut { deletedId } }", token: tokens[number])
            }
            try await count("sign-in") { number in _ = try await site.ask(Self.signIn(number)) }

            let account = try #require(
                await site.ask("{ account { id } }", token: ownerToken)["account"]?["id"]?.string)
            var orders: [String] = []
            // The first replica follows orders to their end, beside the requests of the second one.
            func countOrders(_ kind: String, _ request: (Int) async throws -> Void) async throws {
                var costs: [Cost] = []
                for number in 0..<Self.requests {
                    costs.append(try await site.cost(at: 1) { try await request(number) })
                }
                counted[kind] = Self.median(costs)
            }
            try await countOrders("new order") { number in
                let data = try await site.ask(
                    """
                    mutation { placeOrder(input: { idempotencyKey: "key\(number)" accountId: "\(account)" side: BUY
                        instrument: { symbol: "AMD" } size: { quantity: "1" } timeInForce: GTC price: { limit: "2.50" } }) {
                        order { id } } }
                    """, token: ownerToken, at: 1)
                orders.append(try #require(data["placeOrder"]?["order"]?["id"]?.string))
            }
            try await countOrders("canceled order") { number in
                _ = try await site.ask(
                    "mutation { cancelOrder(id: \"\(orders[number])\") { order { id } } }", token: ownerToken,
                    at: 1)
            }
            let documented = try Self.documented()
            #expect(documented == counted.mapValues(\.description))
        }
    }

    /// The cost of a request with a session that another replica has opened.
    ///
    /// Replicas read new sessions every 200 ms, some of these before the request.
    private static func firstRequest(at site: Site, afterGuest guest: Cost) async throws -> Cost {
        var costs: [Cost] = []
        try await waitUntil {
            let both = try await site.cost {
                let token = try site.token(try await site.ask(Self.guest))
                _ = try await site.ask(hot, token: token, at: 1)
            }
            if both.statements > guest.statements { costs.append(both - guest) }
            return costs.count >= requests
        }
        return median(costs)
    }

    private static func median(_ costs: [Cost]) -> Cost {
        func middle(_ value: (Cost) -> Int) -> Int {
            let values = costs.map(value).sorted()
            return values.isEmpty ? 0 : values[values.count / 2]
        }
        return Cost(
            statements: middle(\.statements), controls: middle(\.controls), commands: middle(\.commands))
    }

    @Test("without requests is at most the documented number of statements a minute, and not much less")
    func idle() async throws {
        let row = try #require(
            Self.page().firstMatch(of: /\| Statements without requests \| at most ([0-9,]+) a minute/))
        let documented = try #require(Int(row.1.replacing(",", with: "")))
        try await Self.run { site in
            // Ten times as long as the time between the reports of a replica, which have the most statements.
            let time = Duration.seconds(30)
            let most = Double(documented * site.replicas.count)
            // On a loaded machine, tasks begin later.
            try await waitUntil(timeout: .seconds(200)) {
                let counted = try await site.idleStatements(for: time)
                #expect(counted <= most * 1.05)
                return counted >= most * 0.9
            }
        }
    }
}
