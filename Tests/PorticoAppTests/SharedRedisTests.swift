import Brokerage
import Foundation
import Sandbox
import TestSupport
import Testing

@Suite("Servers that share a Redis server")
struct SharedRedisTests {
    private static let masterKey = Data(repeating: 7, count: 32).base64EncodedString()

    private func environment(_ redis: RedisServer) -> [String: String] {
        Replicas.patience.merging(
            ["PORTICO_REDIS_URL": redis.url(), "PORTICO_MASTER_KEY": Self.masterKey]) { $1 }
    }

    /// Waits until a server has a connection to Redis.
    private func waitForRedis(_ server: RunningServer, isUp: Bool = true) async throws {
        try await waitUntil {
            try await server.get("/metrics").body.contains("\nportico_redis_up \(isUp ? 1 : 0)\n")
        }
    }

    private func metric(_ name: String, of server: RunningServer) async throws -> Int {
        let body = try await server.get("/metrics").body
        let line = body.split(separator: "\n").first { $0.hasPrefix("portico_redis_\(name) ") }
        return try #require(line?.split(separator: " ").last.flatMap { Int($0) }, "\(name)")
    }

    private static let quote = #"{ quote(symbol: "AAPL", provider: "alpaca") { price } }"#

    @Test("a quote that one server has read costs the other no call")
    func sharedQuote() async throws {
        let redis = try RedisServer()
        try await withSandboxProgram { sandbox in
            try await sandbox.closeMarket()
            let environment = environment(redis).merging(Upstream(sandbox).environment) { $1 }
            try await withServer(environment: environment) { one in
                try await withServer(environment: environment) { other in
                    try await waitForRedis(one)
                    try await waitForRedis(other)
                    let first = try await one.ask(Self.quote, token: nil)
                    #expect(first.failures.isEmpty, "\(first.body)")
                    try await waitUntil { try await metric("writes_total", of: one) == 1 }
                    let calls = try await sandbox.calls
                    let second = try await other.ask(Self.quote, token: nil)
                    #expect(second.body == first.body)
                    #expect(try await sandbox.calls == calls)
                    #expect(try await metric("hits_total", of: other) == 1)
                    #expect(try await metric("misses_total", of: one) == 1)
                    try await waitUntil { try await metric("peers", of: other) == 1 }
                }
            }
        }
    }

    @Test("use Redis for a value that is in memory neither for its look-up nor for a claim")
    func hotValue() async throws {
        let redis = try RedisServer()
        try await withServer(environment: environment(redis)) { server in
            try await waitForRedis(server)
            // Names of instruments are fresh for a day.
            let query = #"{ instrument(symbol: "AAPL") { name } }"#
            #expect(try await server.ask(query).failures.isEmpty)
            let lookUps = try await metric("hits_total", of: server) + metric("misses_total", of: server)
            #expect(lookUps > 0)
            for _ in 0..<50 { _ = try await server.ask(query) }
            let later = try await metric("hits_total", of: server) + metric("misses_total", of: server)
            #expect(later == lookUps)
        }
    }

    @Test("start, serve and are ready without Redis, use it when it is there, and log each change once")
    func outage() async throws {
        let redis = try RedisServer(password: "planted-password")
        try redis.stop()
        let program = try await withServer(environment: environment(redis)) { server in
            for _ in 0..<3 {
                #expect(try await server.ask(Self.quote).failures.isEmpty)
            }
            try await waitUntil {
                try await server.get("/health/ready").body.contains(#""name":"redis","state":"down""#)
            }
            let ready = try await server.get("/health/ready")
            #expect(ready.status == 200)
            // Without the address, which the log has.
            let detail =
                #"{"name":"redis","state":"down","detail":"Redis is not used: it cannot be connected to"}"#
            #expect(ready.body.contains(detail), "\(ready.body)")
            #expect(!ready.body.contains(redis.directory))
            try redis.start()
            try await waitForRedis(server)
            #expect(try await server.get("/health/ready").body.contains(#""name":"redis","state":"up""#))
            try redis.stop()
            try await waitForRedis(server, isUp: false)
            #expect(try await server.ask(Self.quote).failures.isEmpty)
            return server.program
        }
        let log = await program.errors.whole()
        #expect(
            log.matches(of: /Redis at unix:[^ ]+ is not used: it cannot be connected to/).count == 1, "\(log)"
        )
        #expect(log.matches(of: /Redis is used: unix:/).count == 1, "\(log)")
        #expect(log.matches(of: /is not used: the connection was interrupted/).count == 1, "\(log)")
        #expect(!log.contains("planted-password"))
    }

