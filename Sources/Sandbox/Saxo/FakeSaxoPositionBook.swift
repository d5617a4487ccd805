import Brokerage

/// Accounts at one moment: money, net positions, and their value in one currency.
struct FakeSaxoPositionBook {
    let view: MarketView
    let rates: FakeSaxoRates
    /// The base currency, also that of ``cash``: the account's, or the client's for all accounts.
    let currency: String
    let cash: Decimal
    let positions: [Position]
    let orderCount: Int

    /// The net position in one instrument.
    struct Position {
        let listing: FakeSaxoInstrument
        /// Negative for a short position.
        var amount: Decimal
        /// The amount paid, in the instrument's currency; negative for a short position.
        var cost: Decimal
        var executions: Int
        /// The commissions of the executions, in the instrument's currency.
        var commission: Decimal
        /// The second of the last execution.
        var lastExecution: Int
    }

    /// Books the executions of the accounts until the view's moment.
    init(
        _ accounts: [FakeSaxoAccount], in currency: String, _ activity: FakeSaxoActivity, at view: MarketView
    ) throws {
        self.view = view
        self.currency = currency
        let rates = FakeSaxoRates(market: view.market, second: view.now)
        self.rates = rates
        var (cash, positions) = (Decimal.zero, [Position]())
        for account in accounts where Int(account.opened.secondsSince1970) <= view.now {
            // From `funded` on, deposit and trades determine the sum of the ledger; before, it is added up.
            if view.now < Int(account.funded.secondsSince1970) {
                let history = try view.market.histories.history(
                    of: account.plan, in: view.market, through: view.now)
                let own = try history.entries(through: view.now).reduce(Decimal.zero) { try $0 + $1.cash }
                cash = try cash + rates.converted(own, from: account.currency, to: currency)
                for entry in history.entries(through: view.now) where !entry.change.isZero {
                    guard let execution = FakeSaxoExecution(entry, accountKey: account.key) else { continue }
                    let cost = try entry.quantity * (entry.price ?? .zero)
                    try Self.book(execution, cost: cost, into: &positions)
                }
                continue
            }
            let executions = try Self.executions(of: account, activity, at: view)
            var own = account.deposit
            for execution in executions {
                let cost = try execution.amount * execution.listing.value(execution.price)
                if !execution.listing.assetType.isOnMargin {
                    let then = FakeSaxoRates(market: view.market, second: execution.second)
                    own =
                        try own
                        - then.converted(
                            cost + execution.commission, from: execution.listing.currency,
                            to: account.currency)
                }
                try Self.book(execution, cost: cost, into: &positions)
            }
            cash = try cash + rates.converted(own, from: account.currency, to: currency)
        }
        self.cash = cash
        self.positions = positions.filter { !$0.amount.isZero }
        orderCount = activity.orders.count { order in accounts.contains { $0.key == order.accountKey } }
    }

    private static func book(
        _ execution: FakeSaxoExecution, cost: Decimal, into positions: inout [Position]
    ) throws {
        guard let index = positions.firstIndex(where: { $0.listing == execution.listing }) else {
            return positions.append(
                Position(
                    listing: execution.listing, amount: execution.amount, cost: cost, executions: 1,
                    commission: execution.commission, lastExecution: execution.second))
        }
        let held = positions[index]
        positions[index].commission = try held.commission + execution.commission
        positions[index].lastExecution = max(held.lastExecution, execution.second)
        let isClosing = held.amount.isNegative != execution.amount.isNegative
        positions[index].executions += 1
        positions[index].amount = try held.amount + execution.amount
        guard isClosing, !held.amount.isZero else {
            positions[index].cost = try held.cost + cost
            return
        }
        // Closed amounts leave at the average price; an amount beyond zero is new.
        if try execution.amount.magnitude <= held.amount.magnitude {
            let left = try held.cost * positions[index].amount
            positions[index].cost = try left.divided(by: held.amount, to: 10, .halfEven)
        } else {
            let value = try execution.listing.value(execution.price)
            positions[index].cost = try positions[index].amount * value
        }
    }

    /// The executions of an account until the view's moment, in their order.
    static func executions(
        of account: FakeSaxoAccount, _ activity: FakeSaxoActivity, at view: MarketView
    ) throws -> [FakeSaxoExecution] {
        let booked = account.trades.compactMap { trade -> FakeSaxoExecution? in
            guard let instrument = view.market.anyInstrument(trade.symbol),
                let listing = FakeSaxoInstruments.instrument(of: instrument),
                let session = view.market.schedule(of: instrument).session(onOrBefore: trade.date),
                session.close <= view.now
            else { return nil }
            return FakeSaxoExecution(
                accountKey: account.key, listing: listing, amount: trade.quantity,
                price: view.market.close(instrument, session), second: session.close)
        }
        let placed = activity.executions.filter { $0.accountKey == account.key && $0.second <= view.now }
        return (booked + placed).sorted { $0.second < $1.second }
    }
}

/// A purchase, or a sale if the amount is negative.
struct FakeSaxoExecution: Sendable, Hashable {
    let accountKey: String
    let listing: FakeSaxoInstrument
    let amount: Decimal
    /// In ticks.
    let price: Int
    /// Seconds since 1970, in the market's time.
    let second: Int
    /// The order; nil for a trade from before the start of the sandbox.
    var orderID: String?
    /// In the currency of the instrument; zero for the trades from before the start of the sandbox.
    var commission = Decimal.zero
    /// The whole size, if ``amount`` is a part of the execution.
    var wholeSize: Decimal?

    /// `PositionId` of the position that it opened or closed.
    var id: String { orderID ?? "\(second)\(listing.uic)" }
    /// The size of the whole execution.
    var size: Decimal { wholeSize ?? (try? amount.magnitude) ?? amount }

    /// A part of the execution.
    func with(amount: Decimal) -> FakeSaxoExecution {
        var part = FakeSaxoExecution(
            accountKey: accountKey, listing: listing, amount: amount, price: price, second: second,
            orderID: orderID, commission: commission)
        part.wholeSize = size
        return part
    }
}

extension FakeSaxoExecution {
    /// Nil for an entry that changes no shares.
    init?(_ entry: LedgerEntry, accountKey: String) {
        guard !entry.change.isZero, let instrument = entry.instrument,
            let listing = FakeSaxoInstruments.instrument(of: instrument)
        else { return nil }
        self.init(
            accountKey: accountKey, listing: listing, amount: entry.change,
            price: entry.price.flatMap(instrument.ticks) ?? 0, second: entry.second)
    }
}
