import Dispatch
import EngineTestSupport
import Foundation
import NIOCore
import NIOPosix
import Redis
import TestSupport
import Testing

@Suite("A client of Redis")
struct RedisClientTests {
    @Test("gets the reply to each command, in order, of commands that many tasks send")
    func pipelining() async throws {
        let server = try RedisServer.shared.get()
        try await RunningClient.with(server.url()) { running in
            let names = try await withThrowingTaskGroup(of: [String?].self) { group in
                for task in 0..<50 {
                    group.addTask {
                        let texts = (0..<20).map { "\(task).\($0)" }
                        let replies = try await running.client.send(
                            texts.map { RedisCommand(["ECHO", $0]) })
                        #expect(replies.map(\.text) == texts)
                        return replies.map(\.text)
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(Set(names).count == 1_000)
            #expect(running.client.counts.commands == 1_000)
            #expect(running.changes == [.up])
        }
    }

    @Test("returns an error of the server as the reply of its command, without the server's text")
    func errors() async throws {
        let server = try RedisServer.shared.get()
        try await RunningClient.with(server.url()) { running in
            let replies = try await running.client.send([
                RedisCommand(line: "PLANTED x"), RedisCommand(line: "PING"),
            ])
            #expect(replies.map(\.text) == [nil, "PONG"])
            #expect(replies.first == .error(code: "ERR"))
        }
    }

    @Test("uses the database of the URL, and values of all bytes")
    func database() async throws {
        let server = try RedisServer()
        let bytes = (0...255).map { UInt8($0) } + Array("\r\n$5\r\n".utf8)
        try await RunningClient.with(server.url(database: 3)) { running in
            let replies = try await running.client.send([
                .set("key", to: bytes, for: .seconds(60)), RedisCommand(["GET", "key"]),
            ])
            #expect(replies.map(\.bytes) == [Array("OK".utf8), bytes])
        }
        #expect(try server.execute("-n 3 EXISTS key") == "1")
        #expect(try server.execute("-n 0 EXISTS key") == "0")
    }

    @Test("reports a database that the server does not have, with its number and the remedy")
    func missingDatabase() async throws {
        let server = try RedisServer()
        try await RunningClient.with(server.url(database: 99), waitsForConnection: false) { running in
            try await running.waitForChanges(1)
            #expect(running.changes == [.down(.noDatabase(99))])
            #expect(
                running.client.failure?.description
                    == """
                    it has no database 99 (use a lower number in the URL, or raise the setting databases of the \
                    server)
                    """)
        }
    }

    @Test("authenticates with the password of the URL, also if it has reserved characters")
    func password() async throws {
        let server = try RedisServer(password: "pa#ss/word@%")
        try await RunningClient.with(server.url(password: "pa%23ss%2Fword%40%25")) { running in
            let replies = try await running.client.send([RedisCommand(line: "PING")])
            #expect(replies.first?.text == "PONG")
        }
    }

    @Test(
        "reports once that the server refuses the password, or requires one",
        arguments: [
            (
                ":planted@", RedisFailure.refused(code: "WRONGPASS"),
                "it refuses the user or the password (WRONGPASS)"
            ),
            (
                "nobody:planted@", .refused(code: "WRONGPASS"),
                "it refuses the user or the password (WRONGPASS)"
            ),
            ("", .refused(code: "NOAUTH"), "it requires a password (NOAUTH)"),
        ])
    func wrongPassword(credential: String, failure: RedisFailure, text: String) async throws {
        let server = try RedisServer(password: "right")
        let url = "unix://\(credential)\(server.directory)/redis.sock"
        try await RunningClient.with(url, waitsForConnection: false) { running in
            try await running.waitForChanges(1)
            // Further attempts fail too.
            for _ in 0..<5 { _ = try server.execute("PING") }
            #expect(running.changes == [.down(failure)])
            #expect(failure.description == text)
            #expect(running.client.failure == failure)
            let error = await #expect(throws: RedisFailure.self) {
                try await running.client.send([RedisCommand(line: "PING")])
            }
            #expect(error == .notConnected)
        }
    }

    @Test("fails at once while the server is down, and is used again after its restart")
    func restart() async throws {
        let server = try RedisServer()
        try await RunningClient.with(server.url()) { running in
            try server.stop()
            try await running.waitForChanges(2)
            let error = await #expect(throws: RedisFailure.self) {
                try await running.client.send([RedisCommand(line: "PING")])
            }
            #expect(error == .notConnected)
            #expect(running.client.counts.refusals == 1)
            try server.start()
            try await running.waitForChanges(3)
            #expect(try await running.client.send([RedisCommand(line: "PING")]).first?.text == "PONG")
            #expect(running.changes.first == .up)
            #expect(running.changes.last == .up)
            #expect(running.changes.count == 3)
            #expect(running.client.counts.connections == 2)
        }
    }

