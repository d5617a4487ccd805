package import Brokerage

/// The performance of accounts in one period and one currency.
///
/// A figure of a period with missing data is undetermined, with the reason; its known part is that of the latest
/// part of the period for which the data is complete, ``from`` to ``through``.
package struct PerformanceReport: Sendable, Hashable {
    /// ISO 4217.
    package var currency: String
    /// The first and last day of the calculation, at whose ends the value of every account is known.
    package var from: CalendarDate?
    package var through: CalendarDate?
    /// Net of all costs and of withheld tax.
    package var timeWeighted: Figure<TimeWeightedReturn>
    /// The same without the fees for custody and management.
    package var grossTimeWeighted: Figure<TimeWeightedReturn>
    package var moneyWeighted: Figure<MoneyWeightedReturn>
    package var gain: Figure<Gain>
    /// The values at the end of ``from`` and ``through``.
    package var firstValue: Decimal?
    package var lastValue: Decimal?
    /// Deposits minus withdrawals of the calculated period.
    package var netFlows: Decimal?
    /// One point for each day with a value of every account.
    package var series: [Point] = []
    /// Nil if no benchmark was asked for.
    package var benchmark: Figure<Benchmark.Return>?
    /// ``timeWeighted`` minus the benchmark's return in the same period, as far as both are known.
    package var excessReturn: Decimal?
    /// Activities of the period that no figure takes into account, because their effect is unknown.
    package var unclassified: [ClassifiedActivity] = []
    /// Whether a rate of an earlier day was used at a weekend or holiday.
    package var usesCarriedRates = false

    /// A day of the series, with the figures since the start.
    package struct Point: Sendable, Hashable {
        package let date: CalendarDate
        package let value: Decimal
        /// Deposits minus withdrawals.
        package let netFlows: Decimal
        package let gain: Decimal
        /// Nil on a day for which no return exists.
        package let timeWeighted: Decimal?
        /// Nil on a day without a price of the benchmark.
        package let benchmark: Decimal?
    }
}

extension PerformanceReport {
    /// The performance between the end of one day and the end of another.
    ///
    /// A value at the start or the end may be up to four days older, for weekends and holidays. Without a `start` the
    /// period starts when the first account was opened. Transfers between the accounts are flows that cancel each
    /// other.
    package static func calculate(
        _ accounts: [AccountRecord], in currency: String, from start: CalendarDate?,
        through end: CalendarDate, rates: ExchangeRateHistory, benchmark: Benchmark? = nil
    ) -> PerformanceReport {
        var timeline = Timeline(currency: currency, rates: rates)
        do {
            try timeline.add(accounts, through: end)
            return try timeline.report(accounts, from: start, through: end, benchmark: benchmark)
        } catch {
            return PerformanceReport(
                currency: currency, undetermined: error as? Undetermined ?? Undetermined(.outOfRange))
        }
    }

    fileprivate init(currency: String, undetermined reason: Undetermined) {
        self.currency = currency
        timeWeighted = .undetermined(reason, known: nil)
        grossTimeWeighted = .undetermined(reason, known: nil)
        moneyWeighted = .undetermined(reason, known: nil)
        gain = .undetermined(reason, known: nil)
    }
}

/// The values and flows of all accounts together, in one currency.
private struct Timeline {
    let currency: String
    let rates: ExchangeRateHistory
    private var valuations: [Valuation] = []
    private var flows: [ExternalFlow] = []
    private var serviceFees: [ExternalFlow] = []
    /// Data without which no calculation can start before the end of its date.
    private var gaps: [Undetermined] = []
    /// Unknown amounts of income, taxes and fees, which are parts of the gain and do not change the return.
    private var unknownParts: [Undetermined] = []
    private var unknownServiceFees: [Undetermined] = []
    /// The day before the first account was opened, if it is known of all.
    private var beforeOpening: CalendarDate?
    private var usesCarriedRates = false
    /// The first missing exchange rate of a value.
    private var missingRate: Undetermined?

    init(currency: String, rates: ExchangeRateHistory) {
        (self.currency, self.rates) = (currency, rates)
    }

