import Brokerage
import Performance
import Testing

@Suite("A performance report")
struct PerformanceReportTests {
    private func activity(_ day: String, _ kind: ClassifiedActivity.Kind) throws -> ClassifiedActivity {
        ClassifiedActivity(id: day, date: try date(day), kind: kind)
    }

    private func account(
        _ values: [(String, String)], _ activities: [ClassifiedActivity] = [], currency: String = "USD",
        knownFrom: String? = nil, openedOn: String? = nil
    ) throws -> AccountRecord {
        AccountRecord(
            id: "1", currency: currency,
            valuations: try values.map { Valuation(try date($0.0), try decimal($0.1)) },
            activities: activities,
            knownFrom: try knownFrom.map { try date($0) }, openedOn: try openedOn.map { try date($0) })
    }

    private func report(
        _ accounts: [AccountRecord], in currency: String = "USD", from start: String?, through end: String,
        rates: ExchangeRateHistory = ExchangeRateHistory(), benchmark: Benchmark? = nil
    ) throws -> PerformanceReport {
        PerformanceReport.calculate(
            accounts, in: currency, from: try start.map { try date($0) }, through: try date(end),
            rates: rates,
            benchmark: benchmark)
    }

    private func expect(
        _ report: PerformanceReport, _ reason: Undetermined.Reason, date day: String?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for missing in [
            report.timeWeighted.undetermined, report.grossTimeWeighted.undetermined,
            report.moneyWeighted.undetermined, report.gain.undetermined,
        ] {
            #expect(missing?.reason == reason, sourceLocation: sourceLocation)
            #expect(missing?.date?.description == day, sourceLocation: sourceLocation)
        }
        #expect(report.timeWeighted.value == nil && report.gain.value == nil, sourceLocation: sourceLocation)
    }

    static let june = [("2026-06-01", "100"), ("2026-06-15", "110"), ("2026-06-30", "121")]

    @Test("without any value has a reason and no figure")
    func noHistory() throws {
        let report = try report([account([])], from: "2026-06-01", through: "2026-06-30")
        expect(report, .noHistory, date: "2026-06-30")
        #expect(report.timeWeighted.known == nil && report.series.isEmpty && report.netFlows == nil)
    }

    @Test("whose first value is later than its start has the return since that value as the known part")
    func missingStart() throws {
        let report = try report([account(Self.june)], from: "2026-05-01", through: "2026-06-30")
        expect(report, .missingValuation, date: "2026-05-01")
        #expect(report.timeWeighted.known?.rate.description == "0.210000000000")
        #expect(report.gain.known?.total == 21)
        #expect(report.from?.description == "2026-06-01")
    }

    @Test("whose last value is older than four days has no figure for the whole period")
    func missingEnd() throws {
        let four = try report([account(Self.june)], from: "2026-06-01", through: "2026-07-04")
        #expect(four.timeWeighted.value?.through.description == "2026-06-30")
        let five = try report([account(Self.june)], from: "2026-06-01", through: "2026-07-05")
        expect(five, .missingValuation, date: "2026-07-05")
        #expect(five.timeWeighted.known?.through.description == "2026-06-30")
    }

    @Test("starts with the last value before a weekend")
    func weekend() throws {
        let report = try report([account(Self.june)], from: "2026-06-04", through: "2026-06-30")
        #expect(report.timeWeighted.value?.from.description == "2026-06-01")
    }

    @Test("that starts before the broker's activities knows the part after them")
    func horizon() throws {
        let account = try account(Self.june, knownFrom: "2026-06-10")
        let report = try report([account], from: "2026-06-01", through: "2026-06-30")
        expect(report, .missingActivities, date: "2026-06-09")
        #expect(report.timeWeighted.known?.rate.description == "0.100000000000")
        #expect(report.from?.description == "2026-06-15")
        let whole = try self.report([account], from: nil, through: "2026-06-30")
        #expect(whole.timeWeighted.undetermined?.reason == .missingActivities)
        let later = try self.report([account], from: "2026-06-15", through: "2026-06-30")
        #expect(later.timeWeighted.value?.rate.description == "0.100000000000")
    }

