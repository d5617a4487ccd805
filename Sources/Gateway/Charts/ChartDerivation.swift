package import Brokerage
package import Upstream

/// How Portico adjusts the prices of a source that does not adjust them itself.
package struct ChartDerivation: Hashable, Sendable {
    /// The candles to read from the source: without the wanted adjustment, and for dividends until now, because a
    /// factor depends on the last price before each later dividend.
    package let base: ChartWindow
    private let window: ChartWindow
    private let target: Adjustment

    /// Nil for a window without an adjustment, for one that the source serves itself, and for one whose prices do not
    /// determine the adjusted prices.
    ///
    /// A dividend's factor depends on the close of the day before its ex-date, so only charts of days are adjusted for
    /// dividends.
    package init?(_ window: ChartWindow, of capabilities: ChartCapabilities) {
        guard let target = window.adjustment, !capabilities.serve(window) else { return nil }
        let bases: [Adjustment]
        switch target {
        case .raw: bases = []
        case .splits: bases = [.raw]
        case .splitsAndDividends: bases = window.interval == .oneDay ? [.splits, .raw] : []
        }
        var base = window
        if target == .splitsAndDividends, window.to != nil {
            base.to = nil
            base.last = window.from == nil ? ChartWindow.limit : nil
        }
        let served = bases.first { adjustment in
            base.adjustment = adjustment
            return capabilities.serve(base)
        }
        guard let served else { return nil }
        base.adjustment = served
        (self.base, self.window, self.target) = (base, window, target)
    }

    /// Whether dividends are needed, in addition to splits.
    package var needsDividends: Bool { target == .splitsAndDividends }

    /// The adjusted candles.
    ///
    /// - Parameters:
    ///   - series: The candles of ``base``.
    ///   - splits: All splits of the instrument.
    ///   - dividends: All its dividends; not used unless they are needed.
    /// - Returns: The candles of the window; nil if they cannot be determined: a candle contains prices before and
    ///   after a split, a dividend is in another or an unknown currency, or a number has too many digits.
    package func adjusted(_ series: CandleSeries, splits: [Split], dividends: [Dividend]) -> CandleSeries? {
        let zone = ExchangeTimeZone(series.timeZone)
        // Announced actions do not change prices before their day.
        let today = series.provenance.fetchedAt.date(in: zone)
        let splits = splits.filter { $0.exDate <= today }
        let days = series.times.map { (Instant(secondsSince1970: $0) ?? .earliest).date(in: zone) }
        var candles = series.count == 0 ? [] : (0..<series.count).map { series[$0] }
        if base.adjustment == .raw {
            guard !splits.contains(where: { Self.isInside($0, days, series.interval) }) else { return nil }
            for index in candles.indices {
                let first = Self.firstTradingDay(days[index], series.interval)
                guard let ratio = ShareRatio(splits.filter { first < $0.exDate }),
                    let candle = ratio.adjusting(candles[index])
                else { return nil }
                candles[index] = candle
            }
        }
        if needsDividends {
            let paid = dividends.filter { $0.exDate <= today }
            guard let adjusted = Self.adjusted(candles, days, series.currency, paid, splits) else {
                return nil
            }
            candles = adjusted
        }
        return cut(candles, of: series)
    }

    /// The day of the first trades of a candle: of a week, a month or longer its first working day.
    private static func firstTradingDay(_ day: CalendarDate, _ interval: Interval) -> CalendarDate {
        guard !interval.isIntraday, interval != .oneDay else { return day }
        let first = interval.firstDay(around: day)
        return (0..<3).lazy.compactMap { first.adding(days: $0) }.first { !$0.weekday.isWeekend } ?? first
    }

    /// Whether a candle contains trades before and after a split.
    private static func isInside(_ split: Split, _ days: [CalendarDate], _ interval: Interval) -> Bool {
        guard !interval.isIntraday, interval != .oneDay else { return false }
        return days.contains { day in
            interval.firstDay(around: split.exDate) == interval.firstDay(around: day)
                && firstTradingDay(day, interval) < split.exDate
        }
    }

    /// Multiplies the prices before each dividend by 1 − amount ÷ last close.
    private static func adjusted(
        _ candles: [Candle], _ days: [CalendarDate], _ currency: String?, _ dividends: [Dividend],
        _ splits: [Split]
    ) -> [Candle]? {
        var adjusted = candles
        var factor: Decimal = 1
        // The latest first, so that each candle gets the product of the factors after it.
        var rest = dividends.sorted { $0.exDate < $1.exDate }
        for index in candles.indices.reversed() {
            while let dividend = rest.last, days[index] < dividend.exDate {
                rest.removeLast()
                let close = candles[index].prices.close
                guard let currency, dividend.currency == currency,
                    let ratio = ShareRatio(splits.filter { dividend.exDate < $0.exDate }),
                    let amount = ratio.adjusting(dividend.amount), amount < close,
                    let remainder = try? close - amount,
                    let product = try? factor.multiplied(
                        by: remainder, dividedBy: close, to: factorDigits, .halfEven)
                else { return nil }
                factor = product
            }
            guard let candle = candles[index].multiplied(by: factor) else { return nil }
            adjusted[index] = candle
        }
        return adjusted
    }

    private static let factorDigits = 18

    /// The candles of the window.
    private func cut(_ candles: [Candle], of series: CandleSeries) -> CandleSeries? {
        var cut = CandleSeries(
            symbol: series.symbol, interval: series.interval, provenance: series.provenance,
            reserving: candles.count)
        cut.currency = series.currency
        cut.adjustment = target
        cut.isExtendedHours = series.isExtendedHours
        cut.timeZone = series.timeZone
        cut.isTruncated = series.isTruncated
        cut.unreadable = series.unreadable
        cut.isLastComplete = series.isLastComplete
        let listed = candles.filter { window.contains($0.time) }
        for candle in listed {
            guard cut.append(candle) else { return nil }
        }
        // A candle before the end of the window is complete if others follow it.
        if let last = listed.last, let end = candles.last, last.time < end.time { cut.isLastComplete = true }
        cut.truncate(toLast: window.maximumCandles)
        return cut
    }
}