    @Test(
        "respond without an error while Redis is emptied, full, stopped or hung, and store values afterwards",
        arguments: Failure.allCases)
    func failures(_ failure: Failure) async throws {
        let redis = try RedisServer()
        try await withServer(environment: environment(redis)) { one in
            try await withServer(environment: environment(redis)) { other in
                try await waitForRedis(one)
                try await waitForRedis(other)
                let symbols = ["AAPL", "AMD", "BA", "BAC", "C", "KO", "MSFT", "T"]
                func ask(_ round: Int) async throws {
                    for (number, symbol) in symbols.enumerated() {
                        let server = number.isMultiple(of: 2) ? one : other
                        let answer = try await server.ask(
                            "{ quote(symbol: \"\(symbol)\") { price } chart(symbol: \"\(symbol)\", last: \(round)) { symbol } }"
                        )
                        #expect(answer.failures.isEmpty, "\(failure): \(answer.body)")
                    }
                }
                try await ask(3)
                try failure.begin(redis)
                for round in 4..<8 {
                    if failure == .empty { try failure.begin(redis) }
                    try await ask(round)
                }
                try failure.end(redis)
                try await waitForRedis(one)
                let writes = try await metric("writes_total", of: one)
                // Values in memory are not stored again. Redis is tried again some time after it did not respond.
                var round = 8
                try await waitUntil {
                    try await ask(round)
                    round += 1
                    try await Task.sleep(for: .milliseconds(100))
                    return try await metric("writes_total", of: one) > writes
                }
            }
        }
    }

    /// What happens to a Redis server.
    enum Failure: CaseIterable {
        case empty
        /// It refuses each command that stores a value.
        case full
        case stopped
        case hung

        func begin(_ redis: RedisServer) throws {
            switch self {
            case .empty: _ = try redis.execute("FLUSHALL")
            case .full:
                _ = try redis.execute("CONFIG SET maxmemory-policy noeviction")
                _ = try redis.execute("CONFIG SET maxmemory 1")
            case .stopped: try redis.stop()
            case .hung: try redis.pause()
            }
        }

        func end(_ redis: RedisServer) throws {
            switch self {
            case .empty: break
            case .full: _ = try redis.execute("CONFIG SET maxmemory 0")
            case .stopped: try redis.start()
            case .hung: try redis.resume()
            }
        }
    }

    /// The keys and values of a Redis server, of each type.
    private static func contents(_ redis: RedisServer) throws -> String {
        let commands = [
            "string": "GET KEY", "hash": "HGETALL KEY", "set": "SMEMBERS KEY", "list": "LRANGE KEY 0 -1",
            "zset": "ZRANGE KEY 0 -1", "stream": "XRANGE KEY - +",
        ]
        var contents = ""
        for key in try redis.execute("KEYS *").split(separator: "\n") {
            let type = try redis.execute("TYPE KEY", key: key)
            // A key can expire in the meantime.
            guard type != "none" else { continue }
            let command = try #require(commands[type], "\(type)")
            contents += "\(key)\n" + (try redis.execute(command, key: key)) + "\n"
        }
        return contents
    }

