package import Brokerage

/// A ledger at the market's prices: cash, holdings and equity of one account at any moment.
package struct Book: Sendable {
    package let ledger: Ledger
    package let market: Market
    /// Every trade with the moment and the price at which it was made, oldest first.
    private let executions: [Execution]

    private struct Execution {
        let trade: Ledger.Trade
        let instrument: Instrument
        let second: Int
        /// What was paid, in dollars and whole cents; below zero when sold.
        let cost: Decimal
    }

    /// Trades in symbols that are not listed have no effect.
    package init(_ ledger: Ledger, _ market: Market) throws {
        self.ledger = ledger
        self.market = market
        executions = try ledger.trades.compactMap { trade in
            guard let instrument = market.instrument(trade.symbol),
                let session = TradingCalendar.session(onOrBefore: trade.date)
            else { return nil }
            let cost = try trade.quantity * Decimal(cents: market.close(instrument, session))
            return Execution(
                trade: trade, instrument: instrument, second: session.close,
                cost: cost.rounded(to: 2, .halfUp))
        }.sorted { $0.second < $1.second }
    }

    /// Cash at a moment, in dollars; zero before the account was opened.
    package func cash(at second: Int) throws -> Decimal {
        guard Int(ledger.opened.secondsSince1970) <= second else { return .zero }
        return try made(by: second).reduce(ledger.deposit) { cash, execution in
            try cash - execution.cost
        }
    }

    /// What is held at a moment, in the order in which it was first bought.
    package func holdings(at second: Int) throws -> [Holding] {
        try made(by: second).reduce(into: [Holding]()) { holdings, execution in
            if let index = holdings.firstIndex(where: { $0.instrument == execution.instrument }) {
                holdings[index].quantity = try holdings[index].quantity + execution.trade.quantity
                holdings[index].cost = try holdings[index].cost + execution.cost
            } else {
                holdings.append(
                    Holding(
                        instrument: execution.instrument, quantity: execution.trade.quantity,
                        cost: execution.cost))
            }
        }.filter { !$0.quantity.isZero }
    }

    /// Cash and holdings at the official closing prices of a session.
    package func equity(atCloseOf session: TradingSession) throws -> Decimal {
        try holdings(at: session.close).reduce(cash(at: session.close)) { sum, holding in
            try sum + holding.value(at: market.close(holding.instrument, session))
        }
    }

    private func made(by second: Int) -> ArraySlice<Execution> {
        executions.prefix { $0.second <= second }
    }
}
