import Brokerage
import Foundation
import GraphQL
import PorticoCore
import Storage
import TestSupport
import Testing

/// A document of `schema/operations`, with its example variables.
struct OperationDocument: CustomTestStringConvertible, Sendable {
    /// The file's name without its ending, as in `home`.
    let name: String
    /// The folder that it lies in, as in `accounts`.
    let topic: String
    let text: String
    let variables: [UInt8]

    var testDescription: String { name }

    /// Of the repository, as it lies beside the tests.
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../schema/operations").standardizedFileURL

    static let all: [OperationDocument] = {
        do {
            return try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
                .filter { $0.hasSuffix(".graphql") }
                .map { path in
                    let file = folder.appending(path: path)
                    return OperationDocument(
                        name: file.deletingPathExtension().lastPathComponent,
                        topic: file.deletingLastPathComponent().lastPathComponent,
                        text: try String(contentsOf: file, encoding: .utf8),
                        variables: [UInt8](
                            try Data(contentsOf: file.deletingPathExtension().appendingPathExtension("json")))
                    )
                }
        } catch {
            Issue.record(error)
            return []
        }
    }()

    /// Documents that start, use up or end a session or a connection; `SessionScreenTests` executes them in order.
    private static let ofSessions: Set = [
        "sign-up", "sign-in", "sign-out", "begin-connection",
        "connect-broker", "disconnect-broker",
    ]

    /// Documents that need a name of the Internet, which tests do not resolve.
    private static let ofInternet: Set = ["register-webhook"]

    /// Documents that need more calls than a provider's plan allows in a minute.
    ///
    /// Which values they lack depends on the order of the responses, and later documents have no quota left. With a clock
    /// that is stopped, the next minute never begins.
    private static let aboveQuota: Set = ["allocation"]

    /// The documents that one server with the names and the quotas of a test can execute.
    static let executable = all.filter { !ofSessions.union(ofInternet).contains($0.name) }

    /// The documents whose responses and provider calls are recorded.
    static let recorded = executable.filter { !aboveQuota.contains($0.name) }

    var examples: InputObject {
        get throws { try Self.object(variables) }
    }

    private static func object(_ json: [UInt8]) throws -> InputObject {
        guard case .object(let object) = try InputValue(json: json) else { return InputObject() }
        return object
    }
}

extension OperationDocument {
    /// Executes the document with its example variables and ids of the gateway.
    ///
    /// For a subscription, returns the first response.
    func ask(_ gateway: TestGateway) async throws -> JSONValue {
        try await prepare(gateway)
        let variables = try await variables { try await gateway.ask($0) }
        guard isSubscription else { return try await gateway.ask(text, variables: variables) }
        var responses = try await gateway.follow(text, variables: variables)
        return try #require(try await responses.next())
    }

    /// Creates in a gateway the objects that the document needs.
    func prepare(_ gateway: TestGateway) async throws {
        if wantsWatchlist { try await gateway.makeWatchlist() }
        if wants("goal") { try await gateway.makeGoal() }
        if wants("alert") || name == "live-alerts" { try await gateway.makeAlert() }
        if isSubscription || wants("order") { try await gateway.placeOpenOrder() }
    }