    @Test("store no token, name, account or credential in Redis")
    func contents() async throws {
        let redis = try RedisServer()
        try await withSandbox { configuration in
            configuration.hours = .always
        } _: { sandbox in
            try await withFolder { folder in
                let keys = SandboxUser.demo.alpaca
                let environment = try Replicas.environment(sandbox, redis, folder)
                try await withServer(environment: environment) { server in
                    try await waitForRedis(server)
                    let signUp = try await server.ask(
                        #"mutation { it: signUp(input: { username: "planted-name", password: "correct horse battery" }) { token } }"#,
                        token: nil)
                    let token = try #require(
                        signUp.json?["data"]?["it"]?["token"]?.string, "\(signUp.body)")
                    let accounts = try await server.ask(
                        "{ accounts { id number name } positions { symbol quantity } orders(first: 1) { nodes { id } } }",
                        token: ownerToken)
                    let account = try #require(accounts.json?["data"]?["accounts"]?[0], "\(accounts.body)")
                    for token in [token, ownerToken] {
                        _ = try await server.ask(
                            #"{ quote(symbol: "AAPL") { price } search(text: "planted-search", first: 1) { region } news(first: 2) { nodes { headline } } }"#,
                            token: token)
                    }
                    let client = try await server.subscribe(
                        RawRequest.query(#"subscription { quotes(symbols: ["KO"]) { price } }"#),
                        token: ownerToken)
                    defer { client.close() }
                    try await waitUntil { sandbox.streams[.alpaca, "GET /v2/{feed}"] == 1 }
                    try await waitUntil { try await metric("writes_total", of: server) > 1 }
                    let contents = try Self.contents(redis)
                    #expect(contents.contains(":value:quote.1:"))
                    let secrets = [
                        token, ownerToken, "planted-name", "correct horse", "planted-search",
                        account["id"]?.string, account["number"]?.string, keys.keyID, keys.secretKey,
                        environment["PORTICO_MASTER_KEY"],
                    ].compactMap(\.self)
                    #expect(secrets.count == 10)
                    for secret in secrets { #expect(!contents.contains(secret), "\(secret)") }
                }
            }
        }
    }

    @Test("count the requests of an address at all of them")
    func limits() async throws {
        let redis = try RedisServer()
        let environment = environment(redis).merging([
            "PORTICO_REQUESTS_PER_ADDRESS": "1", "PORTICO_TRUSTED_PROXIES": "1",
        ]) { $1 }
        try await withServer(environment: environment) { one in
            try await withServer(environment: environment) { other in
                try await waitForRedis(one)
                try await waitForRedis(other)
                var attempt = 0
                // A server alone admits five requests of an address at once. If the machine is slow, a bucket fills again
                // before the merge, so that another address is tried.
                try await waitUntil {
                    attempt += 1
                    let address = "203.0.113.\(attempt % 250 + 1)"
                    let merged = (
                        try await metric("merged_clients_total", of: one),
                        try await metric("merged_clients_total", of: other)
                    )
                    while try await isAdmitted(address, by: one) {}
                    try await waitUntil { try await metric("merged_clients_total", of: one) > merged.0 }
                    var admitted = try await isAdmitted(address, by: other) ? 1 : 0
                    try await waitUntil { try await metric("merged_clients_total", of: other) > merged.1 }
                    while try await isAdmitted(address, by: other) { admitted += 1 }
                    return admitted < 5
                }
            }
        }
    }

    private func isAdmitted(_ address: String, by server: RunningServer) async throws -> Bool {
        let request = RawRequest.post(
            RawRequest.query("{ __typename }"), fields: ["X-Forwarded-For: \(address)"])
        return try await server.send(request).status == 200
    }

    @Test(
        "do not start with an invalid setting, and do not print its password",
        arguments: [
            (
                ["PORTICO_REDIS_URL": "redis://:planted@host:x", "PORTICO_MASTER_KEY": masterKey],
                "PORTICO_REDIS_URL has a port that is not a number from 1 to 65535. Write redis://user:password@host:6379/0, or rediss:// for TLS."
            ),
            (
                ["PORTICO_REDIS_URL": "redis://:planted@host"],
                "PORTICO_REDIS_URL needs PORTICO_MASTER_KEY_FILE or PORTICO_MASTER_KEY, with the same key at all replicas."
            ),
            (
                [
                    "PORTICO_REDIS_URL": "redis://:planted@host", "PORTICO_MASTER_KEY": masterKey,
                    "PORTICO_DATA": "/tmp/planted",
                ],
                "PORTICO_REDIS_URL and --data (PORTICO_DATA) exclude each other: one process uses a data directory"
            ),
        ])
    func settings(environment: [String: String], message: String) async throws {
        let run = try await Program.run(["serve", "--port", "0"], environment: environment)
        #expect(run.status == 2)
        #expect(run.errors.contains(message), "\(run.errors)")
        #expect(!run.errors.contains("planted@"))
    }
}
