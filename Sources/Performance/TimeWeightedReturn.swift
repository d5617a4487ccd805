package import Brokerage

/// The return of each amount that was invested all the time: external flows do not change it.
///
/// The period is divided at each valuation, and the returns of the parts are linked (GIPS 2020). A flow counts at
/// the end of its day. A part with a flow on a day without a valuation has the return of Modified Dietz, with the
/// calendar days of each flow as its weight; no value is carried or interpolated.
package struct TimeWeightedReturn: Sendable, Hashable {
    /// A fraction, to 12 digits after the point: 0.066 is 6.6 %.
    package var rate: Decimal
    /// The rate of one year, (1 + rate)^(365 ÷ days) − 1; nil for at most one year.
    package var annualRate: Decimal?
    /// The day at whose end the first part begins.
    package var from: CalendarDate
    package var through: CalendarDate
    package var method: Method
    /// The days with flows and without a valuation, which are the reason for Modified Dietz.
    package var unvaluedFlows: [CalendarDate]
    /// Whether Modified Dietz was used for a part with a flow above ``largeFlow`` of its first value.
    package var isEstimated: Bool
    /// More than 1 if the account was empty in between: the returns of the parts before and after are linked.
    package var chainCount: Int
    /// The return since ``from`` at the end of each day with a valuation.
    package var points: [Point]

    /// How the return was calculated.
    package enum Method: String, Sendable, CaseIterable {
        /// The value at each external flow is known.
        case valuedAtFlows = "VALUED_AT_FLOWS"
        /// The value at one flow at least is not known.
        case modifiedDietz = "MODIFIED_DIETZ"
    }

    /// The return from the start of the period until a day.
    package struct Point: Sendable, Hashable {
        package let date: CalendarDate
        package let rate: Decimal

        package init(_ date: CalendarDate, _ rate: Decimal) {
            (self.date, self.rate) = (date, rate)
        }
    }

    /// The fraction of the value above which a flow is large.
    package static let largeFlow = Decimal(coefficient: 1, scale: 1) ?? .zero
}

/// The value of an account at the end of a day, with cash, in one currency.
package struct Valuation: Sendable, Hashable {
    package var date: CalendarDate
    package var value: Decimal
    /// Whether ``value`` contains the external flows of its day; that of a broker does.
    package var includesFlows: Bool

    package init(_ date: CalendarDate, _ value: Decimal, includesFlows: Bool = true) {
        (self.date, self.value, self.includesFlows) = (date, value, includesFlows)
    }

    func beforeFlows(_ flow: Decimal) throws(Decimal.Overflow) -> Decimal {
        includesFlows ? try value - flow : value
    }

    func afterFlows(_ flow: Decimal) throws(Decimal.Overflow) -> Decimal {
        includesFlows ? value : try value + flow
    }
}

/// Money or securities that enter the account, or leave it if the amount is negative, at the end of a day.
package struct ExternalFlow: Sendable, Hashable {
    package var date: CalendarDate
    package var amount: Decimal

    package init(_ date: CalendarDate, _ amount: Decimal) {
        (self.date, self.amount) = (date, amount)
    }

    /// The net flow of each day with flows, in the order of the days.
    static func byDay(_ flows: [ExternalFlow]) throws(Decimal.Overflow) -> [ExternalFlow] {
        var days: [ExternalFlow] = []
        for flow in flows.sorted(by: { $0.date < $1.date }) {
            if let last = days.last, last.date == flow.date {
                days[days.count - 1].amount = try last.amount + flow.amount
            } else {
                days.append(flow)
            }
        }
        return days.filter { !$0.amount.isZero }
    }
}

extension TimeWeightedReturn {
    /// The return between the first and the last valuation.
    ///
    /// A value of zero or less has no return. After an empty account the next flow starts a new chain. If the value
    /// is negative, the figure is undetermined, and the known part is the return after it, or before it. `valuations` are
    /// in the order of dates, at most one a day. Flows outside of their period do not count.
    package static func calculate(
        _ valuations: [Valuation], flows: [ExternalFlow]
    ) -> Figure<TimeWeightedReturn> {
        guard let first = valuations.first, let last = valuations.last, first.date < last.date else {
            let reason: Undetermined.Reason = valuations.isEmpty ? .noHistory : .emptyPeriod
            return .undetermined(Undetermined(reason, date: valuations.first?.date), known: nil)
        }
        do {
            var linking = Linking()
            var flows = try ExternalFlow.byDay(flows)[...]
            flows = flows.drop { $0.date < first.date }
            for valuation in valuations {
                let inner = flows.prefix { $0.date < valuation.date }
                flows = flows.dropFirst(inner.count)
                var flow = Decimal.zero
                if let next = flows.first, next.date == valuation.date {
                    flow = next.amount
                    flows = flows.dropFirst()
                }
                try linking.add(valuation, flow: flow, inner: inner)
            }
            return linking.result
        } catch {
            return .undetermined(Undetermined(.outOfRange), known: nil)
        }
    }
}