/// The number of shares that some shares became by splits.
private struct ShareRatio {
    private var newShares: Decimal = 1
    private var oldShares: Decimal = 1

    private static let priceDigits = 8
    private static let volumeDigits = 3

    /// Nil if the numbers have too many digits.
    init?(_ splits: [Split]) {
        for split in splits {
            guard let new = try? newShares * split.newShares, let old = try? oldShares * split.oldShares
            else {
                return nil
            }
            (newShares, oldShares) = (new.withoutTrailingZeros, old.withoutTrailingZeros)
        }
    }

    private var isOne: Bool { newShares == oldShares }

    /// An amount for one share, of the later shares; rounded to eight digits after the point.
    func adjusting(_ amount: Decimal) -> Decimal? {
        if isOne { return amount }
        return try? amount.multiplied(
            by: oldShares, dividedBy: newShares, to: Self.priceDigits, .halfEven
        ).withoutTrailingZeros
    }

    /// A candle with the prices and the volume of the later shares.
    func adjusting(_ candle: Candle) -> Candle? {
        if isOne { return candle }
        var adjusted = candle
        guard let open = adjusting(candle.prices.open), let high = adjusting(candle.prices.high),
            let low = adjusting(candle.prices.low), let close = adjusting(candle.prices.close)
        else { return nil }
        adjusted.prices = OHLC(open: open, high: high, low: low, close: close)
        if let volume = candle.volume {
            guard
                let shares = try? volume.multiplied(
                    by: newShares, dividedBy: oldShares, to: Self.volumeDigits, .halfEven)
            else { return nil }
            adjusted.volume = shares.withoutTrailingZeros
        }
        return adjusted
    }
}

extension Candle {
    /// The candle with prices multiplied by a factor, rounded to eight digits after the point.
    fileprivate func multiplied(by factor: Decimal) -> Candle? {
        if factor == 1 { return self }
        func price(_ price: Decimal) -> Decimal? {
            try? price.multiplied(by: factor, dividedBy: 1, to: 8, .halfEven).withoutTrailingZeros
        }
        guard let open = price(prices.open), let high = price(prices.high), let low = price(prices.low),
            let close = price(prices.close)
        else { return nil }
        var candle = self
        candle.prices = OHLC(open: open, high: high, low: low, close: close)
        return candle
    }
}
