import Brokerage
package import GraphQL
import Storage
import Upstream

/// A user's goals, and their values by the user's holdings.
package struct GoalService: Sendable {
    let scope: RequestScope
    let store: GoalStore
    let subscriptions: LiveSubscriptions
}

extension GoalService {
    package init(_ scope: RequestScope) {
        self.init(
            scope: scope, store: scope.services.userData.goals, subscriptions: scope.services.subscriptions)
    }

    /// All goals of the user, in the order in which they were made.
    func goals() throws -> MaybeAsync<[GoalObject]?> {
        let owner = try scope.owner()
        return .async { [self] in try await store.goals(of: owner).map(GoalObject.init) }
    }

    /// A goal of the user by its id in the schema; nil if there is none.
    func goal(id: String) throws -> MaybeAsync<GoalObject?> {
        let owner = try scope.owner()
        guard let own = GoalObject.ownID(id) else { return .ready(nil) }
        return .async { [self] in try await store.goal(own, of: owner).map(GoalObject.init)
        }
    }

    /// The value of each allocation: positions and rates are each read together.
    package func appraisals(of requests: [AllocationValuation.Request]) throws -> MaybeAsync<
        [AllocationValuation]
    > {
        if requests.isEmpty { return .ready([]) }
        switch try holdings() {
        case .ready(let holdings): return appraisals(of: requests, in: holdings)
        case .async(let fetch):
            return .async { [self] in try await appraisals(of: requests, in: fetch()).value() }
        }
    }

    private func appraisals(
        of requests: [AllocationValuation.Request], in holdings: UserHoldings
    ) -> MaybeAsync<[AllocationValuation]> {
        let pairs = requests.flatMap { request -> [(from: String, to: String)] in
            let positions = try? holdings.positions(
                of: request.allocation.symbol, inAccount: request.allocation.account)
            return (positions ?? []).map { (from: $0.position.currency, to: request.currency) }
        }
        return ExchangeRateService(scope).rateTable(pairs).map { table in
            requests.map { AllocationValuation($0, holdings, table) }
        }
    }

    /// The values of the allocations of each goal, in the goal's currency.
    func appraisals(of goals: [GoalObject]) throws -> MaybeAsync<[[AllocationValuation]]> {
        let requests = goals.flatMap { goal in goal.allocations.map(\.request) }
        return try appraisals(of: requests).map { appraisals in
            var rest = appraisals[...]
            return goals.map { goal in
                let own = rest.prefix(goal.allocations.count)
                rest = rest.dropFirst(own.count)
                return Array(own)
            }
        }
    }

    /// The progress of all goals together, in one currency.
    func goalsProgress(in code: String) throws -> MaybeAsync<GoalsProgress?> {
        let currency = try Currency(code, of: "currency").code
        let owner = try scope.owner()
        let goals = try goals()
        return .async { [self] in
            let goals = try await goals.value() ?? []
            let requests = goals.flatMap { goal in
                goal.goal.content.allocations.map {
                    AllocationValuation.Request(allocation: $0, currency: currency)
                }
            }
            let pairs = goals.map { (from: $0.goal.content.currency, to: currency) }
            async let appraised = appraisals(of: requests).value()
            async let table = ExchangeRateService(scope).rateTable(pairs).value()
            return GoalsProgress(goals, of: owner, in: currency, try await appraised, try await table)
        }
    }
}
