/// A cash dividend of one share.
///
/// A date that the source does not report is nil.
package struct Dividend: Hashable, Sendable {
    /// The first day on which a buyer of the share does not receive the dividend.
    package var exDate: CalendarDate
    /// The amount for one share as it was at the ex-date, before later splits and before tax.
    package var amount: Decimal
    /// ISO 4217; nil if the source does not report it.
    package var currency: String?
    package var declaredOn: CalendarDate?
    /// The day on which the register of shareholders determines who receives the dividend.
    package var recordDate: CalendarDate?
    package var payDate: CalendarDate?
    /// Whether it is paid in addition to the regular dividends; nil if the source does not report it.
    package var isSpecial: Bool?

    package init(exDate: CalendarDate, amount: Decimal, currency: String?) {
        self.exDate = exDate
        self.amount = amount
        self.currency = currency
    }
}

/// A split of a share, also a reverse one and a dividend in shares: ``oldShares`` become ``newShares``.
package struct Split: Hashable, Sendable {
    /// The first day of trading with the new number of shares.
    package var exDate: CalendarDate
    /// Above zero.
    package let newShares: Decimal
    /// Above zero.
    package let oldShares: Decimal
    package var declaredOn: CalendarDate?
    package var recordDate: CalendarDate?
    package var payDate: CalendarDate?

    /// Nil unless both numbers are above zero.
    package init?(exDate: CalendarDate, newShares: Decimal, oldShares: Decimal) {
        guard newShares > .zero, oldShares > .zero else { return nil }
        self.exDate = exDate
        self.newShares = newShares
        self.oldShares = oldShares
    }
}

/// A spin-off: the holders of a company receive shares of a part of it, which becomes a company of its own.
package struct SpinOff: Hashable, Sendable {
    package let parent: Symbol
    /// The new company.
    package let child: Symbol
    /// The first day of trading of the parent without the new company.
    package let exDate: CalendarDate

    package init(parent: Symbol, child: Symbol, exDate: CalendarDate) {
        self.parent = parent
        self.child = child
        self.exDate = exDate
    }
}

/// All dividends of an instrument that a source has, also announced ones, by ex-date, the latest first.
package struct DividendHistory: Hashable, Sendable {
    package let symbol: Symbol
    package let dividends: [Dividend]
    /// The error of each dividend that could not be read, with its place in the provider's response and without a value.
    package var unreadable: [String] = []
    /// The ISIN of the instrument, if the source reports it with its dividends.
    package var isin: String?
    package var provenance: Provenance

    /// - Parameters:
    ///   - symbol: The instrument.
    ///   - dividends: In any order; those of one day stay in this order.
    ///   - unreadable: The errors of the dividends that could not be read.
    ///   - provenance: The source.
    package init(
        symbol: Symbol, dividends: [Dividend], unreadable: [String] = [], provenance: Provenance
    ) {
        self.symbol = symbol
        self.dividends = latestFirst(dividends, by: \.exDate)
        self.unreadable = unreadable
        self.provenance = provenance
    }
}

/// All splits of an instrument that a source has, also announced ones, by ex-date, the latest first.
package struct SplitHistory: Hashable, Sendable {
    package let symbol: Symbol
    package let splits: [Split]
    /// The error of each split that could not be read, with its place in the provider's response and without a value.
    package var unreadable: [String] = []
    package var provenance: Provenance

    /// - Parameters:
    ///   - symbol: The instrument.
    ///   - splits: In any order; those of one day stay in this order.
    ///   - unreadable: The errors of the splits that could not be read.
    ///   - provenance: The source.
    package init(symbol: Symbol, splits: [Split], unreadable: [String] = [], provenance: Provenance) {
        self.symbol = symbol
        self.splits = latestFirst(splits, by: \.exDate)
        self.unreadable = unreadable
        self.provenance = provenance
    }
}

/// All spin-offs of an instrument that a source has, as the parent and as the new company, the latest first.
package struct SpinOffHistory: Hashable, Sendable {
    package let symbol: Symbol
    package let spinOffs: [SpinOff]
    package var provenance: Provenance

    /// - Parameters:
    ///   - symbol: The instrument.
    ///   - spinOffs: In any order; those of one day stay in this order.
    ///   - provenance: The source.
    package init(symbol: Symbol, spinOffs: [SpinOff], provenance: Provenance) {
        self.symbol = symbol
        self.spinOffs = latestFirst(spinOffs, by: \.exDate)
        self.provenance = provenance
    }
}

/// Sorts by date, the latest first; those of one day stay in their order.
private func latestFirst<Action>(_ actions: [Action], by date: KeyPath<Action, CalendarDate>) -> [Action] {
    actions.enumerated().sorted { left, right in
        let (first, second) = (left.element[keyPath: date], right.element[keyPath: date])
        return first == second ? left.offset < right.offset : first > second
    }.map(\.element)
}