    @Test("of all time starts with the first deposit if the opening of the account is known")
    func opening() throws {
        let deposit = try activity("2026-06-01", .cashFlow(CurrencyAmount(100, "USD")))
        let account = try account(Self.june, [deposit], openedOn: "2026-06-01")
        for start in [nil, "2020-01-01"] {
            let report = try report([account], from: start, through: "2026-06-30")
            #expect(report.timeWeighted.value?.rate.description == "0.210000000000")
            #expect(report.timeWeighted.value?.from.description == "2026-06-01")
            #expect(report.gain.value?.total == 21)
            #expect(report.netFlows == 100)
            #expect(report.firstValue == 0)
        }
        let unknown = try self.report([self.account(Self.june)], from: nil, through: "2026-06-30")
        expect(unknown, .missingActivities, date: "2026-06-01")
    }

    /// A range, and what its return begins with.
    struct Opening: CustomTestStringConvertible {
        let start: String?
        /// The value at the end of the day of the deposit of 10,000.
        let first: String
        /// Of the return, and its rate.
        let from: String
        let rate: String

        var testDescription: String { "\(start ?? "MAX"), \(first)" }
    }

    @Test(
        "begins with the first deposit in each range that begins before it: a return of four months has no annual rate",
        arguments: [
            Opening(start: nil, first: "10100", from: "2026-08-31", rate: "0.100000000000"),
            Opening(start: "2025-01-01", first: "10100", from: "2026-08-31", rate: "0.100000000000"),
            Opening(start: "2020-01-01", first: "10100", from: "2026-08-31", rate: "0.100000000000"),
            // A value that is the deposit starts at the end of the day.
            Opening(start: "2025-01-01", first: "10000", from: "2026-09-01", rate: "0.100000000000"),
        ])
    func openedInRange(_ opening: Opening) throws {
        let account = try account(
            [("2026-09-01", opening.first), ("2026-10-01", "10500"), ("2026-12-31", "11000")],
            [activity("2026-09-01", .cashFlow(CurrencyAmount(10_000, "USD")))], openedOn: "2026-09-01")
        let symbol = try #require(Symbol("SPY"))
        let closes = try [
            ("2025-01-01", "400"), ("2026-08-31", "500"), ("2026-10-01", "520"), ("2026-12-31", "550"),
        ].map { DatedValue(try date($0.0), try decimal($0.1)) }
        let report = try report(
            [account], from: opening.start, through: "2026-12-31",
            benchmark: Benchmark(symbol: symbol, currency: "USD", closes: closes, dividends: nil))
        let own = try #require(report.timeWeighted.value)
        #expect(own.from.description == opening.from)
        #expect(own.rate.description == opening.rate)
        #expect(own.annualRate == nil)
        #expect(own.points.first?.date == own.from)
        // 550 of 500, and not of 400: the index of the same days.
        #expect(report.benchmark?.value?.rate.description == "0.100000000000")
        #expect(report.excessReturn == 0)
    }

    @Test("names the currency and the date without a rate, and is never converted at 1")
    func missingRate() throws {
        var rates = ExchangeRateHistory()
        rates.set(
            try ["2026-06-01", "2026-06-14", "2026-06-30"].map { DatedValue(try date($0), 2) }, of: "EUR",
            in: "USD")
        let values = try account(Self.june)
        let complete = try report(
            [values], in: "EUR", from: "2026-06-01", through: "2026-06-30", rates: rates)
        #expect(complete.timeWeighted.value?.rate.description == "0.210000000000")
        #expect(complete.lastValue == (try decimal("60.5")))
        #expect(complete.usesCarriedRates)
        let deposit = try activity("2026-06-08", .cashFlow(CurrencyAmount(7, "USD")))
        let report = try report(
            [account(Self.june, [deposit])], in: "EUR", from: "2026-06-01", through: "2026-06-30",
            rates: rates)
        expect(report, .missingExchangeRate, date: "2026-06-08")
        #expect(report.timeWeighted.undetermined?.currency == "EUR")
        #expect(report.timeWeighted.known?.from.description == "2026-06-15")
        let none = try self.report(
            [values], in: "CHF", from: "2026-06-01", through: "2026-06-30", rates: rates)
        #expect(none.timeWeighted.known == nil && none.timeWeighted.value == nil)
    }

