import Brokerage
import GraphQL
import Storage

/// A goal, as the schema shows it.
package struct GoalObject: Sendable {
    let goal: StoredGoal
    let allocations: [GoalAllocationObject]

    init(_ goal: StoredGoal) {
        self.goal = goal
        allocations = goal.content.allocations.map {
            GoalAllocationObject(allocation: $0, currency: goal.content.currency)
        }
    }

    /// The `id` that the schema gives it.
    var globalID: String { NodeID(.goal, goal.id).text }

    /// The id in the store of a goal by its id in the schema; nil for that of something else.
    static func ownID(_ globalID: String) -> String? {
        NodeID(globalID).flatMap { $0.kind == .goal ? $0.localID : nil }
    }

    /// `achieved` in per cent of `target`; nil if `achieved` is unknown, and for a target of zero.
    static func progress(of achieved: Decimal?, towards target: Decimal) -> Decimal? {
        guard let achieved else { return nil }
        return achieved.percent(of: target)
    }
}

extension GoalObject: GraphQLObject {
    typealias Context = RequestScope

    static let graphQL = ObjectType<GoalObject>("Goal") {
        Field("id") { $0.globalID }
        Field("title", \.goal.content.title)
        Field("description", \.goal.content.about)
        Field("target", \.goal.content.target)
        Field("currency", \.goal.content.currency)
        Field("dueOn", \.goal.content.dueOn)
        Field("allocations", \.allocations)
        Field(
            "achieved",
            load: { goals, scope in
                try GoalService(scope).appraisals(of: goals).map { appraisals in
                    appraisals.map { own in Result { try own.total() } }
                }
            })
        Field(
            "progressPercentage",
            load: { goals, scope in
                try GoalService(scope).appraisals(of: goals).map { appraisals in
                    zip(goals, appraisals).map { goal, own in
                        Result { GoalObject.progress(of: try own.total(), towards: goal.goal.content.target) }
                    }
                }
            })
        Field("createdAt", \.goal.createdAt)
        Field("updatedAt", \.goal.updatedAt)
    }
}

/// A share of a holding, and the currency of the goal that it counts towards.
struct GoalAllocationObject: Sendable {
    let allocation: GoalAllocation
    let currency: String

    var request: AllocationValuation.Request {
        AllocationValuation.Request(allocation: allocation, currency: currency)
    }
}

extension GoalAllocationObject: GraphQLObject {
    typealias Context = RequestScope

    static let graphQL = ObjectType<GoalAllocationObject>("GoalAllocation") {
        Field("symbol", \.allocation.symbol)
        Field(
            "instrument",
            load: { allocations, scope in
                InstrumentService(scope).instruments(for: allocations.map(\.allocation.symbol))
            })
        Field("quantity") { $0.allocation.share.quantity }
        Field("percentage") { $0.allocation.share.percent }
        Field(
            "account",
            load: { allocations, scope in
                .each(allocations) { entry in
                    try entry.allocation.account.map { try AccountService(scope).account(id: $0, with: nil) }
                        ?? .ready(nil)
                }
            })
        Field(
            "positions",
            load: { allocations, scope in
                try GoalService(scope).holdings().map { holdings in
                    allocations.map { entry -> Result<BatchResults<ConnectedPosition>?, any Error> in
                        .success(
                            holdings.positionResults(
                                of: entry.allocation.symbol, inAccount: entry.allocation.account))
                    }
                }
            })
        Field(
            "value",
            load: { allocations, scope in
                try GoalService(scope).appraisals(of: allocations.map(\.request)).map { $0.map(\.value) }
            })
        Field(
            "rate",
            load: { allocations, scope in
                try GoalService(scope).appraisals(of: allocations.map(\.request)).map { appraisals in
                    appraisals.map { Result<ExchangeRate?, any Error>.success($0.rates.first) }
                }
            })
    }
}

extension GoalAllocation.Share {
    fileprivate var quantity: Decimal? {
        switch self {
        case .quantity(let quantity): quantity
        case .all, .percent: nil
        }
    }

    fileprivate var percent: Decimal? {
        switch self {
        case .percent(let percent): percent
        case .all, .quantity: nil
        }
    }
}
