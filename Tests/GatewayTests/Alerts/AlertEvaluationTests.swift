import Brokerage
import Gateway
import GraphQL
import PorticoCore
import Sandbox
import Storage
import TestSupport
import Testing
import Upstream

/// Alerts of a gateway in front of the sandbox, evaluated as by a server.
@Suite("Fired alerts", .timeLimit(.minutes(10)))
struct AlertEvaluationTests {
    private static let subscription = "subscription { alerts { \(AlertTests.fields) } }"

    /// Runs the evaluation around a test; ends it as a server's shutdown does.
    private func withEvaluation<Value>(
        _ backends: GatewayServices, _ test: (AlertEvaluation) async throws -> Value
    ) async throws -> Value {
        var settings = AlertEvaluation.Settings()
        settings.connectionInterval = .milliseconds(20)
        settings.goalInterval = .milliseconds(200)
        settings.retryInterval = .milliseconds(200)
        let evaluation = AlertEvaluation(backends, settings: settings)
        let task = Task { await evaluation.run { Issue.record($0) } }
        let result = await Result.of { try await test(evaluation) }
        task.cancel()
        await task.value
        return try result.get()
    }

    /// The history of Alice, the latest first.
    private func history(_ gateway: TestGateway, _ backends: GatewayServices) async throws -> [JSONValue] {
        let answer = try await gateway.ask(
            "{ alertFirings { nodes { id kind symbol price value orderState label alert { id } } } }",
            as: alice, backends)
        return try #require(answer["data"]?["alertFirings"]?["nodes"]?.elements, "\(answer)")
    }

    @Test("on a price are told to subscribers, and are in the history once, also after a restart")
    func price() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            var answers = try await gateway.subscribe(Self.subscription, as: alice, backends)
            try await withEvaluation(backends) { evaluation in
                let far = try await AlertTests.create(
                    gateway, backends, #"priceAbove: { symbol: "AAPL", price: "100000" }"#)
                let near = try await AlertTests.create(
                    gateway, backends, #"priceAbove: { symbol: "AAPL", price: "1" }"#, #"label: "Apple""#)
                let fired = try await answers.value(of: "alerts") { $0["firedCount"] == 1 }
                #expect(fired["id"] == near["id"] && fired["state"] == "FIRED")
                let quote = try await gateway.ask(
                    "{ quote(symbol: \"AAPL\") { price } }", as: alice, backends)
                #expect(fired["lastFiring"]?["value"] == quote["data"]?["quote"]?["price"])
                let list = try await gateway.ask(
                    "{ alerts { nodes { id state firings { nodes { id } } } } }", as: alice, backends)
                let nodes = try #require(list["data"]?["alerts"]?["nodes"]?.elements)
                #expect(nodes.map { $0["id"] } == [far["id"], near["id"]])
                #expect(nodes.map { $0["state"] } == ["ACTIVE", "FIRED"])
                #expect(nodes[1]["firings"]?["nodes"]?[0]?["id"] == fired["lastFiring"]?["id"])
                #expect(evaluation.userCount == 1)
                #expect(backends.alertCounts.firings == 1)
            }
            let before = try await history(gateway, backends)
            #expect(before.count == 1 && before[0]["label"] == "Apple" && before[0]["price"] == "1")
            // Another process: it evaluates what is active, and nothing else.
            let again = try gateway.backends([gateway.connection("demo", of: alice)])
            var later = try await gateway.subscribe(Self.subscription, as: alice, again)
            try await withEvaluation(again) { _ in
                let next = try await AlertTests.create(
                    gateway, again, #"priceBelow: { symbol: "KO", price: "100000" }"#)
                let fired = try await later.value(of: "alerts") {
                    $0["id"] == next["id"] && $0["firedCount"] == 1
                }
                #expect(fired["kind"] == "PRICE_BELOW")
            }
            let after = try await history(gateway, again)
            #expect(after.count == 2 && after[1] == before[0])
        }
    }

    @Test("of the symbols of many alerts cause one read and one stream")
    func calls() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([])
            for symbol in ["AAPL", "KO", "MSFT"] {
                for price in 1...20 {
                    _ = try await gateway.userData.alerts.create(
                        .priceAbove(try #require(Symbol(symbol)), Decimal(price)), label: nil,
                        rearmAfter: nil, for: price.isMultiple(of: 2) ? alice : bob)
                }
            }
            let store = gateway.userData.alerts
            try await withEvaluation(backends) { evaluation in
                try await waitUntil {
                    var count = 0
                    for owner in [alice, bob] { count += try await store.active(of: owner).count }
                    return count == 0
                }
                // Each user's evaluation ends without an active alert.
                try await waitUntil { evaluation.userCount == 0 }
            }
            for owner in [alice, bob] {
                let firings = try await store.firings(of: owner, alert: nil, before: nil, limit: 100)
                #expect(firings.count == 30 && Set(firings.map(\.alert)).count == 30)
            }
            // Symbols that are followed while the first is read are read by the second call.
            let snapshots = gateway.calls["GET /v2/stocks/snapshots"] ?? 0
            #expect((1...6).contains(snapshots), "\(gateway.calls)")
        }
    }

