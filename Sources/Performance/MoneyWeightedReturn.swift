package import Brokerage
import Glibc

/// The rate of interest at which the investor's amounts have the value of the account (XIRR, ECMA-376).
///
/// It is the r above −1 with Σ C ÷ (1 + r)^(days ÷ 365) = 0, where the first value and deposits are negative, and
/// withdrawals and the last value positive. Income that stays in the account is no amount. Powers need binary
/// floating point, so the rate has at most 14 significant digits.
package struct MoneyWeightedReturn: Sendable, Hashable {
    /// The rate of one year, a fraction; nil if it is above 10^20, which happens in periods of few days.
    package var annualRate: Decimal?
    /// The rate of the period, (1 + annual rate)^(days ÷ 365) − 1.
    package var periodRate: Decimal
    package var from: CalendarDate
    package var through: CalendarDate
    /// ln(1 + annual rate) without rounding.
    package var logarithm: Double

    /// An amount from the investor's view.
    package typealias Amount = ExternalFlow

    /// The rates among which solutions are searched if the amounts change their sign several times.
    ///
    /// For a period below a year they are rates of the period, otherwise of a year.
    package static let searchedRates = -0.9999...100.0

    /// The rate that the investor's amounts of a period have.
    ///
    /// `first` is the value after the flows of its day, `last` the value before the flows of its day. Of `flows`, the
    /// account's, only those between the two days count.
    package static func calculate(
        from first: DatedValue, through last: DatedValue, flows: [ExternalFlow]
    ) -> Figure<MoneyWeightedReturn> {
        Figure {
            guard first.date < last.date else { throw Undetermined(.emptyPeriod, date: first.date) }
            var amounts = [Amount(first.date, try first.value.negated)]
            for flow in flows where first.date < flow.date && flow.date < last.date {
                amounts.append(Amount(flow.date, try flow.amount.negated))
            }
            amounts.append(Amount(last.date, last.value))
            return try solve(amounts)
        }
    }

    /// The rate of amounts from the investor's view.
    ///
    /// - Throws: ``Undetermined`` with ``Undetermined/Reason/noRoot`` or
    ///   ``Undetermined/Reason/multipleRoots``; `Decimal.Overflow`.
    package static func solve(_ amounts: [Amount]) throws -> MoneyWeightedReturn {
        let amounts = try ExternalFlow.byDay(amounts)
        guard let first = amounts.first, let last = amounts.last else { throw Undetermined(.noRoot) }
        let days = last.date.daysSince1970 - first.date.daysSince1970
        let signs = amounts.map(\.amount.isNegative)
        let changes = zip(signs, signs.dropFirst()).count { $0 != $1 }
        guard changes > 0 else { throw Undetermined(.noRoot) }
        let equation = PresentValue(amounts, since: first.date)
        // One change of sign: exactly one root (Descartes' rule, which holds for real exponents).
        let roots = changes == 1 ? [equation.onlyRoot()].compactMap(\.self) : equation.roots()
        guard let root = roots.first else { throw Undetermined(.noRoot) }
        guard roots.count == 1 else {
            throw Undetermined(.multipleRoots, roots: roots.compactMap { Decimal(return: expm1($0)) })
        }
        guard let period = Decimal(return: expm1(root * Double(days) / 365)) else {
            throw Undetermined(.outOfRange)
        }
        return MoneyWeightedReturn(
            annualRate: Decimal(return: expm1(root)), periodRate: period, from: first.date,
            through: last.date, logarithm: root)
    }
}

extension Decimal {
    /// The rate of one year of a rate of more days; nil for a rate of −1 or less.
    func annualized(days: Int) -> Decimal? {
        guard days > 0 else { return nil }
        let rate = doubleValue
        return rate > -1 ? Decimal(return: expm1(log1p(rate) * 365 / Double(days))) : rate == -1 ? -1 : nil
    }
}

/// The present value of dated amounts as a function of x = ln(1 + rate): Σ C × e^(−x × years).
///
/// It is multiplied by a positive factor that keeps each term at most as large as its amount, so that no term
/// overflows; its roots are the same.
private struct PresentValue {
    private var terms: [(amount: Double, years: Double)] = []
    private let duration: Double

