import Foundation
import Sandbox
import TestSupport

/// One replica in comparison with two and with single-machine mode, in one run in which they alternate; and the queries to
/// PostgreSQL and Redis for each kind of request.
struct ReplicaLoad {
    private let sizes: Sizes

    private static let connections = 32
    /// The requests of a kind whose queries are counted.
    private static let count = 50

    init(_ sizes: Sizes) {
        self.sizes = sizes
    }

    func run(_ command: [String]) async throws {
        try await ReplicaServers.with(command) { servers in
            // In the first seconds, servers execute queries that they do not execute later.
            try await Task.sleep(for: .seconds(5))
            print(
                "Memory after the start: \(try memory(servers)); \(try servers.connections()) connections to PostgreSQL"
            )
            let before = try servers.queries()
            // Replicas delete what has expired once a minute.
            let idleSeconds = max(sizes.seconds, 65)
            try await Task.sleep(for: .seconds(idleSeconds))
            let idle = Idle(counts: try servers.queries().since(before), seconds: Double(idleSeconds))
            print(
                "Two idle replicas: \(rate(idle.counts.statements, idle)) statements and "
                    + "\(rate(idle.counts.commands, idle)) commands a second")
            for (query, count) in idle.counts.statements.sorted(by: { $0.value > $1.value }).prefix(10) {
                print("    \(Self.decimal(count / idle.seconds))  \(query.prefix(120))")
            }
            // A name is fresh for a day.
            try await compare(
                "A hot public response", #"{ instrument(symbol: "AAPL") { name } }"#, nil, servers, idle,
                isHot: true)
            let home = try String(
                contentsOfFile: "schema/operations/accounts/home.graphql", encoding: .utf8)
            try await compare(
                "A home screen (private, cached for seconds)", home, servers.ownerToken, servers, idle,
                isHot: false)
            print(
                "Memory after the load: \(try memory(servers)); \(try servers.connections()) connections to PostgreSQL"
            )
            // The load has used calls of this minute.
            try await Task.sleep(for: .seconds(60))
            try await countKinds(servers, idle)
        }
    }

    /// The queries of idle replicas, and the time in which they were counted.
    private struct Idle {
        let counts: QueryCounts
        let seconds: Double
    }

    private func rate(_ counts: [String: Double], _ idle: Idle) -> String {
        Self.decimal(counts.values.reduce(0, +) / idle.seconds)
    }

    private func memory(_ servers: ReplicaServers) throws -> String {
        let replicas = try servers.replicas.map { "\(try $0.residentBytes() >> 20) MB" }.joined(
            separator: ", ")
        return "replicas \(replicas), single machine \(try servers.single.residentBytes() >> 20) MB"
    }

    // MARK: Throughput

    private struct Result {
        let perSecond: Double
        /// Processor time of the servers for a response, in microseconds.
        let cost: Double
    }

    /// Loads single-machine mode, one replica and both replicas in turns, and prints the medians.
    private func compare(
        _ name: String, _ document: String, _ token: String?, _ servers: ReplicaServers, _ idle: Idle,
        isHot: Bool
    ) async throws {
        // Fills the caches and checks the responses.
        for server in [servers.single] + servers.replicas {
            _ = try await server.query(document, token: token)
        }
        let body = RawRequest.query(document)
        let kinds = [
            ("single machine", [servers.single]), ("one replica", [servers.replicas[0]]),
            ("two replicas", servers.replicas),
        ]
        // One replica on one core is comparable with two on two cores only if its clients do not use the second core.
        let haveOwnCores = ProcessInfo.processInfo.processorCount > 2
        var results: [[Result]] = kinds.map { _ in [] }
        var (absent, requests) = ([String: Int](), 0)
        for _ in 0..<sizes.turns {
            for (index, kind) in kinds.enumerated() {
                let (queries, time) = (try servers.queries(), try processorTime(of: kind.1))
                let run = try WrkRun(
                    ports: kind.1.map(\.port), cores: haveOwnCores ? nil : Array(kind.1.indices), body: body,
                    token: token, connections: Self.connections,
                    seconds: sizes.seconds)
                let used = try processorTime(of: kind.1) - time
                results[index].append(
                    Result(perSecond: run.perSecond, cost: used / .microseconds(max(run.requests, 1))))
                guard index > 0 else { continue }
                absent.merge(try servers.queries().since(queries).absent(in: idle.counts)) { $0 + $1 }
                requests += run.requests
            }
        }
        print("\(name): requests/s, and the server's processor time for each")
        let medians = results.map { results in
            Result(perSecond: Self.median(results.map(\.perSecond)), cost: Self.median(results.map(\.cost)))
        }
        for (kind, median) in zip(kinds, medians) {
            print("  \(kind.0): \(Int(median.perSecond))/s, \(Self.decimal(median.cost)) µs")
        }
        let (scaling, cost) = (medians[2].perSecond / medians[1].perSecond, medians[1].cost / medians[0].cost)
        Report.print(
            "two replicas on two cores: \(Self.hundredths(scaling)) times the requests/s of one on one core",
            target: "at least 1.5",
            isReached: scaling >= 1.5)
        Report.print(
            "one replica: \(Self.hundredths(cost)) times the processor time of single-machine mode",
            target: "at most 1.1", isReached: cost <= 1.1)
        let total = absent.values.reduce(0, +)
        let text =
            "\(total) queries to PostgreSQL and Redis for \(requests) responses that idle replicas do not send"
        if isHot {
            Report.print(text, target: "0", isReached: total == 0)
        } else {
            print("  \(text)")
        }
        for (query, count) in absent.sorted(by: { $0.value > $1.value }).prefix(10) {
            print("    \(count)  \(query.prefix(120))")
        }
    }

