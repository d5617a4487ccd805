package import Brokerage

/// The gain of a period in money: the change of the value without external flows, and its parts.
///
/// The sum of the parts is exactly the total.
package struct Gain: Sendable, Hashable {
    package var total: Decimal
    /// From prices, by the exchange rates at the start.
    ///
    /// Activities of an unknown kind are part of it.
    package var price = Decimal.zero
    /// Dividends and interest by the exchange rates of their dates, before tax.
    package var income = Decimal.zero
    /// Withheld tax; negative if more was withheld than refunded.
    package var taxes = Decimal.zero
    /// Fees and interest on debt; negative if more was paid than refunded.
    package var fees = Decimal.zero
    /// From exchange rates.
    package var currency = Decimal.zero
    /// Whether ``currency`` contains the currencies of the instruments; otherwise only those of the accounts.
    package var isByInstrumentCurrency = true

    /// The gain with the digits of calculated amounts; the price part contains what rounding moves, so that the parts have
    /// the sum of the total.
    package func rounded(in currency: String) -> Gain {
        func round(_ amount: Decimal) -> Decimal { amount.rounded(in: currency) }
        var gain = self
        gain.total = round(total)
        (gain.income, gain.taxes, gain.fees) = (round(income), round(taxes), round(fees))
        gain.currency = round(self.currency)
        let parts = try? [gain.income, gain.taxes, gain.fees, gain.currency].sum()
        gain.price = parts.flatMap { try? gain.total - $0 } ?? round(price)
        return gain
    }

    /// The gain of accounts between the ends of two days.
    ///
    /// - Throws: ``Undetermined`` for a missing value, rate or amount, `Decimal.Overflow`.
    package static func calculate(
        _ accounts: [AccountRecord], in currency: String, from start: CalendarDate,
        through end: CalendarDate, rates: ExchangeRateHistory
    ) throws -> Gain {
        var sum = Gain(total: .zero)
        for account in accounts {
            guard let first = try account.value(on: start, rates: rates),
                let last = try account.value(on: end, rates: rates)
            else { throw Undetermined(.missingValuation, date: start) }
            let compositions = (account.composition[start], account.composition[end])
            let isDetailed = compositions.0 != nil && compositions.1 != nil
            var split = CurrencySplit(
                account: account.currency, target: currency, isDetailed: isDetailed, rates: rates)
            split.begin(compositions.0 ?? [account.currency: first])
            split.end(compositions.1 ?? [account.currency: last])
            for activity in account.activities.between(start, through: end) { try split.add(activity) }
            try split.addGain(to: &sum, from: start, through: end)
            sum.isByInstrumentCurrency = sum.isByInstrumentCurrency && isDetailed
        }
        return sum
    }
}

/// The amounts of one account in a period, by currency.
private struct CurrencySplit {
    /// The currency of the account.
    let account: String
    /// The currency of the result.
    let target: String
    /// Whether amounts are kept in their own currencies, rather than in that of the account.
    let isDetailed: Bool
    let rates: ExchangeRateHistory
    private var parts: [String: Part] = [:]

    init(account: String, target: String, isDetailed: Bool, rates: ExchangeRateHistory) {
        (self.account, self.target, self.isDetailed, self.rates) = (account, target, isDetailed, rates)
    }

    /// The amounts of one currency.
    private struct Part {
        var begin = Decimal.zero
        var end = Decimal.zero
        /// External flows, and amounts that the broker exchanged from or to other currencies.
        var flows = Amounts()
        var income = Amounts()
        var taxes = Amounts()
        var fees = Amounts()
        /// The day of the first flow, if nothing was held before.
        var openedOn: CalendarDate?
    }

    /// A sum in the currency of its part, and in the currency of the result by the rates of the dates.
    private struct Amounts {
        var own = Decimal.zero
        var converted = Decimal.zero

        mutating func add(_ own: Decimal, _ converted: Decimal) throws(Decimal.Overflow) {
            self.own = try self.own + own
            self.converted = try self.converted + converted
        }
    }

    mutating func begin(_ values: [String: Decimal]) {
        for (currency, value) in values { parts[currency, default: Part()].begin = value }
    }