/// The state of linking the returns of the parts of a period.
private struct Linking {
    /// The product of the growth factors until the last valuation.
    private var growth = Decimal(1)
    /// The growth and the value after the last flow: within a chain without flows, one division gives the growth.
    private var anchor: (growth: Decimal, value: Decimal)?
    /// The day and the value after its flows of the last valuation.
    private var previous: (date: CalendarDate, value: Decimal)?
    private var start: CalendarDate?
    private var points: [TimeWeightedReturn.Point] = []
    private var unvaluedFlows: [CalendarDate] = []
    private var isEstimated = false
    private var chainCount = 0
    private var failure: Undetermined?
    /// The return before the failure.
    private var earlier: TimeWeightedReturn?

    /// Adds the part of the period until a valuation, whose day has the net flow `flow`.
    ///
    /// `inner` are the flows of the days between the last valuation and this one.
    mutating func add(
        _ valuation: Valuation, flow: Decimal, inner: ArraySlice<ExternalFlow>
    ) throws {
        let before = try valuation.beforeFlows(flow)
        let after = try valuation.afterFlows(flow)
        if let previous {
            if anchor == nil, previous.value.isZero, inner.isEmpty, flow > .zero, !before.isZero {
                // A flow into an empty account whose value changed on the same day: it counts at the start of the day, so that
                // the chain starts with the end of the day before.
                startChain(on: valuation.date.adding(days: -1) ?? previous.date)
                hasValue = true
                growth = try growth.multiplied(
                    by: max(after, .zero), dividedBy: flow, to: Decimal.digitsOfGrowth, .halfEven)
            } else if anchor == nil, !previous.value.isZero {
                fail(on: valuation.date)
            } else if try !extend(to: before, on: valuation.date, after: previous, inner: inner) {
                fail(on: valuation.date)
            }
            if !(flow.isZero && inner.isEmpty && before > .zero) { anchor = nil }
        }
        if anchor == nil, after > .zero {
            // A flow, or the start of a chain.
            if previous == nil || !hasValue { startChain(on: valuation.date) }
            anchor = (growth, after)
        }
        hasValue = after > .zero
        if start != nil, points.last?.date != valuation.date {
            let rate = try growth - 1
            points.append(.init(valuation.date, rate.rounded(to: Decimal.digitsOfReturn, .halfEven)))
        }
        previous = (valuation.date, after)
    }

    /// Whether the last value was above zero, so that a chain continues.
    private var hasValue = false

    /// Multiplies the growth of one part; false if the part has no return.
    private mutating func extend(
        to before: Decimal, on date: CalendarDate, after previous: (date: CalendarDate, value: Decimal),
        inner: ArraySlice<ExternalFlow>
    ) throws -> Bool {
        guard !before.isNegative else { return false }
        var (begin, inner) = (previous, inner)
        if anchor == nil {
            // An empty account: the first flow starts a chain, and its value is known without a valuation.
            guard let first = inner.first else { return before.isZero }
            guard first.amount > .zero else { return false }
            begin = (first.date, first.amount)
            inner = inner.dropFirst()
            startChain(on: first.date)
            hasValue = true
            anchor = (growth, first.amount)
        }
        if inner.isEmpty {
            guard let anchor else { return false }
            growth = try anchor.growth.multiplied(
                by: before, dividedBy: anchor.value, to: Decimal.digitsOfGrowth, .halfEven)
            return true
        }
        // Modified Dietz: all terms times the days of the part, so that they are exact.
        let days = date.daysSince1970 - begin.date.daysSince1970
        var invested = try begin.value * Decimal(days)
        var gain = try before - begin.value
        let large = try begin.value * TimeWeightedReturn.largeFlow
        for flow in inner {
            invested = try invested + flow.amount * Decimal(date.daysSince1970 - flow.date.daysSince1970)
            gain = try gain - flow.amount
            if try flow.amount.magnitude > large { isEstimated = true }
        }
        guard invested > .zero else { return false }
        let end = try invested + gain * Decimal(days)
        guard !end.isNegative else { return false }
        growth = try growth.multiplied(by: end, dividedBy: invested, to: Decimal.digitsOfGrowth, .halfEven)
        unvaluedFlows += inner.map(\.date)
        return true
    }

    private mutating func startChain(on date: CalendarDate) {
        chainCount += 1
        if start == nil {
            start = date
            points = [.init(date, .zero)]
        }
    }

    /// Ends the chains without a total, and begins a new period.
    private mutating func fail(on date: CalendarDate) {
        failure = Undetermined(.valueNotPositive, date: date)
        if let known = current { earlier = known }
        (growth, anchor, start, points) = (1, nil, nil, [])
        (unvaluedFlows, isEstimated, chainCount, hasValue) = ([], false, 0, false)
    }

    /// The return of the chains since the last failure; nil without a day.
    private var current: TimeWeightedReturn? {
        guard let start, let last = points.last, start < last.date else { return nil }
        let days = last.date.daysSince1970 - start.daysSince1970
        return TimeWeightedReturn(
            rate: last.rate, annualRate: days > 365 ? last.rate.annualized(days: days) : nil, from: start,
            through: last.date, method: unvaluedFlows.isEmpty ? .valuedAtFlows : .modifiedDietz,
            unvaluedFlows: unvaluedFlows, isEstimated: isEstimated, chainCount: chainCount, points: points)
    }

    var result: Figure<TimeWeightedReturn> {
        if let failure { return .undetermined(failure, known: current ?? earlier) }
        guard let current else { return .undetermined(Undetermined(.noHistory), known: nil) }
        return .determined(current)
    }
}
