import Brokerage
import Foundation
import HostileTraffic
import Sandbox
import TestSupport
import Testing

@Suite("The memory of a user")
struct ReleaseTests {
    /// The environment of a server for a sandbox whose users have no rate limit.
    private static func environment(_ sandbox: Sandbox, _ folder: URL) -> [String: String] {
        Upstream(sandbox).environment.merging(
            [
                "PORTICO_DATA": folder.path, "PORTICO_SIGN_UP": "open", "PORTICO_PASSWORD_COST": "4",
                "PORTICO_TRUSTED_PROXIES": "1",
            ]
        ) { $1 }
    }

    /// A client behind a proxy, at an address of its own.
    private struct Guest: Sendable {
        let server: RunningServer
        let number: Int
        var key = SandboxUser.demo.alpaca
        var token: String?

        var fields: [String] {
            ["X-Forwarded-For: 10.1.\(number / 250).\(number % 250 + 1)"]
                + (token.map { ["Authorization: Bearer \($0)"] } ?? [])
        }

        func ask(_ query: String) async throws -> JSONValue {
            let answer = try await server.send(
                RawRequest.post(RawRequest.query(query), fields: fields))
            #expect(answer.failures.isEmpty, "\(answer.body)")
            return try #require(answer.json?["data"], "\(answer.body)")
        }

        mutating func enter(_ mutation: String = "startGuestSession") async throws {
            token = try await ask("mutation { it: \(mutation) { token } }")["it"]?["token"]?.string
        }

        func connect() async throws {
            let answer = try await ask(
                """
                mutation { connectProvider(input: { provider: "alpaca" environment: PAPER
                  credential: { apiKey: { key: "\(key.keyID)", secret: "\(key.secretKey)" } } }) {
                  connection { status } } }
                """)
            #expect(answer["connectProvider"]?["connection"]?["status"] == "ACTIVE")
        }

        /// Subscribes to orders and prices by the connection, and waits for the first price; there may be no
        /// order.
        func follow() async throws -> [RawClient] {
            var clients: [RawClient] = []
            for (field, told) in [
                ("orders { id }", ":\n\n"), ("quotes(symbols: [\"AAPL\"]) { price }", "event: next"),
            ] {
                let client = try RawClient(port: server.port)
                try await client.send(
                    RawRequest.post(
                        RawRequest.query("subscription { \(field) }"),
                        fields: fields + ["Accept: text/event-stream"]
                    ).replacing("HTTP/1.1", with: "HTTP/1.0"))
                var received = ""
                while !received.contains(told) { received += try await client.take(1) }
                clients.append(client)
            }
            return clients
        }

        mutating func leave() async throws {
            switch number % 4 {
            case 0: _ = try await ask("mutation { signOut { deletedId } }")
            case 1:
                let session = try await ask("{ viewer { session { id } } }")["viewer"]?["session"]?["id"]
                let id = try #require(session?.string)
                _ = try await ask("mutation { revokeSession(id: \"\(id)\") { deletedId } }")
            case 2: _ = try await ask("mutation { deleteUser { deletedId } }")
            default:
                // The same session, with another token.
                try await enter("renewSession")
                _ = try await ask("mutation { signOut { deletedId } }")
            }
        }
    }

    /// The value of a gauge of the server.
    private static func gauge(_ name: String, _ server: RunningServer) async throws -> Int {
        let metrics = try await server.get("/metrics").body
        let line = metrics.split(separator: "\n").first { $0.hasPrefix("\(name) ") }
        return try #require(line.flatMap { Int($0.dropFirst(name.count + 1)) }, "\(metrics)")
    }

    /// Waits until a gauge is at most a value, since streams end a moment after their token.
    private static func expect(
        _ name: String, atMost value: Int, _ server: RunningServer, fileID: StaticString = #fileID,
        line: UInt = #line
    ) async throws {
        try await waitUntil(fileID: fileID, line: line) { try await gauge(name, server) <= value }
    }

    @Test("is released after a thousand guests have connected, subscribed and signed out")
    func guests() async throws {
        // Each guest has a key of its own: the calls of a removed connection count for the next one with its key.
        let users = SandboxUser.copiesOfDemo(1_000, named: "guest")
        try await withSandbox(configured: {
            $0.users += users
            $0.alpaca.tradingRequestsPerMinute = 1_000_000
            $0.alpaca.dataRequestsPerMinute = 1_000_000
        }) { sandbox in
            try await withFolder { folder in
                try await withServer(
                    environment: Self.environment(sandbox, folder), longestLife: .seconds(600)
                ) { server in
                    // The connection of the settings.
                    let connections = try await Self.gauge("portico_provider_connections", server)
                    #expect(connections == 1)
                    let memory = ProcessGauge(server.program.processID)
                    var warm = 0
                    for round in 0..<10 {
                        try await withThrowingDiscardingTaskGroup { group in
                            for worker in 0..<10 {
                                group.addTask {
                                    for number in 0..<10 {
                                        let number = round * 100 + worker * 10 + number
                                        var guest = Guest(
                                            server: server, number: number, key: users[number].alpaca)
                                        try await guest.enter()
                                        try await guest.connect()
                                        let followed = number % 25 == 0 ? try await guest.follow() : []
                                        try await guest.leave()
                                        for client in followed {
                                            #expect(try await client.rest().contains("UNAUTHENTICATED"))
                                        }
                                    }
                                }
                            }
                        }
                        if round == 1 { warm = try memory.residentBytes() }
                    }
                    try await Self.expect("portico_provider_connections", atMost: connections, server)
                    // Of the forty followed feeds, at most the server's own source is left.
                    try await Self.expect("portico_quote_feeds", atMost: 1, server)
                    try await waitUntil { sandbox.streams[.alpaca, "GET /stream"] == 0 }
                    // Eight hundred of the thousand guests came after the first measurement.
                    let growth = try memory.residentBytes() - warm
                    #expect(growth < 12 << 20, "\(growth)")
                }
            }
        }
    }

    @Test("is retained while a user is signed out, and released when the user is deleted")
    func named() async throws {
        try await withSandbox { sandbox in
            try await withFolder { folder in
                try await withServer(environment: Self.environment(sandbox, folder)) { server in
                    for (number, name) in ["ann", "bob"].enumerated() {
                        var user = Guest(server: server, number: number)
                        try await user.enter(
                            #"signUp(input: { username: "\#(name)", password: "correct horse battery" })"#)
                        try await user.connect()
                        _ = try await user.ask("mutation { signOut { deletedId } }")
                    }
                    #expect(try await Self.gauge("portico_provider_connections", server) == 3)
                    for (name, left) in [("ann", 2), ("bob", 1)] {
                        #expect(try await Self.gauge("portico_provider_connections", server) == left + 1)
                        let run = try await Program.run(
                            ["users", "delete", name, "--yes", "--data", folder.path])
                        #expect(run.status == 0, "\(run.errors)")
                        try await Self.expect("portico_provider_connections", atMost: left, server)
                    }
                }
            }
        }
    }
}