    mutating func add(_ accounts: [AccountRecord], through end: CalendarDate) throws {
        for account in accounts {
            if let known = account.knownFrom, let last = known.adding(days: -1),
                account.openedOn.map({ $0 < known }) ?? true
            {
                gaps.append(Undetermined(.missingActivities, date: last))
            }
            for activity in account.activities where activity.date <= end {
                do {
                    if let flow = try AccountRecord.flow(of: activity) {
                        flows.append(try converted(flow, on: activity.date))
                    } else if case .fee(let fee) = activity.kind, fee.category == .service {
                        serviceFees.append(try converted(fee.amount, on: activity.date))
                    } else if case .unknownAmount(let unknown) = activity.kind,
                        unknown.effect != .returnOfCapital
                    {
                        unknownParts.append(activity.missingAmount)
                        if unknown.effect == .fee(.service) {
                            unknownServiceFees.append(activity.missingAmount)
                        }
                    }
                } catch var reason as Undetermined {
                    reason.date = activity.date
                    gaps.append(reason)
                }
            }
        }
        try addValuations(of: accounts, through: end)
        let openings = accounts.compactMap(\.openedOn)
        if openings.count == accounts.count, let first = openings.min() {
            beforeOpening = first.adding(days: -1)
        }
    }

    private mutating func converted(
        _ amount: CurrencyAmount, on date: CalendarDate
    ) throws -> ExternalFlow {
        let source = amount.converted?.currency ?? amount.currency
        if amount.currency != currency,
            try rates.conversion(from: source, to: currency, on: date).isCarried
        {
            usesCarriedRates = true
        }
        return ExternalFlow(date, try rates.convert(amount, to: currency, on: date))
    }

    /// Adds up the accounts on each day on which the value of every account is known.
    private mutating func addValuations(of accounts: [AccountRecord], through end: CalendarDate) throws {
        var days: [CalendarDate: (count: Int, value: Decimal)] = [:]
        for account in accounts {
            let excluded = try account.daysWithoutDeposits(rates: rates)
            for valuation in account.valuations
            where valuation.date <= end && !excluded.contains(valuation.date) {
                let own = try account.value(of: valuation, rates: rates)
                let conversion: ExchangeRateHistory.Conversion
                do throws(Undetermined) {
                    conversion = try rates.conversion(
                        from: account.currency, to: currency, on: valuation.date)
                } catch {
                    if error.date ?? end < missingRate?.date ?? .latest { missingRate = error }
                    continue
                }
                usesCarriedRates = usesCarriedRates || conversion.isCarried
                let day = days[valuation.date] ?? (0, .zero)
                days[valuation.date] = (day.count + 1, try day.value + conversion.apply(to: own))
            }
        }
        let openings = accounts.compactMap { account in
            account.openedOn.map { (date: $0, valued: Set(account.valuations.map(\.date))) }
        }
        for (date, day) in days.sorted(by: { $0.key < $1.key }) {
            // An account that is not opened yet has the value 0.
            let empty = openings.count { date < $0.date && !$0.valued.contains(date) }
            if day.count + empty == accounts.count { valuations.append(Valuation(date, day.value)) }
        }
    }

    func report(
        _ accounts: [AccountRecord], from start: CalendarDate?, through end: CalendarDate,
        benchmark: Benchmark?
    ) throws -> PerformanceReport {
        let (period, reason) = try period(from: start, through: end)
        guard let first = period.first, let last = period.last, first.date < last.date else {
            let none = valuations.isEmpty ? missingRate ?? Undetermined(.noHistory, date: end) : nil
            let missing = reason ?? none ?? Undetermined(.emptyPeriod, date: end)
            return PerformanceReport(currency: currency, undetermined: missing)
        }
        var report = PerformanceReport(
            currency: currency, undetermined: reason ?? Undetermined(.noHistory))
        (report.from, report.through) = (first.date, last.date)
        (report.firstValue, report.lastValue) = (first.value, last.value)
        report.usesCarriedRates = usesCarriedRates
        let flows = flows.filter { first.date < $0.date && $0.date <= last.date }
        let timeWeighted = TimeWeightedReturn.calculate(Array(period), flows: flows)
        report.timeWeighted = timeWeighted.limited(by: reason)
        report.grossTimeWeighted = figure(of: period, without: unknownServiceFees) { part in
            TimeWeightedReturn.calculate(Array(part), flows: flows + serviceFees)
        }.limited(by: reason)
        let lastFlows = try flows.filter { $0.date == last.date }.map(\.amount).sum()
        report.moneyWeighted = MoneyWeightedReturn.calculate(
            from: DatedValue(first.date, first.value),
            through: DatedValue(last.date, try last.beforeFlows(lastFlows)), flows: flows
        ).limited(by: reason)
        report.gain = figure(of: period, without: unknownParts) { part in
            let start = part.first?.date ?? first.date
            return Figure {
                try Gain.calculate(accounts, in: currency, from: start, through: last.date, rates: rates)
            }
        }.limited(by: reason)
        report.netFlows = try flows.map(\.amount).sum()
        report.unclassified = accounts.flatMap { account in
            account.activities.between(first.date, through: last.date).filter { $0.isUnclassified }
        }
        if let benchmark { add(benchmark, to: &report, on: period.map(\.date)) }
        report.series = try series(period, flows: flows, report)
        return report
    }