    /// Its example variables, in which ids of the gateway replace placeholders such as "the id of an account", as in the
    /// explorer.
    func variables(asking ask: (_ query: String) async throws -> JSONValue) async throws -> InputObject {
        var text = String(decoding: variables, as: UTF8.self)
        for (placeholder, kind) in wanted {
            let data = try await ask(#require(Self.sources[kind], "an id of the kind \(kind)"))["data"]
            let found = try #require(data?.members?.values.first, "\(name)")
            let items = found["nodes"] ?? found
            let id = try #require((items.elements?.first ?? items)["id"]?.string, "there is no \(kind)")
            text.replace(placeholder, with: id)
        }
        return try Self.object([UInt8](text.utf8))
    }

    /// By subscription, a query for the number of objects that it follows; the other subscriptions follow
    /// one.
    private static let followed = [
        "live-positions": "{ positions { id } }",
        "live-orders": "{ orders(open: true) { nodes { id } } }",
        "live-order-list": "{ orders(open: true) { nodes { id } } }",
        "live-alerts": "{ alerts { nodes { id } } }",
    ]

    /// The number of first events of a subscription: one for each object that it follows.
    func countOfFirstEvents(asking ask: (_ query: String) async throws -> JSONValue) async throws -> Int {
        guard let query = Self.followed[name] else { return 1 }
        let found = try #require(try await ask(query)["data"]?.members?.values.first)
        return try #require((found["nodes"] ?? found).elements?.count)
    }

    /// Where the first object of a kind is found.
    private static let sources = [
        "account": "{ account { id } }", "watchlist": "{ watchlists { id } }", "goal": "{ goals { id } }",
        "order": "{ orders(open: true, symbols: [\"AMD\"], first: 1) { nodes { id } } }",
        "alert": "{ alerts(first: 1) { nodes { id } } }",
    ]

    /// What the example variables say in place of ids, and of which kind of thing each is.
    private var wanted: [(placeholder: String, kind: String)] {
        String(decoding: variables, as: UTF8.self).matches(of: /the id of an? (\w+)/).map {
            (String($0.0), String($0.1))
        }
    }

    private var wantsWatchlist: Bool { wants("watchlist") }

    private func wants(_ kind: String) -> Bool { wanted.contains { $0.kind == kind } }

    /// Those that change or delete user data, in an order in which each finds what it changes.
    static let changes: [OperationDocument] = [
        "update-goal", "delete-goal", "replace-order", "cancel-order",
        "remove-from-watchlist", "update-alert", "delete-alert",
    ].compactMap { name in all.first { $0.name == name } }

    /// Those that make something, in an order in which each finds what it changes.
    static var mutations: [OperationDocument] {
        let changes = Set(changes.map(\.name))
        let mutations = recorded.filter { $0.isMutation && !changes.contains($0.name) }
        return mutations.filter { !$0.wantsWatchlist } + mutations.filter(\.wantsWatchlist)
    }

    var isQuery: Bool { has(.query) }
    var isSubscription: Bool { has(.subscription) }
    var isMutation: Bool { has(.mutation) }

    private func has(_ type: OperationType) -> Bool {
        guard let document = try? parse(SourceText(text)) else { return false }
        return document.definitions.contains { definition in
            if case .operation(let operation) = definition { return operation.type == type }
            return false
        }
    }
}

/// Places an order that stands, so that there is one to be told of.
func placeOpenOrder(asking ask: (_ query: String) async throws -> JSONValue) async throws {
    let account = try await ask("{ account(provider: \"alpaca\") { id } }")["data"]?["account"]?["id"]?.string
    let answer = try await ask(
        """
        mutation { placeOrder(input: { idempotencyKey: "open" accountId: "\(account ?? "")" side: BUY
            instrument: { symbol: "AMD" } size: { quantity: "1" } timeInForce: GTC price: { limit: "2.50" } }) {
            order { id } } }
        """)
    #expect(answer.failures.isEmpty, "\(answer)")
}

extension TestGateway {
    /// Places an order that stands.
    func placeOpenOrder() async throws {
        try await PorticoAppTests.placeOpenOrder { try await ask($0) }
    }

    /// Makes a list, so that there is one to be changed.
    fileprivate func makeWatchlist() async throws {
        let answer = try await ask(
            "mutation { createWatchlist(input: { name: \"Watched\" }) { watchlist { id } } }")
        #expect(answer.failures.isEmpty, "\(answer)")
    }

    /// Creates an alert that does not fire.
    fileprivate func makeAlert() async throws {
        let answer = try await ask(
            """
            mutation { createAlert(input: { condition: { priceAbove: { symbol: "AAPL" price: "10000" } } }) {
                alert { id } } }
            """)
        #expect(answer.failures.isEmpty, "\(answer)")
    }

    /// Lets an alert fire, and registers a webhook.
    func makeFiringAndWebhook() async throws {
        let alerts = AlertStore(in: file)
        let alert = try await alerts.create(
            .dayRise(.example, percent: 1), label: nil, rearmAfter: nil, for: owner)
        let evidence = AlertEvidence(alert: try #require(alert).id, value: 2)
        let fired = try await alerts.fire([evidence], of: owner) { _ in "{}" }
        #expect(fired.firings.count == 1)
        let webhooks = try WebhookStore(in: file, master)
        #expect(
            try await webhooks.register(
                "https://example.com", label: nil, Secret("key"), for: owner, test: { _ in "{}" }
            ).webhook != nil)
    }

    /// Makes a goal, so that there is one to be changed.
    fileprivate func makeGoal() async throws {
        let answer = try await ask(
            """
            mutation { createGoal(input: { title: "A boat" target: "900"
                allocations: [{ symbol: "AAPL" share: { percentage: "1" } }] }) { goal { id } } }
            """)
        #expect(answer.failures.isEmpty, "\(answer)")
    }
}
