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
    private let symbols: SymbolHistory
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
        symbols = SymbolHistory(activities)
    }

    /// The part of an account that one instrument is, as an account of its own.
    ///
    /// Purchases are deposits, and sales and income are withdrawals, so that the return contains the income. Fees of
    /// the instrument are paid from outside, and are part of the return. It needs no cash of its own. What was held
    /// under earlier symbols of the instrument belongs to it. `valuations` are those of the quantities at the end of days,
    /// in the currency of the instrument. `opening` contains the quantities before the first activity.
    package func position(
        in symbol: Symbol, currency: String, valuations: [Valuation], opening: [Symbol: Decimal] = [:]
    ) throws(Decimal.Overflow) -> AccountRecord {
        let wasHeldBefore = opening.contains { isOf(symbol, $0.key, on: .earliest) && !$0.value.isZero }
        var own: [ClassifiedActivity] = []
        for activity in activities {
            func appendUnknownFlow() {
                own.append(
                    ClassifiedActivity(
                        id: activity.id, date: activity.date,
                        kind: .unknownAmount(.init(.externalFlow, symbol: symbol))))
            }
            func isOwn(_ other: Symbol?) -> Bool { isOf(symbol, other, on: activity.date) }
            func pay(_ amount: CurrencyAmount, _ suffix: String) throws(Decimal.Overflow) {
                let flow = try amount.negated
                own.append(
                    ClassifiedActivity(id: activity.id + suffix, date: activity.date, kind: .cashFlow(flow)))
            }
            switch activity.kind {
            case .trade(let trade) where isOwn(trade.symbol):
                if let amount = try trade.amount { try pay(amount, "") } else { appendUnknownFlow() }
            case .income(let amount, let source) where isOwn(source),
                .tax(let amount, let source) where isOwn(source):
                own.append(activity)
                try pay(amount, "/flow")
            case .returnOfCapital(let amount, let source) where isOwn(source):
                own.append(activity)
                try pay(amount, "/flow")
            case .fee(let fee) where isOwn(fee.symbol):
                own.append(activity)
                try pay(fee.amount, "/flow")
            case .securitiesTransfer(let transfer) where isOwn(transfer.symbol):
                own.append(activity)
            case .spinOff(let spinOff) where isOwn(spinOff.child) || isOwn(spinOff.parent):
                // The shares enter at their first price, and leave the parent with it.
                let quantity = try isOwn(spinOff.child) ? spinOff.quantity : spinOff.quantity.negated
                let transfer = ClassifiedActivity.SecuritiesTransfer(
                    spinOff.child, quantity: quantity, price: spinOff.childPrice, currency: currency)
                own.append(
                    ClassifiedActivity(
                        id: activity.id, date: activity.date, kind: .securitiesTransfer(transfer)))
            case .unknownAmount(let unknown) where isOwn(unknown.symbol): appendUnknownFlow()
            case .unknownAmount(let unknown) where unknown.isOfUnknownInstrument:
                // One before the first purchase is of another instrument.
                if !own.isEmpty || wasHeldBefore { appendUnknownFlow() }
            case .cashFlow, .trade, .income, .tax, .returnOfCapital, .fee, .securitiesTransfer, .spinOff,
                .exchange, .stockDividend, .unknownAmount, .unclassified:
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
    /// the last activity, as charts are. `multiplier` is the number by which quantity × price is multiplied for the value.
    /// `opening` contains the quantities before the first activity.
    package func valuations(
        of symbol: Symbol, closes: [DatedValue], isAdjusted: Bool, multiplier: Decimal = 1,
        opening: [Symbol: Decimal] = [:]
    ) throws -> [Valuation] {
        var totals = ActivityTotals(opening: opening.filter { isOf(symbol, $0.key, on: .earliest) })
        let own = activities.inOrderOfEffect.filter { isOf(symbol, $0.changedSymbol, on: $0.date) }
        var next = try own.exchangingStockDividends(of: totals)[...]
        var units = try UnitRatios(of: symbol, before: next)
        return try closes.map { close in
            while let activity = next.first, activity.date <= close.date {
                next = next.dropFirst()
                try totals.add(activity)
                units.advance(past: activity)
            }
            let quantity = try totals.quantities.map { held, quantity in
                try units.priced(quantity, of: held, isAdjusted: isAdjusted)
            }.sum()
            return Valuation(close.date, try quantity * close.value * multiplier)
        }
    }

    /// Whether a row of a day under another symbol is one of an instrument.
    private func isOf(_ symbol: Symbol, _ other: Symbol?, on date: CalendarDate) -> Bool {
        other.map { symbols.latest($0, on: date) } == symbol
    }
}

extension AccountRecord {
    /// The flow of an activity in a currency; nil if the activity is no external flow.
    ///
    /// - Throws: ``Undetermined`` for a missing rate, price or amount, `Decimal.Overflow`.
    static func flow(
        of activity: ClassifiedActivity, in currency: String, rates: ExchangeRateHistory
    ) throws -> Decimal? {
        guard let amount = try flow(of: activity) else { return nil }
        return try rates.convert(amount, to: currency, on: activity.date)
    }

    /// The flow of an activity; nil if the activity is no external flow.
    ///
    /// - Throws: ``Undetermined`` for a missing price or amount, `Decimal.Overflow`.
    static func flow(of activity: ClassifiedActivity) throws -> CurrencyAmount? {
        switch activity.kind {
        case .cashFlow(let amount): return amount
        case .securitiesTransfer(let transfer):
            guard let price = transfer.price else {
                throw Undetermined(.missingPrice, date: activity.date, symbol: transfer.symbol)
            }
            guard let currency = transfer.currency else {
                throw Undetermined(.missingAmount, date: activity.date, symbol: transfer.symbol)
            }
            return CurrencyAmount(try transfer.quantity * price, currency)
        case .unknownAmount(let unknown) where unknown.effect == .externalFlow:
            throw activity.missingAmount
        case .unknownAmount: return nil
        case .trade, .income, .returnOfCapital, .tax, .fee, .exchange, .spinOff, .stockDividend,
            .unclassified:
            return nil
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

    /// The activities in the order of effect, with a dividend in units as the exchange of all units for more of them, as which
    /// prices are corrected for it.
    fileprivate func exchangingStockDividends(of opening: ActivityTotals) throws -> [ClassifiedActivity] {
        var totals = opening
        return try map { activity in
            var exchanged = activity
            if case .stockDividend(let symbol, let quantity) = activity.kind,
                let held = totals.quantities[symbol], !held.isZero
            {
                exchanged.kind = .exchange(from: symbol, to: symbol, new: try held + quantity, old: held)
            }
            try totals.add(exchanged)
            return exchanged
        }
    }

    /// The activities after a day, until another one; the array is in the order of dates.
    func between(_ start: CalendarDate, through end: CalendarDate) -> ArraySlice<ClassifiedActivity> {
        drop { $0.date <= start }.prefix { $0.date <= end }
    }
}

extension ClassifiedActivity {
    /// The symbol of the units whose number the activity changes; nil if it changes none.
    fileprivate var changedSymbol: Symbol? {
        switch kind {
        case .trade(let trade): trade.symbol
        case .securitiesTransfer(let transfer): transfer.symbol
        case .exchange(let from, _, _, _): from
        case .spinOff(let spinOff): spinOff.child
        case .stockDividend(let symbol, _): symbol
        case .cashFlow, .income, .returnOfCapital, .tax, .fee, .unknownAmount, .unclassified: nil
        }
    }

    /// Why a figure with the activity as a part is unknown.
    var missingAmount: Undetermined { Undetermined(.missingAmount, date: date, symbol: symbol) }
}

/// The number of today's units of an instrument that a unit under each of its symbols becomes.
private struct UnitRatios {
    /// Those before each exchange that is still to come, the next one last.
    private var stages: [Stage] = []

    private struct Stage {
        /// By symbol; 1 for one that is missing.
        var ratios: [Symbol: Decimal] = [:]
        /// The symbol in whose units the instrument is priced.
        var priced: Symbol
    }

    init(of symbol: Symbol, before activities: ArraySlice<ClassifiedActivity>) throws {
        var stage = Stage(priced: symbol)
        stages = [stage]
        for activity in activities.reversed() {
            guard case .exchange(let from, let to, let new, let old) = activity.kind else { continue }
            stage.ratios[from] = try (stage.ratios[to] ?? 1).proportion(new, of: old)
            // The past prices of a renamed instrument are those under its earlier symbol; those of a company that took over
            // another one are its own.
            if to == stage.priced, new == old { stage.priced = from }
            stages.append(stage)
        }
    }

    mutating func advance(past activity: ClassifiedActivity) {
        if case .exchange = activity.kind { _ = stages.popLast() }
    }

    /// A quantity in the units of the price: today's, or with prices as they were traded those of the day.
    func priced(_ quantity: Decimal, of symbol: Symbol, isAdjusted: Bool) throws -> Decimal {
        guard let stage = stages.last else { return quantity }
        let ratio = stage.ratios[symbol] ?? 1
        if isAdjusted { return try quantity * ratio }
        if symbol == stage.priced { return quantity }
        return try quantity.proportion(ratio, of: stage.ratios[stage.priced] ?? 1)
    }
}
