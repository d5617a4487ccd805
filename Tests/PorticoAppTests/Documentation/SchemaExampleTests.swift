import Contract
import Foundation
import GraphQL
import IssuerSupport
import PorticoApp
import TestSupport
import Testing

@Suite("The examples of the schema reference")
struct SchemaExampleTests {
    private static let file = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Sources/PorticoApp/Commands/Docs/examples.json").standardizedFileURL

    @Test("have the responses of the sandbox; `make golden` records them")
    func responses() async throws {
        let schema = try Schema.build(Contract.schemaText)
        let examples = try SchemaExample.all(in: schema)
        var recorded: [String: SchemaExample.Recorded] = [:]
        try await withIssuerServer([
            "PORTICO_SANDBOX_TIME": "2026-11-20T16:00:00Z", "PORTICO_SANDBOX_HOURS": "exchange",
            "PORTICO_WEBHOOK_TEST_RECEIVERS": "true",
        ]) { test in
            var run = ExampleRun(server: test.server, issuer: test.issuer)
            for step in ExampleRun.steps {
                let example = try #require(examples.first { $0.coordinate == step.coordinate })
                recorded[step.coordinate] = try await run.run(step, example.document)
            }
        }
        let roots = OperationType.allCases.compactMap { schema.rootType(for: $0) }
        let fields = roots.flatMap { root in schema[root].fields.map { "\(schema[root].name).\($0.name)" } }
        #expect(Set(recorded.keys) == Set(fields), "each field has an example")
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        if ProcessInfo.processInfo.environment["RECORD_GOLDEN"] != nil {
            try (encoder.encode(recorded) + Data("\n".utf8)).write(to: Self.file)
        }
        let known = try JSONDecoder().decode(
            [String: SchemaExample.Recorded].self, from: Data(contentsOf: Self.file))
        for (coordinate, example) in recorded {
            #expect(known[coordinate] == example, "\(coordinate)")
        }
    }
}

/// Executes the examples in an order in which each finds the objects that it needs.
private struct ExampleRun {
    let server: RunningServer
    let issuer: TestIssuer
    /// What earlier responses had, by the names in ``Step/captures``.
    private var values = ["sandbox": RunningServer.sandboxToken]
    private var form = ExampleForm()

    init(server: RunningServer, issuer: TestIssuer) {
        (self.server, self.issuer) = (server, issuer)
    }

    struct Step {
        let coordinate: String
        /// The JSON of the variables; `<name>` is a captured value.
        let variables: String
        /// The name of the token; nil for a request without one.
        let token: String?
        /// A query for the objects that a subscription follows, each of which has an event; nil for one object.
        let followed: String?
        /// Paths of values of the response that later steps use, by their names.
        let captures: [String: String]

        init(
            _ coordinate: String, _ variables: String = "{}", as token: String? = "sandbox",
            followed: String? = nil, captures: [String: String] = [:]
        ) {
            (self.coordinate, self.variables) = (coordinate, variables)
            (self.token, self.followed, self.captures) = (token, followed, captures)
        }
    }

    static let steps = objects + queries + subscriptions + changes + sessions

