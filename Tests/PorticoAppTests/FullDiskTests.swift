import Foundation
import TestSupport
import Testing

@Suite("A server that cannot write its files")
struct FullDiskTests {
    private static let signUp = """
        mutation { signUp(input: { username: "ann", password: "a-long-password" }) { token } }
        """
    private static let create =
        #"mutation { createWatchlist(input: { name: "mine" }) { watchlist { name } } }"#
    private static let orders = "{ orders(first: 100) { nodes { id } } }"

    /// The limit is real, and needs no rights: the system refuses to write a file beyond its size.
    @Test(
        "responds STORAGE_UNAVAILABLE to changes, serves reads, reports it in readiness, and resumes by itself"
    )
    func fileSize() async throws {
        try await withFolder { folder in
            // The signal that the system sends at the limit would end the process.
            try await withProgram(
                at: "/bin/sh",
                ["-c", "trap '' XFSZ; exec \"$@\"", "sh", Program.executable, "serve", "--port", "0"],
                environment: ["PORTICO_DATA": folder.path]
            ) { program, port in
                let server = RunningServer(program: program, port: port)
                try await Self.check(
                    server,
                    message: """
                        The database of users did not respond. The change may have been stored: read the object before \
                        you try again.
                        """, detail: "writes fail", fill: { try await Self.limit(program, "0") },
                    empty: { try await Self.limit(program, "unlimited") })
            }
        }
    }

    /// A file system of its own needs the right to mount one.
    @Test(
        "does so on a full file system, and names the reason",
        .enabled("a file system can be mounted") {
            try await Program.run(
                at: "/usr/bin/unshare", ["--mount", "mount", "-t", "tmpfs", "none", "/mnt"]
            )
            .status == 0
        })
    func fileSystem() async throws {
        try await withFolder { folder in
            let mount = "mount -t tmpfs -o size=16m none '\(folder.path)' && exec \"$@\""
            try await withProgram(
                at: "/usr/bin/unshare",
                ["--mount", "sh", "-c", mount, "sh", Program.executable, "serve", "--port", "0"],
                environment: ["PORTICO_DATA": folder.path]
            ) { program, port in
                // The file system is visible for the server only, and for others by its process.
                let filler = "/proc/\(program.processID)/root\(folder.path)/filler"
                try await Self.check(
                    RunningServer(program: program, port: port),
                    message: "The database of users is not available; nothing was changed. Try again later.",
                    detail: "writes fail: the disk is full",
                    fill: {
                        let run = try await Program.run(
                            at: "/bin/sh", ["-c", "cat /dev/zero > '\(filler)'"])
                        #expect(run.status != 0)
                    }, empty: { try FileManager.default.removeItem(atPath: filler) })
            }
        }
    }

    private static func limit(_ program: Program, _ bytes: String) async throws {
        let run = try await Program.run(
            at: "/usr/bin/prlimit", ["--pid", "\(program.processID)", "--fsize=\(bytes):unlimited"])
        #expect(run.status == 0, "\(run.errors)")
    }

    /// Fills the disk and empties it, with changes and reads between.
    private static func check(
        _ server: RunningServer, message: String, detail: String, fill: () async throws -> Void,
        empty: () async throws -> Void
    ) async throws {
        let signedUp = try await server.ask(signUp, token: nil)
        let token = try #require(signedUp.json?["data"]?["signUp"]?["token"]?.string, "\(signedUp.body)")
        let accounts = try await server.ask("{ accounts(provider: \"alpaca\") { id } }")
        let account = try #require(accounts.json?["data"]?["accounts"]?[0]?["id"]?.string, "\(accounts.body)")
        let order = """
            mutation { placeOrder(input: { idempotencyKey: "a" accountId: "\(account)" side: BUY
                instrument: { symbol: "AAPL" } size: { quantity: "1" } price: { limit: "150" } }) { order { id } } }
            """
        let earlier = try await server.ask(orders)
        #expect(earlier.failures.isEmpty, "\(earlier.body)")
        #expect(try await state(of: server) == .object(["name": "database", "state": "up"]))
        try await fill()
        // SQLite may still have space in its files.
        try await waitUntil { try await server.ask(create, token: token).code != nil }
        for (mutation, token) in [
            (create, token), ("mutation { startGuestSession { token } }", nil),
            (order, RunningServer.sandboxToken),
        ] {
            let answer = try await server.ask(mutation, token: token)
            #expect(answer.status == 200)
            #expect(answer.code == "STORAGE_UNAVAILABLE", "\(answer.body)")
            #expect(answer.message == message)
            #expect(answer.body.contains("\"retryAt\":\""), "\(answer.body)")
        }
        #expect(
            try await state(of: server)
                == .object(["name": "database", "state": "down", "detail": .string(detail)]))
        #expect(try await server.get("/metrics").body.contains("\nportico_database_up 0\n"))
        let reads = try await server.ask(
            "{ watchlists { name } quote(symbol: \"AAPL\") { price } }", token: token)
        #expect(reads.failures.isEmpty, "\(reads.body)")
        try await empty()
        try await waitUntil { try await server.ask(create, token: token).failures.isEmpty }
        #expect(try await state(of: server) == .object(["name": "database", "state": "up"]))
        #expect(try await server.get("/metrics").body.contains("\nportico_database_up 1\n"))
        // The order was not sent, and its key is free.
        #expect(try await server.ask(orders).body == earlier.body)
        let placed = try await server.ask(order)
        #expect(placed.json?["data"]?["placeOrder"]?["order"]?["id"] != nil, "\(placed.body)")
        for line in ["The data of users cannot be stored. ", "The data of users can be stored again."] {
            try await waitUntil { server.program.errors.text.contains(line) }
        }
    }

    private static func state(of server: RunningServer) async throws -> JSONValue? {
        let ready = try await server.get("/health/ready")
        #expect(ready.status == 200)
        return ready.json?["components"]?.elements?.first { $0["name"] == "database" }
    }
}