    /// `amounts` are in the order of dates, and not empty.
    init(_ amounts: [ExternalFlow], since first: CalendarDate) {
        // Trailing zeros change the last bit of the nearest binary number, but must not change a result.
        let values = amounts.map(\.amount.withoutTrailingZeros.doubleValue)
        let largest = values.reduce(1) { max($0, abs($1)) }
        for (amount, value) in zip(amounts, values) {
            let years = Double(amount.date.daysSince1970 - first.daysSince1970) / 365
            terms.append((value / largest, years))
        }
        duration = terms.last?.years ?? 0
    }

    /// The value, its derivative by x up to a positive factor, and the sum of the terms' magnitudes.
    private func evaluate(_ x: Double) -> (value: Double, slope: Double, size: Double) {
        let origin = x < 0 ? duration : 0
        var (value, slope, size) = (0.0, 0.0, 0.0)
        for term in terms {
            let present = term.amount * exp(-x * (term.years - origin))
            value += present
            slope -= present * term.years
            size += abs(present)
        }
        return (value, slope, size)
    }

    private func value(_ x: Double) -> Double { evaluate(x).value }

    /// The root of a function with one change of sign; nil if it is beyond the range of a `Double`.
    func onlyRoot() -> Double? {
        let atZero = value(0)
        if atZero == 0 { return 0 }
        // For growing x the first amount dominates, for falling x the last one.
        let isFirstNegative = (terms.first?.amount ?? 0) < 0
        let direction = (atZero < 0) == isFirstNegative ? -1.0 : 1.0
        var (inner, outer) = (0.0, direction)
        while (value(outer) < 0) == (atZero < 0) {
            if value(outer) == 0 { return outer }
            (inner, outer) = (outer, outer * 2)
            guard abs(outer) < 1e9 else { return nil }
        }
        return bisect(inner, outer) { value($0) }
    }

    /// All roots in the searched range.
    func roots() -> [Double] {
        let scale = 1 / min(max(duration, 1 / 365), 1)
        let lowest = log1p(MoneyWeightedReturn.searchedRates.lowerBound) * scale
        let highest = log1p(MoneyWeightedReturn.searchedRates.upperBound) * scale
        var roots: [Double] = []
        func found(_ root: Double) {
            if let last = roots.last, abs(root - last) <= 1e-9 * max(1, abs(root)) { return }
            roots.append(root)
        }
        let steps = 512
        var (x, left) = (lowest, evaluate(lowest))
        for step in 1...steps {
            let next = lowest + (highest - lowest) * Double(step) / Double(steps)
            let right = evaluate(next)
            if left.value == 0 {
                found(x)
            } else if right.value != 0, (left.value < 0) != (right.value < 0) {
                found(bisect(x, next) { value($0) })
            } else if (left.slope < 0) != (right.slope < 0) {
                // No change of sign, but an extreme value: two roots, one that only touches zero, or none.
                let extreme = bisect(x, next) { evaluate($0).slope }
                let there = evaluate(extreme)
                if abs(there.value) <= 1e-14 * there.size {
                    found(extreme)
                } else if (there.value < 0) != (left.value < 0) {
                    found(bisect(x, extreme) { value($0) })
                    found(bisect(extreme, next) { value($0) })
                }
            }
            (x, left) = (next, right)
        }
        if left.value == 0 { found(x) }
        return roots
    }

    /// The place between two points with different signs where a function changes its sign, as exact as a `Double`.
    private func bisect(_ first: Double, _ second: Double, _ function: (Double) -> Double) -> Double {
        var (low, high) = (first, second)
        let isLowNegative = function(low) < 0
        while true {
            let middle = low + (high - low) / 2
            guard middle != low, middle != high else { break }
            let value = function(middle)
            if value == 0 { return middle }
            if (value < 0) == isLowNegative { low = middle } else { high = middle }
        }
        return abs(function(low)) < abs(function(high)) ? low : high
    }
}
