import Brokerage
import GraphQL

/// A position, and the connection by which it was read.
struct ConnectedPosition: Sendable {
    let position: Position
    let connection: BrokerConnection

    /// The `id` that the schema gives it.
    var globalID: String { connection.globalID(ofPosition: position) }

    /// The account that holds it.
    var accountReference: AccountReference {
        AccountReference(connection: connection, accountID: position.accountID)
    }
}

extension ConnectedPosition: GraphQLObject {
    typealias Context = GatewayContext

    static let graphQL = ObjectType<ConnectedPosition>("Position") {
        Field("id") { $0.globalID }
        Field("provider") { $0.connection.provider }
        Field(
            "account", load: { positions, context in context.accounts(at: positions.map(\.accountReference)) }
        )
        Field("symbol", \.position.symbol)
        Field(
            "assetClass",
            load: { positions, context in
                context.assetClasses(of: positions).map { classes in
                    classes.map { Result<AssetClass?, any Error>.success($0) }
                }
            })
        Field(
            "instrument",
            load: { positions, context in context.instruments(for: positions.map(\.position.symbol)) })
        Field("side", \.position.side)
        Field("quantity", \.position.quantity)
        Field("availableQuantity", \.position.availableQuantity)
        Field("averageEntryPrice", \.position.averageEntryPrice)
        Field("costBasis", \.position.costBasis)
        Field("currentPrice", \.position.currentPrice)
        Field("delayMinutes", \.position.delayMinutes)
        Field("marketValue", \.position.marketValue)
        Field("currency", \.position.currency)
        Field("unrealizedProfitLoss", \.position.unrealizedProfitLoss)
        Field("unrealizedProfitLossPercent") { $0.position.unrealizedProfitLossPercent?.doubleValue }
        Field("dayProfitLoss", \.position.dayProfitLoss)
        Field("dayProfitLossPercent") { $0.position.dayProfitLossPercent?.doubleValue }
        Field("status", \.position.status)
        Field(
            "converted", ConversionArguments.self,
            load: { positions, arguments, context in
                try context.converted(positions, to: arguments.currency)
            })
        Field(
            "quote", ProviderArguments.self,
            load: { positions, arguments, context in
                context.quotes(
                    for: positions.map(\.position.symbol), from: arguments.provider, as: Optional.some)
            })
        Field(
            "chart", ChartArguments.self,
            load: { positions, arguments, context in
                context.charts(for: positions.map(\.position.symbol), arguments, as: { Optional(Chart($0)) })
            })
        Field("asOf", \.position.provenance.asOf)
        Field("fetchedAt", \.position.provenance.fetchedAt)
        Field("source", \.position.provenance.source)
        Field("stale", \.position.provenance.isStale)
    }
}
