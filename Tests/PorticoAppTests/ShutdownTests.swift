import Brokerage
import Foundation
import NIOCore
import Sandbox
import TestSupport
import Testing
import Web

#if canImport(Glibc)
import Glibc
#else
import Musl
#endif

@Suite("The shutdown")
struct ShutdownTests {
    /// Sends a request whose value the provider has after the reset of the sandbox's faults.
    private static func askSlowly(_ server: RunningServer, _ sandbox: Sandbox) async throws -> RawResponse {
        #expect(sandbox.faults.add(Fault(.latency(.seconds(60)), endpoint: "GET /v2/account")))
        return try await server.ask("{ account { equity } }", token: ownerToken)
    }

    /// Waits until the server refuses new requests.
    @discardableResult
    private static func refusal(_ server: RunningServer) async throws -> RawResponse {
        var refusal: RawResponse?
        try await waitUntil {
            // When the shutdown begins, connections without a request are closed.
            refusal = try? await server.ask("{ __typename }")
            return refusal?.status == 503
        }
        return try #require(refusal)
    }

    @Test("finishes requests in flight, accepts no new ones, and exits with status 0")
    func drains() async throws {
        try await withSandbox { sandbox in
            try await withServer(before: Upstream(sandbox)) { server in
                async let answer = Self.askSlowly(server, sandbox)
                // The sandbox counts a call when it comes, and tells nobody.
                try await waitUntil { sandbox.calls[.alpaca, "GET /v2/account"] > 0 }
                server.program.stop()
                try await Self.refusal(server)
                sandbox.faults.reset()
                let late = try await answer
                #expect(late.status == 200)
                #expect(late.json?["data"]?["account"]?["equity"]?.string != nil, "\(late.body)")
                #expect(late["connection"] == "close")
                #expect(await server.program.exitStatus == 0)
                #expect(throws: RawClient.Failure.self) { try RawClient(port: server.port) }
            }
        }
    }

    @Test("refuses new requests with 503 while it finishes one, and is not ready")
    func refuses() async throws {
        try await withSandbox { sandbox in
            try await withServer(before: Upstream(sandbox)) { server in
                async let answer = Self.askSlowly(server, sandbox)
                try await waitUntil { sandbox.calls[.alpaca, "GET /v2/account"] > 0 }
                server.program.stop()
                let refusal = try await Self.refusal(server)
                #expect(refusal.code == "SHUTTING_DOWN")
                #expect(refusal["connection"] == "close")
                #expect(try await server.get("/health/ready").status == 503)
                sandbox.faults.reset()
                #expect(try await answer.status == 200)
                #expect(await server.program.exitStatus == 0)
            }
        }
    }

