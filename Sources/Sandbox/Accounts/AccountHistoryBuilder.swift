import Brokerage

/// Computes a ledger: the plan's actions and what follows from them, in the order of their moments.
struct AccountHistoryBuilder {
    private let plan: AccountPlan
    private let market: Market
    private(set) var entries: [LedgerEntry] = []
    private var holdings: [String: Decimal] = [:]
    private var cash = Decimal.zero
    /// The shares entitled to each dividend.
    private var entitled: [CorporateActions.Dividend: Decimal] = [:]
    /// The number of the event that is booked.
    private var eventNumber = 0
    private let events: [(second: Int, event: Event)]

    private enum Event {
        case payment(Decimal)
        /// The payment that makes the cash equal to the plan's deposit.
        case funding
        case trade(Fill)
        case entitlement(CorporateActions.Dividend, FakeInstrument)
        case dividend(CorporateActions.Dividend, FakeInstrument)
        case split(FakeInstrument)
        case spinOff(CorporateActions.SpinOff, from: FakeInstrument, to: FakeInstrument)
        /// The interest of a month, and the custody fee of a quarter.
        case monthEnd(CalendarDate)
        /// The fees for the sales of a day.
        case saleFees(SaleFees, CalendarDate)
    }

    /// The range of a ledger, in years: 40 from the opening, so that its size is bounded.
    private static let maximumDays = 40 * 366

    init(_ plan: AccountPlan, _ market: Market, through second: Int) throws {
        self.plan = plan
        self.market = market
        let opened = plan.earlier?.opened ?? plan.funded
        let first = opened.inNewYork.date
        let end = Instant(secondsSince1970: Int64(second))?.inNewYork.date ?? first
        let last = min(end, first.adding(days: Self.maximumDays) ?? end)
        let planner = AccountHistoryPlanner(plan, market, from: first, through: last)
        var events: [(second: Int, event: Event)] = [(Int(plan.funded.secondsSince1970), .funding)]
        for (moment, amount) in planner.payments { events.append((moment, .payment(amount))) }
        for trade in planner.trades {
            events.append((trade.second, .trade(trade)))
        }
        for (instrument, dividend, before, paid) in planner.dividends {
            events.append((before, .entitlement(dividend, instrument)))
            events.append((paid, .dividend(dividend, instrument)))
        }
        for (instrument, moment) in planner.splits { events.append((moment, .split(instrument))) }
        for (action, source, new, moment) in planner.spinOffs {
            events.append((moment, .spinOff(action, from: source, to: new)))
        }
        for (date, moment) in planner.monthEnds { events.append((moment, .monthEnd(date))) }
        if plan.broker == .alpaca {
            for day in try SaleFees.days(planner.trades) {
                events.append((day.second, .saleFees(day.fees, day.date)))
            }
        }
        // Events of one moment keep the order above.
        self.events = events.enumerated().filter { $0.element.second <= second }
            .sorted { ($0.element.second, $0.offset) < ($1.element.second, $1.offset) }.map(\.element)
    }

    mutating func run() throws {
        for (second, event) in events { try book(event, at: second) }
    }

    private mutating func book(_ event: Event, at second: Int) throws {
        let first = entries.count
        eventNumber = first + 1
        let funded = Int(plan.funded.secondsSince1970)
        switch event {
        case .payment(let amount):
            try pay(amount, at: second)
        case .funding:
            try pay(plan.deposit - cash, at: second)
        case .trade(let fill):
            try trade(fill)
        case .entitlement(let dividend, let instrument):
            let held = holdings[instrument.symbol] ?? .zero
            if !held.isZero { entitled[dividend] = held }
        case .dividend(let dividend, let instrument):
            guard let held = entitled.removeValue(forKey: dividend) else { return }
            let gross = try (held * dividend.amount).rounded(to: 2, .halfUp)
            guard !gross.isZero else { return }
            try add(.dividend, at: second, instrument, quantity: held, price: dividend.amount, amount: gross)
            let tax = try (gross * Self.withholding).rounded(to: 2, .halfUp)
            if !tax.isZero { try add(.withholdingTax, at: second, instrument, amount: tax.negated) }
        case .split(let instrument):
            guard let held = holdings[instrument.symbol], !held.isZero else { return }
            let day = Instant(secondsSince1970: Int64(second))?.inNewYork.date
            guard let before = day.flatMap(market.exchanges.session(before:)) else { return }
            let price = instrument.price(market.close(instrument, before))
            try add(.split, at: second, instrument, quantity: held, price: price)
        case .spinOff(let action, let source, let new):
            guard let held = holdings[source.symbol], !held.isZero else { return }
            let quantity = try held * action.ratio
            holdings[new.symbol] = try (holdings[new.symbol] ?? .zero) + quantity
            try add(.spinOff, at: second, new, quantity: quantity)
        case .monthEnd(let date):
            try monthEnd(date, at: second)
        case .saleFees(let fees, let date):
            try add(
                .regulatoryFee, at: second, on: date, quantity: fees.shares, amount: fees.regulatory.negated)
            try add(
                .tradingActivityFee, at: second, on: date, quantity: fees.shares,
                amount: fees.tradingActivity.negated)
        }
        guard second > funded else { return }
        let net = try entries[first...].filter { $0.kind != .trade }.reduce(Decimal.zero) { try $0 + $1.cash }
        if !net.isZero { try pay(net.negated, at: second, on: entries.last?.date) }
    }

