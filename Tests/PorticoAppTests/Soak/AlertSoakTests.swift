import Brokerage
import Foundation
import PorticoCore
import ProviderTestSupport
import Sandbox
import TestSupport
import Testing

/// Alerts in a moving market whose process is killed while they are created, fire and are delivered.
@Suite("Soak: alerts over kill -9")
struct AlertSoakTests {
    /// Alerts that are created in each round.
    private static let each = 20
    private static let symbols = ["AAPL", "AMD", "KO", "MSFT", "TSLA"]

    /// What the test knows of the webhook and of the alerts.
    private struct Known {
        var secret: String?
        /// The ids of alerts whose creation was acknowledged.
        var alerts: Set<String> = []
    }

    /// The mutation that creates an alert whose condition holds while the market moves by less than half.
    private static func creation(_ number: Int, at prices: [String: Brokerage.Decimal]) throws -> String {
        let symbol = symbols[number % symbols.count]
        let price = try #require(prices[symbol])
        let isAbove = number.isMultiple(of: 2)
        let level = try isAbove ? price.divided(by: 2, to: 2, .halfEven) : price * 2
        let condition = isAbove ? "priceAbove" : "priceBelow"
        return """
            mutation { createAlert(input: { label: "\(number)"
                condition: { \(condition): { symbol: "\(symbol)" price: "\(level)" } } }) { alert { id } } }
            """
    }

    private static func prices(_ server: RunningServer) async throws -> [String: Brokerage.Decimal] {
        let answer = try await server.ask(
            "{ quotes(symbols: \(symbols)) { symbol price } }", token: ownerToken)
        let quotes = try #require(answer.json?["data"]?["quotes"]?.elements, "\(answer.body)")
        return try quotes.reduce(into: [:]) { prices, quote in
            let symbol = try #require(quote["symbol"]?.string)
            prices[symbol] = quote["price"]?.string.flatMap { Brokerage.Decimal($0) }
        }
    }

    /// Registers the webhook, if no answer about it has arrived, and waits until it gets firings.
    private static func register(_ url: String, _ server: RunningServer, _ known: inout Known) async throws {
        if known.secret == nil { known.secret = try await secret(of: url, server) }
        try await waitUntil(timeout: .seconds(60)) {
            let answer = try await server.ask("{ webhooks { state } }", token: ownerToken)
            return answer.json?["data"]?["webhooks"]?[0]?["state"] == "ACTIVE"
        }
    }

