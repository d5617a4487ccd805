import Foundation
import Sandbox
import TestSupport
import Testing

/// A client of the mixed load: a user with a broker, who reads, writes, trades and follows, by chance but the same in each
/// run.
final class SoakClient: Sendable {
    /// How long it goes on.
    enum Effort {
        case operations(Int)
        case seconds(Double)

        /// Behind each operation, in milliseconds: a broker takes 200 calls a minute.
        fileprivate var pause: ClosedRange<Int> {
            switch self {
            case .operations: 10...50
            case .seconds: 300...1_500
            }
        }
    }

    let person: SoakPerson
    private let number: Int
    private let server: RunningServer
    private let journal: LoadJournal
    /// Of a session that may trade.
    private let token: String
    private let account: String

    /// Signs up, and connects with Alpaca's sandbox.
    ///
    /// - Parameters:
    ///   - number: The number of the client.
    ///   - broker: The client's user at the sandbox.
    ///   - server: The server.
    ///   - journal: Receives what the client does.
    /// - Throws: An error if the client cannot sign up or connect.
    init(
        _ number: Int, tradingAs broker: SandboxUser, at server: RunningServer, writing journal: LoadJournal
    ) async throws {
        self.number = number
        self.server = server
        self.journal = journal
        person = try await SoakPerson(number, at: server)
        let begun = try await person.askAsStranger(person.signIn(scopes: "WRITE, TRADE"), server)
        token = try #require(begun["signIn"]?["token"]?.string)
        let keys = broker.alpaca
        let connected = try await person.ask(
            """
            mutation { connectProvider(input: { provider: "alpaca" label: "broker" credential: { apiKey: {
                key: "\(keys.keyID)" secret: "\(keys.secretKey)" } } }) { connection { accounts { id } } } }
            """, server)
        account = try #require(
            connected["connectProvider"]?["connection"]?["accounts"]?[0]?["id"]?.string)
        person.things.acknowledged("alpaca", as: "broker")
        person.things.acknowledged("live", as: "session \(token)")
    }

    private static let home = """
        { account { equity cash stale history(range: ONE_DAY) { points { time equity } } }
          positions { symbol quantity marketValue stale quote { price change stale } } marketClock { open } }
        """

    /// Goes on for a while.
    func work(_ effort: Effort) async {
        let start = ContinuousClock.now
        var (random, done) = (SplitMix(seed: UInt64(number &* 1_000 &+ journal.newNumber())), 0)
        func goesOn() -> Bool {
            switch effort {
            case .operations(let count): done < count
            case .seconds(let seconds): start.duration(to: .now) < .seconds(seconds)
            }
        }
        while goesOn() {
            do {
                try await act(&random)
            } catch {
                journal.note(unexplained: "\(error)")
            }
            done += 1
            try? await Task.sleep(for: .milliseconds(Int.random(in: effort.pause, using: &random)))
        }
    }

    /// Whether the provider gives all of the home screen anew.
    func isWhole() async throws -> Bool {
        let answer = try await server.send(
            person.request(Self.home, fields: ["Cache-Control: no-cache"]))
        return answer.failures.isEmpty && !answer.body.contains("\"stale\":true")
    }

    private func act(_ random: inout SplitMix) async throws {
        switch Int.random(in: 0..<100, using: &random) {
        case ..<35: try await ask(Self.home)
        case ..<50:
            try await ask("{ quotes(symbols: [\"AAPL\", \"KO\", \"MSFT\"]) { symbol price asOf stale } }")
        case ..<60:
            try await ask("{ chart(symbol: \"AAPL\", interval: ONE_DAY, last: 30) { columns { close } } }")
        case ..<65:
            try await ask("{ news(first: 5) { nodes { headline } } goalsProgress { progressPercentage } }")
        case ..<78: try await changeGoal(Int.random(in: 0..<5, using: &random))
        case ..<88: try await changeWatchlist(Int.random(in: 0..<5, using: &random))
        case ..<95: try await trade(isCancelled: Bool.random(using: &random))
        default: try await follow()
        }
    }

    @discardableResult
    private func ask(_ document: String) async throws -> JSONValue {
        let answer = try await server.send(person.request(document, token: token))
        let json = try #require(answer.json, "\(answer.status) \(answer.body)")
        journal.note(json, to: document)
        return json
    }

    /// Sends a mutation, which either gives a thing a value or fails.
    ///
    /// - Returns: the payload; nil where it failed.
    private func change(
        _ name: String, to value: String?, _ mutation: String, _ document: String
    ) async throws -> JSONValue? {
        person.things.begin(value, as: name)
        let answer = try await ask("mutation { \(mutation)\(document) }")
        guard let payload = answer["data"]?[mutation], payload != .null else {
            person.things.refused(value, as: name)
            return nil
        }
        person.things.acknowledged(value, as: name)
        return payload
    }

    private func changeGoal(_ luck: Int) async throws {
        let name = "goal \(number).\(journal.newNumber())"
        let made = try await change(
            name, to: "100", "createGoal",
            "(input: { title: \"\(name)\" target: \"100\" allocations: [] }) { goal { id } }")
        guard let id = made?["goal"]?["id"]?.string else { return }
        _ = try await change(
            name, to: "250.5", "updateGoal", "(id: \"\(id)\", input: { target: \"250.5\" }) { goal { id } }")
        guard luck > 0 else { return }
        _ = try await change(name, to: nil, "deleteGoal", "(id: \"\(id)\") { deletedId }")
    }

    private func changeWatchlist(_ luck: Int) async throws {
        let name = "list \(number).\(journal.newNumber())"
        let made = try await change(
            name, to: "KO", "createWatchlist",
            "(input: { name: \"\(name)\" symbols: [\"KO\"] }) { watchlist { id } }")
        guard let id = made?["watchlist"]?["id"]?.string else { return }
        _ = try await change(
            name, to: "KO,AAPL", "addToWatchlist", "(id: \"\(id)\", symbols: [\"AAPL\"]) { watchlist { id } }"
        )
        guard luck > 0 else { return }
        _ = try await change(name, to: nil, "deleteWatchlist", "(id: \"\(id)\") { deletedId }")
    }

    private func trade(isCancelled: Bool) async throws {
        let order = journal.newOrder()
        let answer = try await ask(SoakOrder(order).placing(in: account))["data"]?["placeOrder"]?["order"]
        guard let id = answer?["id"]?.string else { return journal.note(.failed, of: order, by: number) }
        journal.note(.acknowledged(id), of: order, by: number)
        if isCancelled, answer?["state"] == "OPEN" {
            try await ask("mutation { cancelOrder(id: \"\(id)\") { order { state } } }")
        }
    }

    /// Whether one of their orders is with the broker, by Portico's word; nil while it does not know yet.
    func isPlaced(_ id: String) async throws -> Bool? {
        let answer = try await ask("{ order(id: \"\(id)\") { state } }")
        return switch try #require(answer["data"]?["order"]?["state"]?.string) {
        case "PENDING", "UNCONFIRMED": nil
        // The broker refused it, or it never came to the broker.
        case "REJECTED": false
        default: true
        }
    }

    /// Follows prices for some updates, or for a minute: while its handshakes fail, the stream pauses for longer and longer.
    private func follow() async throws {
        let end = ContinuousClock.now + .seconds(60)
        let document = "subscription { quotes(symbols: [\"AAPL\", \"KO\"]) { symbol price asOf } }"
        let client = try RawClient(port: server.port)
        defer { client.close() }
        try await client.send(
            person.request(document, token: token, fields: ["Accept: text/event-stream"]))
        let head = try await client.response(toHead: true)
        try #require(head.status == 200, "\(head)")
        var updates = 0
        while updates < 4, .now < end {
            let line = try await client.line()
            if line.hasPrefix("event: complete") { return }
            guard line.hasPrefix("data: {") else { continue }
            journal.note(try JSONValue(parsing: String(line.dropFirst("data: ".count))), to: document)
            updates += 1
        }
    }
}