    /// Books a payment of the owner, or to the owner if it is negative.
    private mutating func pay(_ amount: Decimal, at second: Int, on date: CalendarDate? = nil) throws {
        guard !amount.isZero else { return }
        eventNumber = entries.count + 1
        try add(amount.isNegative ? .withdrawal : .deposit, at: second, on: date, amount: amount)
    }

    private mutating func trade(_ fill: Fill) throws {
        let (instrument, quantity, price, second) = (fill.instrument, fill.quantity, fill.price, fill.second)
        let held = try (holdings[instrument.symbol] ?? .zero) + quantity
        holdings[instrument.symbol] = held
        let isOnMargin = plan.broker == .saxo && instrument.isOnMarginAtSaxo
        var cost = isOnMargin ? Decimal.zero : try quantity * price
        if plan.broker == .alpaca { cost = cost.rounded(to: 2, .halfUp) }
        try add(
            .trade, at: second, instrument, quantity: quantity, price: price, amount: cost.negated,
            opensShort: quantity.isNegative && held.isNegative)
        guard plan.broker == .saxo, !isOnMargin else { return }
        let commission = try max(
            Self.minimumCommission, (cost.magnitude * Self.commission).rounded(to: 2, .halfUp))
        try add(.commission, at: second, instrument, amount: commission.negated)
    }

    private mutating func monthEnd(_ date: CalendarDate, at second: Int) throws {
        let rate = cash.isNegative ? Self.debitInterest : Self.creditInterest
        let digits = FakeSaxoRates.decimals(of: plan.currency)
        let interest = try (cash * rate).divided(by: 12, to: digits, .halfUp)
        if !interest.isZero { try add(.interest, at: second, amount: interest) }
        guard plan.broker == .saxo, date.month.isMultiple(of: 3) else { return }
        try add(
            .custodyFee, at: second,
            amount: plan.currency == "EUR" ? Self.custodyFee : Self.custodyFeeInKroner)
    }

    private mutating func add(
        _ kind: LedgerEntry.Kind, at second: Int, on date: CalendarDate? = nil,
        _ instrument: FakeInstrument? = nil,
        quantity: Decimal = .zero, price: Decimal? = nil, amount: Decimal = .zero, opensShort: Bool = false
    ) throws {
        let currency = instrument?.currency ?? plan.currency
        var (rate, cash) = (Decimal(1), amount)
        if currency != plan.currency, !amount.isZero {
            let moment = Instant(secondsSince1970: Int64(second)) ?? .latest
            // A trade is converted at the rate of its moment, other amounts at the close of the day before.
            let rates = FakeSaxoRates(
                market: market, second: second,
                closeOf: kind == .trade || kind == .commission ? nil : moment.inNewYork.date.adding(days: -1))
            rate = rates.rate(from: currency, to: plan.currency) ?? 1
            cash = try rates.converted(amount, from: currency, to: plan.currency)
        } else if plan.broker == .saxo {
            cash = amount.rounded(to: FakeSaxoRates.decimals(of: plan.currency), .halfEven)
        }
        self.cash = try self.cash + cash
        let moment = Instant(secondsSince1970: Int64(second)) ?? .latest
        entries.append(
            LedgerEntry(
                number: entries.count + 1, kind: kind, second: second, date: date ?? moment.inNewYork.date,
                instrument: instrument, quantity: quantity, price: price, amount: amount, currency: currency,
                rate: rate, cash: cash, event: eventNumber, opensShort: opensShort))
    }

    /// The tax on dividends of US shares for holders in a country with a treaty: 15 %.
    private static let withholding = Decimal(coefficient: 15, scale: 2) ?? .zero
    /// A year's interest on positive and negative cash.
    private static let creditInterest = Decimal(coefficient: 15, scale: 3) ?? .zero
    private static let debitInterest = Decimal(coefficient: 625, scale: 4) ?? .zero
    /// The part of a trade's value, and the least amount, in the instrument's currency.
    private static let commission = Decimal(coefficient: 8, scale: 4) ?? .zero
    private static let minimumCommission = Decimal(1)
    private static let custodyFee = Decimal(coefficient: -750, scale: 2) ?? .zero
    private static let custodyFeeInKroner = Decimal(-55)
}

