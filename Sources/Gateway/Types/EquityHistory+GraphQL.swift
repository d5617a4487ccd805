package import Brokerage
package import GraphQL

extension EquityHistory: GraphQLObject {
    package static let graphQL = ObjectType<EquityHistory>("EquityHistory") {
        Field("range", \.range)
        Field("interval", \.interval)
        Field("currency", \.currency)
        Field("baseValue", \.baseValue)
        Field("points", \.points)
        Field("asOf", \.provenance.asOf)
        Field("fetchedAt", \.provenance.fetchedAt)
        Field("source", \.provenance.source)
        Field("stale", \.provenance.isStale)
    }
}

extension EquityPoint: GraphQLObject {
    package static let graphQL = ObjectType<EquityPoint>("EquityPoint") {
        Field("time", \.time)
        Field("equity", \.equity)
        Field("profitLoss", \.profitLoss)
        Field("profitLossPercent") { $0.profitLossPercent?.doubleValue }
    }
}
