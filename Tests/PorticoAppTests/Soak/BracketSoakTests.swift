import Brokerage
import Foundation
import Sandbox
import TestSupport
import Testing

/// Orders with a take profit and a stop loss whose process is killed while they are placed.
@Suite("Soak: brackets over kill -9")
struct BracketSoakTests {
    /// Orders that are placed at once in each round.
    private static let each = 4

    private static let fields = "id state providerOrderId legs { id type providerOrderId parent { id } }"

    /// The mutation that places a bracket; the same number places the same order.
    private static func placing(_ number: Int, in account: String) -> String {
        """
        mutation { placeOrder(input: { idempotencyKey: "bracket-\(number)" accountId: "\(account)"
            instrument: { symbol: "AMD" } side: BUY size: { quantity: "1" } timeInForce: GTC
            price: { limit: "\(SoakOrder(number).price)" }
            exits: { takeProfit: { limit: "900" } stopLoss: { stop: "1" } } }) { order { \(fields) } } }
        """
    }

    private static func place(
        _ number: Int, in account: String, _ server: RunningServer
    ) async throws -> JSONValue {
        let answer = try await server.ask(placing(number, in: account), token: ownerToken)
        return try #require(answer.json?["data"]?["placeOrder"]?["order"], "\(answer.body)")
    }

    /// Places a bracket again until its outcome is known.
    ///
    /// The process may have been killed after it recorded that it would send an order, and before it did. Such an order
    /// is never sent again, and REJECTED a minute later, because it did not reach the broker.
    private static func settled(
        _ number: Int, in account: String, _ server: RunningServer
    ) async throws -> JSONValue {
        var order = JSONValue.null
        try await waitUntil(timeout: .seconds(180)) {
            order = try await place(number, in: account, server)
            return order["state"] != "PENDING" && order["state"] != "UNCONFIRMED"
        }
        return order
    }

    @Test("no parent is placed twice, and all legs are known afterwards, however often the process is killed")
    func killed() async throws {
        try await withSandbox { configuration in
            configuration.alpaca.tradingRequestsPerMinute = 1_000_000
            configuration.alpaca.dataRequestsPerMinute = 1_000_000
        } _: { sandbox in
            try await withFolder { folder in
                // The last process reads each order, and queries the broker for those with a lost response.
                let environment = try Upstream(sandbox).environment(
                    in: folder, ["PORTICO_ALPACA_PER_MINUTE": "10000"])
                for round in 0..<(Soak.brackets / Self.each) {
                    Soak.forgetCalls(folder)
                    // Spread over as long as some writes take, and the same in each run.
                    let delay = Duration.milliseconds(round * 37 % 241)
                    try await withCrashingServer(environment: environment) { server in
                        let account = try await server.accountID()
                        await withTaskGroup { group in
                            for number in (round * Self.each)..<((round + 1) * Self.each) {
                                group.addTask { _ = try? await Self.place(number, in: account, server) }
                            }
                            group.addTask {
                                try? await Task.sleep(for: delay)
                                server.program.crash()
                            }
                        }
                    }
                }
                Soak.forgetCalls(folder)
                var unsent: Set<Int> = []
                // Longer than the reads of all orders, and the waits for those with a lost response.
                let life = DispatchTimeInterval.seconds(600)
                try await withServer(environment: environment, longestLife: life) { server in
                    let account = try await server.accountID()
                    for number in 0..<Soak.brackets {
                        // A key whose order was never sent places it now.
                        let order = try await Self.settled(number, in: account, server)
                        let legs = order["legs"]?.elements ?? []
                        if order["state"] == "REJECTED" {
                            unsent.insert(number)
                            #expect(
                                order["providerOrderId"] == .null && legs.isEmpty,
                                "bracket \(number): \(order)")
                            continue
                        }
                        #expect(order["providerOrderId"]?.string != nil, "bracket \(number): \(order)")
                        #expect(legs.map { $0["type"] } == ["LIMIT", "STOP"], "bracket \(number): \(order)")
                        #expect(
                            legs.allSatisfy {
                                $0["providerOrderId"]?.string != nil && $0["parent"]?["id"] == order["id"]
                            })
                    }
                }
                let counts = try await SoakOrder.counts(at: sandbox)
                for number in 0..<Soak.brackets {
                    #expect(
                        counts[SoakOrder(number).price, default: 0] == (unsent.contains(number) ? 0 : 1),
                        "bracket \(number)")
                }
                #expect(unsent.count < Soak.brackets / 2)
            }
        }
    }
}