    @Test("responds with 503 to a request that does not finish within the grace period")
    func aborts() async throws {
        try await withSandbox { sandbox in
            var upstream = Upstream(sandbox)
            upstream.credential["PORTICO_SHUTDOWN_GRACE_PERIOD"] = "1"
            try await withServer(before: upstream) { server in
                async let answer = Self.askSlowly(server, sandbox)
                try await waitUntil { sandbox.calls[.alpaca, "GET /v2/account"] > 0 }
                server.program.stop()
                let response = try await answer
                #expect(response.status == 503)
                #expect(response.code == "REQUEST_ABORTED")
                #expect(response["connection"] == "close")
                #expect(
                    response.message?.hasPrefix(
                        "The server is shutting down, and did not finish the request within 1 seconds.")
                        == true)
                #expect(await server.program.exitStatus == 0)
            }
        }
    }

    @Test(
        "serves new connections in the shutdown delay and is not ready, and a second signal ends the delay",
        arguments: [SIGTERM, SIGINT])
    func delay(second: Int32) async throws {
        try await withSandbox { sandbox in
            var upstream = Upstream(sandbox)
            // Longer than the test, and longer than the server may run.
            upstream.credential["PORTICO_SHUTDOWN_DELAY"] = "300"
            try await withServer(before: upstream) { server in
                let open = try RawClient(port: server.port)
                try await open.send(RawRequest.get("/health/ready"))
                let ready = try await open.response()
                #expect(ready.status == 200)
                #expect(ready["connection"] == nil)
                await server.beginShutdownDelay()
                for client in [open, try RawClient(port: server.port)] {
                    try await client.send(RawRequest.get("/health/ready"))
                    let stopping = try await client.response()
                    #expect(stopping.status == 503)
                    #expect(stopping.body == #"{"status":"stopping"}"#)
                    #expect(stopping["connection"] == "close")
                    #expect(try await client.rest() == "")
                }
                let clock = try await server.ask("{ marketClock { open } }", token: ownerToken)
                #expect(clock.status == 200)
                #expect(clock.failures.isEmpty, "\(clock.body)")
                #expect(clock["connection"] == "close")
                async let answer = Self.askSlowly(server, sandbox)
                try await waitUntil { sandbox.calls[.alpaca, "GET /v2/account"] > 0 }
                server.program.send(second)
                // A shutdown that was announced accepts no connection.
                try await waitUntil { (try? RawClient(port: server.port)) == nil }
                sandbox.faults.reset()
                let late = try await answer
                #expect(late.status == 200)
                #expect(late.json?["data"]?["account"]?["equity"]?.string != nil, "\(late.body)")
                #expect(late["connection"] == "close")
                #expect(await server.program.exitStatus == 0)
                #expect(throws: RawClient.Failure.self) { try RawClient(port: server.port) }
            }
        }
    }

    @Test("begins after the shutdown delay without a second signal")
    func delayEnds() async throws {
        try await withServer(environment: ["PORTICO_SHUTDOWN_DELAY": "1"]) { server in
            await server.beginShutdownDelay()
            #expect(await server.program.exitStatus == 0)
            #expect(throws: RawClient.Failure.self) { try RawClient(port: server.port) }
        }
    }

    @Test("is delayed at the admin port too, which reports that the server is not ready")
    func adminPort() async throws {
        let environment = ["PORTICO_SHUTDOWN_DELAY": "300", "PORTICO_ADMIN_PORT": "0"]
        try await withServer(environment: environment) { server in
            let port = await server.program.output.first { text in
                text.firstMatch(of: /admin port ([0-9]+)\./).flatMap { Int($0.1) }
            }
            let admin = RunningServer(program: server.program, port: try #require(port))
            #expect(try await admin.get("/health/ready").status == 200)
            await server.beginShutdownDelay()
            let readiness = try await admin.get("/health/ready")
            #expect(readiness.status == 503)
            #expect(readiness.body == #"{"status":"stopping"}"#)
            #expect(try await admin.get("/metrics").status == 200)
        }
    }

    @Test("has the setting's grace period in the help and in the manifests")
    func manifests() async throws {
        let grace = ServerLimits().drainTimeout.nanoseconds / 1_000_000_000
        let help = try await Program.run(["serve", "--help"]).output
        #expect(help.contains("PORTICO_SHUTDOWN_GRACE_PERIOD (\(grace) seconds)"))
        let pod = try ContainerFiles.manifests()["Deployment"]?["spec"]?["template"]?["spec"]
        let seconds = try #require(pod?["terminationGracePeriodSeconds"]?.string.flatMap { Int64($0) })
        #expect(seconds >= grace + 10)
        let services = try #require(try ContainerFiles.yaml("Docker/compose.yaml")["services"]?.members)
        for (name, service) in services where service["image"] == "portico" {
            let delay = service["environment"]?["PORTICO_SHUTDOWN_DELAY"]?.string ?? "0"
            let stop = seconds + (try #require(Int64(delay), "\(name)"))
            #expect(service["stop_grace_period"]?.string == "\(stop)s", "\(name)")
        }
        let component = "Docker/kubernetes/components/replicas"
        let delay = try #require(
            try ContainerFiles.settings("\(component)/settings.env")["PORTICO_SHUTDOWN_DELAY"].flatMap {
                Int64($0)
            })
        let replica = try ContainerFiles.yaml("\(component)/deployment.yaml")["spec"]?["template"]?["spec"]
        #expect(replica?["terminationGracePeriodSeconds"]?.string == "\(seconds + delay)")
    }

    @Test("deletes the files of a server without a data directory")
    func temporaryFiles() async throws {
        try await withFolder { folder in
            func files() throws -> [String] {
                try FileManager.default.contentsOfDirectory(atPath: folder.path)
            }
            try await withServer(environment: ["TMPDIR": folder.path]) { _ in
                let present = try files()
                #expect(!present.isEmpty)
            }
            #expect(try files() == [])
        }
    }

    @Test("without requests in flight does not wait for idle connections")
    func idle() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.port)
            try await client.send(RawRequest.get("/health/live"))
            #expect(try await client.response().status == 200)
            server.program.stop()
            #expect(await server.program.exitStatus == 0)
            #expect(try await client.rest().isEmpty)
        }
    }
}
