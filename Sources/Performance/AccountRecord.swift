package import Brokerage

/// What is known about an account's past: its values and its activities.
package struct AccountRecord: Sendable, Hashable {
    package var id: String
    /// The ISO 4217 code of the valuations.
    package var currency: String
    /// In the order of dates, at most one a day.
    package let valuations: [Valuation]
    /// In the order of dates; activities of one day in the order in which they were given.
    package let activities: [ClassifiedActivity]
    /// The first day whose activities the broker reports; nil if all activities are known.
    package var knownFrom: CalendarDate?
    /// The day of the first activity, before which the account is empty; nil if it is unknown.
    package var openedOn: CalendarDate?
    /// The values of ``valuations`` by the currency of cash and instruments, in these currencies, for some days.
    ///
    /// With those of the first and last day of a period, its gain by currencies is exact. Otherwise only the currency
    /// of the account counts.
    package var composition: [CalendarDate: [String: Decimal]] = [:]
    /// Whether it is the part of an account that one instrument is, with values by prices.
    private var isPosition = false

    /// An account; of several valuations of one day, the last counts.
    package init(
        id: String, currency: String, valuations: [Valuation], activities: [ClassifiedActivity],
        knownFrom: CalendarDate? = nil, openedOn: CalendarDate? = nil
    ) {
        (self.id, self.currency, self.knownFrom, self.openedOn) = (id, currency, knownFrom, openedOn)
        let days = Dictionary(valuations.map { ($0.date, $0) }) { $1 }
        self.valuations = days.values.sorted { $0.date < $1.date }
        self.activities = activities.inOrderOfDates
    }

    /// The part of an account that one instrument is, as an account of its own.
    ///
    /// Purchases are deposits, and sales and income are withdrawals, so that the return contains the income. Fees of
    /// the instrument are paid from outside, and are part of the return. It needs no cash of its own. What was held
    /// under earlier symbols of the instrument belongs to it. `valuations` are quantity × price at the end of days, in
    /// the currency of the instrument.
    package func position(
        in symbol: Symbol, currency: String, valuations: [Valuation]
    ) throws(Decimal.Overflow) -> AccountRecord {
        var own: [ClassifiedActivity] = []
        let symbols = activities.earlierSymbols(of: symbol)
        for activity in activities {
            func pay(_ amount: CurrencyAmount, _ suffix: String) throws(Decimal.Overflow) {
                let flow = try amount.negated
                own.append(
                    ClassifiedActivity(id: activity.id + suffix, date: activity.date, kind: .cashFlow(flow)))
            }
            switch activity.kind {
            case .trade(let trade) where symbols.contains(trade.symbol): try pay(trade.amount, "")
            case .income(let amount, let source?) where symbols.contains(source),
                .tax(let amount, let source?) where symbols.contains(source),
                .returnOfCapital(let amount, let source) where symbols.contains(source):
                own.append(activity)
                try pay(amount, "/flow")
            case .fee(let fee) where fee.symbol.map(symbols.contains) ?? false:
                own.append(activity)
                try pay(fee.amount, "/flow")
            case .securitiesTransfer(let transfer) where symbols.contains(transfer.symbol):
                own.append(activity)
            case .spinOff(let spinOff)
            where symbols.contains(spinOff.child) || spinOff.parent.map(symbols.contains) ?? false:
                // The shares enter at their first price, and leave the parent with it.
                let quantity =
                    try symbols.contains(spinOff.child) ? spinOff.quantity : spinOff.quantity.negated
                let transfer = ClassifiedActivity.SecuritiesTransfer(
                    spinOff.child, quantity: quantity, price: spinOff.childPrice, currency: currency)
                own.append(
                    ClassifiedActivity(
                        id: activity.id, date: activity.date, kind: .securitiesTransfer(transfer)))
            case .cashFlow, .trade, .income, .tax, .returnOfCapital, .fee, .securitiesTransfer, .spinOff,
                .exchange, .unclassified:
                break
            }
        }
        var position = AccountRecord(
            id: "\(id)/\(symbol)", currency: currency, valuations: valuations, activities: own,
            knownFrom: knownFrom, openedOn: nil)
        position.isPosition = true
        return position
    }

    /// The values of a position at the end of days, in the currency of the prices.
    ///
    /// `closes` are the prices of the days, in their order. With `isAdjusted` they are corrected for the splits until
    /// the last activity, as charts are. `opening` contains the quantities before the first activity.
    package func valuations(
        of symbol: Symbol, closes: [DatedValue], isAdjusted: Bool, opening: [Symbol: Decimal] = [:]
    ) throws -> [Valuation] {
        var totals = ActivityTotals(opening: opening)
        let symbols = activities.earlierSymbols(of: symbol)
        var next = activities.inOrderOfEffect[...]
        // The number of later units that a unit has become.
        var ratio = Decimal(1)
        if isAdjusted {
            for activity in next { ratio = try ratio * activity.splitRatio(of: symbols) }
        }
        return try closes.map { close in
            while let activity = next.first, activity.date <= close.date {
                next = next.dropFirst()
                try totals.add(activity)
                if isAdjusted {
                    ratio = try ratio.divided(
                        by: activity.splitRatio(of: symbols), to: Decimal.digitsOfAmount, .halfEven)
                }
            }
            let quantity = try symbols.compactMap { totals.quantities[$0] }.sum()
            return Valuation(close.date, try quantity * ratio * close.value)
        }
    }
}

