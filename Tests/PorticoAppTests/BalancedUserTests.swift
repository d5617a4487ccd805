import Brokerage
import Foundation
import NIOCore
import Sandbox
import TestSupport
import Testing

/// Clients of three replicas behind a load balancer, which sends each request to another one than the request before.
@Suite("Users of replicas behind a load balancer")
struct BalancedUserTests {
    /// A request of a user, and its response.
    ///
    /// A name in angle brackets stands for a value that the test or an earlier step has set.
    private struct Step {
        let name: String
        let document: String
        var token: String? = "<token>"
        /// The values that later steps use, by name, and their paths in the response's data.
        var keeps: [String: String] = [:]
        /// The texts in the response's data by path; nil if there is none.
        var shows: [String: String?] = [:]
        /// The code of the error; nil for a response without one.
        var code: String?
        /// Whether other replicas may apply an earlier step up to a second later.
        ///
        /// The request is then repeated until it has this response at each replica.
        var isEventual = false
        /// What happens at the provider after the response.
        var event: Event?
    }

    private enum Event {
        /// The user agrees to the consent of the address `url`, and gets `code` and `state`.
        case consent
        /// The provider ends the access tokens of the user.
        case expiry
    }

    private static let password = "correct horse battery"
    private static let redirect = "http://localhost:3000/connected"
    private static let holdings = "{ accounts { id equity } }"
    private static let watchlists = "{ watchlists { name } }"
    /// Previews are not cached: each is a call.
    private static let preview = """
        { previewOrder(input: { accountId: "<saxo>" side: BUY instrument: { symbol: "AAPL" }
            size: { quantity: "1" } price: { limit: "1" } timeInForce: DAY }) { calculatedBy } }
        """

    private static func begin(_ provider: String) -> Step {
        Step(
            name: "begin a consent of \(provider)",
            document: """
                mutation { beginConnection(provider: "\(provider)", redirectUri: "\(redirect)") { url state } }
                """,
            keeps: ["url": "beginConnection.url"], event: .consent)
    }

    private static func connect(_ provider: String) -> Step {
        Step(
            name: "connect \(provider)",
            document: """
                mutation { connectProvider(input: { provider: "\(provider)" credential: { authorization: {
                    code: "<code>", state: "<state>", redirectUri: "\(redirect)" } } }) { connection { id status } } }
                """,
            keeps: ["connection": "connectProvider.connection.id"],
            shows: ["connectProvider.connection.status": "ACTIVE"])
    }

    private static func signIn(_ password: String, keeps: [String: String], code: String? = nil) -> Step {
        Step(
            name: "sign in",
            document: """
                mutation { signIn(input: { username: "<name>", password: "\(password)", scopes: [READ, WRITE, TRADE] }) {
                    token } }
                """,
            token: nil, keeps: keeps, code: code)
    }

    private static func refuse(_ token: String) -> Step {
        Step(
            name: "use a token that has ended", document: watchlists, token: token, code: "UNAUTHENTICATED",
            isEventual: true)
    }

    private static let place = """
        mutation { placeOrder(input: { idempotencyKey: "one" accountId: "<account>" side: BUY
            instrument: { symbol: "AMD" } size: { quantity: "1" } timeInForce: GTC price: { limit: "2.50" } }) {
            order { id symbol } } }
        """

