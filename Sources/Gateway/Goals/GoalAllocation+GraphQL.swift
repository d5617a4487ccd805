import Brokerage
import GraphQL
import Storage

/// A share of a holding, and the currency of the goal that it counts towards.
struct GoalAllocationObject: Sendable {
    let allocation: GoalAllocation
    let currency: String

    var request: AllocationValuation.Request {
        AllocationValuation.Request(allocation: allocation, currency: currency)
    }
}

extension GoalAllocationObject: GraphQLObject {
    typealias Context = GatewayContext

    static let graphQL = ObjectType<GoalAllocationObject>("GoalAllocation") {
        Field("symbol", \.allocation.symbol)
        Field(
            "instrument",
            load: { allocations, context in context.instruments(for: allocations.map(\.allocation.symbol)) })
        Field("quantity") { $0.allocation.share.quantity }
        Field("percent") { $0.allocation.share.percent }
        Field(
            "account",
            load: { allocations, context in
                .each(allocations) { linked in
                    try linked.allocation.account.map { try context.account(id: $0, with: nil) }
                        ?? .ready(nil)
                }
            })
        Field(
            "positions",
            load: { allocations, context in
                try context.holdings().map { holdings in
                    allocations.map { linked -> Result<BatchResults<ConnectedPosition>?, any Error> in
                        .success(
                            holdings.positionResults(
                                of: linked.allocation.symbol, inAccount: linked.allocation.account))
                    }
                }
            })
        Field(
            "value",
            load: { allocations, context in
                try context.appraisals(of: allocations.map(\.request)).map { $0.map(\.value) }
            })
        Field(
            "rate",
            load: { allocations, context in
                try context.appraisals(of: allocations.map(\.request)).map { appraisals in
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