    mutating func end(_ values: [String: Decimal]) {
        for (currency, value) in values { parts[currency, default: Part()].end = value }
    }

    mutating func add(_ activity: ClassifiedActivity) throws {
        switch activity.kind {
        case .cashFlow, .securitiesTransfer:
            guard let flow = try AccountRecord.flow(of: activity) else { return }
            let (own, converted, currency) = try amounts(of: flow, on: activity.date)
            try addFlow(own, converted, in: currency, on: activity.date)
            try addExchange(of: flow, on: activity.date)
        case .income(let amount, _): try add(amount, on: activity.date, to: \.income)
        case .tax(let amount, _): try add(amount, on: activity.date, to: \.taxes)
        case .fee(let fee): try add(fee.amount, on: activity.date, to: \.fees)
        case .trade(let trade):
            if let amount = try trade.amount { try addExchange(of: amount, on: activity.date) }
        case .returnOfCapital(let amount, _): try addExchange(of: amount, on: activity.date)
        case .unknownAmount(let unknown):
            // A return of capital is a part of what remains for the price.
            if unknown.effect != .returnOfCapital { throw activity.missingAmount }
        case .unclassified(_, let amount):
            if let amount { try addExchange(of: amount, on: activity.date) }
        case .exchange, .spinOff, .stockDividend: break
        }
    }

    private mutating func add(
        _ amount: CurrencyAmount, on date: CalendarDate, to column: WritableKeyPath<Part, Amounts>
    ) throws {
        let (own, converted, currency) = try amounts(of: amount, on: date)
        try parts[currency, default: Part()][keyPath: column].add(own, converted)
        try addExchange(of: amount, on: date)
    }

    /// The amount in the currency of its part, in that of the result, and the currency of the part.
    private func amounts(
        of amount: CurrencyAmount, on date: CalendarDate
    ) throws -> (own: Decimal, converted: Decimal, currency: String) {
        let converted = try rates.convert(amount, to: target, on: date)
        if isDetailed { return (amount.amount, converted, amount.currency) }
        let own = account == target ? converted : try rates.convert(amount, to: account, on: date)
        return (own, converted, account)
    }

    /// Moves an amount that the broker exchanged to the currency in which it is booked.
    private mutating func addExchange(of amount: CurrencyAmount, on date: CalendarDate) throws {
        guard isDetailed, let booked = amount.converted, booked.currency != amount.currency else { return }
        let value = try rates.convert(CurrencyAmount(booked.amount, booked.currency), to: target, on: date)
        try addFlow(amount.amount.negated, value.negated, in: amount.currency, on: date)
        try addFlow(booked.amount, value, in: booked.currency, on: date)
    }

    private mutating func addFlow(
        _ own: Decimal, _ converted: Decimal, in currency: String, on date: CalendarDate
    ) throws {
        var part = parts[currency] ?? Part()
        try part.flows.add(own, converted)
        part.openedOn = part.openedOn ?? date
        parts[currency] = part
    }

    func addGain(to sum: inout Gain, from start: CalendarDate, through end: CalendarDate) throws {
        for (currency, part) in parts {
            func value(_ amount: Decimal, on date: CalendarDate) throws -> Decimal {
                // Nothing needs no rate.
                amount.isZero
                    ? .zero : try rates.conversion(from: currency, to: target, on: date).apply(to: amount)
            }
            let columns = [part.flows, part.income, part.taxes, part.fees]
            let price = try part.end - part.begin - columns.map(\.own).sum()
            let total = try value(part.end, on: end) - value(part.begin, on: start) - part.flows.converted
            let opened = part.begin.isZero ? part.openedOn ?? start : start
            let priceValue = currency == target ? price : try value(price, on: opened)
            let other = try columns.dropFirst().map(\.converted).sum()
            sum.total = try sum.total + total
            sum.price = try sum.price + priceValue
            sum.income = try sum.income + part.income.converted
            sum.taxes = try sum.taxes + part.taxes.converted
            sum.fees = try sum.fees + part.fees.converted
            sum.currency = try sum.currency + (total - priceValue - other)
        }
    }
}
