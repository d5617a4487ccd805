package import Brokerage

/// A ledger at the market's prices: cash, holdings and equity of one account at any moment.
package struct AccountBook: Sendable {
    package let ledger: Ledger
    package let market: Market
    /// Every trade with the moment and the price at which it was made, oldest first.
    private let executions: [Execution]

    /// Something bought, or sold where the quantity is below zero.
    struct Execution {
        let instrument: FakeInstrument
        let quantity: Decimal
        let second: Int
        /// What was paid, in dollars and whole cents; below zero when sold.
        let cost: Decimal

        init(_ instrument: FakeInstrument, _ quantity: Decimal, at price: Decimal, second: Int) throws {
            self.instrument = instrument
            self.quantity = quantity
            self.second = second
            cost = try (quantity * price).rounded(to: 2, .halfUp)
        }
    }

    /// The ledger's trades, and what orders have added to them; trades in symbols that are not listed have no
    /// effect.
    package init(_ ledger: Ledger, _ market: Market, fills: [Fill] = []) throws {
        self.ledger = ledger
        self.market = market
        let trades = try ledger.trades.compactMap { trade -> Execution? in
            guard let instrument = market.instrument(trade.symbol),
                let session = TradingCalendar.session(onOrBefore: trade.date)
            else { return nil }
            return try Execution(
                instrument, trade.quantity, at: Decimal(cents: market.close(instrument, session)),
                second: session.close)
        }
        let filled = try fills.map {
            try Execution($0.instrument, $0.quantity, at: $0.price, second: $0.second)
        }
        executions = (trades + filled).sorted { $0.second < $1.second }
    }

    /// Cash at a moment, in dollars; zero before the account was opened.
    package func cash(at second: Int) throws -> Decimal {
        try contents(at: second).cash
    }

    /// What is held at a moment, in the order in which it was first bought.
    package func holdings(at second: Int) throws -> [Holding] {
        try contents(at: second).holdings.filter { !$0.quantity.isZero }
    }

    /// Cash and holdings at the official closing prices of a session.
    package func equity(atCloseOf session: TradingSession) throws -> Decimal {
        let contents = try contents(at: session.close)
        return try contents.holdings.reduce(contents.cash) { sum, holding in
            try sum + holding.value(at: market.close(holding.instrument, session))
        }
    }

    /// Holdings as if what was held at a session's close had been bought at that close: their cost is what the
    /// time since is reckoned from.
    func holdings(at second: Int, boughtAtCloseOf session: TradingSession) throws -> [Holding] {
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

    /// What there was at a moment, and after each trade from then until another moment.
    func contents(
        from first: Int, through last: Int
    ) throws -> [(second: Int, contents: AccountBookSnapshot)] {
        var contents = try contents(at: first)
        var steps = [(second: first, contents: contents)]
        for execution in executions where first < execution.second && execution.second <= last {
            try contents.apply(execution)
            steps.append((execution.second, contents))
        }
        return steps
    }

    private func contents(at second: Int) throws -> AccountBookSnapshot {
        let isOpen = Int(ledger.opened.secondsSince1970) <= second
        var contents = AccountBookSnapshot(cash: isOpen ? ledger.deposit : .zero)
        for execution in executions.prefix(while: { $0.second <= second }) { try contents.apply(execution) }
        return contents
    }
}

/// What an account has at one moment.
struct AccountBookSnapshot {
    var cash: Decimal
    /// In the order in which they were first bought; those that were sold have a quantity of zero.
    var holdings: [Holding] = []

    init(cash: Decimal) {
        self.cash = cash
    }

    /// Books a trade: what it closes leaves at the average price paid, what it opens comes at its own.
    mutating func apply(_ execution: AccountBook.Execution) throws {
        cash = try cash - execution.cost
        guard let index = holdings.firstIndex(where: { $0.instrument == execution.instrument }) else {
            holdings.append(
                Holding(
                    instrument: execution.instrument, quantity: execution.quantity, cost: execution.cost))
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
            // Sold beyond zero: what is left was all bought or sold by this trade.
            holdings[index].cost = try (execution.cost * quantity).divided(
                by: execution.quantity, to: 10, .halfEven)
        }
    }
}

/// Shares of one instrument, with what was paid for them.
package struct Holding: Sendable, Hashable {
    package let instrument: FakeInstrument
    /// Shares; below zero when sold short.
    package var quantity: Decimal
    /// What was paid, in dollars; below zero when sold short.
    package var cost: Decimal

    /// The average price of entry, with up to 9 decimals.
    package func averageEntryPrice() throws -> Decimal {
        try cost.divided(by: quantity, to: 9, .halfEven)
    }

    /// What the shares are worth at a price in ticks, in the instrument's currency.
    package func value(at price: Int) throws -> Decimal {
        try quantity * instrument.price(price)
    }
}

/// Shares bought or sold by an order, at its price and second.
package struct Fill: Sendable, Hashable {
    package let instrument: FakeInstrument
    /// Below zero when sold.
    package let quantity: Decimal
    /// In dollars.
    package let price: Decimal
    /// Seconds since 1970, as the market's script has it.
    package let second: Int

    package init(instrument: FakeInstrument, quantity: Decimal, price: Decimal, second: Int) {
        self.instrument = instrument
        self.quantity = quantity
        self.price = price
        self.second = second
    }
}
