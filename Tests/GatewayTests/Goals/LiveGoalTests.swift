import Brokerage
import GraphQL
import PorticoCore
import Storage
import Synchronization
import TestSupport
import Testing
import Upstream

@testable import Gateway

@Suite("Subscriptions to progress")
struct LiveGoalTests {
    private static let query =
        "subscription { goalsProgress { achieved target progressPercentage currency } }"

    private func backends(_ gateway: TestGateway) throws -> GatewayServices {
        try gateway.backends([gateway.connection("demo", of: alice)])
    }

    @Test("return the current value, then each change of the goals")
    func goals() async throws {
        try await withGateway { gateway in
            let backends = try backends(gateway)
            var answers = try await gateway.subscribe(Self.query, as: alice, backends)
            let none = try await answers.value(of: "goalsProgress")
            #expect(none["target"] == "0" && none["progressPercentage"] == .null && none["currency"] == "USD")
            let id = try await GoalTests.create(
                gateway, backends, "{ title: \"House\", target: \"100\", allocations: [] }")
            _ = try await answers.value(of: "goalsProgress") { $0["target"] == "100" }
            _ = try await gateway.ask(
                "mutation { updateGoal(id: \"\(id)\", input: { target: \"250\" }) { goal { id } } }",
                as: alice, backends)
            _ = try await answers.value(of: "goalsProgress") { $0["target"] == "250" }
            _ = try await gateway.ask(
                "mutation { deleteGoal(id: \"\(id)\") { deletedId } }", as: alice, backends)
            _ = try await answers.value(of: "goalsProgress") { $0["target"] == "0" }
        }
    }

    @Test("change with the positions")
    func holdings() async throws {
        try await withGateway { gateway in
            let backends = try backends(gateway)
            _ = try await GoalTests.create(
                gateway, backends,
                "{ title: \"House\", target: \"1000000\", allocations: [{ symbol: \"AAPL\" }] }")
            var answers = try await gateway.subscribe(Self.query, as: alice, backends)
            let before = try #require(
                GoalTests.decimal(try await answers.value(of: "goalsProgress")["achieved"]))
            var order = TestOrder(account: try await gateway.account(backends))
            order.symbol = "AAPL"
            _ = try await gateway.placed(order, backends)
            let after = try await answers.value(of: "goalsProgress") {
                GoalTests.decimal($0["achieved"]).map { $0 > before } ?? false
            }
            let expected = try await gateway.ask("{ goalsProgress { achieved } }", as: alice, backends)
            #expect(after["achieved"] == expected["data"]?["goalsProgress"]?["achieved"])
        }
    }

    @Test("is read with the calls of the client that follows it")
    func callBudget() async throws {
        try await withGateway { gateway in
            let backends = try backends(gateway)
            _ = try await GoalTests.create(
                gateway, backends,
                "{ title: \"House\", target: \"100\", allocations: [{ symbol: \"AAPL\" }] }")
            let refusal = CallRefusal.client(limit: 3, retryAt: .latest)
            let callBudget = OperationCallBudget(limit: 50) { _ in refusal }
            let scope = RequestScope(
                // With nothing in memory.
                session: Session(owner: alice, scopes: [.read]), services: try self.backends(gateway),
                call: CallContext(deadline: .now + .seconds(60), callBudget: callBudget))
            let before = gateway.calls
            var events = try SubscriptionService(scope).liveGoalsProgress(in: "USD").makeAsyncIterator()
            _ = try #require(await events.next())
            #expect(gateway.calls == before, "the client has no call left")
        }
    }

    @Test("do not repeat an error of which only the retry time has changed")
    func failures() async throws {
        try await withGateway { gateway in
            let connection = try gateway.connection("demo", of: alice)
            let scope = RequestScope(
                session: Session(owner: alice, scopes: [.read]), services: try backends(gateway),
                call: CallContext(deadline: .now + .seconds(60)))
            let table = try await ExchangeRateService(scope).rateTable([]).value()
            func progress(_ code: ErrorCode, at seconds: Int) -> GoalsProgress {
                let error = FieldError(
                    code, "Later.", provider: .alpaca, retryAt: .earliest + .seconds(seconds))
                let holdings = UserHoldings(parts: [
                    UserHoldings.Part(connection: connection, positions: [.failure(error)])
                ])
                let allocation = GoalAllocation(symbol: .example, account: nil, share: .all)
                let request = AllocationValuation.Request(allocation: allocation, currency: "USD")
                return GoalsProgress(
                    [], of: alice, in: "USD", [AllocationValuation(request, holdings, table)], table)
            }
            let first = progress(.quotaExhausted, at: 1)
            #expect(first.isEquivalent(to: progress(.quotaExhausted, at: 2)))
            #expect(!first.isEquivalent(to: progress(.providerTimeout, at: 1)))
        }
    }

    @Test("need a valid currency and a session")
    func refusals() async throws {
        try await withGateway { gateway in
            let backends = try backends(gateway)
            let cases: [(String, OwnerID?, String)] = [
                ("subscription { goalsProgress(currency: \"dollars\") { target } }", alice, "BAD_USER_INPUT"),
                (Self.query, nil, "UNAUTHENTICATED"),
            ]
            for (query, owner, code) in cases {
                let told = try await gateway.follow(query, as: owner, backends, count: 1)
                #expect(told.first?.failures.first?.code == code, "\(told)")
            }
        }
    }
}