    private static let life =
        [
            Step(
                name: "sign up",
                document: """
                    mutation { signUp(input: { username: "<name>", password: "\(password)" }) { token session { id } } }
                    """,
                token: nil, keeps: ["first": "signUp.token", "firstSession": "signUp.session.id"]),
            signIn(password, keeps: ["token": "signIn.token"]),
            Step(
                name: "read the user", document: "{ viewer { username sessions { id } } }",
                shows: [
                    "viewer.username": "<name>", "viewer.sessions.1.id": "*", "viewer.sessions.2.id": nil,
                ], isEventual: true),
            Step(
                name: "create a watchlist",
                document:
                    #"mutation { createWatchlist(input: { name: "Mine", symbols: ["KO"] }) { watchlist { id } } }"#,
                keeps: ["list": "createWatchlist.watchlist.id"]),
            Step(
                name: "change the watchlist",
                document:
                    #"mutation { addToWatchlist(id: "<list>", symbols: ["AAPL"]) { watchlist { id } } }"#,
                shows: ["addToWatchlist.watchlist.id": "<list>"]),
            Step(
                name: "read the watchlist",
                document: #"{ node(id: "<list>") { ... on Watchlist { name items { symbol } } } }"#,
                shows: [
                    "node.name": "Mine", "node.items.0.symbol": "KO", "node.items.1.symbol": "AAPL",
                ]),
            Step(
                name: "create a goal",
                document:
                    #"mutation { createGoal(input: { title: "House", target: "100", allocations: [] }) { goal { id } } }"#,
                keeps: ["goal": "createGoal.goal.id"]),
            Step(
                name: "change the goal",
                document:
                    #"mutation { updateGoal(id: "<goal>", input: { target: "250.5" }) { goal { id } } }"#,
                shows: ["updateGoal.goal.id": "<goal>"]),
            Step(
                name: "read the goal",
                document: #"{ node(id: "<goal>") { ... on Goal { title target } } }"#,
                shows: ["node.title": "House", "node.target": "250.5"]),
            begin("alpaca"), connect("alpaca"),
            Step(
                name: "read the account", document: holdings, keeps: ["account": "accounts.0.id"],
                shows: ["accounts.0.equity": "*", "accounts.1.id": nil], isEventual: true),
            Step(
                name: "place an order", document: place, keeps: ["order": "placeOrder.order.id"],
                shows: ["placeOrder.order.symbol": "AMD"]),
            Step(
                name: "place it again", document: place, shows: ["placeOrder.order.id": "<order>"]),
            Step(
                name: "read the order",
                document: #"{ order(id: "<order>") { symbol limitPrice providerOrderId } }"#,
                shows: ["order.symbol": "AMD", "order.limitPrice": "2.5", "order.providerOrderId": "*"]),
            Step(
                name: "cancel the order",
                document: #"mutation { cancelOrder(id: "<order>") { order { id } } }"#,
                shows: ["cancelOrder.order.id": "<order>"]),
            Step(
                name: "read the canceled order", document: #"{ order(id: "<order>") { state } }"#,
                shows: ["order.state": "CANCELED"], isEventual: true),
            begin("saxo"), connect("saxo"),
            Step(
                name: "read all accounts", document: holdings,
                keeps: ["saxo": "accounts.1.id"],
                shows: ["accounts.0.id": "<account>", "accounts.1.equity": "*"],
                isEventual: true, event: .expiry),
            Step(
                name: "use the renewed access token", document: preview,
                shows: ["previewOrder.calculatedBy": "*"]),
            Step(
                name: "use it again", document: preview,
                shows: ["previewOrder.calculatedBy": "*"], event: .expiry),
            Step(
                name: "use the next access token", document: preview,
                shows: ["previewOrder.calculatedBy": "*"]),
            Step(
                name: "renew the session", document: "mutation { renewSession { token } }",
                keeps: ["token": "renewSession.token"]),
            Step(
                name: "end another session",
                document: #"mutation { revokeSession(id: "<firstSession>") { deletedId } }"#,
                shows: ["revokeSession.deletedId": "<firstSession>"]),
            refuse("<first>"),
            Step(
                name: "change the password",
                document: """
                    mutation { changePassword(input: { currentPassword: "\(password)", newPassword: "another \(password)" }) { token } }
                    """,
                keeps: ["token": "changePassword.token"]),
            signIn(password, keeps: [:], code: "UNAUTHENTICATED"),
            signIn("another \(password)", keeps: ["other": "signIn.token"]),
            Step(
                name: "disconnect saxo",
                document: #"mutation { disconnectProvider(id: "<connection>") { deletedId } }"#,
                shows: ["disconnectProvider.deletedId": "<connection>"]),
            Step(
                name: "read the remaining account", document: "{ accounts { id } }", token: "<other>",
                shows: ["accounts.0.id": "<account>", "accounts.1.id": nil], isEventual: true),
            Step(name: "sign out", document: "mutation { signOut { deletedId } }", token: "<other>"),
            refuse("<other>"),
            Step(
                name: "delete the goal", document: #"mutation { deleteGoal(id: "<goal>") { deletedId } }"#),
            Step(
                name: "read the deleted goal", document: #"{ node(id: "<goal>") { id } }"#,
                shows: ["node.id": nil]),
            Step(
                name: "delete the user",
                document: #"mutation { deleteUser(password: "another \#(password)") { deletedId } }"#),
            refuse("<token>"),
            signIn("another \(password)", keeps: [:], code: "UNAUTHENTICATED"),
        ]

    /// Executes the steps of one user.
    private struct Person {
        let server: RunningServer
        let sandbox: Sandbox
        /// The user of the sandbox.
        let user: String
        var values: [String: String]

        private func filled(_ text: String) -> String {
            values.reduce(text) { $0.replacing("<\($1.key)>", with: $1.value) }
        }

        private static func value(_ path: String, of answer: RawResponse) -> String? {
            path.split(separator: ".").reduce(answer.json?["data"]) { value, name in
                Int(name).map { value?[$0] } ?? value?[String(name)]
            }?.string
        }

        private func ask(_ step: Step) async throws -> RawResponse {
            try await server.ask(filled(step.document), token: step.token.map(filled))
        }

        /// Whether a response is the one of the step.
        private func isExpected(_ answer: RawResponse, of step: Step) -> Bool {
            answer.code == step.code
                && step.shows.allSatisfy { path, text in
                    let value = Self.value(path, of: answer)
                    return text == "*" ? value != nil : value == text.map(filled)
                }
        }

        mutating func execute(_ step: Step) async throws {
            var answer = try await ask(step)
            if step.isEventual {
                // As many in succession as there are replicas.
                var successes = 0
                try await waitUntil {
                    successes = isExpected(answer, of: step) ? successes + 1 : 0
                    guard successes < BalancedUserTests.count else { return true }
                    answer = try await ask(step)
                    return false
                }
            }
            #expect(isExpected(answer, of: step), "\(step.name): \(answer.body)")
            for (name, path) in step.keeps {
                let value: String = try #require(
                    Self.value(path, of: answer), "\(step.name): \(answer.body)")
                values[name] = value
            }
            switch step.event {
            case .consent?:
                let back = try await Browser.approve(try #require(values["url"]), as: user)
                for name in ["code", "state"] {
                    let value: String = try #require(back[name])
                    values[name] = value
                }
            case .expiry?: sandbox.expireAccessTokens(of: user)
            case nil: break
            }
        }
    }

    private static let count = 3

    /// Runs three replicas behind a load balancer around a test.
    private static func run(
        _ sandbox: Sandbox, _ test: (RunningServer, Proxy) async throws -> Void
    ) async throws {
        try await withFolder { folder in
            // A value that Redis does not return in time is read again by each replica. The test is not about quotas.
            let environment = try Replicas.environment(
                ConnectionProgramTests.environment(sandbox, folder), folder
            ).merging(["PORTICO_POLYGON_PER_MINUTE": "100000"]) { $1 }
            try await Replicas.run(count, environment) { replicas in
                let targets = try replicas.map { try SocketAddress(ipAddress: "127.0.0.1", port: $0.port) }
                try await Proxy.run(to: targets) { balancer in
                    // Any of the programs: the test only sends requests to the port.
                    let server = RunningServer(program: replicas[0].program, port: balancer.port)
                    try await test(server, balancer)
                }
            }
        }
    }

    @Test(
        "sign up, change data, connect, place orders, renew, revoke and leave, each request at another replica"
    )
    func lives() async throws {
        try await withSandbox { configuration in
            // A second use of a refresh token would end the access.
            configuration.saxo.refreshReuse = .endsSession
            configuration.saxo.requestsPerMinute = 1_000_000
            configuration.polygon.requestsPerMinute = 1_000_000
        } _: { sandbox in
            try await Self.run(sandbox) { server, balancer in
                for (number, user) in ["demo", "second", "demo"].enumerated() {
                    // Each step is at another replica than in the life before.
                    while balancer.counts.reduce(0, +) % Self.count != number {
                        #expect(try await server.get("/health/live").status == 200)
                    }
                    let exchanged = sandbox.calls[.saxo, "POST /token"]
                    let orders = sandbox.calls[.alpaca, "POST /v2/orders"]
                    var person = Person(
                        server: server, sandbox: sandbox, user: user, values: ["name": "person-\(number)"])
                    for step in Self.life { try await person.execute(step) }
                    // For the code of the consent, and after each of the two expiries.
                    #expect(sandbox.calls[.saxo, "POST /token"] == exchanged + 3)
                    #expect(sandbox.calls[.alpaca, "POST /v2/orders"] == orders + 1)
                }
                let counts = balancer.counts
                #expect(
                    counts.allSatisfy { abs($0 - counts[0]) <= 1 } && counts[0] >= Self.life.count,
                    "\(counts)")
            }
        }
    }

    @Test("that are guests never see each other's data")
    func guests() async throws {
        try await withSandbox { sandbox in
            try await Self.run(sandbox) { server, _ in try await UserTests.expectSeparateGuests(server) }
        }
    }
}
