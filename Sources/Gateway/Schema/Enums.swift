package import Brokerage
import GraphQL
package import Storage

// The vocabulary's enums whose names and values are those of the schema.

extension ProviderID: GraphQLEnum, GraphQLInput {
    package static var graphQLName: String { "Provider" }
    package static var sample: ProviderID { allCases[0] }
}

extension Environment: GraphQLEnum, GraphQLInput {
    package static var sample: Environment { .live }
}

extension ConnectionStatus: GraphQLEnum {}

extension Interval: GraphQLEnum, GraphQLInput {
    package static var sample: Interval { .oneDay }
}

extension HistoryRange: GraphQLEnum, GraphQLInput {
    package static var sample: HistoryRange { .oneDay }
}

extension PositionSide: GraphQLEnum {}

extension AssetClass: GraphQLEnum {}

extension Adjustment: GraphQLEnum, GraphQLInput {
    package static var sample: Adjustment { .raw }
}

extension Timeliness: GraphQLEnum {}

extension MarketState: GraphQLEnum {}

extension AllocationKey: GraphQLEnum, GraphQLInput {
    package static var sample: AllocationKey { .assetClass }
}

extension OrderSide: GraphQLEnum, GraphQLInput {
    package static var sample: OrderSide { .buy }
}

extension TimeInForce: GraphQLEnum, GraphQLInput {
    package static var sample: TimeInForce { .day }
}

extension OrderType: GraphQLEnum {}

extension OrderState: GraphQLEnum, GraphQLInput {
    package static var sample: OrderState { .open }
}

extension ReconciliationState: GraphQLEnum {
    static var graphQLName: String { "OrderReconciliation" }
}

extension RejectionReason: GraphQLEnum {}

extension PreviewCalculator: GraphQLEnum {}

extension ErrorCode: GraphQLEnum {}

extension Scope: GraphQLEnum, GraphQLInput {
    package static var sample: Scope { .read }
}

extension Feature: GraphQLEnum {}
