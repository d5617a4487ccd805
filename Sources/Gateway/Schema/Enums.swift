package import Brokerage
import GraphQL
package import Storage

// The vocabulary's enums whose names and values are those of the schema.

extension Environment: GraphQLEnum, GraphQLInput {
    package static var sample: Environment { .live }
}

extension ConnectionStatus: GraphQLEnum {}

extension Interval: GraphQLEnum, GraphQLInput {
    package static var sample: Interval { .oneDay }
}

extension DateRange: GraphQLEnum, GraphQLInput {
    package static var graphQLName: String { "Range" }
    package static var sample: DateRange { .oneDay }
}

extension PositionSide: GraphQLEnum {}

extension ValuationReliability: GraphQLEnum {}

extension AssetClass: GraphQLEnum {}

extension Adjustment: GraphQLEnum, GraphQLInput {
    package static var sample: Adjustment { .raw }
}

extension Timeliness: GraphQLEnum {}

extension MarketState: GraphQLEnum {}

extension MarketDepth.Unavailability: GraphQLEnum {
    package static var graphQLName: String { "MarketDepthUnavailability" }
}

extension AllocationKey: GraphQLEnum, GraphQLInput {
    package static var sample: AllocationKey { .assetClass }
}

extension ActivityKind: GraphQLEnum, GraphQLInput {
    package static var sample: ActivityKind { .trade }
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