    private func processorTime(of servers: [PorticoProcess]) throws -> Duration {
        try servers.reduce(.zero) { $0 + (try $1.processorTime()) }
    }

    // MARK: Queries

    /// Prints the queries for each kind of request.
    private func countKinds(_ servers: ReplicaServers, _ idle: Idle) async throws {
        print("Queries for each request, without those of idle replicas, and calls to providers:")
        let clients = try servers.replicas.map { try RawClient(port: $0.port) }
        defer { for client in clients { client.close() } }
        let (owner, count) = (servers.ownerToken, Self.count)
        func ask(_ document: String, _ token: String? = nil, at replica: Int = 0) async throws -> JSONValue {
            try await PorticoProcess.query(document, token: token, over: clients[replica])
        }
        func report(_ name: String, _ request: (Int) async throws -> Void) async throws {
            let (before, calls, start) = (
                try servers.queries(), servers.sandbox.calls.total, ContinuousClock.now
            )
            for number in 0..<count { try await request(number) }
            let share = (ContinuousClock.now - start) / .seconds(idle.seconds)
            let counts = try servers.queries().since(before).beyond(idle.counts, share: share)
            func each(_ counts: [String: Double]) -> String {
                Self.decimal(max(counts.values.reduce(0, +), 0) / Double(count))
            }
            let control = counts.statements.filter { $0.key.hasPrefix("BEGIN") || $0.key == "COMMIT" }
            let provider = Double(servers.sandbox.calls.total - calls) / Double(count)
            print(
                "  \(name): \(each(counts.statements)) statements (BEGIN and COMMIT: \(each(control))), "
                    + "\(each(counts.commands)) commands, \(Self.decimal(provider)) calls")
        }
        func token(_ answer: JSONValue) throws -> String {
            guard let token = answer["it"]?["token"]?.string else {
                throw BenchmarkError("no token: \(answer)")
            }
            return token
        }

        let hot = #"{ instrument(symbol: "AAPL") { name } }"#
        func chart(_ number: Int) -> String {
            "{ chart(symbol: \"AAPL\", interval: ONE_DAY, last: \(number + 10), provider: \"alpaca\") { symbol } }"
        }
        try await report("hot public response") { _ in _ = try await ask(hot) }
        try await report("public value from the provider") { _ = try await ask(chart($0)) }
        try await report("public value that the other replica has read") {
            _ = try await ask(chart($0), at: 1)
        }
        try await report("private value, cached for seconds") { _ in
            _ = try await ask("{ account { equity } }", owner)
        }
        var tokens: [String] = []
        try await report("sign-up") { number in
            tokens.append(
                try token(
                    await ask(
                        "mutation { it: signUp(input: { username: \"user\(number)\", password: \"correct horse battery\" }) { token } }"
                    )))
        }
        try await report("first request of a session at another replica") { number in
            _ = try await ask(hot, tokens[number], at: 1)
        }
        try await report("later request of a session") { number in
            _ = try await ask(hot, tokens[number], at: 1)
        }
        try await report("new watchlist") { number in
            _ = try await ask(
                #"mutation { createWatchlist(input: { name: "mine", symbols: ["AAPL"] }) { watchlist { id } } }"#,
                tokens[number])
        }
        try await report("read of watchlists") { number in
            _ = try await ask("{ watchlists { name } }", tokens[number])
        }
        try await report("sign-out") { number in
            _ = try await ask("mutation { signOut { deletedId } }", tokens[number])
        }
        try await report("sign-in") { number in
            _ = try token(
                await ask(
                    "mutation { it: signIn(input: { username: \"user\(number)\", password: \"correct horse battery\" }) { token } }"
                ))
        }
        guard let account = try await ask("{ account { id } }", owner)["account"]?["id"]?.string else {
            throw BenchmarkError("The owner has no account.")
        }
        var orders: [String] = []
        try await report("new order") { number in
            let answer = try await ask(
                """
                mutation { placeOrder(input: { idempotencyKey: "key\(number)" accountId: "\(account)" side: BUY
                    instrument: { symbol: "AMD" } size: { quantity: "1" } timeInForce: GTC price: { limit: "2.50" } }) {
                    order { id } } }
                """, owner)
            orders.append(answer["placeOrder"]?["order"]?["id"]?.string ?? "")
        }
        try await report("canceled order") { number in
            _ = try await ask("mutation { cancelOrder(id: \"\(orders[number])\") { order { id } } }", owner)
        }
    }

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    private static func decimal(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }

    private static func hundredths(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
}
