import Brokerage

/// The value, the transfers and the time-weighted return of accounts on each market day of a period.
///
/// A day's return is its value before transfers divided by the value of the day before; transfers count at the end
/// of their day (GIPS 2020, section 2: daily valuation). A value that is not positive begins a new chain. Positions
/// and currencies are valued at the official closes of the day.
struct FakeSaxoPerformanceSeries {
    /// The market days of the period on which the account existed, oldest first.
    private(set) var days: [Day] = []
    /// The closed parts of positions of the period.
    let closed: [FakeSaxoClosedTrade]
    /// At the end of the period: cash by the currency of the account, positions by that of the price, both in that
    /// currency.
    private(set) var cashPerCurrency: [String: Decimal] = [:]
    private(set) var valuePerCurrency: [String: Decimal] = [:]

    struct Day {
        let date: CalendarDate
        let cash: Decimal
        let value: Decimal
        /// The net of payments by the owner since the market day before; negative for withdrawals.
        let transfer: Decimal
        /// The change of the value without transfers.
        let profit: Decimal
        /// 1 plus the return of the day.
        let factor: Decimal
        /// The return since the beginning of the period.
        let accumulated: Decimal
    }

    /// A month or a year.
    enum Period {
        case month
        case year
    }

    /// Values the accounts in a currency on each market day from `first` to `last`.
    init(
        _ ledger: FakeSaxoLedger, in currency: String, from first: CalendarDate, through last: CalendarDate
    ) throws {
        closed = try ledger.accounts.flatMap(FakeSaxoClosedTrade.trades).filter {
            first <= $0.close.entry.date && $0.close.entry.date <= last
        }
        let rows = ledger.accounts.flatMap(\.rows).sorted { $0.entry.second < $1.entry.second }
        guard let opened = rows.first?.entry.date else { return }
        let exchanges = ledger.market.exchanges
        // The value before the first day of the period begins the chain.
        let before = exchanges.session(before: max(first, opened))?.date ?? opened
        var accounts = Accounts()
        var next = rows.startIndex
        var previous: Decimal?
        var total = Decimal(1)
        for session in exchanges.sessions(from: before, through: last) {
            let day = session.date
            let rates = FakeSaxoRates(market: ledger.market, second: session.close, closeOf: day)
            var transfer = Decimal.zero
            while next < rows.endIndex, rows[next].entry.date <= day {
                let row = rows[next]
                try accounts.book(row)
                if row.entry.isExternalFlow {
                    transfer =
                        try transfer
                        + rates.converted(row.entry.cash, from: row.account.currency, to: currency)
                }
                next += 1
            }
            let (cash, value) = try accounts.value(in: currency, rates, ledger.market, on: day)
            defer { previous = value }
            guard opened <= day, first <= day else { continue }
            let base = previous ?? .zero
            // The first deposit counts at the end of its day, so that its day has no return.
            let factor =
                base > .zero ? try (value - transfer).divided(by: base, to: Self.digits, .halfEven) : 1
            total = try (total * factor).rounded(to: Self.digits, .halfEven)
            days.append(
                Day(
                    date: day, cash: cash, value: value, transfer: transfer,
                    profit: try value - transfer - base, factor: factor, accumulated: try total - 1))
        }
        cashPerCurrency = accounts.cash
        for position in accounts.positions.values where !position.quantity.isZero {
            guard let day = days.last?.date else { continue }
            valuePerCurrency[position.instrument.saxoCurrency, default: .zero] =
                try (valuePerCurrency[position.instrument.saxoCurrency] ?? .zero)
                + position.value(ledger.market, on: day).rounded(to: 2, .halfEven)
        }
    }

    /// The digits of factors: their products are exact in a decimal before they are rounded.
    private static let digits = 15

    var accumulated: Decimal { days.last?.accumulated ?? .zero }

    /// The largest loss from a maximum of the accumulated return, as a fraction of it.
    var maximumDrawdown: Decimal {
        get throws {
            var (top, deepest) = (Decimal(1), Decimal.zero)
            for day in days {
                let level = try day.accumulated + 1
                top = max(top, level)
                deepest = max(deepest, try (top - level).divided(by: top, to: 12, .halfEven))
            }
            return deepest
        }
    }

    /// Returns the profit and the return of each month or year that has ended, labelled with its last day.
    func periods(_ period: Period) throws -> [(date: CalendarDate, profit: Decimal, rate: Decimal)] {
        var sums: [CalendarDate: (profit: Decimal, factor: Decimal)] = [:]
        for day in days {
            let month = period == .month ? day.date.month : 12
            guard
                let end = CalendarDate(
                    year: day.date.year, month: month,
                    day: CalendarDate.dayCount(ofMonth: month, year: day.date.year))
            else { continue }
            let sum = sums[end] ?? (.zero, 1)
            sums[end] = (
                try sum.profit + day.profit,
                try (sum.factor * day.factor).rounded(to: Self.digits, .halfEven)
            )
        }
        return try sums.filter { end in days.last.map { end.key <= $0.date } ?? false }
            .sorted { $0.key < $1.key }
            .map { ($0.key, $0.value.profit, try ($0.value.factor - 1).rounded(to: 12, .halfEven)) }
    }

    /// Cash and positions of several accounts.
    private struct Accounts {
        /// By the currency of the account.
        var cash: [String: Decimal] = [:]
        var positions: [String: Position] = [:]

        mutating func book(_ row: FakeSaxoLedger.Row) throws {
            let entry = row.entry
            cash[row.account.currency] = try (cash[row.account.currency] ?? .zero) + entry.cash
            guard !entry.change.isZero, let instrument = entry.instrument else { return }
            var position = positions[instrument.symbol] ?? Position(instrument: instrument)
            try position.add(entry.change, at: (entry.price ?? .zero) * instrument.saxoPriceFactor)
            positions[instrument.symbol] = position
        }

        func value(
            in currency: String, _ rates: FakeSaxoRates, _ market: Market, on day: CalendarDate
        ) throws -> (cash: Decimal, value: Decimal) {
            let cash = try cash.reduce(Decimal.zero) { sum, part in
                try sum + rates.converted(part.value, from: part.key, to: currency)
            }
            let value = try positions.values.filter { !$0.quantity.isZero }.reduce(cash) { sum, position in
                try sum
                    + rates.converted(
                        position.value(market, on: day), from: position.instrument.saxoCurrency, to: currency)
            }
            return (cash, value)
        }
    }

    private struct Position {
        let instrument: FakeInstrument
        var quantity = Decimal.zero
        /// The amount paid, by average price.
        var cost = Decimal.zero

        init(instrument: FakeInstrument) {
            self.instrument = instrument
        }

        mutating func add(_ change: Decimal, at price: Decimal) throws {
            let held = quantity
            quantity = try held + change
            if held.isZero || held.isNegative == change.isNegative {
                cost = try cost + change * price
            } else if quantity.isZero || quantity.isNegative == held.isNegative {
                cost = try (cost * quantity).divided(by: held, to: 10, .halfEven)
            } else {
                cost = try quantity * price
            }
        }

        /// Returns the value at a day's close: of a position on margin its profit.
        func value(_ market: Market, on day: CalendarDate) throws -> Decimal {
            guard let session = market.schedule(of: instrument).session(onOrBefore: day) else { return .zero }
            let value = try quantity * instrument.saxoValue(market.close(instrument, session))
            return instrument.isOnMarginAtSaxo ? try value - cost : value
        }
    }
}