    /// The valuations of the period that can be calculated, and the reason why it is not the whole one.
    private func period(
        from start: CalendarDate?, through end: CalendarDate
    ) throws -> (valuations: ArraySlice<Valuation>, reason: Undetermined?) {
        var reason: Undetermined?
        var valuations = valuations
        let isFromOpening =
            gaps.isEmpty && beforeOpening.map { opening in start.map { $0 <= opening } ?? true } ?? false
        if isFromOpening, let beforeOpening {
            // The accounts were empty at the start of the period.
            valuations.removeAll { $0.date <= beforeOpening }
            valuations.insert(Valuation(start ?? beforeOpening, .zero), at: 0)
        }
        var index = 0
        if let start {
            index = valuations.lastIndex { $0.date <= start } ?? 0
            let age = valuations.first.map { _ in
                start.daysSince1970 - valuations[index].date.daysSince1970
            }
            if let age, !(0...ExchangeRateHistory.maximumAge).contains(age) {
                index = valuations.firstIndex { $0.date >= start } ?? valuations.endIndex
                let known = valuations[index...].first?.date ?? end
                let rate = missingRate.flatMap { $0.date ?? end < known ? $0 : nil }
                reason = rate ?? Undetermined(.missingValuation, date: start)
            }
        } else if !isFromOpening {
            // An amount can be unknown on the day of the first value.
            reason =
                gaps.first { $0.reason != .missingActivities }
                ?? Undetermined(.missingActivities, date: valuations.first?.date)
        }
        var period = valuations[index...]
        if let last = valuations.last,
            end.daysSince1970 - last.date.daysSince1970 > ExchangeRateHistory.maximumAge
        {
            reason = Undetermined(.missingValuation, date: end)
        }
        let firstDay = period.first?.date ?? end
        let unknown = gaps.filter { firstDay < $0.date ?? end }
        if let latest = unknown.max(by: { $0.date ?? end < $1.date ?? end }), let date = latest.date {
            reason = latest
            period = period.drop { $0.date < date }
        }
        return (period, reason)
    }

    /// A figure of a period; undetermined if the period contains unknown amounts, with the figure since the last of them.
    private func figure<Value>(
        of period: ArraySlice<Valuation>, without missing: [Undetermined],
        _ calculate: (ArraySlice<Valuation>) -> Figure<Value>
    ) -> Figure<Value> {
        guard let first = period.first?.date, let last = period.last?.date else { return calculate(period) }
        let unknown = missing.filter { reason in reason.date.map { first < $0 && $0 <= last } ?? true }
        guard let latest = unknown.max(by: { $0.date ?? last < $1.date ?? last }), let date = latest.date
        else { return calculate(period) }
        let rest = period.drop { $0.date < date }
        return .undetermined(latest, known: rest.count > 1 ? calculate(rest).known : nil)
    }

    private func add(
        _ benchmark: Benchmark, to report: inout PerformanceReport, on dates: [CalendarDate]
    ) {
        // In the period of the return, which begins with the first deposit, and ends before a day that cannot be calculated.
        let own = report.timeWeighted.known
        // The day before a first deposit is none with a value.
        let period =
            own.map { own in [own.from] + dates.filter { own.from < $0 && $0 <= own.through } } ?? dates
        let figure = Figure { try benchmark.calculate(on: period, in: currency, rates: rates) }
        report.benchmark = figure
        if let own, let other = figure.value {
            report.excessReturn = try? own.rate - other.rate
        }
    }

    private func series(
        _ period: ArraySlice<Valuation>, flows: [ExternalFlow], _ report: PerformanceReport
    ) throws -> [PerformanceReport.Point] {
        func rates(_ points: [TimeWeightedReturn.Point]?) -> [CalendarDate: Decimal] {
            Dictionary((points ?? []).map { ($0.date, $0.rate) }) { $1 }
        }
        let own = rates(report.timeWeighted.known?.points)
        let other = rates(report.benchmark?.known?.points)
        var flows = try ExternalFlow.byDay(flows)[...]
        var net = Decimal.zero
        let first = period.first?.value ?? .zero
        return try period.map { valuation in
            while let flow = flows.first, flow.date <= valuation.date {
                net = try net + flow.amount
                flows = flows.dropFirst()
            }
            return PerformanceReport.Point(
                date: valuation.date, value: valuation.value, netFlows: net,
                gain: try valuation.value - first - net, timeWeighted: own[valuation.date],
                benchmark: other[valuation.date])
        }
    }
}

extension ClassifiedActivity {
    /// Whether the calculations leave the activity out.
    package var isUnclassified: Bool {
        if case .unclassified = kind { true } else { false }
    }
}
