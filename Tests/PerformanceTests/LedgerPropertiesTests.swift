import Brokerage
import Foundation
import Performance
import TestSupport
import Testing

/// Laws of performance on 10,000 generated ledgers.
@Suite("Performance of generated ledgers")
struct LedgerPropertiesTests {
    /// Each is the first seed of 500 ledgers.
    static let blocks = (0..<20).map { UInt64($0 * 500) }

    private func forEachLedger(
        _ block: UInt64, _ check: (GeneratedLedger, UInt64) throws -> Void
    ) throws {
        let ledgers = try GeneratedLedger.all.get()
        for seed in block..<block + 500 { try check(ledgers[Int(seed)], seed) }
    }

    /// Records an issue; a macro for each of millions of comparisons is too slow.
    private func expect(_ isTrue: Bool, _ message: @autoclosure () -> String) {
        if !isTrue { Issue.record("\(message())") }
    }

    private func rate(
        _ valuations: some Sequence<Valuation>, _ flows: [ExternalFlow]
    ) throws -> Decimal {
        let figure = TimeWeightedReturn.calculate(Array(valuations), flows: flows)
        return try unwrap(figure.value).rate
    }

    private func flows(_ ledger: GeneratedLedger) -> [ExternalFlow] {
        ledger.activities.compactMap { activity in
            if case .cashFlow(let amount) = activity.kind {
                ExternalFlow(activity.date, amount.amount)
            } else {
                nil
            }
        }
    }

    /// Whether two returns differ by less than a number of units of the last of their 12 digits.
    private func isClose(_ left: Decimal, _ right: Decimal, units: Int = 2) throws -> Bool {
        try (left - right).magnitude <= Decimal(coefficient: Int128(units), scale: 12) ?? .zero
    }

    @Test("the returns of two parts of a period are linked to that of the period", arguments: blocks)
    func chaining(_ block: UInt64) throws {
        try forEachLedger(block) { ledger, seed in
            var random = SplitMix(seed: seed ^ 0xC)
            let all = try ledger.valuations().dropFirst()
            // With and without valuations at the flows.
            let some = all.filter {
                $0.date == all.first?.date || $0.date == all.last?.date || Bool.random(using: &random)
            }
            for valuations in [Array(all), some] where valuations.count > 2 {
                let middle = Int.random(in: 1..<valuations.count - 1, using: &random)
                let flows = flows(ledger)
                let whole = try rate(valuations, flows)
                let parts =
                    try (rate(valuations[...middle], flows) + 1) * (rate(valuations[middle...], flows) + 1)
                    - 1
                expect(try isClose(whole, parts, units: 100), "seed \(seed): \(whole) is not \(parts)")
            }
        }
    }

    @Test("a split changes no return, no gain, no cost and no profit", arguments: blocks)
    func splits(_ block: UInt64) throws {
        try forEachLedger(block) { ledger, seed in
            var random = SplitMix(seed: seed ^ 0x5)
            let index = Int.random(in: 0..<ledger.symbols.count, using: &random)
            let split = try ledger.split(
                index, on: Int.random(in: 1..<ledger.days.count, using: &random),
                factor: [2, 4, 5, 10].randomElement(using: &random) ?? 2)
            expect(
                try split.valuations().map(\.value) == ledger.valuations().map(\.value),
                "seed \(seed): values")
            let reports = try [ledger, split].map { ledger in
                PerformanceReport.calculate(
                    [try ledger.account()], in: "EUR", from: nil, through: try unwrap(ledger.days.last),
                    rates: ledger.rates)
            }
            expect(reports[0].timeWeighted.value != nil, "seed \(seed): \(reports[0].timeWeighted)")
            expect(reports[0] == reports[1], "seed \(seed): reports")
            for method in [seed.isMultiple(of: 2) ? TaxLots.Method.fifo : .averageCost] {
                let lots = try [ledger, split].map { ledger in
                    try TaxLots(method, activities: ledger.activities, in: "EUR", rates: ledger.rates)
                }
                expect(lots[0].disposals.map(\.profit) == lots[1].disposals.map(\.profit), "seed \(seed)")
                expect(
                    lots[0].disposals.map(\.converted) == lots[1].disposals.map(\.converted), "seed \(seed)")
                expect(
                    lots[0].lots.mapValues { $0.map(\.cost) } == lots[1].lots.mapValues { $0.map(\.cost) },
                    "seed \(seed)")
            }
        }
    }

    @Test("a constant amount of a foreign currency has the return of the exchange rate", arguments: blocks)
    func constantAmount(_ block: UInt64) throws {
        try forEachLedger(block) { ledger, seed in
            var random = SplitMix(seed: seed ^ 0xF)
            let amount =
                Decimal(coefficient: Int128.random(in: 1_000...1_000_000_000, using: &random), scale: 2)
                ?? .zero
            let (first, last) = (try unwrap(ledger.days.first), try unwrap(ledger.days.last))
            let account = AccountRecord(
                id: "1", currency: "USD", valuations: ledger.days.map { Valuation($0, amount) },
                activities: [])
            let report = PerformanceReport.calculate(
                [account], in: "EUR", from: first, through: last, rates: ledger.rates)
            // The rate is the price of a euro, so its inverse is the one of a dollar.
            let expected =
                try (try unwrap(ledger.euro.first)).divided(
                    by: try unwrap(ledger.euro.last), to: 12, .halfEven) - 1
            let rate = try unwrap(report.timeWeighted.value).rate
            expect(try isClose(rate, expected), "seed \(seed): \(rate) is not \(expected)")
            let gain = try unwrap(report.gain.value)
            expect(
                gain.currency == gain.total && gain.price.isZero && gain.income.isZero,
                "seed \(seed): \(gain)")
        }
    }

