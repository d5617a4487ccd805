package import Brokerage

/// The dividends and the interest of twelve months, in one currency by the rates of their dates.
package struct IncomeSummary: Sendable, Hashable {
    /// Before tax.
    package var gross = Decimal.zero
    /// Withheld tax; negative if more was withheld than refunded.
    package var taxes = Decimal.zero

    package init() {}

    /// After withheld tax.
    package var net: Decimal { get throws(Decimal.Overflow) { try gross + taxes } }

    /// The income of the twelve months until a day, which belongs to them.
    ///
    /// With a `symbol` only that of one instrument, also under its earlier symbols, otherwise all with interest. `symbols` are
    /// those of the activities, which are determined if it is nil. `knownFrom` is the first day with known
    /// activities, nil if all are known: if it is after the start, the figure is undetermined, and the income since
    /// then is the known part. It is also undetermined if an amount is unknown; the known part is then the rest.
    package static func twelveMonths(
        through end: CalendarDate, of activities: [ClassifiedActivity], symbol: Symbol? = nil,
        _ symbols: SymbolHistory? = nil, in currency: String,
        rates: ExchangeRateHistory, knownFrom: CalendarDate? = nil
    ) -> Figure<IncomeSummary> {
        let start = end.adding(months: -12) ?? .earliest
        let history = symbol == nil ? nil : symbols ?? SymbolHistory(activities)
        func isIncluded(_ source: Symbol?, _ day: CalendarDate) -> Bool {
            guard let history else { return true }
            return source.map { history.latest($0, on: day) } == symbol
        }
        var missing: Undetermined?
        let income = Figure {
            var summary = IncomeSummary()
            for activity in activities where start < activity.date && activity.date <= end {
                switch activity.kind {
                case .income(let amount, let source) where isIncluded(source, activity.date):
                    summary.gross =
                        try summary.gross + rates.convert(amount, to: currency, on: activity.date)
                case .tax(let amount, let source) where isIncluded(source, activity.date):
                    summary.taxes =
                        try summary.taxes + rates.convert(amount, to: currency, on: activity.date)
                case .unknownAmount(let unknown)
                where unknown.effect == .income || unknown.effect == .tax:
                    guard unknown.isOfUnknownInstrument || isIncluded(unknown.symbol, activity.date) else {
                        continue
                    }
                    missing = missing ?? activity.missingAmount
                case .cashFlow, .securitiesTransfer, .trade, .income, .returnOfCapital, .tax, .fee, .exchange,
                    .spinOff, .stockDividend, .unknownAmount, .unclassified:
                    break
                }
            }
            return summary
        }.limited(by: missing)
        guard let knownFrom, let first = start.adding(days: 1), first < knownFrom else { return income }
        return income.limited(by: Undetermined(.missingActivities, date: knownFrom, symbol: symbol))
    }

    /// The income before tax as a fraction of what the units that are held now did cost; nil without a cost.
    package func yieldOnCost(_ cost: Decimal) -> Decimal? {
        guard cost > .zero else { return nil }
        return try? gross.divided(by: cost, to: Decimal.digitsOfReturn, .halfEven)
    }
}