extension AccountRecord {
    /// The flow of an activity in a currency; nil if the activity is no external flow.
    ///
    /// - Throws: ``Undetermined`` for a missing rate or price, `Decimal.Overflow`.
    static func flow(
        of activity: ClassifiedActivity, in currency: String, rates: ExchangeRateHistory
    ) throws -> Decimal? {
        guard let amount = try flow(of: activity) else { return nil }
        return try rates.convert(amount, to: currency, on: activity.date)
    }

    /// The flow of an activity; nil if the activity is no external flow.
    static func flow(of activity: ClassifiedActivity) throws -> CurrencyAmount? {
        switch activity.kind {
        case .cashFlow(let amount): return amount
        case .securitiesTransfer(let transfer):
            guard let price = transfer.price else {
                throw Undetermined(.missingPrice, date: activity.date, symbol: transfer.symbol)
            }
            return CurrencyAmount(try transfer.quantity * price, transfer.currency)
        case .trade, .income, .returnOfCapital, .tax, .fee, .exchange, .spinOff, .unclassified: return nil
        }
    }

    /// The value at the end of a day, with its flows, in the currency of the account; nil if it is unknown.
    func value(on date: CalendarDate, rates: ExchangeRateHistory) throws -> Decimal? {
        if let openedOn, date < openedOn { return .zero }
        var (low, high) = (0, valuations.count)
        while low < high {
            let middle = (low + high) / 2
            if valuations[middle].date < date { low = middle + 1 } else { high = middle }
        }
        guard low < valuations.count, valuations[low].date == date else { return nil }
        return try value(of: valuations[low], rates: rates)
    }

    /// The days whose value lacks their deposits: it is below nine tenths of them.
    ///
    /// A broker can book a deposit before its values contain it. Such a value is no value at the end of the day.
    func daysWithoutDeposits(rates: ExchangeRateHistory) throws(Decimal.Overflow) -> Set<CalendarDate> {
        guard !isPosition else { return [] }
        var flows: [CalendarDate: Decimal] = [:]
        for activity in activities {
            // A day whose flow cannot be converted has no return for this reason.
            guard let flow = try? Self.flow(of: activity, in: currency, rates: rates) else { continue }
            flows[activity.date] = try (flows[activity.date] ?? .zero) + flow
        }
        var days: Set<CalendarDate> = []
        for valuation in valuations where valuation.includesFlows {
            guard let flow = flows[valuation.date], flow > .zero else { continue }
            if try valuation.value * 10 < flow * 9 { days.insert(valuation.date) }
        }
        return days
    }

    /// A valuation with the flows of its day.
    func value(of valuation: Valuation, rates: ExchangeRateHistory) throws -> Decimal {
        if valuation.includesFlows { return valuation.value }
        let flows = try activities.lazy.filter { $0.date == valuation.date }
            .compactMap { try Self.flow(of: $0, in: currency, rates: rates) }
        return try valuation.afterFlows(flows.sum())
    }
}

extension CurrencyAmount {
    /// The amount with the other sign.
    var negated: CurrencyAmount {
        get throws(Decimal.Overflow) {
            var opposite = self
            opposite.amount = try amount.negated
            if let converted { opposite.converted?.amount = try converted.amount.negated }
            return opposite
        }
    }
}

extension [ClassifiedActivity] {
    /// Sorted by date; the order within a day stays.
    var inOrderOfDates: [ClassifiedActivity] {
        enumerated().sorted { ($0.element.date, $0.offset) < ($1.element.date, $1.offset) }.map(\.element)
    }

    /// A symbol, and those that were exchanged into it.
    fileprivate func earlierSymbols(of symbol: Symbol) -> Set<Symbol> {
        var symbols: Set = [symbol]
        for activity in reversed() {
            if case .exchange(let from, let to, _, _) = activity.kind, symbols.contains(to) {
                symbols.insert(from)
            }
        }
        return symbols
    }

    /// The activities after a day, until another one; the array is in the order of dates.
    func between(_ start: CalendarDate, through end: CalendarDate) -> ArraySlice<ClassifiedActivity> {
        drop { $0.date <= start }.prefix { $0.date <= end }
    }
}

extension ClassifiedActivity {
    /// The number of new units for an old one, if the activity exchanges units of these symbols; otherwise 1.
    fileprivate func splitRatio(of symbols: Set<Symbol>) throws(Decimal.DivisionFailure) -> Decimal {
        guard case .exchange(let from, let to, let new, let old) = kind, symbols.contains(from),
            symbols.contains(to)
        else { return 1 }
        return try new.divided(by: old, to: Decimal.digitsOfAmount, .halfEven)
    }
}
