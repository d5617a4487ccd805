import Brokerage
import Sandbox
import TestSupport
import Testing

@Suite("Stopping")
struct ShutdownTests {
    @Test("lets what is in flight be answered, takes nothing new, and exits with status 0")
    func drains() async throws {
        try await withSandbox { sandbox in
            try await withServer(before: Upstream(sandbox)) { server in
                #expect(sandbox.faults.add(Fault(.latency(.seconds(3)), endpoint: "GET /v2/account")))
                async let answer = server.ask("{ account { equity } }", token: ownerToken)
                // The sandbox counts a call when it comes, and tells nobody.
                while sandbox.calls[.alpaca, "GET /v2/account"] == 0 {
                    try await Task.sleep(for: .milliseconds(5))
                }
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

    @Test("with nothing in flight does not wait for idle connections")
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
