import Foundation
import Sandbox
import TestSupport
import Testing

import struct Brokerage.Instant

/// Buying and selling in an app on Alpaca with a small server of its own.
@Suite("Screens: buying and selling at Alpaca")
struct BuyAndSellScreens {
    private func trade(
        _ key: String, _ side: String, _ size: String, in account: String, _ server: RunningServer
    ) async throws -> JSONValue {
        let answer = try await server.ask(
            """
            mutation { placeOrder(input: { idempotencyKey: "\(key)" accountId: "\(account)" side: \(side)
                instrument: { symbol: "AMD" } size: { \(size) } }) {
                order { id clientOrderId symbol side type quantity notional filledQuantity averageFillPrice state
                    rejection { reason message } submittedAt account { id availableCash buyingPower } } } }
            """, token: ownerToken)
        #expect(answer.failures.isEmpty, "\(answer.body)")
        return try #require(answer.json?["data"]?["placeOrder"]?["order"], "\(answer.body)")
    }

    @Test("A purchase by amount, a sale of the position, and one of more than the position")
    func trades() async throws {
        // A Friday, 11:00 in New York.
        let open = try #require(Instant("2026-11-20T16:00:00Z"))
        try await withSandbox {
            $0.clock = .fixed(open)
        } _: { sandbox in
            try await withServer(before: Upstream(sandbox)) { server in
                let account = try await server.accountID()
                let bought = try await trade("buy", "BUY", "notional: \"2000\"", in: account, server)
                #expect(bought["notional"] == "2000" && bought["rejection"] == .null, "\(bought)")
                #expect(bought["account"]?["buyingPower"]?.string != nil)
                let held = try await server.ask(
                    "{ positions(symbols: [\"AMD\"]) { quantity } }", token: ownerToken)
                #expect(held.json?["data"]?["positions"]?[0]?["quantity"]?.string != nil, "\(held.body)")
                let sold = try await trade("sell", "SELL", "quantity: \"1\"", in: account, server)
                #expect(sold["side"] == "SELL" && sold["rejection"] == .null, "\(sold)")
                let tooMany = try await trade("more", "SELL", "quantity: \"10000.5\"", in: account, server)
                #expect(tooMany["state"] == "REJECTED", "\(tooMany)")
                #expect(tooMany["rejection"]?["message"]?.string?.isEmpty == false)
                // The same key again is the same order.
                let again = try await trade("buy", "BUY", "notional: \"2000\"", in: account, server)
                #expect(again["id"] == bought["id"] && again["state"] == "FILLED", "\(again)")
                #expect(sandbox.calls[.alpaca, "POST /v2/orders"] == 3)
                let list = try await server.ask("{ orders { nodes { id } } }", token: ownerToken)
                let nodes = list.json?["data"]?["orders"]?["nodes"]?.elements
                let ids = Set(nodes?.compactMap { $0["id"]?.string } ?? [])
                #expect(ids == Set([bought, sold, tooMany].compactMap { $0["id"]?.string }), "\(list.body)")
            }
        }
    }
}
