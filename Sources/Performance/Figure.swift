package import Brokerage

/// A figure, or the reason why it cannot be determined and the part of it that is known.
package enum Figure<Value: Sendable & Hashable>: Sendable, Hashable {
    case determined(Value)
    /// `known` is the figure of the part of the period, or of the instruments, for which the data is sufficient.
    case undetermined(Undetermined, known: Value?)

    /// The figure; nil if it cannot be determined as a whole.
    package var value: Value? {
        switch self {
        case .determined(let value): value
        case .undetermined: nil
        }
    }

    /// The reason why there is no value.
    package var undetermined: Undetermined? {
        switch self {
        case .determined: nil
        case .undetermined(let reason, _): reason
        }
    }

    /// The figure, or its known part.
    package var known: Value? {
        switch self {
        case .determined(let value): value
        case .undetermined(_, let known): known
        }
    }

    /// The result of a calculation without a known part; an overflow is ``Undetermined/Reason/outOfRange``.
    package init(_ calculation: () throws -> Value) {
        do {
            self = .determined(try calculation())
        } catch let reason as Undetermined {
            self = .undetermined(reason, known: nil)
        } catch {
            self = .undetermined(Undetermined(.outOfRange), known: nil)
        }
    }

    /// The figure with another value in place of its value or known part.
    package func map<Other>(_ transform: (Value) throws -> Other) rethrows -> Figure<Other> {
        switch self {
        case .determined(let value): .determined(try transform(value))
        case .undetermined(let reason, let known): .undetermined(reason, known: try known.map(transform))
        }
    }

    /// The figure as undetermined, if there is a reason.
    package func limited(by reason: Undetermined?) -> Figure {
        guard let reason, let value else { return self }
        return .undetermined(reason, known: value)
    }
}

/// Why a figure cannot be determined, and which data is missing.
package struct Undetermined: Error, Sendable, Hashable {
    package let reason: Reason
    /// The day of the missing data; for ``Reason/missingActivities`` the first day with known activities.
    package var date: CalendarDate?
    package var symbol: Symbol?
    /// The ISO 4217 code of the currency without a rate.
    package var currency: String?
    /// The solutions, a year, if there are several.
    package var roots: [Decimal] = []

    package init(
        _ reason: Reason, date: CalendarDate? = nil, symbol: Symbol? = nil, currency: String? = nil,
        roots: [Decimal] = []
    ) {
        (self.reason, self.date, self.symbol) = (reason, date, symbol)
        (self.currency, self.roots) = (currency, roots)
    }

    /// The causes; the raw values are those of the schema.
    package enum Reason: String, Sendable, CaseIterable {
        /// No value of the account is known in the period.
        case noHistory = "NO_HISTORY"
        /// No value is known at an end of the period.
        case missingValuation = "MISSING_VALUATION"
        /// The broker reports activities only after the start of the period.
        case missingActivities = "MISSING_ACTIVITIES"
        /// No source has the exchange rate of a date, or of the four days before it.
        case missingExchangeRate = "MISSING_EXCHANGE_RATE"
        /// No price of an instrument is known at a date, or not what a unit is worth by it.
        case missingPrice = "MISSING_PRICE"
        /// The amount of an activity, or the currency of it, is unknown.
        case missingAmount = "MISSING_AMOUNT"
        /// The cost of securities is unknown: they were bought before the known activities, or transferred, or an amount
        /// that is a part of it is unknown.
        case missingCost = "MISSING_COST"
        /// The value at the start of a part of the period is zero or less, so that no return refers to it.
        case valueNotPositive = "VALUE_NOT_POSITIVE"
        /// The period has no day.
        case emptyPeriod = "EMPTY_PERIOD"
        /// The equation of the money-weighted return has no solution.
        case noRoot = "NO_ROOT"
        /// The equation of the money-weighted return has several solutions.
        case multipleRoots = "MULTIPLE_ROOTS"
        /// Trades of one instrument are in several currencies.
        case mixedCurrencies = "MIXED_CURRENCIES"
        /// A number is too large for an exact decimal.
        case outOfRange = "OUT_OF_RANGE"
    }
}

extension Decimal {
    /// Digits after the point of a return: a fraction, not a percentage.
    package static let digitsOfReturn = 12
    /// Digits after the point of a converted or divided amount, before it is rounded for display.
    static let digitsOfAmount = 12
    /// Digits after the point of the intermediate results of a chain of returns.
    static let digitsOfGrowth = 24

    /// This number × `factor` ÷ `divisor`, as an amount.
    func proportion(_ factor: Decimal, of divisor: Decimal) throws -> Decimal {
        try multiplied(by: factor, dividedBy: divisor, to: Self.digitsOfAmount, .halfEven)
    }

    /// This quantity × `factor` ÷ `divisor`, without trailing zeros: `6`, not `6.000000000000`.
    func quantityProportion(_ factor: Decimal, of divisor: Decimal) throws -> Decimal {
        try proportion(factor, of: divisor).withoutTrailingZeros
    }

    /// A return that was calculated as a binary number: at most ``digitsOfReturn`` digits after the point and
    /// 14 significant digits, because further digits of the binary number are not exact.
    ///
    /// Nil if it is not finite, or above 10^20.
    init?(return value: Double) {
        guard value.isFinite, abs(value) < 1e20 else { return nil }
        var digits = Self.digitsOfReturn
        var limit = 100.0
        while digits > 0, abs(value) >= limit {
            limit *= 10
            digits -= 1
        }
        var power = 1.0
        for _ in 0..<digits { power *= 10 }
        guard let coefficient = Int128(exactly: (value * power).rounded(.toNearestOrEven)) else { return nil }
        self.init(coefficient: coefficient, scale: digits)
    }
}

extension Sequence<Decimal> {
    /// The exact sum.
    func sum() throws(Decimal.Overflow) -> Decimal {
        var sum = Decimal.zero
        for value in self { sum = try sum + value }
        return sum
    }
}
