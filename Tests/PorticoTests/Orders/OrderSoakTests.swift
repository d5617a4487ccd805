import Brokerage
import Foundation
import Sandbox
import TestSupport
import Testing

/// Orders over the life and death of the process.
///
/// `SOAK_ROUNDS` says how often it is killed.
@Suite("Soak: orders over kill -9")
struct OrderSoakTests {
    private static var rounds: Int {
        ProcessInfo.processInfo.environment["SOAK_ROUNDS"].flatMap { Int($0) } ?? 50
    }

    /// Orders that are placed at once in each round.
    private static let each = 4

    /// The token and addresses of the sandbox, in front of a folder that stays.
    private func environment(_ sandbox: Sandbox, _ folder: URL) throws -> [String: String] {
        let file = folder.appending(path: "owner-token")
        try (ownerToken + "\n").write(to: file, atomically: true, encoding: .utf8)
        return Upstream(sandbox).environment.merging([
            "PORTICO_OWNER_TOKEN_FILE": file.path, "PORTICO_DATA": folder.path,
        ]) { $1 }
    }

    /// Each order has a price of its own, by which the broker's orders are told apart.
    private func price(_ number: Int) -> String {
        "\(2 + number / 100).\(String(number % 100 + 100).dropFirst())"
    }

    private func place(_ number: Int, in account: String, _ server: RunningServer) async throws -> JSONValue {
        let answer = try await server.ask(
            """
            mutation { placeOrder(input: { idempotencyKey: "order-\(number)" accountId: "\(account)"
                instrument: { symbol: "AMD" } side: BUY size: { quantity: "1" } timeInForce: GTC
                price: { limit: "\(price(number))" } }) { order { id state providerOrderId } } }
            """, token: ownerToken)
        return try #require(answer.json?["data"]?["placeOrder"]?["order"], "\(answer.body)")
    }

    private func account(_ server: RunningServer) async throws -> String {
        let answer = try await server.ask("{ account { id } }", token: ownerToken)
        return try #require(answer.json?["data"]?["account"]?["id"]?.string, "\(answer.body)")
    }

    /// The ledger of calls goes with the cache: this is about orders, and Alpaca takes so many calls a minute.
    private func forgetCalls(_ folder: URL) {
        for end in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(at: folder.appending(path: "portico-cache.db\(end)"))
        }
    }

    /// The prices of the demo user's orders at the broker, each as often as there is an order.
    private func prices(at sandbox: Sandbox) async throws -> [String: Int] {
        var (prices, seen, until): ([String: Int], Set<String>, String) = ([:], [], "2100-01-01T00:00:00Z")
        let port = try #require(URL(string: sandbox.alpaca.tradingURL)?.port)
        let path = try #require(URL(string: sandbox.alpaca.tradingURL)?.path)
        while true {
            let client = try RawClient(port: port)
            defer { client.close() }
            try await client.send(
                RawRequest.get(
                    "\(path)/v2/orders?status=all&limit=500&until=\(until)",
                    fields: ["Authorization: Bearer \(RunningSandbox.token)"]))
            let answer = try await client.response()
            let orders = try #require(answer.json?.elements, "\(answer.body)")
            let new = orders.filter { $0["id"]?.string.map { seen.insert($0).inserted } ?? false }
            for order in new {
                let price = try #require(order["limit_price"]?.string)
                prices[price, default: 0] += 1
            }
            guard !new.isEmpty, let last = orders.last?["submitted_at"]?.string.flatMap({ Instant($0) })
            else {
                return prices
            }
            until = (last + Duration.milliseconds(1)).description
        }
    }

    @Test("every acknowledged order is there, and none exists twice, however often the process is killed")
    func killed() async throws {
        try await withSandbox { configuration in
            configuration.alpaca.tradingRequestsPerMinute = 1_000_000
            configuration.alpaca.dataRequestsPerMinute = 1_000_000
        } _: { sandbox in
            try await withFolder { folder in
                let environment = try environment(sandbox, folder)
                var acknowledged: [Int: String] = [:]
                for round in 0..<Self.rounds {
                    forgetCalls(folder)
                    // Spread over as long as an order takes, and the same in each run.
                    let delay = Duration.milliseconds(round * 37 % 121)
                    let numbers = (0..<Self.each).map { round * Self.each + $0 }
                    try await withCrashingServer(environment: environment) { server in
                        let account = try await account(server)
                        // What was under way when the process before was killed is asked again, with the same key.
                        for number in numbers.map({ $0 - Self.each }) where number >= 0 {
                            let order = try await place(number, in: account, server)
                            let id = try #require(order["id"]?.string)
                            if let known = acknowledged[number] { #expect(id == known, "order \(number)") }
                            acknowledged[number] = id
                        }
                        let answered: [(Int, String)] = await withTaskGroup(of: (Int, String)?.self) {
                            group in
                            for number in numbers {
                                group.addTask {
                                    let order = try? await place(number, in: account, server)
                                    return order?["id"]?.string.map { (number, $0) }
                                }
                            }
                            group.addTask {
                                try? await Task.sleep(for: delay)
                                server.program.crash()
                                return nil
                            }
                            return await group.reduce(into: []) { $0 += [$1].compactMap(\.self) }
                        }
                        for (number, id) in answered { acknowledged[number] = id }
                    }
                }
                forgetCalls(folder)
                #expect(Self.rounds < 20 || !acknowledged.isEmpty)
                try await check(acknowledged, sandbox, environment)
            }
        }
    }

    /// Asks for every order again: each is there under the id that was told, and once at the broker.
    private func check(
        _ acknowledged: [Int: String], _ sandbox: Sandbox, _ environment: [String: String]
    ) async throws {
        let count = Self.rounds * Self.each
        let prices = try await prices(at: sandbox)
        for number in 0..<count {
            let there = prices[price(number), default: 0]
            #expect(there <= 1, "order \(number) exists \(there) times")
        }
        try await withServer(environment: environment) { server in
            for (number, id) in acknowledged.sorted(by: { $0.key > $1.key }).prefix(100) {
                let answer = try await server.ask(
                    "{ order(id: \"\(id)\") { state limitPrice } }", token: ownerToken)
                let order = answer.json?["data"]?["order"]
                let limit = order?["limitPrice"]?.string.flatMap { Brokerage.Decimal($0) }
                #expect(limit == Brokerage.Decimal(price(number)), "\(answer.body)")
                if order?["state"] == "OPEN" { #expect(prices[price(number)] == 1, "order \(number)") }
            }
        }
    }
}
