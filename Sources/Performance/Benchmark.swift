package import Brokerage

/// An instrument with which a return is compared.
package struct Benchmark: Sendable, Hashable {
    package var symbol: Symbol
    /// The ISO 4217 code of prices and dividends.
    package var currency: String
    /// Closing prices, corrected for splits; in the order of dates.
    package let closes: [DatedValue]
    /// Dividends of one unit by their ex-dates, corrected for splits; nil if they are unknown.
    package let dividends: [DatedValue]?

    package init(symbol: Symbol, currency: String, closes: [DatedValue], dividends: [DatedValue]?) {
        (self.symbol, self.currency) = (symbol, currency)
        self.closes = closes.filter { $0.value > .zero }.sorted { $0.date < $1.date }
        self.dividends = dividends?.sorted { $0.date < $1.date }
    }

    /// The return of a benchmark in a period.
    package struct Return: Sendable, Hashable {
        /// A fraction, to 12 digits after the point.
        package var rate: Decimal
        /// False if the dividends of the instrument are unknown: the rate is that of prices.
        package var includesDividends: Bool
        /// The return since the start, at the days that were asked for and have a price.
        package var points: [TimeWeightedReturn.Point]
    }

    /// The return between two days in a currency; a dividend is invested at the close of its ex-date.
    ///
    /// `dates` are the days of the points in their order; the first and last are the ends of the period. Throws
    /// ``Undetermined`` for a missing price or rate at an end of the period, and `Decimal.Overflow`.
    package func calculate(
        on dates: [CalendarDate], in target: String, rates: ExchangeRateHistory
    ) throws -> Return {
        guard let first = dates.first, let last = dates.last, first < last else {
            throw Undetermined(.emptyPeriod, date: dates.first)
        }
        let begin = try close(on: first)
        let start = try value(begin.value, on: first, in: target, rates)
        var units = Decimal(1)
        var dividends = (dividends ?? []).drop { $0.date <= begin.date }
        var points: [TimeWeightedReturn.Point] = []
        for date in dates {
            do {
                let close = try close(on: date)
                while let dividend = dividends.first, dividend.date <= close.date {
                    // The price of a day without trade at the ex-date is the next one.
                    let exDate = try self.close(onOrAfter: dividend.date)
                    units = try units.multiplied(
                        by: exDate.value + dividend.value, dividedBy: exDate.value,
                        to: Decimal.digitsOfGrowth, .halfEven)
                    dividends = dividends.dropFirst()
                }
                let growth = try units.multiplied(
                    by: value(close.value, on: date, in: target, rates), dividedBy: start,
                    to: Decimal.digitsOfGrowth, .halfEven)
                points.append(
                    .init(date, try (growth - 1).rounded(to: Decimal.digitsOfReturn, .halfEven)))
            } catch let reason as Undetermined {
                // A day in between without a price has no point.
                if date == first || date == last { throw reason }
            }
        }
        guard let end = points.last else { throw Undetermined(.missingPrice, date: last, symbol: symbol) }
        return Return(rate: end.rate, includesDividends: self.dividends != nil, points: points)
    }

    private func value(
        _ price: Decimal, on date: CalendarDate, in target: String, _ rates: ExchangeRateHistory
    ) throws -> Decimal {
        try rates.convert(CurrencyAmount(price, currency), to: target, on: date)
    }

    private func close(on date: CalendarDate) throws -> DatedValue {
        guard let close = closes.latest(on: date, maximumAge: ExchangeRateHistory.maximumAge) else {
            throw Undetermined(.missingPrice, date: date, symbol: symbol)
        }
        return close
    }

    private func close(onOrAfter date: CalendarDate) throws -> DatedValue {
        guard let close = closes.first(where: { $0.date >= date }) else {
            throw Undetermined(.missingPrice, date: date, symbol: symbol)
        }
        return close
    }
}