    @Test(
        "closes the connection to a server that has become a replica, and uses it again when it is a primary",
        arguments: [
            // A replica refuses writes, and with the second setting, reads while it has no primary.
            ("yes", "SET key value", RedisFailure.refused(code: "READONLY")),
            ("no", "GET key", .refused(code: "MASTERDOWN")),
        ])
    func demoted(servesOldData: String, command: String, failure: RedisFailure) async throws {
        let server = try RedisServer()
        try await RunningClient.with(server.url()) { running in
            #expect(try server.execute("CONFIG SET replica-serve-stale-data \(servesOldData)") == "OK")
            // Connections of clients stay open. Nothing listens at the address of the primary.
            #expect(try server.execute("REPLICAOF 127.0.0.1 1") == "OK")
            let error = await #expect(throws: RedisFailure.self) {
                try await running.client.send([RedisCommand(line: command), RedisCommand(line: command)])
            }
            #expect(error == failure)
            // Each further attempt to connect is refused.
            try await waitUntil { running.client.failure == .replica }
            let other = await #expect(throws: RedisFailure.self) {
                try await running.client.send([RedisCommand(line: "PING")])
            }
            #expect(other == .notConnected)
            #expect(running.changes == [.up, .down(failure)])
            #expect(running.client.counts.connections == 1)
            #expect(try server.execute("REPLICAOF NO ONE") == "OK")
            try await running.waitForChanges(3)
            #expect(running.changes.last == .up)
            let replies = try await running.client.send([RedisCommand(line: "SET key value")])
            #expect(replies.map(\.text) == ["OK"])
            #expect(running.client.counts.connections == 2)
        }
    }

    @Test("does not connect to a replica, and closes a connection without writes when its server becomes one")
    func replica() async throws {
        let (primary, port) = try await Self.server(options: ["--port", "PORT"])
        let server = try RedisServer()
        try await RunningClient.with(server.url()) { running in
            await running.client.verifyServer()
            #expect(running.client.isUp)
            #expect(try server.execute("REPLICAOF 127.0.0.1 \(port)") == "OK")
            await running.client.verifyServer()
            try await running.waitForChanges(2)
            #expect(running.changes == [.up, .down(.replica)])
            #expect(try server.execute("REPLICAOF NO ONE") == "OK")
            try await running.waitForChanges(3)
            #expect(running.client.isUp)
        }
        #expect(try server.execute("REPLICAOF 127.0.0.1 \(port)") == "OK")
        try await RunningClient.with(server.url(), waitsForConnection: false) { running in
            try await running.waitForChanges(1)
            #expect(running.changes == [.down(.replica)])
        }
        try await RunningClient.with("redis://127.0.0.1:\(port)") { running in
            #expect(running.changes == [.up])
        }
        _ = primary
    }

    @Test("closes the connection if a reply does not come in time, and recovers when the server continues")
    func slow() async throws {
        let server = try RedisServer()
        var limits = RunningClient.limits
        // Long enough for the first connection on a machine with many tests.
        limits.reply = .seconds(1)
        limits.connect = .seconds(2)
        try await RunningClient.with(server.url(), limits) { running in
            try server.pause()
            defer { try? server.resume() }
            let error = await #expect(throws: RedisFailure.self) {
                try await running.client.send([RedisCommand(line: "PING"), RedisCommand(line: "PING")])
            }
            #expect(error == .timedOut)
            #expect(running.client.counts.failures == 2)
            try await running.waitForChanges(2)
            #expect(running.changes == [.up, .down(.timedOut)])
            // The system accepts connections of a paused process, but nothing replies to them.
            #expect(!running.client.isUp)
            try server.resume()
            try await running.waitForChanges(3)
            #expect(running.client.isUp)
        }
    }

    @Test("reads a reply that arrived in time although its event loop was stopped until later")
    func stopped() async throws {
        let server = try RedisServer()
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        var limits = RunningClient.limits
        limits.reply = .seconds(2)
        try await RunningClient.with(server.url(), limits, on: group) { running in
            try await RunningClient.with(server.url()) { other in
                async let replies = running.client.send([RedisCommand(line: "BLPOP list 0")])
                try await waitUntil {
                    let info = try await other.client.send([RedisCommand(line: "INFO clients")])
                    return info.first?.text?.contains("blocked_clients:1") == true
                }
                let (isStopped, mayContinue) = (Event<Void>(), DispatchSemaphore(value: 0))
                group.next().execute {
                    isStopped.happen()
                    mayContinue.wait()
                }
                defer { mayContinue.signal() }
                await isStopped.wait()
                _ = try await other.client.send([RedisCommand(line: "LPUSH list value")])
                try await Task.sleep(for: limits.reply)
                mayContinue.signal()
                #expect(try await replies.first?.elements?.map(\.text) == ["list", "value"])
                #expect(running.changes == [.up])
            }
        }
        try await group.shutdownGracefully()
    }

    @Test("refuses commands above its limits of waiting commands and bytes")
    func overloaded() async throws {
        let server = try RedisServer.shared.get()
        var limits = RunningClient.limits
        limits.commands = 3
        limits.bytes = 1_000
        try await RunningClient.with(server.url(), limits) { running in
            let ping = RedisCommand(line: "PING")
            for commands in [
                [ping, ping, ping, ping], [RedisCommand("ECHO", [UInt8](repeating: 1, count: 1_000))],
            ] {
                let error = await #expect(throws: RedisFailure.self) {
                    try await running.client.send(commands)
                }
                #expect(error == .overloaded)
            }
            let replies = try await running.client.send([ping, ping, ping])
            #expect(replies.count == 3)
            #expect(running.client.counts.refusals == 5)
        }
    }

    @Test("ends the connection of a server that is not Redis, and that sends more than the limits")
    func strangers() async throws {
        for (reply, fault) in [
            ("HTTP/1.1 400 Bad Request\r\n\r\n", RESPDecoder.Fault.unknownType(UInt8(ascii: "H"))),
            ("$99999999\r\n", .tooLarge), (String(repeating: "*1\r\n", count: 20), .tooDeep),
        ] {
            let stranger = try await Stranger(replying: reply)
            try await RunningClient.with("redis://127.0.0.1:\(stranger.port)", waitsForConnection: false) {
                running in
                try await running.waitForChanges(1)
                #expect(running.changes == [.down(.protocolViolation(fault))])
            }
            try await stranger.stop()
        }
    }

    @Test("closes the connection on which the server refuses a subscription, and opens another one")
    func refusedSubscription() async throws {
        let server = try RedisServer()
        let rules = "allkeys allchannels +@all -subscribe"
        #expect(try server.execute("ACL SETUSER limited on nopass \(rules)") == "OK")
        try await RunningClient.with("unix://limited:any@\(server.directory)/redis.sock") { running in
            let error = await #expect(throws: RedisFailure.self) {
                _ = try await running.client.messages(of: "channel")
            }
            #expect(error == .refused(code: "NOPERM"))
            try await running.waitForChanges(3)
            #expect(running.changes == [.up, .down(.refused(code: "NOPERM")), .up])
            // No reply of the refused commands is left.
            let replies = try await running.client.send(["a", "b"].map { RedisCommand(["ECHO", $0]) })
            #expect(replies.map(\.text) == ["a", "b"])
        }
    }

    @Test("reports that nothing listens, and that a name has no address")
    func unreachable() async throws {
        for (url, failure) in [
            ("redis://127.0.0.1:1", RedisFailure.couldNotConnect),
            ("unix:///nowhere/redis.sock", .couldNotConnect),
            ("redis://no-such-host.invalid", .couldNotResolve),
        ] {
            try await RunningClient.with(url, waitsForConnection: false) { running in
                try await running.waitForChanges(1)
                #expect(running.changes == [.down(failure)])
            }
        }
    }

    /// Starts a server that listens on a port; PORT in the options stands for its number.
    private static func server(
        password: String? = nil, options: [String]
    ) async throws -> (server: RedisServer, port: Int) {
        while true {
            let port = try await Stranger.freePort()
            do {
                let server = try RedisServer(
                    password: password, options: options.map { $0.replacing("PORT", with: "\(port)") })
                return (server, port)
            } catch let failure as ServerShell.Failure where failure.description.contains("in use") {
                // Another process got the port in the meantime.
            }
        }
    }

    /// Starts a server with TLS.
    private static func server(
        with certificate: ThrowawayCertificate
    ) async throws -> (server: RedisServer, port: Int) {
        try await server(
            password: "secret",
            options: [
                "--tls-port", "PORT", "--tls-cert-file", certificate.certificate,
                "--tls-key-file", certificate.key, "--tls-ca-cert-file", certificate.certificate,
                "--tls-auth-clients", "no",
            ])
    }

    @Test("verifies the certificate of a server with TLS")
    func tls() async throws {
        let certificate = try await ThrowawayCertificate.make()
        defer { try? certificate.delete() }
        let (server, port) = try await Self.server(with: certificate)
        let url = "rediss://:secret@localhost:\(port)/1"
        try await RunningClient.with("\(url)?ca-file=\(certificate.certificate)") { running in
            let replies = try await running.client.send([RedisCommand(line: "PING")])
            #expect(replies.first?.text == "PONG")
        }
        for (url, failure) in [
            (url, RedisFailure.tls),
            ("rediss://:secret@127.0.0.1:\(port)?ca-file=\(certificate.certificate)", .tls),
            ("\(url)?ca-file=/nowhere.pem", .tls), ("redis://:secret@localhost:\(port)", .interrupted),
        ] {
            try await RunningClient.with(url, waitsForConnection: false) { running in
                try await running.waitForChanges(1)
                #expect(running.changes == [.down(failure)], "\(url)")
            }
        }
        _ = server
    }
}