/// The moments of an account's events.
private struct AccountHistoryPlanner {
    private let plan: AccountPlan
    private let market: Market
    private let first: CalendarDate
    private let last: CalendarDate
    let trades: [Fill]

    init(_ plan: AccountPlan, _ market: Market, from first: CalendarDate, through last: CalendarDate) {
        self.plan = plan
        self.market = market
        self.first = first
        self.last = last
        trades = ((plan.earlier?.trades ?? []) + plan.trades).compactMap { trade in
            guard let instrument = Self.instrument(trade.symbol, plan, market),
                let session = market.schedule(of: instrument).session(onOrBefore: trade.date)
            else { return nil }
            return Fill(
                instrument: instrument, quantity: trade.quantity,
                price: instrument.price(market.close(instrument, session)), second: session.close)
        }
    }

    /// Returns the broker's instrument of a symbol; nil if it has none.
    private static func instrument(_ symbol: String, _ plan: AccountPlan, _ market: Market) -> FakeInstrument?
    {
        switch plan.broker {
        case .alpaca: market.instrument(symbol)
        case .saxo:
            market.anyInstrument(symbol).flatMap { FakeSaxoInstruments.instrument(of: $0)?.instrument }
        }
    }

    /// The payments of the owner before the account was funded; negative for a withdrawal.
    var payments: [(second: Int, amount: Decimal)] {
        guard let earlier = plan.earlier else { return [] }
        let funded = Int(plan.funded.secondsSince1970)
        var payments = [(second: Int(earlier.opened.secondsSince1970), amount: earlier.deposit)]
        for month in months(from: earlier.opened.inNewYork.date) {
            guard let before = month.first.adding(days: -1),
                let session = market.exchanges.session(after: before)
            else { continue }
            payments.append((session.open - 300, earlier.monthlyDeposit))
        }
        for withdrawal in earlier.withdrawals {
            guard let session = market.exchanges.session(onOrBefore: withdrawal.date),
                let amount = try? withdrawal.amount.negated
            else { continue }
            payments.append((session.open + 5_400, amount))
        }
        return payments.filter { $0.second < funded && Int(earlier.opened.secondsSince1970) <= $0.second }
    }

    /// The last session of each month.
    var monthEnds: [(date: CalendarDate, second: Int)] {
        months(from: first).compactMap { month in
            market.exchanges.session(onOrBefore: month.last).map { ($0.date, $0.open + 1_800) }
        }
    }

    var dividends: [(FakeInstrument, CorporateActions.Dividend, entitlement: Int, payment: Int)] {
        instruments.flatMap { instrument in
            CorporateActions.dividends(of: instrument.symbol, from: first, through: last, market.exchanges)
                .compactMap { dividend in
                    guard let before = market.exchanges.session(before: dividend.exDate),
                        let payment = market.exchanges.session(on: dividend.payDate)
                    else { return nil }
                    return (instrument, dividend, before.close + 1, payment.open - 3_600)
                }
        }
    }

    var splits: [(FakeInstrument, Int)] {
        CorporateActions.splits.compactMap { split in
            guard let instrument = instruments.first(where: { $0.symbol == split.symbol }),
                let session = market.exchanges.session(on: split.exDate)
            else { return nil }
            return (instrument, session.preMarketOpen)
        }
    }

    var spinOffs: [(CorporateActions.SpinOff, FakeInstrument, FakeInstrument, Int)] {
        CorporateActions.spinOffs.compactMap { action in
            guard let source = instruments.first(where: { $0.symbol == action.source }),
                let new = Self.instrument(action.new, plan, market),
                let session = market.exchanges.session(on: action.exDate)
            else { return nil }
            return (action, source, new, session.preMarketOpen)
        }
    }

    /// The instruments of the trades, each once, in the order of their first trade.
    private var instruments: [FakeInstrument] {
        trades.reduce(into: []) { found, trade in
            if !found.contains(trade.instrument) { found.append(trade.instrument) }
        }
    }

    /// Returns the first and the last day of each month from the month of a date to that of ``last``.
    private func months(from date: CalendarDate) -> [(first: CalendarDate, last: CalendarDate)] {
        var months: [(first: CalendarDate, last: CalendarDate)] = []
        var start = CalendarDate(year: date.year, month: date.month, day: 1)
        while let first = start, first <= last, let next = first.adding(months: 1),
            let end = next.adding(days: -1)
        {
            months.append((first, end))
            start = next
        }
        return months
    }
}

extension FakeInstrument {
    /// True if a trade at Saxo moves no cash, because only a margin is reserved.
    var isOnMarginAtSaxo: Bool {
        switch assetClass {
        case .currencyPair, .crypto: true
        case .equity, .index: false
        }
    }
}
