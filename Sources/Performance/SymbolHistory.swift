package import Brokerage

/// The symbols that the instruments of an account had one after the other.
///
/// An exchange for units of another symbol, which is a change of the symbol or a merger paid in shares, makes the earlier
/// symbol one of the later instrument, as its lots are carried over. An earlier symbol that is acquired after that is another
/// instrument, because exchanges assign a free symbol again.
package struct SymbolHistory: Sendable, Hashable {
    /// By the earlier symbol, in the order of their effect.
    private var changes: [Symbol: [Change]] = [:]

    private struct Change: Hashable {
        /// The place among all changes of the account.
        let place: Int
        let date: CalendarDate
        let symbol: Symbol
        /// The first day on which the earlier symbol is another instrument; nil if it never was.
        var reassignedOn: CalendarDate?

        /// Whether a row of a day under the earlier symbol belongs to the changed instrument; one can be booked after the
        /// change.
        func applies(on day: CalendarDate) -> Bool {
            day <= date || reassignedOn.map { day < $0 } ?? true
        }
    }

    package init(_ activities: [ClassifiedActivity]) {
        guard activities.contains(where: { $0.symbolChange != nil }) else { return }
        var count = 0
        for activity in activities.inOrderOfEffect {
            if let acquired = activity.acquiredSymbol, let last = changes[acquired]?.indices.last,
                changes[acquired]?[last].reassignedOn == nil
            {
                changes[acquired]?[last].reassignedOn = activity.date
            }
            guard let (from, to) = activity.symbolChange else { continue }
            changes[from, default: []].append(Change(place: count, date: activity.date, symbol: to))
            count += 1
        }
    }

    /// The latest symbol of the instrument that had a symbol on a day.
    package func latest(_ symbol: Symbol, on day: CalendarDate) -> Symbol {
        follow(symbol, on: day, until: .latest)
    }

    /// The symbol under which an account holds, at the end of a day, the instrument of a row of this day: another one than
    /// that of the row if it was booked after a change.
    func held(_ symbol: Symbol, on day: CalendarDate) -> Symbol {
        // Rows of the day of a change take effect before it.
        follow(symbol, on: day, until: day.adding(days: -1) ?? day)
    }

    private func follow(_ symbol: Symbol, on day: CalendarDate, until end: CalendarDate) -> Symbol {
        guard var change = changes[symbol]?.first(where: { $0.applies(on: day) }), change.date <= end else {
            return symbol
        }
        while let next = changes[change.symbol]?.first(where: { $0.place > change.place }), next.date <= end {
            change = next
        }
        return change.symbol
    }
}

extension ClassifiedActivity {
    /// The earlier and the later symbol, if the activity changes that of an instrument.
    fileprivate var symbolChange: (from: Symbol, to: Symbol)? {
        guard case .exchange(let from, let to, _, _) = kind, from != to else { return nil }
        return (from, to)
    }

    /// The symbol of units that the account gets by the activity.
    fileprivate var acquiredSymbol: Symbol? {
        switch kind {
        case .trade(let trade): trade.quantity.isNegative && !trade.isShortSale ? nil : trade.symbol
        case .securitiesTransfer(let transfer): transfer.quantity.isNegative ? nil : transfer.symbol
        case .exchange(let from, let to, _, _): from == to ? nil : to
        case .spinOff(let spinOff): spinOff.child
        case .cashFlow, .income, .stockDividend, .returnOfCapital, .tax, .fee, .unknownAmount, .unclassified:
            nil
        }
    }
}
