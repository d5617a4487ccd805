package import Brokerage
package import GraphQL
import Storage

/// An account and its connection.
///
/// Many positions refer to it, and it does not change, so it is a class.
package final class ConnectedAccount: Sendable {
    let stored: StoredAccount
    let connection: BrokerConnection
    /// The amounts of the account, if they were read together with it; nil if they have not been requested.
    let figures: Account?

    init(stored: StoredAccount, connection: BrokerConnection, figures: Account?) {
        self.stored = stored
        self.connection = connection
        self.figures = figures
    }

    /// The `id` that the schema gives it.
    package var globalID: String { connection.globalID(ofAccount: stored.id) }
}

/// An account with the figures that were read of it.
struct LoadedAccount: Sendable {
    let account: Account
    let connection: BrokerConnection

    /// The `id` that the schema gives it.
    var globalID: String { connection.globalID(ofAccount: account.id) }

    var connectedAccount: ConnectedAccount {
        ConnectedAccount(stored: StoredAccount(account), connection: connection, figures: account)
    }
}

extension ConnectedAccount: GraphQLObject {
    package typealias Context = RequestScope

    package static let graphQL = ObjectType<ConnectedAccount>("Account") {
        Field("id") { $0.globalID }
        Field("provider") { $0.connection.provider }
        Field(
            "connection",
            load: { accounts, scope in
                .ready(
                    accounts.map { account in Result { try ConnectionDirectory(scope).link(of: account) } })
            })
        Field("environment") { $0.connection.environment }
        Field("number") { $0.stored.number }
        Field("name") { $0.stored.name }
        Field("currency") { $0.stored.currency }
        fetchedFields
        Field(
            "positions", SymbolsArguments.self,
            load: { accounts, arguments, scope in
                .each(accounts) { AccountService(scope).positions(of: $0, symbols: arguments.symbols) }
            })
        Field(
            "orders", AccountOrdersArguments.self,
            load: { accounts, arguments, scope in
                .each(accounts) { try OrderService(scope).orders(of: $0, arguments.orders) }
            })
        Field(
            "activities", ActivitiesArguments.self,
            load: { accounts, arguments, scope in
                .each(accounts) { try ActivityService(scope).activities(of: $0, arguments) }
            })
        Field(
            "closedPositions", ClosedPositionsArguments.self,
            load: { accounts, arguments, scope in
                .each(accounts) { try AccountService(scope).closedPositions(of: $0, arguments) }
            })
        Field(
            "conversionRates",
            load: { accounts, scope in .each(accounts) { try AccountService(scope).conversionRates(of: $0) } }
        )
        Field(
            "history", HistoryArguments.self,
            load: { accounts, arguments, scope in
                .each(accounts) {
                    AccountService(scope).history(of: $0, arguments.range, interval: arguments.interval)
                }
            })
        Field(
            "performance", PerformanceArguments.self,
            load: { accounts, arguments, scope in
                PerformanceService(scope).performances(of: accounts, arguments) { account in
                    PerformanceSubject(
                        accounts: [account],
                        currency: try arguments.currency ?? Currency(account.stored.currency))
                }
            })
        Field(
            "allocation", AllocationArguments.self,
            load: { accounts, arguments, scope in
                .each(accounts) { try PortfolioService(scope).allocation(of: $0, by: arguments.key) }
            })
        Field("source") { $0.connection.provider }
    }

    /// The fields that the broker must return; one call returns all of them.
    @FieldsBuilder<ConnectedAccount> private static var fetchedFields: [Field<ConnectedAccount>] {
        figure("status", \.status)
        figure("canTrade", \.canTrade)
        figure("equity", \.equity)
        figure("lastEquity", \.lastEquity)
        figure("cash", \.cash)
        figure("availableCash", \.availableCash)
        figure("settledCash", \.settledCash)
        figure("unsettledCash", \.unsettledCash)
        figure("blockedCash", \.blockedCash)
        figure("buyingPower", \.buyingPower)
        figure("marginAvailable", \.marginAvailable)
        figure("marginUsed", \.marginUsed)
        figure("marginUtilizationPercentage", \.marginUtilization)
        dayChange("dayChange", \.amount)
        dayChange("dayChangePercentage", \.percentage)
        figure("asOf", \.provenance.asOf)
        figure("fetchedAt") { $0.provenance.fetchedAt }
        figure("stale") { $0.provenance.isStale }
    }

    private static func dayChange<Value: GraphQLOutput>(
        _ name: String, _ value: @escaping @Sendable (DayChange) -> Value?
    ) -> Field<ConnectedAccount> {
        Field(
            name,
            load: { accounts, scope in
                .each(accounts) { try PortfolioService(scope).dayChange(of: $0).map { $0.flatMap(value) } }
            })
    }

    private static func figure<Value: GraphQLOutput>(
        _ name: String, _ value: @escaping @Sendable (Account) -> Value?
    ) -> Field<ConnectedAccount> {
        Field(
            name,
            load: { accounts, scope in
                .each(accounts) { connected in
                    if let figures = connected.figures { return .ready(value(figures)) }
                    return try AccountService(scope).readFigures(of: connected).map(value)
                }
            })
    }
}

extension AccountService {
    /// The account with the id that an argument has; the error names the argument if there is none.
    func account(id: String, of argument: String) async throws -> ConnectedAccount {
        do {
            if let account = try await account(id: id, with: nil).value() { return account }
        } catch let error as FieldError where error.code == .notFound {
            throw error.of(argument: argument)
        }
        throw FieldError.noAccount(id).of(argument: argument)
    }
}

struct HistoryArguments: GraphQLArguments {
    let range: DateRange
    let interval: Interval?

    init(_ arguments: ArgumentReader) throws {
        range = try arguments["range"]
        interval = try arguments["interval"]
    }
}

extension EquityHistory {
    /// A failure for each point that could not be read.
    var failures: [FieldError] {
        unreadable.map { .unreadable("a point of a history", $0, of: provenance.source) }
    }
}

extension EquityHistory: GraphQLObject {
    package static let graphQL = ObjectType<EquityHistory>("EquityHistory") {
        Field("range", \.range)
        Field("interval", \.interval)
        Field("currency", \.currency)
        Field("baseValue", \.baseValue)
        Field("points") { history -> BatchResults<EquityPoint> in
            history.points.map { .success($0) } + history.failures.map { .failure($0) }
        }
        Field("asOf", \.provenance.asOf)
        Field("fetchedAt", \.provenance.fetchedAt)
        Field("source", \.provenance.source)
        Field("stale", \.provenance.isStale)
    }
}

extension EquityPoint: GraphQLObject {
    package static let graphQL = ObjectType<EquityPoint>("EquityPoint") {
        Field("time", \.time)
        Field("date", \.date)
        Field("equity", \.equity)
        Field("profitLoss", \.profitLoss)
        Field("profitLossPercentage") { $0.profitLossPercent }
    }
}
