import Brokerage
import GraphQL
import PorticoCore

/// The change of the value of accounts since the previous close, in one currency.
struct DayChange: Sendable {
    let amount: Decimal
    /// The value at the previous close; nil if it is unknown.
    let before: Decimal?

    var percentage: Decimal? { before.flatMap { amount.percent(of: $0) } }

    fileprivate init(amount: Decimal, before: Decimal?) {
        (self.amount, self.before) = (amount, before)
    }

    /// As the broker reports it; nil for a broker that does not report the equity at the previous close.
    fileprivate init?(_ account: Account) {
        guard let amount = account.dayChange else { return nil }
        self.init(amount: amount, before: account.lastEquity)
    }
}

extension PortfolioService {
    /// The change of an account: as the broker reports it, otherwise the profit of its positions on this day.
    ///
    /// - Throws: `FieldError` if the broker has just reported that it does not know the account.
    func dayChange(of connected: ConnectedAccount) throws -> MaybeAsync<DayChange?> {
        let figures = try AccountService(scope).figures(of: connected)
        if case .ready(let account) = figures, let change = DayChange(account) { return .ready(change) }
        return .async { [self] in
            let account = try await figures.value()
            if let change = DayChange(account) { return change }
            let positions =
                try await AccountService(scope).positions(of: connected, symbols: nil).value()?.map {
                    try $0.get()
                } ?? []
            return try await dayChange(of: account, holding: positions).value()
        }
    }

    /// The change of all accounts of a portfolio; nil if that of one is unknown.
    ///
    /// - Throws: The reason why it would be incomplete: an account that could not be read, or a missing exchange rate.
    func dayChange(of portfolio: Portfolio) async throws -> DayChange? {
        if let failure = portfolio.holdings.failure { throw failure }
        // As in the history of a portfolio.
        await Task.yield()
        let accounts = portfolio.holdings.accounts
        let changes = try await MaybeAsync.each(accounts) { loaded in
            let positions = portfolio.holdings.positions.filter {
                portfolio.account(of: $0)?.globalID == loaded.globalID
            }
            return dayChange(of: loaded.account, holding: positions)
        }.value()
        var (amount, before) = (Decimal.zero, Decimal?.some(.zero))
        for (loaded, change) in zip(accounts, changes) {
            guard let change = try change.get() else { return nil }
            let currency = loaded.account.currency
            amount = try amount + portfolio.converted(change.amount, from: currency)
            if let sum = before, let own = change.before {
                before = try sum + portfolio.converted(own, from: currency)
            } else {
                before = nil
            }
        }
        return accounts.isEmpty ? nil : DayChange(amount: amount, before: before)
    }

    /// The change of an account with its positions, in the currency of the account.
    ///
    /// Amounts in other currencies are converted with the broker's own rate of the position, otherwise with a market rate.
    private func dayChange(
        of account: Account, holding positions: [ConnectedPosition]
    ) -> MaybeAsync<DayChange?> {
        if let change = DayChange(account) { return .ready(change) }
        guard let equity = account.equity else { return .ready(nil) }
        return .async { [self] in
            let profits = try await AccountService(scope).dayProfits(of: positions).value()
            let foreign = positions.map(\.position).filter { $0.conversionRate == nil }
            let rates = try await ExchangeRateService(scope).rateTable(
                foreign.map { ($0.currency, account.currency) }
            ).value()
            var sum = Decimal.zero
            for (connected, profit) in zip(positions, profits) {
                guard let profit = try profit.get() else { return nil }
                let position = connected.position
                if position.currency != account.currency, let rate = position.conversionRate {
                    sum = try sum + (profit.amount * rate).rounded(in: account.currency)
                } else {
                    sum =
                        try sum
                        + rates.convert(profit.amount, from: position.currency, to: account.currency)
                }
            }
            return DayChange(amount: sum, before: try? equity - sum)
        }
    }
}

extension PortfolioService {
    /// The day's profit or loss of each holding in the currency of its portfolio; nil if it or the exchange rate is unknown.
    func dayProfits(of holdings: [Holding]) -> MaybeAsync<BatchResults<Decimal?>> {
        AccountService(scope).dayProfits(of: holdings.flatMap(\.positions)).map { profits in
            var rest = profits[...]
            return holdings.map { holding in
                let own = rest.prefix(holding.positions.count)
                rest = rest.dropFirst(holding.positions.count)
                return Result {
                    var sum = Decimal.zero
                    for profit in own {
                        guard let profit = try profit.get() else { return nil }
                        sum = try sum + profit.amount
                    }
                    return holding.portfolio.rates.convert(
                        sum.rounded(in: holding.currency), from: holding.currency)
                }
            }
        }
    }

    /// The day's profit or loss of each holding in per cent of its portfolio's value at the previous close.
    func dayContributions(of holdings: [Holding]) -> MaybeAsync<BatchResults<Decimal?>> {
        .async { [self] in
            let profits = try await dayProfits(of: holdings).value()
            // Holdings of one layer are those of one portfolio, or of one for each currency.
            var changes: [Currency: Result<DayChange?, any Error>] = [:]
            for portfolio in holdings.map(\.portfolio) where changes[portfolio.currency] == nil {
                changes[portfolio.currency] = await .of { try await dayChange(of: portfolio) }
            }
            return zip(holdings, profits).map { holding, profit in
                Result {
                    guard let profit = try profit.get(),
                        let before = try changes[holding.portfolio.currency]?.get()?.before
                    else { return nil }
                    return profit.percent(of: before)
                }
            }
        }
    }
}
