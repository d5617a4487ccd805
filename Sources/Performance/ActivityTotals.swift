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
            try add(quantity.proportion(new, of: old), to: to)
        case .spinOff(let spinOff): try add(spinOff.quantity, to: spinOff.child)
        case .cashFlow, .income, .returnOfCapital, .tax, .fee, .unclassified: break
        }
    }

    fileprivate mutating func revert(_ activity: ClassifiedActivity) throws {
        switch activity.kind {
        case .trade(let trade): try add(trade.quantity.negated, to: trade.symbol)
        case .securitiesTransfer(let transfer): try add(transfer.quantity.negated, to: transfer.symbol)
        case .exchange(let from, let to, let new, let old):
            let quantity = removeValue(forKey: to) ?? .zero
            try add(quantity.proportion(old, of: new), to: from)
        case .spinOff(let spinOff): try add(spinOff.quantity.negated, to: spinOff.child)
        case .cashFlow, .income, .returnOfCapital, .tax, .fee, .unclassified: break
        }
    }

    private mutating func add(_ quantity: Decimal, to symbol: Symbol) throws {
        self[symbol] = try (self[symbol] ?? .zero) + quantity
    }
}

extension [ClassifiedActivity] {
    /// Sorted by date; within a day corporate actions come first, because they take effect before the market opens.
    var inOrderOfEffect: [ClassifiedActivity] {
        enumerated().sorted {
            ($0.element.date, $0.element.orderInDay, $0.offset)
                < ($1.element.date, $1.element.orderInDay, $1.offset)
        }.map(\.element)
    }
}

extension ClassifiedActivity {
    fileprivate var orderInDay: Int {
        switch kind {
        case .exchange, .spinOff: 0
        case .cashFlow, .securitiesTransfer, .trade, .income, .returnOfCapital, .tax, .fee, .unclassified: 1
        }
    }
}
