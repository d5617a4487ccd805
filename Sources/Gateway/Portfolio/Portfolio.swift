package import Brokerage
import GraphQL
import Upstream

/// All accounts of a user summed in one currency.
package struct Portfolio: Sendable {
    private let owner: OwnerID
    let currency: Currency
    let holdings: Holdings
    let rates: ExchangeRates
    let parts: [PortfolioPart]

    init(_ holdings: Holdings, of owner: OwnerID, in currency: Currency, rates: ExchangeRates) {
        self.owner = owner
        self.currency = currency
        self.holdings = holdings
        self.rates = rates
        parts = holdings.accounts.map { PortfolioPart(account: $0, rates: rates) }
    }

    /// A sum over all accounts.
    ///
    /// - Throws: The reason why it would be incomplete: an account that could not be read, or a missing
    ///   exchange rate.
    package func sum(_ figure: (Account) -> Decimal?) throws -> Decimal? {
        if let failure = holdings.failure { throw failure }
        var sum = Decimal.zero
        for loaded in holdings.accounts {
            guard let amount = figure(loaded.account) else { return nil }
            sum = try sum + converted(amount, from: loaded.account.currency)
        }
        return holdings.accounts.isEmpty ? nil : sum.rounded(in: currency.code)
    }

    /// The profit or loss of all open positions.
    fileprivate func unrealizedProfitLoss() throws -> Decimal? {
        if let failure = holdings.failure { throw failure }
        var sum = Decimal.zero
        for connected in holdings.positions {
            guard let amount = connected.position.unrealizedProfitLoss else { return nil }
            sum = try sum + converted(amount, from: connected.position.currency)
        }
        return holdings.accounts.isEmpty ? nil : sum.rounded(in: currency.code)
    }

    func converted(_ amount: Decimal, from code: String) throws -> Decimal {
        guard let value = rates.convert(amount, from: code) else {
            throw FieldError.noRate(CurrencyPair(from: try Currency(code), to: currency))
        }
        return value
    }

    /// All accounts of the user.
    ///
    /// - Throws: The failure of an account: a part of the accounts must not count as all.
    func accounts() throws -> [ConnectedAccount] {
        if let failure = holdings.failure { throw failure }
        return holdings.accounts.map(\.connectedAccount)
    }

    /// The sum of what could be read.
    fileprivate var knownValue: Decimal? {
        let known = parts.compactMap(\.converted)
        return known.isEmpty ? nil : (try? known.reduce(.zero) { try $0 + $1 })?.rounded(in: currency.code)
    }

    /// The accounts' readings and those of the rates: a sum is as old as its oldest part.
    fileprivate var provenances: [Provenance] {
        holdings.accounts.map(\.account.provenance) + rates.known.values.map(\.provenance)
    }
}

extension Portfolio: GraphQLObject {
    typealias Context = RequestScope

    static let graphQL = ObjectType<Portfolio>("Portfolio") {
        Field("id") { NodeID(.portfolio, of: $0.owner, in: $0.currency.code).text }
        Field("currency") { $0.currency.code }
        Field("totalValue", throwing: { try $0.sum(\.equity) })
        Field("knownValue") { $0.knownValue }
        Field("cash", throwing: { try $0.sum(\.cash) })
        dayChange("dayChange", \.amount)
        dayChange("dayChangePercentage", \.percentage)
        Field("unrealizedProfitLoss", throwing: { try $0.unrealizedProfitLoss() })
        Field(
            "allocation", AllocationArguments.self,
            load: { portfolios, arguments, scope in
                .each(portfolios) { portfolio in
                    try PortfolioService(scope).slices(
                        of: portfolio.holdings, in: portfolio.currency, by: portfolio.rates, arguments.key)
                }
            })
        Field(
            "performance", PerformanceArguments.self,
            load: { portfolios, arguments, scope in
                PerformanceService(scope).performances(of: portfolios, arguments) { portfolio in
                    PerformanceSubject(
                        accounts: try portfolio.accounts(),
                        currency: arguments.currency ?? portfolio.currency)
                }
            })
        Field(
            "history", PortfolioHistoryArguments.self,
            load: { portfolios, arguments, scope in
                .each(portfolios) { portfolio in
                    .async { try await PerformanceService(scope).history(of: portfolio, arguments) }
                }
            })
        Field(
            "holdings", PageArguments.self,
            load: { portfolios, arguments, scope in
                .each(portfolios) { .ready(Optional(try ConnectionPage<Holding>(of: $0, arguments))) }
            })
        Field(
            "income",
            load: { portfolios, scope in
                .each(portfolios) { portfolio in
                    .async { try await PerformanceService(scope).income(of: portfolio) }
                }
            })
        Field("parts", \.parts)
        Field("missing") { $0.parts.filter { $0.isMissing }.map(\.account.connectedAccount) }
        Field("asOf") { $0.provenances.asOf }
        Field("fetchedAt") { $0.provenances.map(\.fetchedAt).min() }
        Field("source") { $0.provenances.commonSource }
        Field("stale") { $0.provenances.contains(where: \.isStale) }
    }

    private static func dayChange<Value: GraphQLOutput>(
        _ name: String, _ value: @escaping @Sendable (DayChange) -> Value?
    ) -> Field<Portfolio> {
        Field(
            name,
            load: { portfolios, scope in
                .each(portfolios) { portfolio in
                    .async { try await PortfolioService(scope).dayChange(of: portfolio).flatMap(value) }
                }
            })
    }
}

/// One account's part of a portfolio.
struct PortfolioPart: Sendable {
    let account: LoadedAccount
    /// In the portfolio's currency; nil if the broker returns no value, or no source has the rate.
    let converted: Decimal?
    let rate: ExchangeRate?

    init(account: LoadedAccount, rates: ExchangeRates) {
        self.account = account
        converted = account.account.equity.flatMap { rates.convert($0, from: account.account.currency) }
        rate = rates.known[account.account.currency]
    }

    /// Whether the sums lack it.
    var isMissing: Bool { converted == nil }
}

extension PortfolioPart: GraphQLObject {
    static let graphQL = ObjectType<PortfolioPart>("PortfolioPart") {
        Field("account") { $0.account.connectedAccount }
        Field("value", \.account.account.equity)
        Field("converted", \.converted)
        Field("rate", \.rate)
    }
}

struct CurrencyArguments: GraphQLArguments {
    let currency: String

    init(_ arguments: ArgumentReader) throws {
        currency = try (arguments["currency"] as CodeText).text
    }
}