    @Test("has no value on a day whose value lacks the deposit: its return is that of Modified Dietz")
    func lateValues() throws {
        let deposit = try activity("2026-06-15", .cashFlow(CurrencyAmount(200, "USD")))
        let late = try account(
            [("2026-06-01", "100"), ("2026-06-15", "100"), ("2026-06-16", "300"), ("2026-06-30", "330")],
            [deposit])
        let other = try account(
            [("2026-06-01", "1000"), ("2026-06-15", "1000"), ("2026-06-16", "1000"), ("2026-06-30", "1000")])
        for (accounts, rate) in [([late], "0.100000000000"), ([late, other], "0.023076923077")] {
            let report = try report(accounts, from: "2026-06-01", through: "2026-06-30")
            let own = try #require(report.timeWeighted.value)
            #expect(own.rate.description == rate)
            #expect(own.method == .modifiedDietz && own.isEstimated)
            #expect(own.unvaluedFlows.map(\.description) == ["2026-06-15"])
            #expect(
                report.series.map(\.date.description) == ["2026-06-01", "2026-06-16", "2026-06-30"])
            #expect(report.gain.value?.total == 30 && report.netFlows == 200)
        }
        // At the end of a period the deposit would count as a loss.
        let end = try report([late], from: "2026-06-01", through: "2026-06-15")
        #expect(end.gain.value == nil && end.timeWeighted.value == nil && end.moneyWeighted.value == nil)
        let whole = try account(
            [("2026-06-01", "100"), ("2026-06-14", "110"), ("2026-06-15", "290")], [deposit])
        let loss = try report([whole], from: "2026-06-01", through: "2026-06-15")
        #expect(loss.timeWeighted.value?.rate.description == "-0.100000000000")
    }

    @Test("counts securities at the price of their day, and names those without a price")
    func transfers() throws {
        let symbol = try #require(Symbol("AAPL"))
        func transfer(_ price: Decimal?) throws -> ClassifiedActivity {
            try activity(
                "2026-06-15", .securitiesTransfer(.init(symbol, quantity: 5, price: price, currency: "USD")))
        }
        let values = [("2026-06-01", "100"), ("2026-06-15", "160"), ("2026-06-30", "176")]
        let priced = try report([account(values, [transfer(10)])], from: "2026-06-01", through: "2026-06-30")
        // 160 − 50 = 110 before the transfer, then 176 ÷ 160.
        #expect(priced.timeWeighted.value?.rate.description == "0.210000000000")
        let unpriced = try report(
            [account(values, [transfer(nil)])], from: "2026-06-01", through: "2026-06-30")
        expect(unpriced, .missingPrice, date: "2026-06-15")
        #expect(unpriced.gain.undetermined?.symbol == symbol)
        #expect(unpriced.timeWeighted.known?.rate.description == "0.100000000000")
    }

    /// An activity whose amount is unknown, and the figures since the middle of the period.
    struct Unknown: CustomTestStringConvertible {
        let testDescription: String
        let kind: ClassifiedActivity.Kind
        let isGap: Bool
        var isGapOfGross = false
        var isGapOfGain = true
    }

    private static let example = Symbol("EXMP") ?? .example

    @Test(
        "does not count an unknown amount as 0: figures that contain it are undetermined, and known for the days after it",
        arguments: [
            Unknown(testDescription: "deposit", kind: .unknownAmount(.init(.externalFlow)), isGap: true),
            Unknown(
                testDescription: "transfer",
                kind: .securitiesTransfer(.init(example, quantity: 20, price: 250, currency: nil)),
                isGap: true),
            Unknown(
                testDescription: "dividend", kind: .unknownAmount(.init(.income, symbol: example)),
                isGap: false),
            Unknown(
                testDescription: "tax", kind: .unknownAmount(.init(.tax, symbol: example)), isGap: false),
            Unknown(testDescription: "fee", kind: .unknownAmount(.init(.fee(.other))), isGap: false),
            Unknown(
                testDescription: "service fee", kind: .unknownAmount(.init(.fee(.service))), isGap: false,
                isGapOfGross: true),
            // What it pays is part of the price.
            Unknown(
                testDescription: "return of capital",
                kind: .unknownAmount(.init(.returnOfCapital, symbol: example)), isGap: false,
                isGapOfGain: false),
        ])
    func unknownAmount(_ unknown: Unknown) throws {
        let account = try account(Self.june, [activity("2026-06-15", unknown.kind)])
        let report = try report([account], from: "2026-06-01", through: "2026-06-30")
        // 100, 110, 121: 21 % for the whole period, and 10 % after the activity.
        func expect(_ figure: Figure<TimeWeightedReturn>, isUnknown: Bool) {
            #expect(figure.undetermined?.reason == (isUnknown ? .missingAmount : nil))
            #expect(figure.known?.rate.description == (isUnknown ? "0.100000000000" : "0.210000000000"))
        }
        expect(report.timeWeighted, isUnknown: unknown.isGap)
        expect(report.grossTimeWeighted, isUnknown: unknown.isGap || unknown.isGapOfGross)
        #expect((report.moneyWeighted.value == nil) == unknown.isGap)
        #expect(report.gain.undetermined?.reason == (unknown.isGapOfGain ? .missingAmount : nil))
        #expect(report.gain.undetermined?.date?.description == (unknown.isGapOfGain ? "2026-06-15" : nil))
        #expect(report.gain.known?.total == (unknown.isGapOfGain ? 11 : 21))
        #expect(report.from?.description == (unknown.isGap ? "2026-06-15" : "2026-06-01"))
        #expect(report.unclassified.isEmpty)
    }

    @Test("of an account whose first deposit is unknown has no figure for the whole period")
    func unknownOpening() throws {
        let deposit = try activity("2026-06-01", .unknownAmount(.init(.externalFlow)))
        for start in [nil, "2026-05-29"] {
            let report = try report(
                [account([("2026-05-29", "0")] + Self.june, [deposit], openedOn: "2026-06-01")], from: start,
                through: "2026-06-30")
            expect(report, .missingAmount, date: "2026-06-01")
            #expect(report.netFlows == 0 && report.from?.description == "2026-06-01")
            #expect(report.timeWeighted.known?.rate.description == "0.210000000000")
        }
    }

    @Test("of one instrument does not count an unknown dividend as 0, also if its instrument is unknown")
    func unknownDividend() throws {
        let trade = try activity(
            "2026-06-02", .trade(.init(Self.example, quantity: 10, price: 10, currency: "USD")))
        func position(_ unknown: ClassifiedActivity.UnknownAmount, on day: String) throws -> AccountRecord {
            var record = try account([], [trade, activity(day, .unknownAmount(unknown))]).position(
                in: Self.example, currency: "USD",
                valuations: [
                    Valuation(date("2026-06-02"), 100), Valuation(date("2026-06-15"), 110),
                    Valuation(date("2026-06-30"), 121),
                ])
            record.openedOn = record.activities.first?.date
            return record
        }
        let other = try #require(Symbol("OTHER"))
        for (unknown, day, isKnown) in [
            (ClassifiedActivity.UnknownAmount(.income, symbol: Self.example), "2026-06-15", false),
            (.init(.income, isOfUnknownInstrument: true), "2026-06-15", false),
            // Before the purchase, and of another instrument.
            (.init(.income, isOfUnknownInstrument: true), "2026-06-01", true),
            (.init(.income, symbol: other), "2026-06-15", true),
        ] {
            let report = try report([position(unknown, on: day)], from: nil, through: "2026-06-30")
            #expect(report.timeWeighted.undetermined?.reason == (isKnown ? nil : .missingAmount))
            let rate = report.timeWeighted.known?.rate.description
            #expect(rate == (isKnown ? "0.210000000000" : "0.100000000000"))
        }
    }

    @Test(
        "of one instrument contains the units of a dividend, also with prices that are corrected for it, and a fee in units"
    )
    func unitsOfPosition() throws {
        let payment = ClassifiedActivity.Trade(
            Self.example, quantity: -1, price: 10, currency: "USD", isFeePayment: true)
        let fee = ClassifiedActivity.Fee(CurrencyAmount(-10, "USD"), .transaction, symbol: Self.example)
        let account = try account(
            [],
            [
                activity(
                    "2026-06-02", .trade(.init(Self.example, quantity: 100, price: 11, currency: "USD"))),
                activity("2026-06-10", .stockDividend(Self.example, 10)),
                activity("2026-06-15", .trade(payment)), activity("2026-06-15", .fee(fee)),
            ])
        let days = ["2026-06-02", "2026-06-10", "2026-06-15"]
        func values(_ prices: [String], isAdjusted: Bool) throws -> [Valuation] {
            let closes = try zip(days, prices).map { DatedValue(try date($0), try decimal($1)) }
            return try account.valuations(of: Self.example, closes: closes, isAdjusted: isAdjusted)
        }
        // 100 × 11, 110 × 10 and 109 × 10; the price before the dividend is 10 by 110 units.
        let traded = try values(["11", "10", "10"], isAdjusted: false)
        let corrected = try values(["10", "10", "10"], isAdjusted: true)
        for values in [traded, corrected] {
            #expect(values.map(\.value) == [1100, 1100, 1090])
            var position = try account.position(in: Self.example, currency: "USD", valuations: values)
            position.openedOn = position.activities.first?.date
            let report = try report([position], from: nil, through: "2026-06-15")
            // 1090 ÷ 1100 − 1.
            #expect(report.timeWeighted.value?.rate.description == "-0.009090909091")
            let gain = try #require(report.gain.value)
            #expect(gain.total == -10 && gain.fees == -10 && gain.price == 0 && gain.income == 0)
        }
    }

    @Test("of a contract has the values of its units, and no return since a trade whose amount is unknown")
    func contract() throws {
        for multiplier in [Decimal?.some(100), nil] {
            let purchase = ClassifiedActivity.Trade(
                Self.example, quantity: 1, price: 2, multiplier: multiplier, currency: "USD")
            let account = try account([], [activity("2026-06-02", .trade(purchase))])
            let closes = try [("2026-06-02", "2"), ("2026-06-15", "2.5"), ("2026-06-30", "3")].map {
                DatedValue(try date($0.0), try decimal($0.1))
            }
            let values = try account.valuations(
                of: Self.example, closes: closes, isAdjusted: false, multiplier: 100)
            #expect(values.map(\.value) == [200, 250, 300])
            var position = try account.position(in: Self.example, currency: "USD", valuations: values)
            position.openedOn = position.activities.first?.date
            let report = try report([position], from: "2026-06-01", through: "2026-06-30")
            if multiplier == nil {
                #expect(report.gain.value == nil && report.timeWeighted.value == nil)
                #expect(report.netFlows == 0)
            } else {
                #expect(report.timeWeighted.value?.rate.description == "0.500000000000")
                #expect(report.gain.value?.total == 100 && report.netFlows == 200)
            }
        }
    }

    @Test("of several accounts adds up the days on which all are valued; transfers between them are no flows")
    func portfolio() throws {
        let first = try account(
            [("2026-06-01", "100"), ("2026-06-10", "60"), ("2026-06-20", "1"), ("2026-06-30", "66")],
            [activity("2026-06-10", .cashFlow(CurrencyAmount(-50, "USD")))])
        let second = try account(
            [("2026-06-01", "100"), ("2026-06-10", "160"), ("2026-06-30", "176")],
            [activity("2026-06-10", .cashFlow(CurrencyAmount(50, "USD")))])
        let report = try report([first, second], from: "2026-06-01", through: "2026-06-30")
        #expect(report.timeWeighted.value?.rate.description == "0.210000000000")
        #expect(report.series.map(\.date.day) == [1, 10, 30])
        #expect(report.netFlows == 0)
        #expect(report.series.last?.gain == 42)
        #expect(report.gain.value?.total == 42)
    }

    @Test("lists activities of unknown kinds, and leaves them out")
    func unclassified() throws {
        let unknown = try activity("2026-06-10", .unclassified("XYZ", CurrencyAmount(3, "USD")))
        let report = try report([account(Self.june, [unknown])], from: "2026-06-01", through: "2026-06-30")
        #expect(report.unclassified == [unknown])
        #expect(report.timeWeighted.value?.rate.description == "0.210000000000")
    }

    @Test("compares with an instrument, dividends included")
    func benchmark() throws {
        let closes = try [("2026-06-01", "50"), ("2026-06-15", "48"), ("2026-06-29", "60")].map {
            DatedValue(try date($0.0), try decimal($0.1))
        }
        let symbol = try #require(Symbol("SPY"))
        let dividend = DatedValue(try date("2026-06-15"), 2)
        let paid = Benchmark(symbol: symbol, currency: "USD", closes: closes, dividends: [dividend])
        let report = try report(
            [account(Self.june)], from: "2026-06-01", through: "2026-06-30", benchmark: paid)
        // 50 ÷ 48 units of 60.
        #expect(report.benchmark?.value?.rate.description == "0.250000000000")
        #expect(report.benchmark?.value?.includesDividends == true)
        #expect(report.excessReturn?.description == "-0.040000000000")
        #expect(
            report.series.map(\.benchmark?.description) == [
                "0.000000000000", "0.000000000000", "0.250000000000",
            ])
        let unknown = Benchmark(symbol: symbol, currency: "USD", closes: closes, dividends: nil)
        let prices = try self.report(
            [account(Self.june)], from: "2026-06-01", through: "2026-06-30", benchmark: unknown)
        #expect(prices.benchmark?.value?.rate.description == "0.200000000000")
        #expect(prices.benchmark?.value?.includesDividends == false)
        let later = Benchmark(
            symbol: symbol, currency: "USD", closes: Array(closes.dropFirst()), dividends: nil)
        let missing = try self.report(
            [account(Self.june)], from: "2026-06-01", through: "2026-06-30", benchmark: later)
        #expect(missing.benchmark?.undetermined?.reason == .missingPrice)
        #expect(missing.benchmark?.undetermined?.symbol == symbol)
        #expect(missing.excessReturn == nil && missing.timeWeighted.value != nil)
    }

    @Test("of one instrument contains its income, and is the same for a purchase in between")
    func position() throws {
        let symbol = try #require(Symbol("AAPL"))
        let activities = [
            try activity("2026-06-15", .trade(.init(symbol, quantity: 10, price: 11, currency: "USD"))),
            try activity("2026-06-20", .income(CurrencyAmount(20, "USD"), symbol)),
            try activity("2026-06-21", .income(CurrencyAmount(99, "USD"), nil)),
        ]
        // 10 at 10.00, then 20 at 11.00, a dividend of 1.00 each, and 20 at 11.10.
        let position = try account([], activities).position(
            in: symbol, currency: "USD",
            valuations: [
                Valuation(try date("2026-06-01"), 100), Valuation(try date("2026-06-15"), 220),
                Valuation(try date("2026-06-20"), 200), Valuation(try date("2026-06-30"), 222),
            ])
        let report = try report([position], from: "2026-06-01", through: "2026-06-30")
        // 110 ÷ 100 × 220 ÷ 220 × 222 ÷ 200.
        #expect(report.timeWeighted.value?.rate.description == "0.221000000000")
        #expect(report.gain.value?.total == 32)
        #expect(report.gain.value?.income == 20)
        #expect(report.gain.value?.price == 12)
    }

    @Test(
        "keeps the account's currency and the currencies of its instruments apart by the broker's conversions"
    )
    func bookedConversions() throws {
        // EUR 1000; 10 shares at USD 50 for EUR 400 (1.25); at the end USD 60 at 1.20, and a dividend of USD 5 booked
        // as EUR 4.
        let symbol = try #require(Symbol("AAPL"))
        var trade = ClassifiedActivity.Trade(symbol, quantity: 10, price: 50, currency: "USD")
        trade.booked = CurrencyAmount(-500, "USD", converted: .init(-400, "EUR"))
        var account = try account(
            [("2026-06-01", "1000"), ("2026-06-30", "1104")],
            [
                activity("2026-06-10", .trade(trade)),
                activity("2026-06-20", .income(CurrencyAmount(5, "USD", converted: .init(4, "EUR")), symbol)),
            ], currency: "EUR")
        account.composition = [
            try date("2026-06-01"): ["EUR": 1000], try date("2026-06-30"): ["EUR": 604, "USD": 600],
        ]
        var rates = ExchangeRateHistory()
        rates.set(
            [
                DatedValue(try date("2026-06-10"), try decimal("1.25")),
                DatedValue(try date("2026-06-30"), try decimal("1.20")),
            ],
            of: "EUR", in: "USD")
        let gain = try #require(
            try report([account], in: "EUR", from: "2026-06-01", through: "2026-06-30", rates: rates).gain
                .value)
        #expect(gain.total == 104)
        #expect(gain.income == 4)
        // USD 100 at 1.25, the rate of the purchase.
        #expect(gain.price == 80)
        #expect(gain.currency == 20)
        #expect(gain.isByInstrumentCurrency)
    }

    @Test("of one instrument is calculated from its prices, also if they are corrected for splits")
    func positionValues() throws {
        let (symbol, old) = (try #require(Symbol("NEW")), try #require(Symbol("OLD")))
        let account = try account(
            [],
            [
                activity("2026-06-02", .trade(.init(old, quantity: 10, price: 20, currency: "USD"))),
                activity("2026-06-10", .exchange(from: old, to: symbol, new: 1, old: 1)),
                activity("2026-06-15", .exchange(from: symbol, to: symbol, new: 4, old: 1)),
                activity("2026-06-20", .trade(.init(symbol, quantity: -20, price: 6, currency: "USD"))),
            ])
        let days = ["2026-06-01", "2026-06-02", "2026-06-12", "2026-06-15", "2026-06-20"]
        func closes(_ prices: [String]) throws -> [DatedValue] {
            try zip(days, prices).map { DatedValue(try date($0), try decimal($1)) }
        }
        let raw = try account.valuations(
            of: symbol, closes: closes(["19", "21", "24", "6", "6"]), isAdjusted: false)
        #expect(raw.map(\.value) == [0, 210, 240, 240, 120])
        let adjusted = try account.valuations(
            of: symbol, closes: closes(["4.75", "5.25", "6", "6", "6"]), isAdjusted: true)
        #expect(adjusted.map(\.value) == [0, 210, 240, 240, 120])
        // Bought at 20 and worth 21 at the close: the purchase counts at the start of its day.
        let position = try account.position(in: symbol, currency: "USD", valuations: raw)
        let report = try report([position], from: "2026-06-01", through: "2026-06-20")
        #expect(report.timeWeighted.value?.rate.description == "0.200000000000")
        #expect(
            report.timeWeighted.value?.points.map(\.rate.description) == [
                "0", "0.050000000000", "0.200000000000", "0.200000000000", "0.200000000000",
            ])
        #expect(report.gain.value?.total == 40)
    }
}
