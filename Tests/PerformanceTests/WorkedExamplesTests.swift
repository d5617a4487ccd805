import Brokerage
import Foundation
import Performance
import TestSupport
import Testing

/// The worked examples of `Tests/Golden/performance`.
@Suite("The worked examples of returns and profits")
struct WorkedExamplesTests {
    private let examples: JSONValue

    init() throws {
        examples = try JSONValue(
            parsing: Data(contentsOf: Golden.url("performance/worked-examples.json")))
    }

    private func example(_ name: String) throws -> JSONValue { try #require(examples[name]) }

    // MARK: E1

    private func account(_ example: JSONValue, flowCurrency: String, days: [String]? = nil) throws
        -> AccountRecord
    {
        var valuations: [Valuation] = []
        for (name, includesFlows) in [("valuations", true), ("beforeFlow", false)] {
            for (date, value) in try amounts(example[name]) where days?.contains(date.description) ?? true {
                valuations.append(Valuation(date, value, includesFlows: includesFlows))
            }
        }
        var activities: [ClassifiedActivity] = []
        for (date, amount) in try amounts(example["deposits"]) {
            let deposit = CurrencyAmount(amount, flowCurrency)
            activities.append(ClassifiedActivity(id: "deposit", date: date, kind: .cashFlow(deposit)))
        }
        for (date, amount) in try amounts(example["income"]) {
            let income = CurrencyAmount(amount, flowCurrency)
            activities.append(ClassifiedActivity(id: "income", date: date, kind: .income(income, nil)))
        }
        if let fees = example["fees"] {
            for (date, amount) in try amounts(fees) {
                let fee = ClassifiedActivity.Fee(CurrencyAmount(amount, flowCurrency), .transaction)
                activities.append(ClassifiedActivity(id: "fee", date: date, kind: .fee(fee)))
            }
        }
        return AccountRecord(
            id: "1", currency: try #require(example["currency"]?.string), valuations: valuations,
            activities: activities)
    }

    private func amounts(_ object: JSONValue?) throws -> [(CalendarDate, Decimal)] {
        try #require(object?.members).map { try (date($0.key), decimal($0.value)) }.sorted { $0.0 < $1.0 }
    }

    @Test("E1 has its time-weighted returns, and states the method")
    func timeWeighted() throws {
        let example = try example("E1")
        for expected in try #require(example["returns"]?.elements) {
            let days = try #require(expected["days"]?.elements).compactMap(\.string)
            let report = PerformanceReport.calculate(
                [try account(example, flowCurrency: "USD", days: days)], in: "USD",
                from: try date(days.first),
                through: try date(days.last), rates: ExchangeRateHistory())
            let result = try #require(report.timeWeighted.value, "\(report.timeWeighted)")
            #expect(try result.rate == decimal(expected["rate"]), "\(expected)")
            #expect(result.method.rawValue == expected["method"]?.string)
            // The deposit of 5000 is more than 10 % of the value.
            #expect(result.isEstimated == (result.method == .modifiedDietz))
            #expect(result.points.map(\.date.description) == days)
        }
    }