    private static let objects = [
        Step(
            "Mutation.createWatchlist", #"{"input":{"name":"Favourites","symbols":["AAPL","MSFT"]}}"#,
            captures: ["watchlist": "createWatchlist.watchlist.id"]),
        Step("Mutation.moveInWatchlist", #"{"id":"<watchlist>","symbol":"MSFT","to":0}"#),
        Step("Mutation.renameWatchlist", #"{"id":"<watchlist>","name":"Technology"}"#),
        Step(
            "Mutation.createGoal",
            """
            {"input":{"title":"A year off","target":"12000","currency":"USD","dueOn":"2028-06-30",
            "allocations":[{"symbol":"AAPL","share":{"percentage":"50"}}]}}
            """, captures: ["goal": "createGoal.goal.id"]),
        Step(
            "Mutation.createAlert",
            #"{"input":{"condition":{"priceAbove":{"symbol":"AAPL","price":"200"}},"label":"Apple"}}"#,
            captures: ["alert": "createAlert.alert.id"]),
        Step("Query.account", captures: ["account": "account.id"]),
        Step(
            "Mutation.placeOrder",
            """
            {"input":{"idempotencyKey":"7c3f2b8e-5d1a-4c9e-9f60-0c2a3c1b7e55","accountId":"<account>","side":"BUY",
            "instrument":{"symbol":"AMD"},"size":{"quantity":"1"},"timeInForce":"GTC","price":{"limit":"2.50"}}}
            """, captures: ["order": "placeOrder.order.id"]),
        // The sandbox requires no disclaimers by default.
        Step("Mutation.acceptDisclaimers", #"{"ids":[]}"#),
    ]

    private static let queries = [
        Step(
            "Query.instrument", #"{"symbol":"AAPL"}"#, as: nil, captures: ["instrument": "instrument.id"]),
        Step("Query.node", #"{"id":"<instrument>"}"#, as: nil),
        Step("Query.nodes", #"{"ids":["<instrument>","<account>"]}"#),
        Step("Query.viewer"), Step("Query.accounts"), Step("Query.positions", #"{"currency":"EUR"}"#),
        Step("Query.quotes", #"{"symbols":["AAPL","MSFT"]}"#, as: nil),
        Step("Query.quote", #"{"symbol":"AAPL"}"#, as: nil),
        Step("Query.search", #"{"text":"apple"}"#, as: nil),
        Step("Query.chart", #"{"symbol":"AAPL","range":"FIVE_DAYS","interval":"ONE_DAY"}"#, as: nil),
        Step("Query.charts", #"{"symbols":["AAPL","MSFT"]}"#, as: nil),
        Step("Query.order", #"{"id":"<order>"}"#),
        Step(
            "Query.previewOrder",
            """
            {"input":{"accountId":"<account>","instrument":{"symbol":"AMD"},"side":"BUY","size":{"quantity":"2"},
            "price":{"limit":"2.20"},"timeInForce":"GTC"}}
            """),
        Step("Query.orders", #"{"open":true,"first":1}"#), Step("Query.activities", #"{"first":2}"#),
        Step("Query.news", #"{"symbols":["AAPL"]}"#, as: nil),
        Step("Query.portfolio", #"{"currency":"USD"}"#),
        Step("Query.watchlists"), Step("Query.watchlist", #"{"id":"<watchlist>"}"#), Step("Query.goals"),
        Step("Query.goalsProgress", #"{"currency":"USD"}"#), Step("Query.alerts"),
        Step("Query.alertFirings"),
        Step(
            "Mutation.registerWebhook",
            #"{"input":{"url":"http://127.0.0.1:1/alerts","label":"My receiver"}}"#,
            captures: ["webhook": "registerWebhook.webhook.id"]),
        Step("Query.webhooks"), Step("Query.providers"),
        Step("Query.marketClock", as: nil),
    ]

    private static let subscriptions = [
        Step("Subscription.quotes", #"{"symbols":["AAPL"]}"#),
        Step("Subscription.positions", followed: "{ positions { id } }"),
        Step("Subscription.account", #"{"id":"<account>"}"#), Step("Subscription.orders"),
        Step("Subscription.goalsProgress", #"{"currency":"USD"}"#), Step("Subscription.alerts"),
    ]

    private static let changes = [
        Step(
            "Mutation.replaceOrder", #"{"id":"<order>","input":{"price":{"limit":"2.40"}}}"#,
            captures: ["replaced": "replaceOrder.order.id"]),
        Step("Mutation.cancelOrder", #"{"id":"<replaced>"}"#),
        Step("Mutation.updateGoal", #"{"id":"<goal>","input":{"title":"Two years off","target":"24000"}}"#),
        Step("Mutation.deleteGoal", #"{"id":"<goal>"}"#),
        Step("Mutation.updateAlert", #"{"id":"<alert>","input":{"label":"Apple","paused":true}}"#),
        Step("Mutation.deleteAlert", #"{"id":"<alert>"}"#),
        Step("Mutation.testWebhook", #"{"id":"<webhook>"}"#),
        Step("Mutation.deleteWebhook", #"{"id":"<webhook>"}"#),
        Step("Mutation.addToWatchlist", #"{"id":"<watchlist>","symbols":["TSLA"]}"#),
        Step("Mutation.removeFromWatchlist", #"{"id":"<watchlist>","symbols":["MSFT"]}"#),
        Step("Mutation.deleteWatchlist", #"{"id":"<watchlist>"}"#),
    ]

    private static let redirect = "http://localhost:3000/connected"
    private static let password = "correct horse battery"

    private static let sessions = [
        Step(
            "Mutation.signUp",
            #"{"input":{"username":"ann","password":"\#(password)","label":"Phone"}}"#, as: nil,
            captures: ["ann": "signUp.token", "phone": "signUp.session.id"]),
        Step(
            "Mutation.signIn",
            #"{"input":{"username":"ann","password":"\#(password)","scopes":["READ","WRITE","TRADE"]}}"#,
            as: nil,
            captures: ["ann": "signIn.token"]),
        Step(
            "Mutation.signIn",
            #"{"input":{"username":"ann","password":"\#(password)","scopes":["READ","WRITE","TRADE"]}}"#,
            as: nil,
            captures: ["tablet": "signIn.token"]),
        Step("Mutation.renewSession", as: "ann", captures: ["ann": "renewSession.token"]),
        Step("Mutation.revokeSession", #"{"id":"<phone>"}"#, as: "ann"),
        Step("Mutation.revokeOtherSessions", as: "ann"),
        Step(
            "Mutation.beginConnection", #"{"provider":"alpaca","redirectUri":"\#(redirect)"}"#, as: "ann",
            captures: ["consent": "beginConnection.url"]),
        Step(
            "Mutation.connectProvider",
            """
            {"input":{"provider":"alpaca","credential":{"authorization":{"code":"<code>","state":"<state>",
            "redirectUri":"\(redirect)"}}}}
            """, as: "ann", captures: ["connection": "connectProvider.connection.id"]),
        Step("Mutation.disconnectProvider", #"{"id":"<connection>"}"#, as: "ann"),
        Step(
            "Mutation.changePassword",
            """
            {"input":{"currentPassword":"\(password)","newPassword":"a better horse battery"}}
            """, as: "ann", captures: ["ann": "changePassword.token"]),
        Step("Mutation.deleteUser", #"{"password":"a better horse battery"}"#, as: "ann"),
        Step("Mutation.startGuestSession", as: nil, captures: ["guest": "startGuestSession.token"]),
        Step("Mutation.signOut", as: "guest"),
        Step(
            "Mutation.beginSignIn", #"{"input":{"redirectUri":"\#(redirect)"}}"#, as: nil,
            captures: ["consent": "beginSignIn.url", "secret": "beginSignIn.browserSecret"]),
        Step(
            "Mutation.completeSignIn",
            #"{"input":{"code":"<code>","state":"<state>","browserSecret":"<secret>"}}"#, as: nil),
    ]

    /// Executes a document; its response must have no error.
    mutating func run(_ step: Step, _ document: String) async throws -> SchemaExample.Recorded {
        for match in step.variables.matches(of: /^{"(\w+)":|,"(\w+)":/)
        where !step.variables.contains("input") {
            let name = String(match.1 ?? match.2 ?? "")
            #expect(document.contains("$\(name)"), "\(step.coordinate): the document has no variable \(name)")
        }
        if step.coordinate == "Query.alertFirings" {
            try await waitUntil {
                let firings = try await server.ask("{ alertFirings { nodes { id } } }").json?["data"]
                return firings?.at("alertFirings.nodes")?.elements?.isEmpty == false
            }
        }
        let variables = values.reduce(step.variables) { $0.replacing("<\($1.key)>", with: $1.value) }
        let body = "\(RawRequest.query(document).dropLast()),\"variables\":\(variables)}"
        let fields = step.token.flatMap { values[$0] }.map { ["Authorization: Bearer \($0)"] } ?? []
        let response: String
        if step.coordinate.hasPrefix("Subscription.") {
            var count = 1
            if let followed = step.followed {
                let objects = try await server.ask(followed).json?["data"]?.members?.values.first
                count = try #require(objects?.elements?.count)
            }
            // The events of several objects come in any order.
            response = try #require(try await server.events(count, of: body).min())
        } else {
            response = try await server.send(RawRequest.post(body, fields: fields)).body
        }
        let json = try JSONValue(parsing: response)
        #expect(json["errors"] == nil, "\(step.coordinate): \(response)")
        for (name, path) in step.captures {
            values[name] = try #require(json["data"]?.at(path)?.string, "\(step.coordinate): \(response)")
        }
        if step.captures["consent"] != nil, let url = values["consent"] {
            let parameters =
                url.hasPrefix(issuer.url)
                ? try issuer.approve(url) : try await Browser.approve(url, as: "demo")
            values["code"] = parameters["code"]
            values["state"] = parameters["state"]
        }
        return SchemaExample.Recorded(
            variables: variables == "{}" ? [] : form.lines(of: variables), response: form.lines(of: response))
    }
}

/// The form of a recorded response: what differs between two runs has a constant value, and lists are short.
private struct ExampleForm {
    /// The random part of each id, numbered in the order in which they occur.
    private var ids: [String: Int] = [:]

    private static let secrets: Set = ["token", "browserSecret", "secret", "code", "state"]
    /// Times of Portico's own clock.
    private static let times: Set = [
        "createdAt", "updatedAt", "addedAt", "lastUsedAt", "connectedAt", "lastFailureAt", "lastSuccessAt",
        "resetsAt", "firedAt",
    ]

    mutating func lines(of json: String) -> [String] {
        var printer = JSONLines(plainItems: 3, objects: 3) { path, value in
            value == "null" ? nil : Self.constant(path, value)
        }
        var rest = json.replacing("\n", with: "")[...]
        printer.value(&rest, depth: 0)
        return printer.text.split(separator: "\n").map { numbered(String($0)) }
    }

    private mutating func numbered(_ line: String) -> String {
        line.matches(of: /[0-9a-f]{32}/).reduce(line) { line, match in
            let id = String(match.output)
            let number = ids[id] ?? ids.count + 1
            ids[id] = number
            return line.replacing(id, with: String(repeating: "0", count: 30) + "\(10 + number)")
        }
    }

    private static func constant(_ path: [String], _ json: Substring) -> String? {
        let name = path.last ?? ""
        if times.contains(name) { return "\"2026-11-20T16:00:00.000Z\"" }
        if name == "expiresAt", path.contains("beginSignIn") { return "\"2026-11-20T16:10:00.000Z\"" }
        if name == "expiresAt", path.contains("session") { return "\"2026-12-20T16:00:00.000Z\"" }
        // The state of an order or a webhook is a word.
        if secrets.contains(name), json.utf8.count > 20 { return "\"(secret)\"" }
        if name == "username", json.contains("user-") { return "\"user-000000000001\"" }
        if name.lowercased().hasSuffix("cursor") { return "\"(cursor)\"" }
        // The broker's event of a cancellation may come before the response.
        if json == "\"CANCELED\"" { return "\"PENDING_CANCEL\"" }
        guard name == "url", json.contains("127.0.0.1") else { return nil }
        if json.contains("/alerts") { return "\"https://example.com/alerts\"" }
        return String(json).replacing(/127\.0\.0\.1:\d+/, with: "broker.example.com")
            .replacing(/(state|nonce|code_challenge)=[^&"]+/) { "\($0.output.1)=(secret)" }
    }
}