    @Test("on an order fire in its state, and end if it ends otherwise")
    func order() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            var order = TestOrder(account: try await gateway.account(backends))
            (order.symbol, order.price) = ("AMD", #"{ limit: "1" }"#)
            let placed = try await gateway.placed(order, backends)
            let id = try #require(placed["id"]?.string)
            var answers = try await gateway.subscribe(Self.subscription, as: alice, backends)
            try await withEvaluation(backends) { _ in
                let canceled = try await AlertTests.create(
                    gateway, backends, "orderState: { orderId: \"\(id)\", states: [CANCELED] }")
                let filled = try await AlertTests.create(
                    gateway, backends, "orderState: { orderId: \"\(id)\", states: [FILLED] }")
                _ = try await gateway.ask(
                    "mutation { cancelOrder(id: \"\(id)\") { order { state } } }", as: alice, backends)
                let fired = try await answers.value(of: "alerts") { $0["firedCount"] == 1 }
                #expect(fired["id"] == canceled["id"])
                let nodes = try await waitForState("ENDED", of: filled, gateway, backends)
                #expect(nodes["firedCount"] == 0)
                let refused = try await gateway.ask(
                    "mutation { createAlert(input: { condition: { orderState: { orderId: \"\(id)\", states: [FILLED] } } }) { alert { id } } }",
                    as: alice, backends)
                #expect(refused.failures.first?.code == "CONFLICT", "\(refused)")
            }
            let history = try await history(gateway, backends)
            #expect(history.map { $0["orderState"] } == ["CANCELED"])
        }
    }

    private func waitForState(
        _ state: String, of alert: JSONValue, _ gateway: TestGateway, _ backends: GatewayServices
    ) async throws -> JSONValue {
        let id = try #require(alert["id"]?.string)
        var found = JSONValue.null
        try await waitUntil {
            let answer = try await gateway.ask(
                "{ node(id: \"\(id)\") { ... on Alert { \(AlertTests.fields) } } }", as: alice, backends)
            found = answer["data"]?["node"] ?? .null
            return found["state"]?.string == state
        }
        return found
    }

    @Test("on a goal fire when it is reached, and end when it is deleted")
    func goal() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let goals = [
                try await GoalTests.create(
                    gateway, backends,
                    "{ title: \"House\", target: \"1000000000\", allocations: [{ symbol: \"AAPL\" }] }"),
                try await GoalTests.create(
                    gateway, backends, "{ title: \"Boat\", target: \"1000000000\", allocations: [] }"),
            ]
            var answers = try await gateway.subscribe(Self.subscription, as: alice, backends)
            try await withEvaluation(backends) { _ in
                var alerts: [JSONValue] = []
                for goal in goals {
                    alerts.append(
                        try await AlertTests.create(gateway, backends, "goalReached: \"\(goal)\""))
                }
                _ = try await gateway.ask(
                    "mutation { updateGoal(id: \"\(goals[0])\", input: { target: \"0.01\" }) { goal { id } } }",
                    as: alice, backends)
                let fired = try await answers.value(of: "alerts") { $0["firedCount"] == 1 }
                #expect(fired["id"] == alerts[0]["id"] && fired["kind"] == "GOAL_REACHED")
                _ = try await gateway.ask(
                    "mutation { deleteGoal(id: \"\(goals[1])\") { deletedId } }", as: alice, backends)
                _ = try await waitForState("ENDED", of: alerts[1], gateway, backends)
            }
        }
    }

    @Test("on a connection fire when its broker refuses the credential")
    func connection() async throws {
        let stranger = SandboxUser.second
        try await withGateway(users: [.demo]) { gateway in
            // The sandbox has no such user, so that it refuses the token.
            let backends = try gateway.backends([
                gateway.connection("demo", of: alice), gateway.connection("refused", of: alice, stranger),
            ])
            var answers = try await gateway.subscribe(Self.subscription, as: alice, backends)
            try await withEvaluation(backends) { _ in
                _ = try await AlertTests.create(
                    gateway, backends, #"connectionNeedsRenewal: "Connection:demo""#)
                let alert = try await AlertTests.create(
                    gateway, backends, #"connectionNeedsRenewal: "Connection:refused""#)
                let refused = try await gateway.ask("{ positions { symbol } }", as: alice, backends)
                #expect(refused.failures.map(\.code).contains("RECONNECT_REQUIRED"), "\(refused)")
                let fired = try await answers.value(of: "alerts") { $0["firedCount"] == 1 }
                #expect(fired["id"] == alert["id"])
            }
            #expect(try await history(gateway, backends).count == 1)
        }
    }

    @Test("on a connection that only the database has, and on its orders, do not end before it is deleted")
    func connectionOfAnotherProcess() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([])
            let (connections, store) = (gateway.userData.connections, gateway.userData.alerts)
            let stored = StoredConnection(
                id: "stored", owner: alice, provider: .alpaca, environment: .sandbox, connectedAt: .now)
            #expect(try await connections.add(stored, Secret("key"), maximum: 20) == .added)
            func create(_ condition: AlertCondition) async throws -> String {
                let alert = try await store.create(condition, label: nil, rearmAfter: nil, for: alice)
                return try #require(alert).id
            }
            func states(_ ids: [String]) async throws -> Set<StoredAlert.State> {
                Set(try await store.alerts(ids, of: alice).map(\.state))
            }
            let waiting = [
                try await create(.connectionNeedsRenewal(connection: "stored")),
                try await create(.orderState(order: "Order:stored:1", [.filled])),
            ]
            // These are examined at the same time.
            let ending = [
                try await create(.connectionNeedsRenewal(connection: "gone")),
                try await create(.orderState(order: "Order:gone:1", [.filled])),
            ]
            try await withEvaluation(backends) { _ in
                try await waitUntil { try await states(ending) == [.ended] }
                #expect(try await states(waiting) == [.active])
                #expect(try await connections.delete("stored", of: alice) == .deleted)
                try await waitUntil { try await states(waiting) == [.ended] }
            }
        }
    }

    @Test("are evaluated after the connections of other processes are in memory")
    func changesFirst() async throws {
        try await withGateway(in: SharedDatabase().open()) { gateway in
            let backends = try gateway.backends([])
            let stored = StoredConnection(
                id: "stored", owner: alice, provider: .alpaca, environment: .sandbox, connectedAt: .now)
            let result = try await gateway.userData.connections.add(stored, Secret("key"), maximum: 20)
            #expect(result == .added && backends.connectionCount == 0)
            // Nothing else follows the changes.
            try await withEvaluation(backends) { _ in
                try await waitUntil { backends.connectionCount == 1 }
            }
        }
    }

    @Test("of a paused or deleted alert do not happen, and an alert that is activated fires")
    func pausing() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([])
            let store = gateway.userData.alerts
            var patch = AlertPatch()
            patch.isPaused = true
            var alerts: [StoredAlert] = []
            for _ in 0..<2 {
                alerts.append(
                    try #require(
                        try await store.create(
                            .priceAbove(.example, 1), label: nil, rearmAfter: nil, for: alice)))
            }
            _ = try await store.update(alerts[0].id, patch, for: alice)
            _ = try await store.delete(alerts[1].id, for: alice)
            var answers = try await gateway.subscribe(Self.subscription, as: alice, backends)
            try await withEvaluation(backends) { _ in
                let other = try await AlertTests.create(
                    gateway, backends, #"priceAbove: { symbol: "AAPL", price: "1" }"#)
                let first = try await answers.value(of: "alerts") { $0["firedCount"] == 1 }
                #expect(first["id"] == other["id"])
                let id = NodeID(.alert, alerts[0].id).text
                _ = try await gateway.ask(
                    "mutation { updateAlert(id: \"\(id)\", input: { paused: false }) { alert { id } } }",
                    as: alice, backends)
                let second = try await answers.value(of: "alerts") {
                    $0["firedCount"] == 1 && $0["id"] != other["id"]
                }
                #expect(second["id"]?.string == id)
            }
            #expect(try await history(gateway, backends).count == 2)
        }
    }
}
