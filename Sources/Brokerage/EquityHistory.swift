/// An account's equity over time, oldest point first.
package struct EquityHistory: Hashable, Sendable {
    package var range: HistoryRange
    package var interval: Interval
    /// ISO 4217.
    package var currency: String
    /// What `profitLoss` counts from; nil where the broker has none.
    package var baseValue: Decimal?
    package var points: [EquityPoint]
    package var provenance: Provenance

    package init(
        range: HistoryRange, interval: Interval, currency: String, baseValue: Decimal?, points: [EquityPoint],
        provenance: Provenance
    ) {
        self.range = range
        self.interval = interval
        self.currency = currency
        self.baseValue = baseValue
        self.points = points
        self.provenance = provenance
    }
}

/// Equity at one moment.
package struct EquityPoint: Hashable, Sendable {
    package var time: Instant
    package var equity: Decimal
    /// Since the base value.
    package var profitLoss: Decimal?
    /// In per cent.
    package var profitLossPercent: Decimal?

    package init(time: Instant, equity: Decimal, profitLoss: Decimal?, profitLossPercent: Decimal?) {
        self.time = time
        self.equity = equity
        self.profitLoss = profitLoss
        self.profitLossPercent = profitLossPercent
    }
}

/// How far back an account's history goes.
package enum HistoryRange: String, Sendable, CaseIterable {
    case oneDay = "ONE_DAY"
    case oneWeek = "ONE_WEEK"
    case oneMonth = "ONE_MONTH"
    case threeMonths = "THREE_MONTHS"
    case oneYear = "ONE_YEAR"
    case all = "ALL"
}

/// Length of one candle, or the distance of two points of a history.
package enum Interval: String, Sendable, CaseIterable {
    case oneMinute = "ONE_MINUTE"
    case fiveMinutes = "FIVE_MINUTES"
    case fifteenMinutes = "FIFTEEN_MINUTES"
    case thirtyMinutes = "THIRTY_MINUTES"
    case oneHour = "ONE_HOUR"
    case oneDay = "ONE_DAY"
    case oneWeek = "ONE_WEEK"
    case oneMonth = "ONE_MONTH"
}
