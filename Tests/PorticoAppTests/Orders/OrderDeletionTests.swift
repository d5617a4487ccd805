import Brokerage
import Foundation
import Sandbox
import TestSupport
import Testing

@Suite("Orders in progress, through the program")
struct OrderDeletionTests {
    private static let endpoint = "POST /trade/v2/orders"
    private static let credentials = #"username: "ann", password: "correct horse battery""#
    private static let deletion = #"mutation { deleteUser(password: "correct horse battery") { deletedId } }"#

    /// The token of a new user, with the right to place orders.
    private func token(_ server: RunningServer) async throws -> String {
        let signedUp = try await server.ask(
            "mutation { signUp(input: { \(Self.credentials) }) { token } }", token: nil)
        #expect(signedUp.failures.isEmpty, "\(signedUp.body)")
        let answer = try await server.ask(
            "mutation { signIn(input: { \(Self.credentials), scopes: [READ, WRITE, TRADE] }) { token } }",
            token: nil)
        return try #require(answer.json?["data"]?["signIn"]?["token"]?.string, "\(answer.body)")
    }

    /// The orders of the user, in progress or at the broker.
    private func orders(_ server: RunningServer, _ token: String) async throws -> [JSONValue] {
        let answer = try await server.ask("{ orders(first: 100) { nodes { id } } }", token: token)
        return try #require(answer.json?["data"]?["orders"]?["nodes"]?.elements, "\(answer.body)")
    }

    /// The order; nil if the quota refused it: it waited too long for its slot, or arrived too early at the broker.
    private func place(
        _ key: Int, in account: String, _ server: RunningServer, _ token: String
    ) async throws -> JSONValue? {
        let answer = try await server.ask(
            """
            mutation { placeOrder(input: { idempotencyKey: "\(key)" accountId: "\(account)" side: BUY
                instrument: { symbol: "AAPL" } size: { quantity: "1" } timeInForce: GTC price: { limit: "150" } }) {
                order { id state providerOrderId } } }
            """, token: token)
        // On a busy machine, four slots take longer than an order may wait, or requests arrive closer together.
        if answer.code == "QUOTA_EXHAUSTED" { return nil }
        return try #require(answer.json?["data"]?["placeOrder"]?["order"], "\(answer.body)")
    }

    @Test("prevent the deletion of their user and connection, until each response has been recorded")
    func inProgress() async throws {
        try await withSandbox { sandbox in
            try await withFolder { folder in
                var environment = try ConnectionProgramTests.environment(sandbox, folder)
                environment["PORTICO_PASSWORD_COST"] = "4"
                try await withServer(environment: environment) { server in
                    let token = try await token(server)
                    let connection = try await ConnectionProgramTests.connect("saxo", server, token: token)
                    let accounts = try await server.ask("{ accounts { id } }", token: token)
                    let account = try #require(
                        accounts.json?["data"]?["accounts"]?[0]?["id"]?.string, "\(accounts.body)")
                    let earlier = try await self.orders(server, token).count
                    // Saxo accepts one order a second, and responds after the requests below.
                    let fault = Fault(.latency(.seconds(60)), provider: .saxo, endpoint: Self.endpoint)
                    try #require(sandbox.faults.add(fault))
                    let orders = try await withThrowingTaskGroup(of: JSONValue?.self) { group in
                        for key in 1...4 {
                            group.addTask { try await place(key, in: account, server, token) }
                        }
                        // The sandbox counts a call when it arrives, without a notification.
                        try await waitUntil { sandbox.calls[.saxo, Self.endpoint] != 0 }
                        let parted = try await server.ask(
                            "mutation { disconnectProvider(id: \"\(connection)\") { deletedId } }",
                            token: token)
                        #expect(parted.code == "CONFLICT", "\(parted.body)")
                        let deleted = try await server.ask(Self.deletion, token: token)
                        #expect(deleted.code == "CONFLICT", "\(deleted.body)")
                        let run = try await Program.run([
                            "users", "delete", "ann", "--yes", "--data", folder.appending(path: "data").path,
                        ])
                        #expect(run.status == 2, "\(run.output) \(run.errors)")
                        #expect(
                            run.errors.contains(
                                "ann cannot be deleted while requests about orders are in progress: "),
                            "\(run.errors)")
                        sandbox.faults.reset()
                        return try await group.compactMap(\.self).reduce(into: []) { $0.append($1) }
                    }
                    #expect(!orders.isEmpty)
                    #expect(orders.allSatisfy { $0["providerOrderId"]?.string != nil }, "\(orders)")
                    // A refused order is not at the broker.
                    let listed = try await self.orders(server, token)
                    #expect(listed.count == earlier + orders.count, "\(listed)")
                    #expect(
                        orders.allSatisfy { order in listed.contains { $0["id"] == order["id"] } },
                        "\(listed)")
                    let deleted = try await server.ask(Self.deletion, token: token)
                    #expect(deleted.failures.isEmpty, "\(deleted.body)")
                }
            }
        }
    }
}
