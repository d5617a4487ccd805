import Brokerage
import Performance
import TestSupport
import Testing

@Suite("Returns")
struct ReturnTests {
    private func values(_ values: [(String, String)]) throws -> [Valuation] {
        try values.map { Valuation(try date($0.0), try decimal($0.1)) }
    }

    private func flow(_ day: String, _ amount: String) throws -> ExternalFlow {
        ExternalFlow(try date(day), try decimal(amount))
    }

    @Test("of an account that was empty in between are linked, and say so")
    func chains() throws {
        let result = try #require(
            TimeWeightedReturn.calculate(
                values([
                    ("2026-01-01", "100"), ("2026-01-10", "0"), ("2026-01-20", "0"), ("2026-01-30", "220"),
                ]), flows: [flow("2026-01-10", "-110"), flow("2026-01-25", "200")]
            ).value)
        #expect(result.rate.description == "0.210000000000")
        #expect(result.chainCount == 2)
        // The value of an empty account is known at each flow.
        #expect(result.method == .valuedAtFlows && !result.isEstimated)
        #expect(
            result.points.map(\.rate.description) == [
                "0", "0.100000000000", "0.100000000000", "0.210000000000",
            ])
    }

    @Test("of a negative value do not exist; the return after it is the known part")
    func negative() throws {
        let figure = TimeWeightedReturn.calculate(
            try values([
                ("2026-01-01", "100"), ("2026-01-10", "-5"), ("2026-01-20", "100"), ("2026-01-30", "130"),
            ]),
            flows: [try flow("2026-01-20", "95")])
        #expect(figure.undetermined?.reason == .valueNotPositive)
        #expect(figure.known?.rate.description == "0.300000000000")
        #expect(figure.known?.from.description == "2026-01-20")
        let end = TimeWeightedReturn.calculate(
            try values([("2026-01-01", "100"), ("2026-01-10", "90"), ("2026-01-20", "-5")]), flows: [])
        #expect(end.value == nil)
        #expect(end.undetermined?.date?.description == "2026-01-20")
        #expect(end.known?.rate.description == "-0.100000000000")
    }

    @Test("of a total loss are -100 %")
    func totalLoss() throws {
        let result = TimeWeightedReturn.calculate(
            try values([("2026-01-01", "100"), ("2026-01-10", "0")]), flows: [])
        #expect(result.value?.rate == -1)
    }

    @Test("of more than a year have an annual rate")
    func annual() throws {
        let two = TimeWeightedReturn.calculate(
            try values([("2023-01-01", "100"), ("2024-12-31", "121")]), flows: [])
        #expect(two.value?.annualRate?.description == "0.100000000000")
        let one = TimeWeightedReturn.calculate(
            try values([("2023-01-01", "100"), ("2024-01-01", "121")]), flows: [])
        #expect(one.value?.annualRate == nil)
    }

    @Test(
        "are estimated if a flow above 10 % of the value is not valued",
        arguments: [("10", false), ("10.01", true)])
    func large(_ amount: String, isEstimated: Bool) throws {
        let result = TimeWeightedReturn.calculate(
            try values([("2026-01-01", "100"), ("2026-01-31", "120")]),
            flows: [try flow("2026-01-10", amount)])
        #expect(result.value?.method == .modifiedDietz)
        #expect(result.value?.unvaluedFlows == [try date("2026-01-10")])
        #expect(result.value?.isEstimated == isEstimated)
    }

    @Test("weighted by money are found for periods of a day and rates of any size")
    func money() throws {
        let day = MoneyWeightedReturn.calculate(
            from: DatedValue(try date("2026-01-01"), 100), through: DatedValue(try date("2026-01-02"), 150),
            flows: [])
        #expect(day.value?.periodRate.description == "0.500000000000")
        #expect(day.value?.annualRate == nil)
        let loss = MoneyWeightedReturn.calculate(
            from: DatedValue(try date("2026-01-01"), 100), through: DatedValue(try date("2027-01-01"), 1),
            flows: [])
        #expect(loss.value?.annualRate?.description == "-0.990000000000")
    }

    @Test("weighted by money need a day, and amounts of both signs")
    func noMoney() throws {
        let none = try MoneyWeightedReturn.calculate(
            from: DatedValue(date("2026-01-01"), 100), through: DatedValue(date("2026-02-01"), 0),
            flows: [flow("2026-01-10", "5")])
        #expect(none.undetermined?.reason == .noRoot)
        let empty = try MoneyWeightedReturn.calculate(
            from: DatedValue(date("2026-01-01"), 100), through: DatedValue(date("2026-01-01"), 100), flows: []
        )
        #expect(empty.undetermined?.reason == .emptyPeriod)
    }

    @Test("weighted by money find a root that only touches zero")
    func doubleRoot() throws {
        let flows = try [("2023-01-01", "-1000"), ("2024-01-01", "2200"), ("2024-12-31", "-1210")].map {
            try flow($0.0, $0.1)
        }
        let rate = try #require(try MoneyWeightedReturn.solve(flows).annualRate)
        #expect(try (rate - decimal("0.1")).magnitude < decimal("0.0000001"))
    }

    @Test("never stop the process, whatever the numbers are", arguments: [1, 2, 3, 4] as [UInt64])
    func extremeValues(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        var reasons: [Undetermined.Reason: Int] = [:]
        var determined = 0
        func number() -> Decimal {
            let all: Int128 = Int128.random(in: .min ... .max, using: &random)
            let shifted = all >> Int128(Int.random(in: 0...127, using: &random))
            let special: [Int128] = [.min, .max, 0, 1, -1, shifted, shifted, shifted, shifted]
            return Decimal(
                coefficient: special.randomElement(using: &random) ?? 0,
                scale: Int.random(in: 0...38, using: &random)) ?? .zero
        }
        func day() -> CalendarDate {
            let days = [
                -719_162, 2_932_896, 0, 20_000, 20_001, Int.random(in: -719_162...2_932_896, using: &random),
            ]
            return CalendarDate(daysSince1970: days.randomElement(using: &random) ?? 0) ?? .earliest
        }
        func count<Value>(_ figure: Figure<Value>) {
            if let reason = figure.undetermined?.reason {
                reasons[reason, default: 0] += 1
            } else {
                determined += 1
            }
        }
        let symbols = ["A", "B"].compactMap { Symbol($0) }
        for _ in 0..<1_500 {
            func symbol() -> Symbol { symbols.randomElement(using: &random) ?? .example }
            func amount() -> CurrencyAmount {
                CurrencyAmount(number(), ["USD", "EUR"].randomElement(using: &random) ?? "USD")
            }
            let activities = (0..<Int.random(in: 0...8, using: &random)).map { index in
                let kinds: [ClassifiedActivity.Kind] = [
                    .cashFlow(amount()), .income(amount(), symbol()), .returnOfCapital(amount(), symbol()),
                    .trade(.init(symbol(), quantity: number(), price: number(), currency: "USD")),
                    .trade(
                        .init(
                            symbol(), quantity: number(), price: number(), currency: "USD", isShortSale: true)
                    ),
                    .fee(.init(amount(), .transaction)), .fee(.init(amount(), .service)),
                    .exchange(from: symbol(), to: symbol(), new: number(), old: number()),
                    .spinOff(
                        .init(
                            parent: symbol(), child: symbol(), quantity: number(), parentPrice: number(),
                            childPrice: number())),
                    .securitiesTransfer(
                        .init(symbol(), quantity: number(), price: number(), currency: "USD", cost: number())),
                ]
                return ClassifiedActivity(
                    id: "\(index)", date: day(), kind: kinds.randomElement(using: &random) ?? kinds[0])
            }
            let valuations = (0..<Int.random(in: 0...5, using: &random)).map { _ in
                Valuation(day(), number(), includesFlows: Bool.random(using: &random))
            }
            var rates = ExchangeRateHistory()
            rates.set((0..<4).map { _ in DatedValue(day(), number()) }, of: "EUR", in: "USD")
            let account = AccountRecord(
                id: "1", currency: "USD", valuations: valuations, activities: activities,
                knownFrom: Bool.random(using: &random) ? day() : nil,
                openedOn: Bool.random(using: &random) ? day() : nil)
            let benchmark = Benchmark(
                symbol: symbols[0], currency: "USD", closes: (0..<4).map { _ in DatedValue(day(), number()) },
                dividends: [DatedValue(day(), number())])
            for currency in ["USD", "EUR"] {
                let report = PerformanceReport.calculate(
                    [account], in: currency, from: Bool.random(using: &random) ? day() : nil, through: day(),
                    rates: rates,
                    benchmark: benchmark)
                count(report.timeWeighted)
                count(report.moneyWeighted)
                count(report.gain)
                if let gain = report.gain.value { #expect(gain.rounded(in: currency).total.scale <= 38) }
                for method in TaxLots.Method.allCases {
                    count(Figure { try TaxLots(method, activities: activities, in: currency, rates: rates) })
                }
            }
            count(IncomeSummary.twelveMonths(through: day(), of: activities, in: "EUR", rates: rates))
        }
        #expect(determined > 100)
        #expect(reasons[.outOfRange, default: 0] > 100, "\(reasons)")
        #expect(reasons[.missingExchangeRate, default: 0] > 10, "\(reasons)")
    }
}
