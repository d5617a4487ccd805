import Brokerage
import GraphQL

/// An account, and the connection by which it was read.
struct LinkedAccount: Sendable {
    let account: Account
    let connection: BrokerConnection

    /// The `id` that the schema gives it.
    var globalID: String { connection.globalID(ofAccount: account.id) }
}

extension LinkedAccount: GraphQLObject {
    typealias Context = GatewayContext

    static let graphQL = Object<LinkedAccount>("Account") {
        Field("id") { $0.globalID }
        Field("provider") { $0.connection.provider }
        Field("environment") { $0.connection.environment }
        Field("number", \.account.number)
        Field("name", \.account.name)
        Field("currency", \.account.currency)
        Field("status", \.account.status)
        Field("canTrade", \.account.canTrade)
        Field("equity", \.account.equity)
        Field("lastEquity", \.account.lastEquity)
        Field("cash", \.account.cash)
        Field("availableCash", \.account.availableCash)
        Field("settledCash", \.account.settledCash)
        Field("unsettledCash", \.account.unsettledCash)
        Field("blockedCash", \.account.blockedCash)
        Field("buyingPower", \.account.buyingPower)
        Field("marginAvailable", \.account.marginAvailable)
        Field("marginUsed", \.account.marginUsed)
        Field("marginUtilization") { $0.account.marginUtilization?.doubleValue }
        Field("dayChange") { $0.account.dayChange }
        Field("dayChangePercent") { $0.account.dayChangePercent?.doubleValue }
        Field(
            "positions", SymbolsArguments.self,
            load: { accounts, arguments, context in
                .each(accounts) { context.positions(of: $0, symbols: arguments.symbols) }
            })
        Field(
            "history", HistoryArguments.self,
            load: { accounts, arguments, context in
                .each(accounts) {
                    context.history(of: $0, arguments.range, interval: arguments.interval)
                }
            })
        Field(
            "allocation", AllocationArguments.self,
            load: { accounts, arguments, context in
                .each(accounts) { context.allocation(of: $0, by: arguments.key) }
            })
        Field("asOf", \.account.reading.asOf)
        Field("fetchedAt", \.account.reading.fetchedAt)
        Field("source", \.account.reading.source)
        Field("stale", \.account.reading.isStale)
    }
}

struct HistoryArguments: GraphQLArguments {
    let range: HistoryRange
    let interval: Interval?

    init(_ arguments: ArgumentReader) throws {
        range = try arguments["range"]
        interval = try arguments["interval"]
    }
}
