import Brokerage
import Foundation
import Sandbox
import TestSupport
import Testing

@Suite("An order in progress when the process is killed")
struct OrderRestartTests {
    private static let endpoint = "POST /v2/orders"

    private func place(_ server: RunningServer) async throws -> JSONValue {
        let account = try await server.accountID()
        let answer = try await server.ask(
            """
            mutation { placeOrder(input: { idempotencyKey: "one" accountId: "\(account)" side: BUY
                instrument: { symbol: "AMD" } size: { quantity: "1" } timeInForce: GTC price: { limit: "2.50" } }) {
                order { id state providerOrderId } } }
            """, token: ownerToken)
        return try #require(answer.json?["data"]?["placeOrder"]?["order"], "\(answer.body)")
    }

    /// Reads the order until the broker has been queried for it, for a minute at most.
    private func settled(_ server: RunningServer) async throws -> JSONValue {
        var order = JSONValue.null
        try await waitUntil {
            order = try await place(server)
            return order["state"] != "PENDING" && order["state"] != "UNCONFIRMED"
        }
        return order
    }

    @Test("is queried by the next process, and never sent again")
    func reconciled() async throws {
        try await withSandbox { sandbox in
            try await withFolder { folder in
                let environment = try Upstream(sandbox).environment(in: folder)
                // The broker takes the order, and its answer comes too late for the process.
                try #require(
                    sandbox.faults.add(
                        Fault(
                            .latency(.seconds(60)), provider: .alpaca, endpoint: Self.endpoint, remaining: 1))
                )
                try await withCrashingServer(environment: environment) { server in
                    await withTaskGroup { group in
                        group.addTask { _ = try? await place(server) }
                        // The sandbox counts a call when it comes, and tells nobody.
                        group.addTask {
                            try? await waitUntil { sandbox.calls[.alpaca, Self.endpoint] > 0 }
                        }
                        await group.next()
                        server.program.crash()
                        group.cancelAll()
                    }
                }
                try await withServer(environment: environment) { server in
                    let order = try await settled(server)
                    #expect(order["providerOrderId"]?.string != nil, "\(order)")
                    #expect(order["state"] == "OPEN" || order["state"] == "ACCEPTED", "\(order)")
                }
                #expect(sandbox.calls[.alpaca, Self.endpoint] == 1)
            }
        }
    }
}
