import SocketInputs
import TestSupport
import Testing
import Web

@Suite("Malformed input")
struct MutationTests {
    /// The number of inputs of each seed; `make fuzz` sends a million to the built executable.
    private static let runs = 100

    @Test("causes no crash, and leaves no connection open", arguments: [UInt64(1), 2, 3, 4])
    func isSurvived(_ seed: UInt64) async throws {
        var limits = ServerLimits.patient
        limits.uri = 512
        limits.headers = 1_024
        limits.body = 2_048
        limits.batch = 3
        limits.exemptsThisMachine = true
        var inputs = SocketInputs(seed: seed)
        try await withServer(SmallSchema.service(), limits: limits) { server in
            for _ in 0..<Self.runs {
                let client = try server.client()
                // The server may have closed the connection meanwhile, which is a valid response.
                try? await client.send(inputs.next().bytes)
                client.close()
            }
            let client = try server.client()
            let answer = try await client.asking(RawRequest.post(RawRequest.query("{ hello }")))
            #expect(answer.body == #"{"data":{"hello":"world"}}"#)
            // The server detects asynchronously that the other clients have disconnected.
            try await waitUntil {
                let metrics = try await client.asking(RawRequest.get("/metrics")).body
                let line = metrics.split(separator: "\n").first { $0.hasPrefix("portico_http_connections ") }
                return try #require(line?.split(separator: " ").last.flatMap { Int($0) }) == 1
            }
        }
    }
}