    @Test("E1 has its money-weighted returns")
    func moneyWeighted() throws {
        let example = try example("E1")
        for expected in try #require(example["moneyWeighted"]?.elements) {
            let report = PerformanceReport.calculate(
                [try account(example, flowCurrency: "USD")], in: "USD", from: try date("2026-05-31"),
                through: try date(expected["through"]?.string), rates: ExchangeRateHistory())
            let result = try #require(report.moneyWeighted.value)
            #expect(try result.annualRate == decimal(expected["annual"]))
            #expect(try result.periodRate == decimal(expected["period"]))
        }
    }

    @Test("E1 has its gain of June")
    func gain() throws {
        let example = try example("E1")
        let report = PerformanceReport.calculate(
            [try account(example, flowCurrency: "USD")], in: "USD", from: try date("2026-05-31"),
            through: try date("2026-06-30"), rates: ExchangeRateHistory())
        try expect(report.gain, equals: example["gain"])
        #expect(report.netFlows == 5000)
        let last = try #require(report.series.last)
        #expect(last.gain == 785 && last.netFlows == 5000)
    }

    private func expect(_ figure: Figure<Gain>, equals expected: JSONValue?) throws {
        let gain = try #require(figure.value, "\(figure)")
        let parts: [(String, Decimal)] = [
            ("total", gain.total), ("price", gain.price), ("income", gain.income), ("taxes", gain.taxes),
            ("fees", gain.fees), ("currency", gain.currency),
        ]
        for (name, part) in parts {
            let value = try expected?[name].map { try decimal($0) } ?? .zero
            #expect(part == value, "\(name) is \(part), not \(value)")
        }
    }

    // MARK: E2

    @Test("E2 converts each flow and value by the rate of its date")
    func currencies() throws {
        let example = try example("E2")
        var rates = ExchangeRateHistory()
        rates.set(
            try amounts(example["EURUSD"]).map { DatedValue($0.0, $0.1) }, of: "EUR", in: "USD")
        var account = try account(example, flowCurrency: "USD")
        for (day, values) in try #require(example["composition"]?.members) {
            account.composition[try date(day)] = try #require(values.members).mapValues { try decimal($0) }
        }
        let (start, end) = (try date("2026-06-30"), try date("2026-07-31"))
        let report = PerformanceReport.calculate(
            [account], in: "EUR", from: start, through: end, rates: rates)
        #expect(try report.timeWeighted.value?.rate == decimal(example["timeWeighted"]))
        #expect(try report.moneyWeighted.value?.annualRate == decimal(example["annual"]))
        #expect(try report.moneyWeighted.value?.periodRate == decimal(example["period"]))
        #expect(report.netFlows == 500)
        try expect(report.gain, equals: example["gain"])
        #expect(report.gain.value?.isByInstrumentCurrency == true)

        let unvalued = try self.account(
            example, flowCurrency: "USD", days: ["2026-06-30", "2026-07-31"])
        let dietz = PerformanceReport.calculate(
            [unvalued], in: "EUR", from: start, through: end, rates: rates)
        #expect(try dietz.timeWeighted.value?.rate == decimal(example["modifiedDietz"]))
        #expect(dietz.gain.value?.isByInstrumentCurrency == false)
        #expect(try dietz.gain.value?.total == decimal("29.60"))
        #expect(dietz.gain.value?.income == 10)
    }

    // MARK: E3

    private static let parent = Symbol("EXMP") ?? .example
    private static let child = Symbol("NEWC") ?? .example

    private func activities(of example: JSONValue) throws -> [ClassifiedActivity] {
        var activities: [ClassifiedActivity] = []
        let trades = try #require(example["purchases"]?.elements) + [try #require(example["sale"])]
        for (index, trade) in trades.enumerated() {
            let kind = ClassifiedActivity.Trade(
                Self.parent, quantity: try decimal(trade["quantity"]), price: try decimal(trade["price"]),
                currency: "USD")
            let date = try date(trade["date"]?.string)
            activities.append(ClassifiedActivity(id: "\(index)", date: date, kind: .trade(kind)))
            if let fee = trade["fee"] {
                let amount = CurrencyAmount(try decimal(fee), "USD")
                let kind = ClassifiedActivity.Fee(amount, .transaction, symbol: Self.parent)
                activities.append(ClassifiedActivity(id: "fee", date: date, kind: .fee(kind)))
            }
        }
        let split = try #require(example["split"])
        activities.append(
            ClassifiedActivity(
                id: "split", date: try date(split["date"]?.string),
                kind: .exchange(
                    from: Self.parent, to: Self.parent, new: try decimal(split["new"]),
                    old: try decimal(split["old"]))))
        let spinOff = try #require(example["spinOff"])
        activities.append(
            ClassifiedActivity(
                id: "spin-off", date: try date(spinOff["date"]?.string),
                kind: .spinOff(
                    .init(
                        parent: Self.parent, child: Self.child, quantity: try decimal(spinOff["quantity"]),
                        parentPrice: try decimal(spinOff["parentPrice"]),
                        childPrice: try decimal(spinOff["childPrice"])))))
        return activities
    }

    @Test("E3 has its lots and its realised profit", arguments: TaxLots.Method.allCases)
    func lots(_ method: TaxLots.Method) throws {
        let example = try example("E3")
        let expected = try #require(example[method.rawValue])
        let activities = try activities(of: example)
        for (day, symbol, name) in [
            ("2026-03-02", Self.parent, "afterSplit"), ("2026-04-01", Self.parent, "parent"),
            ("2026-04-01", Self.child, "child"), ("2026-05-04", Self.parent, "left"),
        ] {
            let day = try date(day)
            let lots = try TaxLots(
                method, activities: activities.filter { $0.date <= day }, in: "USD",
                rates: ExchangeRateHistory())
            let values = (lots.lots[symbol] ?? []).map { [$0.quantity, $0.cost] }
            let wanted = try #require(expected[name]?.elements).map { lot in
                try #require(lot.elements).map { try decimal($0) as Decimal? }
            }
            #expect(values == wanted, "\(name): \(values)")
        }
        let lots = try TaxLots(method, activities: activities, in: "USD", rates: ExchangeRateHistory())
        #expect(lots.missing.isEmpty)
        #expect(try sum(lots.disposals.compactMap(\.cost)) == decimal(expected["cost"]))
        #expect(try sum(lots.disposals.compactMap(\.proceeds)) == decimal(expected["proceeds"]))
        #expect(try sum(lots.disposals.compactMap(\.profit)) == decimal(expected["realised"]))
        #expect(try lots.lots[Self.child]?.map(\.acquired).first == date("2026-01-05"))
    }

    @Test("E3 has no return at the split and at the spin-off")
    func corporateActions() throws {
        let example = try example("E3")
        let valuations = try amounts(example["values"]).map { Valuation($0.0, $0.1) }
        let result = try #require(TimeWeightedReturn.calculate(valuations, flows: []).value)
        #expect(try result.rate == decimal(example["rate"]))
        let rates = Dictionary(uniqueKeysWithValues: result.points.map { ($0.date.description, $0.rate) })
        #expect(rates["2026-03-02"] == 0)
        #expect(rates["2026-04-01"] == rates["2026-03-31"])
    }

    // MARK: XIRR

    @Test("XIRR has no value if its equation has no solution or several")
    func roots() throws {
        for expected in try #require(examples["XIRR"]?.elements) {
            let flows = try amounts(expected["amounts"]).map { ExternalFlow($0.0, $0.1) }
            let error = #expect(throws: Undetermined.self) { try MoneyWeightedReturn.solve(flows) }
            #expect(error?.reason.rawValue == expected["reason"]?.string)
            let wanted = try #require(expected["roots"]?.elements).map { try decimal($0) }
            #expect(error?.roots.map { $0.rounded(to: 3, .halfEven) } == wanted)
        }
    }
}
