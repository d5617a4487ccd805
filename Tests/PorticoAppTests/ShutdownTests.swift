import Brokerage
import NIOCore
import Sandbox
import TestSupport
import Testing
import Web

@Suite("The shutdown")
struct ShutdownTests {
    @Test("finishes requests in flight, accepts no new ones, and exits with status 0")
    func drains() async throws {
        try await withSandbox { sandbox in
            try await withServer(before: Upstream(sandbox)) { server in
                #expect(sandbox.faults.add(Fault(.latency(.seconds(3)), endpoint: "GET /v2/account")))
                async let answer = server.ask("{ account { equity } }", token: ownerToken)
                // The sandbox counts a call when it comes, and tells nobody.
                try await waitUntil { sandbox.calls[.alpaca, "GET /v2/account"] > 0 }
                server.program.stop()
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
                #expect(sandbox.faults.add(Fault(.latency(.seconds(6)), endpoint: "GET /v2/account")))
                async let answer = server.ask("{ account { equity } }", token: ownerToken)
                try await waitUntil { sandbox.calls[.alpaca, "GET /v2/account"] > 0 }
                server.program.stop()
                try await waitUntil { try await server.ask("{ __typename }").status == 503 }
                let refusal = try await server.ask("{ __typename }")
                #expect(refusal.code == "SHUTTING_DOWN")
                #expect(refusal["connection"] == "close")
                #expect(try await server.get("/health/ready").status == 503)
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
                #expect(sandbox.faults.add(Fault(.latency(.seconds(60)), endpoint: "GET /v2/account")))
                async let answer = server.ask("{ account { equity } }", token: ownerToken)
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
            #expect(service["stop_grace_period"]?.string == "\(seconds)s", "\(name)")
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