    @Test(
        "without flows the time-weighted return is the simple return, and so is the money-weighted",
        arguments: blocks)
    func withoutFlows(_ block: UInt64) throws {
        try forEachLedger(block) { ledger, seed in
            let valuations = try ledger.valuations().dropFirst()
            let (first, last) = (try unwrap(valuations.first), try unwrap(valuations.last))
            let simple =
                try last.value.divided(by: first.value, to: 20, .halfEven).rounded(to: 12, .halfEven) - 1
            expect(try rate(valuations, []) == simple, "seed \(seed)")
            let money = MoneyWeightedReturn.calculate(
                from: DatedValue(first.date, first.value), through: DatedValue(last.date, last.value),
                flows: [])
            expect(try isClose(try unwrap(money.value).periodRate, simple), "seed \(seed)")
        }
    }

    @Test("XIRR solves its own equation", arguments: blocks)
    func solvesEquation(_ block: UInt64) throws {
        try forEachLedger(block) { ledger, seed in
            let valuations = try ledger.valuations()
            let last = try unwrap(valuations.last)
            let own = try flows(ledger).filter { $0.date < last.date }.map {
                ExternalFlow($0.date, try $0.amount.negated)
            }
            let ends = flows(ledger).filter { $0.date == last.date }.map(\.amount)
            let amounts = own + [ExternalFlow(last.date, try last.value - sum(ends))]
            let result = try MoneyWeightedReturn.solve(amounts)
            let rate = exp(result.logarithm) - 1
            var (residual, size) = (0.0, 0.0)
            for amount in amounts {
                let days = amount.date.daysSince1970 - (try unwrap(amounts.first)).date.daysSince1970
                let present = amount.amount.doubleValue / pow(1 + rate, Double(days) / 365)
                residual += present
                size += abs(present)
            }
            expect(abs(residual) <= 1e-12 * size, "seed \(seed): \(residual) of \(size)")
            if let annual = result.annualRate {
                expect(abs(annual.doubleValue - rate) <= 1e-12 * max(1, abs(rate)), "seed \(seed)")
            }
        }
    }

    @Test(
        "the parts of the gain have the sum of the gain, which is the change of the value without flows",
        arguments: blocks)
    func gainParts(_ block: UInt64) throws {
        try forEachLedger(block) { ledger, seed in
            let report = PerformanceReport.calculate(
                [try ledger.account()], in: "EUR", from: nil, through: try unwrap(ledger.days.last),
                rates: ledger.rates)
            let gain = try unwrap(report.gain.value)
            let parts = try sum([gain.price, gain.income, gain.taxes, gain.fees, gain.currency])
            expect(parts == gain.total, "seed \(seed)")
            let change = try (try unwrap(report.lastValue)) - (try unwrap(report.firstValue))
            expect(try change - (try unwrap(report.netFlows)) == gain.total, "seed \(seed)")
            expect(report.series.last?.gain == gain.total, "seed \(seed)")
            let rounded = gain.rounded(in: "EUR")
            let roundedParts = try sum([
                rounded.price, rounded.income, rounded.taxes, rounded.fees, rounded.currency,
            ])
            expect(roundedParts == rounded.total && rounded.total.scale <= 4, "seed \(seed)")
            // Fees for custody are added back.
            let (net, gross) = (report.timeWeighted.value, report.grossTimeWeighted.value)
            expect(try unwrap(net).rate <= (try unwrap(gross)).rate, "seed \(seed)")
        }
    }

    @Test(
        "profits and remaining costs have the sum of the trades, and the ledger has its positions",
        arguments: blocks)
    func conservation(_ block: UInt64) throws {
        try forEachLedger(block) { ledger, seed in
            var traded = Decimal.zero
            for activity in ledger.activities {
                if case .trade(let trade) = activity.kind {
                    traded = try traded + (try unwrap(trade.amount)).amount
                }
                if case .fee(let fee) = activity.kind, fee.category == .transaction {
                    traded = try traded + fee.amount.amount
                }
            }
            let totals = try ActivityTotals(ledger.activities)
            expect(
                try ActivityTotals.opening(of: totals.quantities, before: ledger.activities).isEmpty,
                "seed \(seed)")
            for method in [seed.isMultiple(of: 2) ? TaxLots.Method.fifo : .averageCost] {
                let lots = try TaxLots(method, activities: ledger.activities, in: "USD", rates: ledger.rates)
                let profits = try sum(lots.disposals.map { try unwrap($0.profit) })
                let costs = try sum(lots.lots.values.joined().map { try unwrap($0.cost) })
                expect(try profits - costs == traded, "seed \(seed): \(method)")
                let held = try lots.lots.mapValues { try sum($0.map(\.quantity)) }
                expect(held == totals.quantities, "seed \(seed): \(held)")
                // The account's currency is that of the result: nothing is converted.
                expect(
                    lots.disposals.allSatisfy {
                        $0.converted?.price == $0.profit && $0.converted?.currency == .zero
                    }, "seed \(seed)")
            }
            let last = try unwrap(try ledger.valuations().last)
            var value = totals.cash["USD"] ?? .zero
            for (symbol, prices) in zip(ledger.symbols, ledger.prices) {
                value = try value + (totals.quantities[symbol] ?? .zero) * (try unwrap(prices.last))
            }
            expect(value == last.value, "seed \(seed)")
        }
    }
}
