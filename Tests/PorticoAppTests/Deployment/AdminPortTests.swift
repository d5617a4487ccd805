import Foundation
import TestSupport
import Testing

@Suite("The admin port")
struct AdminPortTests {
    @Test("serves health, metrics and memory, and then the public port has no metrics")
    func routes() async throws {
        try await withAdminPort { server, admin in
            for (path, status) in [
                ("/health/live", 200), ("/health/ready", 200), ("/metrics", 200), ("/debug/memory", 200),
                ("/graphql", 404), ("/schema.graphql", 404), ("/", 404), ("/export", 404),
            ] {
                let response = try await admin.get(path)
                #expect(response.status == status, "\(path)")
            }
            for (path, status) in [("/health/ready", 200), ("/metrics", 404), ("/debug/memory", 404)] {
                let response = try await server.get(path)
                #expect(response.status == status, "\(path)")
            }
        }
    }

    @Test("has the metrics of the public port's requests, and the bytes of the process and of its heap")
    func figures() async throws {
        try await withAdminPort { server, admin in
            _ = try await server.ask("query Clock { marketClock { open } }")
            let metrics = try await admin.get("/metrics").body
            #expect(
                metrics.contains(
                    #"portico_graphql_operations_total{operation="Clock",outcome="complete"} 1"#),
                "\(metrics)")
            let memory = try JSONValue(parsing: try await admin.get("/debug/memory").body)
            let figures = try ["residentBytes", "heapResidentBytes", "heapAllocatedBytes"].map { name in
                try #require(memory[name]?.digits.flatMap { Int($0) }, "\(name)")
            }
            // The heap is within the process, and jemalloc, whose figures these are, is the allocator of the program.
            #expect(figures == figures.sorted(by: >) && figures[2] > 1_000_000, "\(figures)")
        }
    }

    @Test("is where `health` looks if it is set")
    func health() async throws {
        try await withAdminPort { _, admin in
            let variables = ["PORTICO_ADMIN_PORT": "\(admin.port)", "PORTICO_PORT": "1"]
            let run = try await Program.run(["health"], environment: variables)
            #expect(run.status == 0, "\(run.errors)")
        }
    }

    @Test(
        "must differ from the public port, and a host needs it",
        arguments: [
            (
                ["PORTICO_ADMIN_PORT": "8080"],
                "--admin-port (PORTICO_ADMIN_PORT) is 8080, which is the public port. Choose another port."
            ),
            (
                ["PORTICO_ADMIN_HOST": "0.0.0.0"],
                "--admin-host (PORTICO_ADMIN_HOST) needs --admin-port (PORTICO_ADMIN_PORT)."
            ),
        ])
    func misuse(environment: [String: String], message: String) async throws {
        let run = try await Program.run(["serve", "--sandbox"], environment: environment)
        #expect(run.status == 2)
        #expect(run.errors.contains(message), "\(run.errors)")
    }

    /// Runs a test with a server and its admin port.
    private func withAdminPort(
        _ test: (_ server: RunningServer, _ admin: RunningServer) async throws -> Void
    ) async throws {
        try await withServer(["--sandbox"], environment: ["PORTICO_ADMIN_PORT": "0"]) { server in
            let port = await server.program.output.first { text in
                text.firstMatch(of: /admin port ([0-9]+)\./).flatMap { Int($0.1) }
            }
            try await test(server, RunningServer(program: server.program, port: #require(port)))
        }
    }
}

@Suite("The command `health`")
struct HealthCommandTests {
    @Test("uses TLS if a certificate is set, and does not verify it at a loopback address")
    func encrypted() async throws {
        try await withFolder { folder in
            let (certificate, key) = (
                folder.appending(path: "chain.pem").path, folder.appending(path: "key.pem").path
            )
            let openssl = try Program(
                at: "/usr/bin/openssl",
                [
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                    "-days",
                    "2", "-subj", "/CN=portico.example.com", "-out", certificate, "-keyout", key,
                ])
            #expect(await openssl.exitStatus == 0)
            let files = ["PORTICO_TLS_CERTIFICATE_FILE": certificate, "PORTICO_TLS_KEY_FILE": key]
            try await withServer(["--sandbox"], environment: files) { server in
                let variables = files.merging(["PORTICO_PORT": "\(server.port)"]) { $1 }
                let encrypted = try await Program.run(["health"], environment: variables)
                #expect(encrypted.status == 0, "\(encrypted.errors)")
                let byURL = try await Program.run(["health", "--url", "https://127.0.0.1:\(server.port)"])
                #expect(byURL.status == 0, "\(byURL.errors)")
                let plain = try await Program.run(["health", "--port", "\(server.port)"])
                #expect(plain.status == 1)
                #expect(plain.errors.contains("127.0.0.1:\(server.port) did not respond"), "\(plain.errors)")
            }
        }
    }

    @Test("rejects an address without a scheme")
    func address() async throws {
        let run = try await Program.run(["health", "--url", "portico.example.com"])
        #expect(run.status == 2)
        #expect(
            run.errors.contains("\"portico.example.com\" is not an address like https://portico.example.com"),
            "\(run.errors)")
    }
}
