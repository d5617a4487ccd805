package import Brokerage

/// Daily exchange rates of one source.
///
/// A value or a flow is converted by the rate of its own date. On a day without a rate, the last earlier one
/// counts, if it is at most ``maximumAge`` days old; otherwise the conversion is undetermined, never 1.
package struct ExchangeRateHistory: Sendable, Hashable {
    /// The days for which the last rate is carried over weekends and holidays.
    package static let maximumAge = 4

    /// The currency through which pairs without a series of their own are converted.
    private static let pivot = "USD"
    private var series: [Pair: [DatedValue]] = [:]

    private struct Pair: Hashable {
        let base: String
        let quote: String
    }

    /// No rate yet.
    package init() {}

    /// Sets the rates of a pair: the value of one unit of `base` in `quote`; rates that are not positive are left out.
    package mutating func set(_ rates: [DatedValue], of base: String, in quote: String) {
        series[Pair(base: base, quote: quote)] = rates.filter { $0.value > .zero }.sorted {
            $0.date < $1.date
        }
    }

    /// The conversion of a currency to another at a date.
    ///
    /// - Throws: ``Undetermined`` with the currency and the date, if there is no rate.
    package func conversion(
        from: String, to: String, on date: CalendarDate
    ) throws(Undetermined) -> Conversion {
        if from == to { return .identity }
        if let direct = pair(from, to, on: date) { return direct }
        let pivot = Self.pivot
        if from != pivot, to != pivot, let first = pair(from, pivot, on: date),
            let second = pair(pivot, to, on: date), let cross = try? first.followed(by: second)
        {
            return cross
        }
        throw Undetermined(.missingExchangeRate, date: date, currency: from == pivot ? to : from)
    }

    /// An amount in another currency, with 12 digits after the point; the broker's own conversion is preferred.
    package func convert(
        _ amount: CurrencyAmount, to currency: String, on date: CalendarDate
    ) throws -> Decimal {
        if amount.currency == currency { return amount.amount }
        if let booked = amount.converted {
            return try conversion(from: booked.currency, to: currency, on: date).apply(to: booked.amount)
        }
        return try conversion(from: amount.currency, to: currency, on: date).apply(to: amount.amount)
    }

    private func pair(_ from: String, _ to: String, on date: CalendarDate) -> Conversion? {
        if let rate = series[Pair(base: from, quote: to)]?.latest(on: date, maximumAge: Self.maximumAge) {
            return Conversion(multiplier: rate.value, divisor: 1, isCarried: rate.date < date)
        }
        if let rate = series[Pair(base: to, quote: from)]?.latest(on: date, maximumAge: Self.maximumAge) {
            return Conversion(multiplier: 1, divisor: rate.value, isCarried: rate.date < date)
        }
        return nil
    }

    /// A conversion by one rate, or by two through the pivot; it divides by a rate instead of rounding its inverse.
    package struct Conversion: Sendable, Hashable {
        let multiplier: Decimal
        let divisor: Decimal
        /// Whether a rate of an earlier day counts, because the day has none.
        package let isCarried: Bool

        static let identity = Conversion(multiplier: 1, divisor: 1, isCarried: false)

        /// The converted amount, with 12 digits after the point.
        package func apply(to amount: Decimal) throws -> Decimal {
            try self == .identity ? amount : amount.proportion(multiplier, of: divisor)
        }

        fileprivate func followed(by next: Conversion) throws(Decimal.Overflow) -> Conversion {
            Conversion(
                multiplier: try multiplier * next.multiplier, divisor: try divisor * next.divisor,
                isCarried: isCarried || next.isCarried)
        }
    }
}

/// A value at the end of a day: a rate or a price.
package struct DatedValue: Sendable, Hashable {
    package var date: CalendarDate
    package var value: Decimal

    package init(_ date: CalendarDate, _ value: Decimal) {
        (self.date, self.value) = (date, value)
    }
}

extension [DatedValue] {
    /// The last value on or before a day; nil if it is older than `maximumAge` days.
    ///
    /// The array must be in the order of dates.
    func latest(on date: CalendarDate, maximumAge: Int) -> DatedValue? {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].date <= date { low = middle + 1 } else { high = middle }
        }
        guard low > 0, date.daysSince1970 - self[low - 1].date.daysSince1970 <= maximumAge else { return nil }
        return self[low - 1]
    }
}
