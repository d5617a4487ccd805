package import Brokerage

/// What an investor holds of one instrument in several accounts, with cost, profit and income.
///
/// Amounts are in the currency of the instrument, unless their name says otherwise. What an account held under earlier
/// symbols of the instrument is included. A figure of which a part is unknown in one account is undetermined; its known part
/// is the sum of the rest.
package struct HoldingSummary: Sendable, Hashable {
    package var symbol: Symbol
    /// Negative for a short position.
    package var quantity: Decimal
    /// With the fees of the purchases.
    package var cost: Figure<Decimal>
    /// The profit of all sales, after fees.
    package var realizedProfit: Figure<Decimal>
    /// The profit of a sale at the price, without fees; undetermined without a price.
    package var unrealizedProfit: Figure<Decimal>
    /// In the currency of the result.
    package var convertedCost: Figure<Decimal>
    /// In the currency of the result: proceeds by the rates of the sales, costs by those of the purchases.
    package var convertedRealizedProfit: Figure<Decimal>
    /// In the currency of the result.
    package var income: Figure<IncomeSummary>
    /// ``income`` before tax as a fraction of ``convertedCost``; nil if one of them is undetermined or not positive.
    package var yieldOnCost: Decimal?
    /// The securities whose purchase is not among the activities.
    package var missing: [TaxLots.MissingCost]

    /// One account's part of the data.
    package struct Account: Sendable {
        package var lots: TaxLots
        package var activities: [ClassifiedActivity]
        /// The first day with known activities; nil if all are known.
        package var knownFrom: CalendarDate?

        package init(lots: TaxLots, activities: [ClassifiedActivity], knownFrom: CalendarDate?) {
            (self.lots, self.activities, self.knownFrom) = (lots, activities, knownFrom)
        }

        /// The activities, without payments for an unknown instrument if the account has never held this one.
        fileprivate func activities(of symbol: Symbol) -> [ClassifiedActivity] {
            let wasHeld =
                lots.lots[symbol] != nil || !lots.disposals(of: symbol).isEmpty
                || !lots.missing(of: symbol).isEmpty
            if wasHeld { return activities }
            return activities.filter { activity in
                guard case .unknownAmount(let unknown) = activity.kind else { return true }
                return !unknown.isOfUnknownInstrument
            }
        }
    }

    /// Adds up an instrument in all accounts.
    ///
    /// `price` is what a unit of the quantity is worth on the day `today`, nil if it is unknown; `currency` is that of the result. Throws
    /// `Decimal.Overflow`.
    package init(
        of symbol: Symbol, in accounts: [Account], price: Decimal?, on today: CalendarDate, currency: String,
        rates: ExchangeRateHistory
    ) throws {
        self.symbol = symbol
        let lots = accounts.flatMap { $0.lots.lots[symbol] ?? [] }
        let disposals = accounts.flatMap { $0.lots.disposals(of: symbol) }
        let unknown = Undetermined(.missingCost, symbol: symbol)
        let noRate = Undetermined(.missingExchangeRate, symbol: symbol, currency: currency)
        quantity = try lots.map(\.quantity).sum()
        cost = try Self.sum(lots.map(\.cost), unknown)
        // Companies that merged can have had shares in several currencies.
        let other = disposals.first { $0.currency != disposals.last?.currency }
        realizedProfit =
            if let other {
                .undetermined(
                    Undetermined(
                        .mixedCurrencies, date: other.date, symbol: symbol, currency: other.currency),
                    known: nil)
            } else {
                try Self.sum(disposals.map(\.profit), unknown)
            }
        unrealizedProfit =
            if let price {
                try Self.sum(lots.map { try $0.unrealizedProfit(price: price) }, unknown)
            } else {
                .undetermined(Undetermined(.missingPrice, date: today, symbol: symbol), known: nil)
            }
        convertedCost = try Self.sum(
            lots.map(\.convertedCost), cost.undetermined ?? noRate)
        convertedRealizedProfit = try Self.sum(
            disposals.map { try $0.converted.map { try $0.price + $0.currency } },
            realizedProfit.undetermined ?? noRate)
        var total = IncomeSummary()
        var reason: Undetermined?
        for account in accounts {
            let own = IncomeSummary.twelveMonths(
                through: today, of: account.activities(of: symbol), symbol: symbol, account.lots.symbols,
                in: currency,
                rates: rates, knownFrom: account.knownFrom)
            reason = reason ?? own.undetermined
            guard let known = own.known else { continue }
            total.gross = try total.gross + known.gross
            total.taxes = try total.taxes + known.taxes
        }
        income = Figure.determined(total).limited(by: reason)
        missing = accounts.flatMap { $0.lots.missing(of: symbol) }
        if let cost = convertedCost.value { yieldOnCost = income.value?.yieldOnCost(cost) }
    }

    private static func sum(
        _ values: [Decimal?], _ reason: Undetermined
    ) throws(Decimal.Overflow) -> Figure<Decimal> {
        let known = values.compactMap(\.self)
        let sum = try known.sum()
        if known.count == values.count { return .determined(sum) }
        return .undetermined(reason, known: known.isEmpty ? nil : sum)
    }
}
