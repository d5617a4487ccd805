package import Brokerage

/// The cash, holdings and equity of one account at any moment, at the market's prices.
package struct FakePortfolio: Sendable {
    package let ledger: Ledger
    package let market: Market
    /// Every change of cash and shares, oldest first.
    private let executions: [Execution]

    /// A purchase, or a sale if the quantity is negative; or cash alone.
    struct Execution {
        /// Nil for cash alone.
        let instrument: FakeInstrument?
        let quantity: Decimal
        let second: Int
        /// The amount paid, in dollars and whole cents; negative for a sale.
        let cost: Decimal

        init(_ instrument: FakeInstrument, _ quantity: Decimal, at price: Decimal, second: Int) throws {
            self.instrument = instrument
            self.quantity = quantity
            self.second = second
            cost = try (quantity * price).rounded(to: 2, .halfUp)
        }

        init(_ entry: LedgerEntry) throws {
            instrument = entry.change.isZero ? nil : entry.instrument
            quantity = entry.change
            second = entry.second
            cost = try entry.cash.negated
        }

        /// Creates a change of the cash, in dollars.
        init(cash: Decimal, second: Int) throws {
            instrument = nil
            quantity = .zero
            self.second = second
            cost = try cash.negated
        }
    }

    /// Creates the book from the ledger and the fills of orders; trades in unlisted symbols have no effect.
    ///
    /// It covers the time from ``Ledger/funded`` on, from where deposit and trades determine the sum of all entries;
    /// with `history`, the ledger of the whole account, it covers all of it.
    package init(_ ledger: Ledger, _ market: Market, fills: [Fill] = []) throws {
        try self.init(ledger, market, fills: fills, history: nil)
    }

    init(_ ledger: Ledger, _ market: Market, fills: [Fill], history: AccountHistory?) throws {
        self.ledger = ledger
        self.market = market
        let booked =
            try history.map { try $0.movements.map(Execution.init) }
            ?? Self.executions(of: ledger, in: market)
        let filled = try fills.map {
            try Execution($0.instrument, $0.quantity, at: $0.price, second: $0.second)
        }
        let fees = try SaleFees.days(fills).map {
            try Execution(cash: $0.fees.total.negated, second: $0.second)
        }
        executions = (booked + filled + fees).sorted { $0.second < $1.second }
    }

    /// Returns the deposit and the trades from ``Ledger/funded`` on.
    private static func executions(of ledger: Ledger, in market: Market) throws -> [Execution] {
        let deposit = try Execution(cash: ledger.deposit, second: Int(ledger.funded.secondsSince1970))
        return try [deposit]
            + ledger.trades.compactMap { trade -> Execution? in
                guard let instrument = market.instrument(trade.symbol),
                    let session = market.exchanges.session(onOrBefore: trade.date)
                else { return nil }
                return try Execution(
                    instrument, trade.quantity, at: Decimal(cents: market.close(instrument, session)),
                    second: session.close)
            }
    }

    /// Returns the cash at a moment, in dollars; zero before the account was opened.
    package func cash(at second: Int) throws -> Decimal {
        try contents(at: second).cash
    }

    /// Returns the holdings at a moment, in the order of their first purchase.
    package func holdings(at second: Int) throws -> [FakeHolding] {
        try contents(at: second).holdings.filter { !$0.quantity.isZero }
    }

    /// Returns cash plus holdings at the official closing prices of a session.
    package func equity(atCloseOf session: TradingSession) throws -> Decimal {
        let contents = try contents(at: session.close)
        return try contents.holdings.reduce(contents.cash) { sum, holding in
            try sum + holding.value(at: market.close(holding.instrument, session))
        }
    }

    /// Returns holdings as if those at a session's close had been bought at that close, to compute the
    /// profit since then.
    func holdings(at second: Int, boughtAtCloseOf session: TradingSession) throws -> [FakeHolding] {
        var contents = try contents(at: session.close)
        for index in contents.holdings.indices {
            let holding = contents.holdings[index]
            contents.holdings[index].cost = try holding.value(at: market.close(holding.instrument, session))
        }
        for execution in executions where session.close < execution.second && execution.second <= second {
            try contents.apply(execution)
        }
        return contents.holdings.filter { !$0.quantity.isZero }
    }

    /// Returns the contents at one second, and after each trade until another second.
    func contents(
        from first: Int, through last: Int
    ) throws -> [(second: Int, contents: FakePortfolioSnapshot)] {
        var contents = try contents(at: first)
        var steps = [(second: first, contents: contents)]
        for execution in executions where first < execution.second && execution.second <= last {
            try contents.apply(execution)
            steps.append((execution.second, contents))
        }
        return steps
    }

    private func contents(at second: Int) throws -> FakePortfolioSnapshot {
        var contents = FakePortfolioSnapshot(cash: .zero)
        for execution in executions.prefix(while: { $0.second <= second }) { try contents.apply(execution) }
        return contents
    }
}

/// The cash and holdings of an account at one moment.
struct FakePortfolioSnapshot {
    var cash: Decimal
    /// In the order of their first purchase; sold holdings have a quantity of zero.
    var holdings: [FakeHolding] = []

    init(cash: Decimal) {
        self.cash = cash
    }

    /// Books a trade: closed shares leave at the average price paid, opened ones enter at their own price.
    mutating func apply(_ execution: FakePortfolio.Execution) throws {
        cash = try cash - execution.cost
        guard let instrument = execution.instrument else { return }
        guard let index = holdings.firstIndex(where: { $0.instrument == instrument }) else {
            holdings.append(
                FakeHolding(instrument: instrument, quantity: execution.quantity, cost: execution.cost))
            return
        }
        let held = holdings[index]
        let quantity = try held.quantity + execution.quantity
        holdings[index].quantity = quantity
        if held.quantity.isZero || held.quantity.isNegative == execution.quantity.isNegative {
            holdings[index].cost = try held.cost + execution.cost
        } else if quantity.isZero || quantity.isNegative == held.quantity.isNegative {
            holdings[index].cost = try (held.cost * quantity).divided(by: held.quantity, to: 10, .halfEven)
        } else {
            // The trade crossed zero: the rest was opened by this trade alone.
            holdings[index].cost = try (execution.cost * quantity).divided(
                by: execution.quantity, to: 10, .halfEven)
        }
    }
}

/// Shares of one instrument, with the amount paid for them.
package struct FakeHolding: Sendable, Hashable {
    package let instrument: FakeInstrument
    /// Shares; negative for a short position.
    package var quantity: Decimal
    /// The amount paid, in dollars; negative for a short position.
    package var cost: Decimal

    /// Returns the average entry price, with up to 9 decimals.
    package func averageEntryPrice() throws -> Decimal {
        try cost.divided(by: quantity, to: 9, .halfEven)
    }

    /// Returns the value of the shares at a price in ticks, in the instrument's currency.
    package func value(at price: Int) throws -> Decimal {
        try quantity * instrument.price(price)
    }
}

/// Shares bought or sold by an order, with price and second.
package struct Fill: Sendable, Hashable {
    package let instrument: FakeInstrument
    /// Negative for a sale.
    package let quantity: Decimal
    /// In dollars.
    package let price: Decimal
    /// Seconds since 1970, in the scripted time of the market.
    package let second: Int

    package init(instrument: FakeInstrument, quantity: Decimal, price: Decimal, second: Int) {
        self.instrument = instrument
        self.quantity = quantity
        self.price = price
        self.second = second
    }
}
