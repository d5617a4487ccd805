package import Brokerage

/// Determines the effect of an account's activities on return and cost.
///
/// An activity whose effect is unknown, or a trade without its figures, is unclassified and not guessed.
package struct ActivityClassifier: Sendable {
    /// The reference data of spin-offs, by the symbol of the new company.
    private let spinOffs: [Symbol: SpinOffReference]
    /// The numbers by which quantity × price is multiplied for the value, of instruments of which they are known.
    private let multipliers: [Symbol: Decimal]

    /// The data of a spin-off that an activity of a broker does not contain.
    package struct SpinOffReference: Sendable, Hashable {
        package var parent: Symbol
        /// The prices of the first regular day; nil if they are unknown.
        package var parentPrice: Decimal?
        package var childPrice: Decimal?

        package init(parent: Symbol, parentPrice: Decimal?, childPrice: Decimal?) {
            (self.parent, self.parentPrice, self.childPrice) = (parent, parentPrice, childPrice)
        }
    }

    /// - Parameters:
    ///   - spinOffs: The reference data of spin-offs, by the symbol of the new company.
    ///   - multipliers: The numbers by which quantity × price is multiplied for the value; without one, it is 1 for
    ///     shares, funds, currencies and coins, and unknown for other instruments.
    package init(spinOffs: [Symbol: SpinOffReference] = [:], multipliers: [Symbol: Decimal] = [:]) {
        (self.spinOffs, self.multipliers) = (spinOffs, multipliers)
    }

    /// The effects of all activities of one account; those of one day keep the order in which they are given.
    ///
    /// Several activities of one event, such as the removal and the addition of a split, become one.
    package func classify(_ activities: [Activity]) -> [ClassifiedActivity] {
        var events: [Event: [Activity]] = [:]
        for activity in activities {
            if let event = Event(activity) { events[event, default: []].append(activity) }
        }
        let trades = Dictionary(
            activities.filter { $0.kind == .trade }.compactMap { trade in trade.groupID.map { ($0, trade.id) }
            }
        ) { first, _ in first }
        return activities.flatMap { activity in
            if let event = Event(activity) {
                // The first row of an event stands for all.
                return events.removeValue(forKey: event).map(Self.exchange) ?? []
            }
            if let payment = payment(inUnits: activity, trades: trades) ?? Self.dividend(inUnits: activity) {
                return payment
            }
            let kind = kind(of: activity, trades: trades) ?? activity.unclassified
            return [ClassifiedActivity(id: activity.id, date: activity.date, kind: kind)]
        }.inOrderOfDates
    }

    /// The kind of an activity that is an event of its own; nil if its data is not sufficient.
    private func kind(of activity: Activity, trades: [String: String]) -> ClassifiedActivity.Kind? {
        let symbol = activity.symbol
        switch activity.kind {
        case .trade:
            guard let symbol, let quantity = activity.quantity, let price = activity.price else { return nil }
            if let currency = activity.currency {
                return .trade(
                    .init(
                        symbol, quantity: quantity, price: price, multiplier: multiplier(of: symbol),
                        currency: currency,
                        booked: activity.amount == nil ? nil : activity.currencyAmount))
            }
            // A pair of currencies is held on margin, so that its trade books no cash.
            guard activity.amount == nil, case .currencies(_, let quote)? = SymbolKind(symbol) else {
                return nil
            }
            return .trade(
                .init(symbol, quantity: quantity, price: price, currency: quote, isOnMargin: true))
        case .dividend:
            let isOfCapital = Self.returnsOfCapital.contains(activity.providerKind)
            guard let amount = activity.currencyAmount else {
                return .unknownAmount(
                    .init(
                        isOfCapital ? .returnOfCapital : .income, symbol: symbol,
                        isOfUnknownInstrument: symbol == nil))
            }
            guard isOfCapital else { return .income(amount, symbol) }
            return symbol.map { .returnOfCapital(amount, $0) }
        case .interest:
            guard let amount = activity.currencyAmount else {
                return .unknownAmount(.init(.income, symbol: symbol))
            }
            return amount.amount.isNegative ? .fee(.init(amount, .financing)) : .income(amount, symbol)
        case .fee:
            let category = Self.categories[activity.providerKind] ?? .other
            let trade = activity.groupID.flatMap { trades[$0] }
            guard let amount = activity.currencyAmount else {
                return .unknownAmount(.init(.fee(category), symbol: symbol, trade: trade))
            }
            return .fee(.init(amount, category, symbol: symbol, trade: trade))
        case .tax:
            guard let amount = activity.currencyAmount else {
                return .unknownAmount(
                    .init(.tax, symbol: symbol, isOfUnknownInstrument: symbol == nil))
            }
            return .tax(amount, symbol)
        case .deposit, .withdrawal: return cashFlow(activity)
        case .transfer:
            guard let symbol, let quantity = activity.quantity, !quantity.isZero else {
                return cashFlow(activity)
            }
            // A price of 0 is that of a row without a price.
            let price = activity.price.flatMap { $0.isZero ? nil : $0 }
            let value = price.flatMap { price in multiplier(of: symbol).flatMap { try? price * $0 } }
            return .securitiesTransfer(
                .init(symbol, quantity: quantity, price: value, currency: activity.currency))
        case .spinOff:
            guard let symbol, let quantity = activity.quantity, !quantity.isZero else { return nil }
            let reference = spinOffs[symbol]
            return .spinOff(
                .init(
                    parent: reference?.parent, child: symbol, quantity: quantity,
                    parentPrice: reference?.parentPrice, childPrice: reference?.childPrice))
        case .split, .symbolChange, .merger, .other: return nil
        }
    }

    /// A fee that is paid with units of the instrument, as the sale of the units for it; nil for another activity.
    private func payment(
        inUnits activity: Activity, trades: [String: String]
    ) -> [ClassifiedActivity]? {
        guard activity.kind == .fee, let symbol = activity.symbol, let currency = activity.currency,
            let quantity = activity.quantity, !quantity.isZero, activity.amount?.isZero ?? true
        else { return nil }
        let price = activity.price.flatMap { $0.isZero ? nil : $0 }
        let sale = ClassifiedActivity.Trade(
            symbol, quantity: quantity, price: price ?? .zero,
            multiplier: price.flatMap { _ in multiplier(of: symbol) }, currency: currency, isFeePayment: true)
        let trade = activity.groupID.flatMap { trades[$0] }
        let fee: ClassifiedActivity.Kind =
            if let amount = try? sale.amount?.negated {
                .fee(.init(amount, .transaction, symbol: symbol, trade: trade))
            } else {
                .unknownAmount(.init(.fee(.transaction), symbol: symbol, trade: trade))
            }
        return [
            ClassifiedActivity(id: activity.id, date: activity.date, kind: .trade(sale)),
            ClassifiedActivity(id: activity.id + "/fee", date: activity.date, kind: fee),
        ]
    }

    /// A dividend that is paid in units, and the cash of the same activity; nil for another activity.
    private static func dividend(inUnits activity: Activity) -> [ClassifiedActivity]? {
        guard activity.kind == .dividend, let symbol = activity.symbol, let quantity = activity.quantity,
            !quantity.isZero
        else { return nil }
        let units = ClassifiedActivity(
            id: activity.id, date: activity.date, kind: .stockDividend(symbol, quantity))
        guard let cash = activity.currencyAmount, !cash.amount.isZero else { return [units] }
        return [
            units,
            ClassifiedActivity(id: activity.id + "/cash", date: activity.date, kind: .income(cash, symbol)),
        ]
    }

    /// The number by which quantity × price is multiplied for the value; nil if it is unknown.
    private func multiplier(of symbol: Symbol) -> Decimal? {
        if let known = multipliers[symbol] { return known }
        if OptionContract(occ: symbol) != nil { return nil }
        return switch SymbolKind(symbol) {
        case .listing, .currencies, .crypto: 1
        case .index, .future, nil: nil
        }
    }

    private func cashFlow(_ activity: Activity) -> ClassifiedActivity.Kind {
        activity.currencyAmount.map { .cashFlow($0) }
            ?? .unknownAmount(.init(.externalFlow, symbol: activity.symbol))
    }

    /// Alpaca's terms of dividends that are paid out of the capital.
    private static let returnsOfCapital: Set = ["DIVROC", "DIV/ROC"]

    /// The terms of fees with a known purpose, of Alpaca and of Saxo.
    private static let categories: [String: ClassifiedActivity.Fee.Category] = [
        "FEE/REG": .transaction, "FEE/TAF": .transaction, "FEE/CAT": .transaction, "FEE/ORF": .transaction,
        "FEE/OCC": .transaction, "CFEE": .transaction, "FEE/COM": .transaction, "FEE/OCOM": .transaction,
        "Commission": .transaction, "Exchange Fee": .transaction,
        "FEE/ADR": .service, "DIVFEE": .service, "Depository Charges": .service,
    ]

    /// Activities that together replace units by others.
    private struct Event: Hashable {
        let kind: ActivityKind
        let date: CalendarDate
        /// The symbol of a split, whose rows have different groups at Saxo; otherwise the broker's group.
        let key: String?

        init?(_ activity: Activity) {
            switch activity.kind {
            case .split: key = activity.symbol?.text
            case .symbolChange, .merger: key = activity.groupID
            case .trade, .dividend, .interest, .fee, .tax, .deposit, .withdrawal, .transfer, .spinOff, .other:
                return nil
            }
            (kind, date) = (activity.kind, activity.date)
        }
    }

    /// The exchange of the removed units for the added ones, or their sale for cash; unclassified if the rows are neither.
    private static func exchange(_ rows: [Activity]) -> [ClassifiedActivity] {
        let removed = rows.filter { $0.quantity?.isNegative == true }
        let added = rows.filter { $0.quantity.map { $0 > .zero } ?? false }
        let paid = rows.filter { $0.amount.map { !$0.isZero } ?? false }
        guard removed.count == 1, let old = removed.first, let from = old.symbol,
            let oldQuantity = try? old.quantity?.magnitude
        else { return rows.map(\.asUnclassified) }
        if added.count == 1, paid.isEmpty, let to = added.first?.symbol, let new = added.first?.quantity {
            return [
                ClassifiedActivity(
                    id: old.id, date: old.date,
                    kind: .exchange(from: from, to: to, new: new, old: oldQuantity))
            ]
        }
        if added.isEmpty, paid.count == 1, let amount = paid.first?.currencyAmount, amount.amount > .zero,
            let quantity = old.quantity,
            let price = try? amount.amount.divided(
                by: oldQuantity, to: Decimal.digitsOfAmount, .halfEven)
        {
            let sale = ClassifiedActivity.Trade(
                from, quantity: quantity, price: price, currency: amount.currency, booked: amount,
                isMerger: true)
            return [ClassifiedActivity(id: old.id, date: old.date, kind: .trade(sale))]
        }
        return rows.map(\.asUnclassified)
    }
}

extension Activity {
    /// The amount with the broker's conversion; without it, or its currency, that in the currency of the account.
    fileprivate var currencyAmount: CurrencyAmount? {
        guard let amount, let currency else {
            guard let accountAmount, let accountCurrency else { return nil }
            return CurrencyAmount(accountAmount, accountCurrency)
        }
        guard let accountAmount, let accountCurrency, accountCurrency != currency else {
            return CurrencyAmount(amount, currency)
        }
        return CurrencyAmount(amount, currency, converted: .init(accountAmount, accountCurrency))
    }

    fileprivate var unclassified: ClassifiedActivity.Kind { .unclassified(providerKind, currencyAmount) }

    fileprivate var asUnclassified: ClassifiedActivity {
        ClassifiedActivity(id: id, date: date, kind: unclassified)
    }
}
