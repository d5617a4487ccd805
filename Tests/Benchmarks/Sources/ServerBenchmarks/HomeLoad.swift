import Foundation
import Sandbox
import TestSupport

/// The home screen of an investing app, `schema/operations/accounts/home.graphql`, requested repeatedly with
/// the token of a session whose user is connected to a broker.
struct HomeLoad {
    private let seconds: Int

    private static let connections = 32

    init(_ sizes: Sizes) {
        seconds = sizes.seconds
    }

    func run(_ command: [String]) async throws {
        let document = try String(
            contentsOfFile: "schema/operations/accounts/home.graphql", encoding: .utf8)
        try await Sandbox.with { sandbox in
            try await PorticoProcess.with(command, sandbox.environment) { portico in
                let token = try await connectedGuest(portico)
                // Fills the caches and checks the response.
                _ = try await portico.query(document, token: token)
                let before = sandbox.calls.total
                let load = try WrkRun(
                    port: portico.port, body: RawRequest.query(document), token: token,
                    connections: Self.connections, seconds: seconds)
                let calls = sandbox.calls.total - before
                let answer = try await portico.query(document, token: token)
                print("The home screen, with a session's token: \(calls) calls to the broker in \(seconds) s")
                guard answer["positions"]?.elements?.isEmpty == false else {
                    throw BenchmarkError("The home screen is empty: \(answer)")
                }
                Report.print(
                    "\(Int(load.perSecond)) requests/s at \(Self.connections) connections", target: "10,000",
                    isReached: load.perSecond >= 10_000)
                Report.print(
                    "p99 \(Report.milliseconds(load.p99))", target: "under 10 ms",
                    isReached: load.p99 < .milliseconds(10))
            }
        }
    }

    private func connectedGuest(_ portico: PorticoProcess) async throws -> String {
        let client = try RawClient(port: portico.port)
        defer { client.close() }
        let token = try await PorticoProcess.guest(over: client)
        let keys = SandboxUser.demo.alpaca
        _ = try await PorticoProcess.query(
            """
            mutation { connectProvider(input: { provider: "alpaca", credential: { apiKey: {
              key: "\(keys.keyID)", secret: "\(keys.secretKey)" } } }) { connection { id status } } }
            """, token: token, over: client)
        return token
    }
}
