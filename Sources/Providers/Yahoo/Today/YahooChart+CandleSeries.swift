import Brokerage
import Upstream

extension YahooChart {
    /// The candles of a window in Portico's words; nil where their prices cannot be told: too many digits, or in what
    /// nobody knows.
    func series(of symbol: Symbol, _ window: ChartWindow, fetchedAt: Instant) -> CandleSeries? {
        guard let told = YahooPriceScale(of: symbol, currency: meta.currency, digits: meta.digits ?? 2) else {
            return nil
        }
        let asOf = meta.time.flatMap { $0 <= fetchedAt ? $0 : nil }
        var series = CandleSeries(
            symbol: symbol, interval: window.interval,
            provenance: Provenance(source: .yahoo, fetchedAt: fetchedAt, asOf: asOf), reserving: times.count)
        series.currency = told.unit?.currency
        series.adjustment = .splits
        series.isExtendedHours = window.interval.isIntraday ? window.isExtendedHours ?? false : nil
        series.timeZone = meta.timeZone
        do throws(Decimal.Overflow) {
            try series.append(candles(window.interval, told), in: window)
        } catch {
            return nil
        }
        series.isLastComplete = series.isLastOver(at: fetchedAt, offset: meta.offset ?? 0)
        return series
    }

    /// Bars without a price are left out, and a bar of the running moment is made part of the interval that it is in.
    private func candles(
        _ interval: Interval, _ told: YahooPriceScale
    ) throws(Decimal.Overflow) -> [Candle] {
        let days = YahooTradingDays(meta)
        var candles: [Candle] = []
        candles.reserveCapacity(times.count)
        for index in times.indices {
            guard let prices = try prices(at: index, told) else { continue }
            let volume = columns.volume.isEmpty ? nil : columns.volume[index]
            let candle = Candle(time: start(at: index, interval, days), prices: prices, volume: volume)
            if index == times.count - 1, let last = candles.last, last.time == candle.time {
                candles[candles.count - 1] = last.including(candle)
            } else {
                candles.append(candle)
            }
        }
        return candles
    }

    /// The beginning of the interval that a stamp is of: the stamp before the last may begin the one that runs.
    private func start(at index: Int, _ interval: Interval, _ days: YahooTradingDays) -> Int64 {
        let stamp = times[index]
        guard interval.isIntraday, index > 0, index == times.count - 1 else {
            return days.start(of: interval, stamp)
        }
        let before = times[index - 1]
        // The length of a minute or an hour is that of any day; an instant's seconds are far from the ends of 64 bits.
        return (0..<interval.length(on: .earliest)).contains(stamp - before) ? before : stamp
    }

    private func prices(at index: Int, _ told: YahooPriceScale) throws(Decimal.Overflow) -> OHLC? {
        guard !columns.open.isEmpty, !columns.high.isEmpty, !columns.low.isEmpty, !columns.close.isEmpty,
            let open = columns.open[index], let high = columns.high[index], let low = columns.low[index],
            let close = columns.close[index]
        else { return nil }
        return OHLC(
            open: try told.amount(open), high: try told.amount(high), low: try told.amount(low),
            close: try told.amount(close))
    }
}

extension Candle {
    /// The interval up to the later bar.
    ///
    /// Whether the later volume is a part of the other or comes on top differs, so that of the interval stays.
    fileprivate func including(_ later: Candle) -> Candle {
        let prices = OHLC(
            open: prices.open, high: max(prices.high, later.prices.high),
            low: min(prices.low, later.prices.low), close: later.prices.close)
        return Candle(time: time, prices: prices, volume: volume ?? later.volume)
    }
}