    private static func secret(of url: String, _ server: RunningServer) async throws -> String {
        let answer = try await server.ask(
            "mutation { registerWebhook(input: { url: \"\(url)\" }) { secret } }", token: ownerToken)
        return try #require(
            answer.json?["data"]?["registerWebhook"]?["secret"]?.string, "\(answer.body)")
    }

    /// All objects of a connection of the root, page by page.
    private static func all(_ field: String, _ fields: String, _ server: RunningServer) async throws
        -> [JSONValue]
    {
        var nodes: [JSONValue] = []
        var after: String?
        repeat {
            let cursor = after.map { ", after: \"\($0)\"" } ?? ""
            let answer = try await server.ask(
                "{ \(field)(first: 200\(cursor)) { nodes { \(fields) } pageInfo { hasNextPage endCursor } } }",
                token: ownerToken)
            let page = try #require(answer.json?["data"]?[field], "\(answer.body)")
            nodes += page["nodes"]?.elements ?? []
            after =
                page["pageInfo"]?["hasNextPage"] == .bool(true) ? page["pageInfo"]?["endCursor"]?.string : nil
        } while after != nil
        return nodes
    }

    @Test(
        "each fires, is in the history once, and is delivered at least once, however often the process is killed"
    )
    func killed() async throws {
        try await withSandbox { configuration in
            configuration.alpaca.tradingRequestsPerMinute = 1_000_000
            configuration.alpaca.dataRequestsPerMinute = 1_000_000
            configuration.hours = .always
        } _: { sandbox in
            try await WebhookReceiver.with { number in
                // Two attempts fail, so that messages are sent again.
                number == 5 || number == 11 ? .text("", status: 503) : .text("", status: 204)
            } _: { receiver in
                try await withFolder { folder in
                    let environment = try Upstream(sandbox).environment(
                        in: folder,
                        [
                            "PORTICO_ALERTS_PER_USER": "2000", "PORTICO_WEBHOOK_TEST_RECEIVERS": "true",
                            "PORTICO_ALPACA_PER_MINUTE": "10000",
                        ])
                    try await Self.run(environment, folder, receiver)
                }
            }
        }
    }

    private static func run(
        _ environment: [String: String], _ folder: URL, _ receiver: WebhookReceiver
    ) async throws {
        var known = Known()
        for round in 0..<(Soak.alerts / each) {
            Soak.forgetCalls(folder)
            // Spread over as long as some firings take, and the same in each run.
            let delay = Duration.milliseconds(round * 37 % 241)
            known = try await withCrashingServer(environment: environment) { [known] server in
                var known = known
                try await register(receiver.url, server, &known)
                let prices = try await prices(server)
                let (responses, response) = AsyncStream.makeStream(of: Void.self)
                known.alerts.formUnion(
                    try await withThrowingTaskGroup(of: String?.self) { group in
                        for number in (round * each)..<((round + 1) * each) {
                            let mutation = try creation(number, at: prices)
                            group.addTask {
                                let answer = try? await server.ask(mutation, token: ownerToken)
                                response.yield()
                                return answer?.json?["data"]?["createAlert"]?["alert"]?["id"]?.string
                            }
                        }
                        group.addTask {
                            // In most rounds some alerts exist, also on a loaded machine.
                            if !round.isMultiple(of: 4) {
                                for await _ in responses.prefix(each / 4) {}
                            }
                            try? await Task.sleep(for: delay)
                            server.program.crash()
                            return nil
                        }
                        return try await group.reduce(into: Set<String>()) { ids, id in
                            if let id { ids.insert(id) }
                        }
                    })
                return known
            }
        }
        Soak.forgetCalls(folder)
        // Longer than the waits for firings and deliveries.
        try await withServer(environment: environment, longestLife: .seconds(600)) { server in
            try await check(known, server, receiver)
        }
    }

    private static func check(
        _ known: Known, _ server: RunningServer, _ receiver: WebhookReceiver
    ) async throws {
        var alerts: [JSONValue] = []
        try await waitUntil(timeout: .seconds(180)) {
            alerts = try await all("alerts", "id state firedCount", server)
            return alerts.allSatisfy { $0["state"] == "FIRED" }
        }
        #expect(alerts.allSatisfy { $0["firedCount"] == 1 })
        let ids = Set(alerts.compactMap { $0["id"]?.string })
        #expect(ids.isSuperset(of: known.alerts), "a created alert is lost")
        // Otherwise the process was killed before anything could happen.
        #expect(known.alerts.count > Soak.alerts / 10)
        let history = try await all("alertFirings", "id alert { id }", server)
        #expect(history.count == ids.count)
        #expect(Set(history.compactMap { $0["alert"]?["id"]?.string }) == ids)
        try await waitUntil(timeout: .seconds(180)) {
            let answer = try await server.ask("{ webhooks { pendingDeliveries } }", token: ownerToken)
            let webhooks = try #require(answer.json?["data"]?["webhooks"]?.elements, "\(answer.body)")
            return webhooks.allSatisfy { $0["pendingDeliveries"] == 0 }
        }
        let secret = try #require(known.secret)
        let own = receiver.messages.filter { $0.isSigned(by: secret) }
        var firings: [String: String] = [:]
        for message in own where message.type == "alert.fired" {
            let firing = try #require(message.data?["id"]?.string)
            // A repetition has the id of the first attempt.
            #expect(firings.updateValue(message.id, forKey: firing) ?? message.id == message.id)
        }
        #expect(Set(firings.keys).isSuperset(of: Set(history.compactMap { $0["id"]?.string })))
    }
}
