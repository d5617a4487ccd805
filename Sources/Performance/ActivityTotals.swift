package import Brokerage

/// The sums of an account's activities: cash by currency and quantities by instrument.
package struct ActivityTotals: Sendable, Hashable {
    /// By ISO 4217 code of the currency in which it is booked, without those that are zero.
    package private(set) var cash: [String: Decimal] = [:]
    /// Below zero for short positions; without those that are zero.
    package private(set) var quantities: [Symbol: Decimal] = [:]

    /// The sums before any activity.
    ///
    /// `opening` contains the quantities that are held already.
    package init(opening: [Symbol: Decimal] = [:]) {
        quantities = opening
    }

    /// The cash and the quantities after the activities of an account that was empty before them.
    ///
    /// Activities of an unknown kind count with their amounts.
    package init(_ activities: [ClassifiedActivity]) throws {
        self.init()
        for activity in activities.inOrderOfEffect { try add(activity) }
        cash = cash.filter { !$0.value.isZero }
        quantities = quantities.filter { !$0.value.isZero }
    }

    /// Adds an activity that takes effect after all others.
    package mutating func add(_ activity: ClassifiedActivity) throws {
        if let amount = try activity.cash {
            let (value, currency) =
                amount.converted.map { ($0.amount, $0.currency) } ?? (amount.amount, amount.currency)
            cash[currency] = try (cash[currency] ?? .zero) + value
        }
        try quantities.apply(activity)
    }

    /// The quantities before the first of some activities, from those after the last one.
    ///
    /// They are the securities whose purchase is not among the activities: zero for a complete ledger.
    package static func opening(
        of current: [Symbol: Decimal], before activities: [ClassifiedActivity]
    ) throws -> [Symbol: Decimal] {
        var quantities = current
        for activity in activities.inOrderOfEffect.reversed() { try quantities.revert(activity) }
        return quantities.filter { !$0.value.isZero }
    }
}

extension [Symbol: Decimal] {
    fileprivate mutating func apply(_ activity: ClassifiedActivity) throws {
        switch activity.kind {
        case .trade(let trade): try add(trade.quantity, to: trade.symbol)
        case .securitiesTransfer(let transfer): try add(transfer.quantity, to: transfer.symbol)
        case .exchange(let from, let to, let new, let old):
            let quantity = removeValue(forKey: from) ?? .zero
            try add(quantity.quantityProportion(new, of: old), to: to)
        case .spinOff(let spinOff): try add(spinOff.quantity, to: spinOff.child)
        case .stockDividend(let symbol, let quantity): try add(quantity, to: symbol)
        case .cashFlow, .income, .returnOfCapital, .tax, .fee, .unknownAmount, .unclassified: break
        }
    }

    fileprivate mutating func revert(_ activity: ClassifiedActivity) throws {
        switch activity.kind {
        case .trade(let trade): try add(trade.quantity.negated, to: trade.symbol)
        case .securitiesTransfer(let transfer): try add(transfer.quantity.negated, to: transfer.symbol)
        case .exchange(let from, let to, let new, let old):
            if from == to {
                let quantity = removeValue(forKey: to) ?? .zero
                try add(quantity.quantityProportion(old, of: new), to: from)
            } else {
                // Units of the later symbol can have been held before.
                try add(new.negated, to: to)
                try add(old, to: from)
            }
        case .spinOff(let spinOff): try add(spinOff.quantity.negated, to: spinOff.child)
        case .stockDividend(let symbol, let quantity): try add(quantity.negated, to: symbol)
        case .cashFlow, .income, .returnOfCapital, .tax, .fee, .unknownAmount, .unclassified: break
        }
    }

    private mutating func add(_ quantity: Decimal, to symbol: Symbol) throws {
        self[symbol] = try (self[symbol] ?? .zero) + quantity
    }
}

extension [ClassifiedActivity] {
    /// Sorted by date; within a day corporate actions come first, because they take effect before the market opens.
    ///
    /// What is booked under a symbol on the day on which a corporate action removes it precedes this action, which takes all
    /// its units. Units that pay a fee leave after the trades of their day, as they are a part of what was bought.
    var inOrderOfEffect: [ClassifiedActivity] {
        var actions: [CalendarDate: Int] = [:]
        var removals: [Removal: Int] = [:]
        let places = map { activity -> Int? in
            guard activity.isCorporateAction else { return nil }
            let place = actions[activity.date] ?? 0
            actions[activity.date] = place + 1
            if let symbol = activity.removedSymbol { removals[Removal(symbol, activity.date)] = place }
            return place
        }
        if actions.isEmpty, !contains(where: \.isFeePayment) { return inOrderOfDates }
        return zip(self, places).enumerated().map { offset, row in
            let (activity, place) = row
            let removal = activity.symbol.flatMap { removals[Removal($0, activity.date)] }
            let step = place != nil ? 2 : activity.isFeePayment ? 1 : 0
            let key = (activity.date, place ?? removal ?? .max, step, offset)
            return (key: key, activity: activity)
        }.sorted { $0.key < $1.key }.map(\.activity)
    }
}

/// A symbol that a corporate action removes on a day.
private struct Removal: Hashable {
    let symbol: Symbol
    let date: CalendarDate

    init(_ symbol: Symbol, _ date: CalendarDate) {
        (self.symbol, self.date) = (symbol, date)
    }
}

extension ClassifiedActivity {
    fileprivate var isFeePayment: Bool {
        if case .trade(let trade) = kind { trade.isFeePayment } else { false }
    }

    fileprivate var isCorporateAction: Bool {
        switch kind {
        case .exchange, .spinOff, .stockDividend: true
        case .trade(let trade): trade.isMerger
        case .cashFlow, .securitiesTransfer, .income, .returnOfCapital, .tax, .fee, .unknownAmount,
            .unclassified:
            false
        }
    }

    /// The symbol of which the account has no units after the corporate action.
    fileprivate var removedSymbol: Symbol? {
        switch kind {
        case .exchange(let from, let to, _, _): from == to ? nil : from
        case .trade(let trade): trade.isMerger ? trade.symbol : nil
        case .cashFlow, .securitiesTransfer, .spinOff, .stockDividend, .income, .returnOfCapital, .tax, .fee,
            .unknownAmount, .unclassified:
            nil
        }
    }
}
