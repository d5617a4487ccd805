import Brokerage

extension AlpacaHistory {
    /// The history in Portico's words: points without time or value are left out.
    ///
    /// `ONE_DAY` is one trading day only, the latest that has a value. Before the opening that is the day before, as
    /// Alpaca counts the day from its opening.
    func history(_ range: HistoryRange, requestedInterval: Interval, fetchedAt: Instant) -> EquityHistory {
        let all = points
        let kept = range == .oneDay ? Self.latestDay(of: all) : all
        // The stamp of today's daily point is 20:00, which may lie ahead: then it does not tell.
        let asOf = kept.last.map(\.time).flatMap { $0 <= fetchedAt ? $0 : nil }
        return EquityHistory(
            range: range, interval: interval ?? requestedInterval, currency: AlpacaMarket.currency,
            baseValue: kept.count == all.count ? base : Self.base(of: kept), points: kept,
            provenance: Provenance(source: .alpaca, fetchedAt: fetchedAt, asOf: asOf))
    }

    /// Oldest first, as Alpaca sends them; sorted all the same, as the order is promised.
    private var points: [EquityPoint] {
        times.indices.compactMap { index in
            guard let time = times[index], let equity = equity[index] else { return nil }
            return EquityPoint(
                time: time, equity: equity, profitLoss: Self.value(index, of: profitLoss),
                profitLossPercent: Self.value(index, of: profitLossPercent))
        }.sorted { $0.time < $1.time }
    }

    private static func value(_ index: Int, of column: [Decimal?]) -> Decimal? {
        column.indices.contains(index) ? column[index] : nil
    }

    /// An account without a past has a base of 0 or null: nothing that profit could count from.
    private var base: Decimal? {
        baseValue.flatMap { $0.isZero ? nil : $0 }
    }

    /// The points of the last day, by the calendar of New York: a day's stamp of 20:00 there is the next day in UTC.
    private static func latestDay(of points: [EquityPoint]) -> [EquityPoint] {
        guard let day = points.last?.time.inNewYork.date else { return [] }
        return points.filter { $0.time.inNewYork.date == day }
    }

    /// What the first point's profit counts from: `base_value` is of the day before the first one, profits begin anew
    /// with each day (`pnl_reset=per_day`).
    private static func base(of points: [EquityPoint]) -> Decimal? {
        let bases = points.lazy.compactMap { point in point.profitLoss.flatMap { try? point.equity - $0 } }
        return bases.first
    }
}
