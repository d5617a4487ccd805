import Brokerage
import Sandbox
import TestSupport
import Testing
import Upstream

@Suite("A subscription to a connection that is removed")
struct PartingTests {
    private static let endpoint = "GET /connect"

    /// Returns when so many of a broker's streams are open: the sandbox tells nobody.
    private func streams(
        of provider: ProviderID, at endpoint: String, _ count: Int, _ gateway: TestGateway
    ) async throws {
        try await waitUntil { gateway.sandbox.streams[provider, endpoint] == count }
    }

    private func disconnect(_ connection: JSONValue, _ gateway: TestGateway, as user: OwnerID) async throws {
        let id = try #require(connection["id"]?.string)
        let answer = try await gateway.ask(
            "mutation { disconnectProvider(id: \"\(id)\") { deletedId } }", as: user)
        #expect(answer.failures.isEmpty, "\(answer)")
    }

    @Test("ends the connection's price stream; other sources supply the prices, or an error has the reason")
    func prices() async throws {
        try await withTestGateway { gateway in
            let ann = try gateway.user("ann")
            let connection = try await gateway.consent(.saxo, as: ann)
            var prices = try await gateway.follow(
                "subscription { quotes(symbols: [\"EUR/DKK\"]) { symbol price source } }", as: ann)
            let first = try #require(try await prices.next())
            #expect(first["data"]?["quotes"]?["source"] == "saxo", "\(first)")
            try await streams(of: .saxo, at: Self.endpoint, 1, gateway)
            try await disconnect(connection, gateway, as: ann)
            try await streams(of: .saxo, at: Self.endpoint, 0, gateway)
            var next: JSONValue?
            repeat { next = try await prices.next() } while next?["data"]?["quotes"]?["source"] == "saxo"
            let quote = try #require(next?["data"]?["quotes"])
            #expect(quote == .null || quote["price"]?.string != nil)
            #expect(
                (quote == .null) == (next?.failures.first?.code == "RECONNECT_REQUIRED"),
                "\(String(describing: next))")
        }
    }

    @Test(
        "stays open, and the broker's order stream ends",
        arguments: ["orders { provider }", "positions { provider }"])
    func stays(_ field: String) async throws {
        try await withTestGateway { gateway in
            let ann = try gateway.user("ann")
            let connection = try await gateway.consent(.alpaca, as: ann)
            var answers = try await gateway.follow("subscription { \(field) }", as: ann)
            if field.hasPrefix("orders") {
                try await streams(of: .alpaca, at: "GET /stream", 1, gateway)
            } else {
                _ = try await answers.next()
            }
            try await disconnect(connection, gateway, as: ann)
            try await streams(of: .alpaca, at: "GET /stream", 0, gateway)
            // The next connection's objects arrive on the same subscription.
            _ = try await gateway.consent(.saxo, as: ann)
            let name = String(field.prefix { $0 != " " })
            var provider: JSONValue?
            while provider != "saxo", let answer = try await answers.next() {
                provider = answer["data"]?[name]?["provider"]
            }
            #expect(provider == "saxo")
        }
    }

    @Test("keeps the counts for the next connection with the same credential")
    func counts() async throws {
        try await withTestGateway { gateway in
            let ann = try gateway.user("ann")
            let token = SandboxUser.demo.alpaca.token
            var remaining: [Int] = []
            for _ in 0..<3 {
                let answer = try await gateway.connect(.alpaca, "{ accessToken: \"\(token)\" }", as: ann)
                let connection = try #require(
                    answer["data"]?["connectProvider"]?["connection"], "\(answer)")
                let windows = try #require(connection["rateLimits"]?.elements)
                // The test of a credential uses one call.
                remaining.append(
                    windows.compactMap { $0["remaining"]?.digits.flatMap { Int($0) } }.reduce(0, +))
                try await disconnect(connection, gateway, as: ann)
            }
            #expect(remaining[0] > remaining[1] && remaining[1] > remaining[2], "\(remaining)")
        }
    }

    @Test("to one account ends with an error that the connection was removed")
    func account() async throws {
        try await withTestGateway { gateway in
            let ann = try gateway.user("ann")
            let connection = try await gateway.consent(.alpaca, as: ann)
            var answers = try await gateway.follow("subscription { account { name } }", as: ann)
            _ = try await answers.next()
            try await disconnect(connection, gateway, as: ann)
            var last: JSONValue?
            while let answer = try await answers.next() { last = answer }
            let id = try #require(connection["id"]?.string)
            #expect(last?.failures.first?.code == "NOT_FOUND")
            let message = last?["errors"]?.elements?.first?["message"]?.string
            #expect(message == "There is no connection \"\(id)\".", "\(String(describing: last))")
        }
    }

    @Test("continues with a renewed credential")
    func renewed() async throws {
        try await withTestGateway { gateway in
            let ann = try gateway.user("ann")
            let connection = try await gateway.consent(.alpaca, as: ann)
            let id = try #require(connection["id"]?.string)
            let account = try #require(connection["accounts"]?[0]?["id"]?.string)
            var orders = try await gateway.follow("subscription { orders { symbol } }", as: ann)
            try await streams(of: .alpaca, at: "GET /stream", 1, gateway)
            _ = try await gateway.consent(.alpaca, more: "renew: \"\(id)\"", as: ann)
            try await streams(of: .alpaca, at: "GET /stream", 1, gateway)
            let placed = try await gateway.ask(
                """
                mutation { placeOrder(input: { idempotencyKey: "one" accountId: "\(account)" side: BUY
                    instrument: { symbol: "AMD" } size: { quantity: "1" } price: { limit: "2.50" } }) {
                    order { id } } }
                """, as: ann)
            #expect(placed.failures.isEmpty, "\(placed)")
            #expect(try await orders.next()?["data"]?["orders"]?["symbol"] == "AMD")
        }
    }
}
