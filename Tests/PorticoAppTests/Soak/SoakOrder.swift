import Brokerage
import Foundation
import Sandbox
import TestSupport
import Testing

/// An order that the market does not fill, with a price of its own, by which the broker's orders are told apart.
struct SoakOrder {
    private let number: Int

    init(_ number: Int) {
        self.number = number
    }

    /// From two dollars up, a cent apart.
    var price: Brokerage.Decimal {
        Brokerage.Decimal(coefficient: Int128(200 + number), scale: 2) ?? .zero
    }

    /// Its idempotency key.
    var key: String { "order-\(number)" }

    /// What places it; the same again is the same order.
    func placing(in account: String) -> String {
        """
        mutation { placeOrder(input: { idempotencyKey: "\(key)" accountId: "\(account)"
            instrument: { symbol: "AMD" } side: BUY size: { quantity: "1" } timeInForce: GTC
            price: { limit: "\(price)" } }) { order { id state providerOrderId } } }
        """
    }

    /// The number of orders that users have at Alpaca's sandbox, by price.
    ///
    /// - Parameters:
    ///   - sandbox: The sandbox.
    ///   - users: The users whose orders are counted.
    /// - Returns: The number of orders of all users by limit price.
    /// - Throws: An error if the sandbox cannot be read.
    static func counts(
        at sandbox: Sandbox, of users: [SandboxUser] = [.demo]
    ) async throws -> [Brokerage.Decimal: Int] {
        var counts: [Brokerage.Decimal: Int] = [:]
        for user in users { try await count(at: sandbox, of: user, into: &counts) }
        return counts
    }

    private static func count(
        at sandbox: Sandbox, of user: SandboxUser, into counts: inout [Brokerage.Decimal: Int]
    ) async throws {
        var (seen, until): (Set<String>, String) = ([], "2100-01-01T00:00:00Z")
        let url = try #require(URL(string: sandbox.alpaca.tradingURL))
        let port = try #require(url.port)
        while true {
            let client = try RawClient(port: port)
            defer { client.close() }
            try await client.send(
                RawRequest.get(
                    "\(url.path)/v2/orders?status=all&limit=500&until=\(until)",
                    fields: ["Authorization: Bearer \(user.alpaca.token)"]))
            let answer = try await client.response()
            let orders = try #require(answer.json?.elements, "\(answer.body)")
            let new = orders.filter { $0["id"]?.string.map { seen.insert($0).inserted } ?? false }
            for order in new {
                guard let price = order["limit_price"]?.string.flatMap({ Brokerage.Decimal($0) })
                else { continue }
                counts[price, default: 0] += 1
            }
            guard !new.isEmpty, let last = orders.last?["submitted_at"]?.string.flatMap({ Instant($0) })
            else { return }
            until = (last + Duration.milliseconds(1)).description
        }
    }
}
