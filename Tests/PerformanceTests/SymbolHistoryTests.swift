import Brokerage
import Performance
import Testing

@Suite("A holding whose symbol has changed")
struct SymbolHistoryTests {
    private static let new = Symbol("NEW") ?? .example
    private static let old = Symbol("OLD") ?? .example
    private static let middle = Symbol("MID") ?? .example
    private static let other = Symbol("OTHER") ?? .example

    private typealias Kind = ClassifiedActivity.Kind

    private static func ledger(_ rows: [(day: String, kind: Kind)]) throws -> [ClassifiedActivity] {
        try rows.enumerated().map { index, row in
            ClassifiedActivity(id: "\(index)", date: try date("2026-\(row.day)"), kind: row.kind)
        }
    }

    private static func trade(_ symbol: Symbol, _ quantity: Decimal, at price: Decimal) -> Kind {
        .trade(.init(symbol, quantity: quantity, price: price, currency: "USD"))
    }

    private static func change(_ from: Symbol, _ to: Symbol, new: Decimal = 1, old: Decimal = 1) -> Kind {
        .exchange(from: from, to: to, new: new, old: old)
    }

    private static func income(_ amount: Decimal, _ symbol: Symbol) -> Kind {
        .income(CurrencyAmount(amount, "USD"), symbol)
    }

    private static func lots(
        _ rows: [(day: String, kind: Kind)], _ method: TaxLots.Method = .fifo,
        opening: [Symbol: Decimal] = [:]
    ) throws -> TaxLots {
        try TaxLots(
            method, activities: ledger(rows), in: "USD", rates: ExchangeRateHistory(), opening: opening)
    }

    private static func summary(
        of symbol: Symbol, _ rows: [(day: String, kind: Kind)], opening: [Symbol: Decimal] = [:]
    ) throws -> HoldingSummary {
        let account = HoldingSummary.Account(
            lots: try lots(rows, opening: opening), activities: try ledger(rows), knownFrom: nil)
        return try HoldingSummary(
            of: symbol, in: [account], price: 30, on: date("2026-06-30"), currency: "USD",
            rates: ExchangeRateHistory())
    }

    /// The rows of an account, and the figures of one holding.
    struct Case: CustomTestStringConvertible {
        let name: String
        var symbol = SymbolHistoryTests.new
        let rows: [(day: String, kind: ClassifiedActivity.Kind)]
        let quantity: Decimal
        let realized: Decimal
        var income = Decimal.zero

        var testDescription: String { name }
    }

    private static let cases = [
        Case(
            name: "once",
            rows: [
                ("01-05", trade(old, 10, at: 20)), ("01-10", trade(old, -4, at: 25)),
                ("02-01", income(3, old)),
                ("03-02", change(old, new)), ("03-10", trade(new, -2, at: 15)), ("04-01", income(2, new)),
            ], quantity: 4, realized: 10, income: 5),
        Case(
            name: "twice",
            rows: [
                ("01-05", trade(old, 10, at: 20)), ("01-10", trade(old, -4, at: 25)),
                ("02-01", income(3, old)),
                ("03-02", change(old, middle)), ("03-10", trade(middle, -1, at: 22)),
                ("03-11", income(1, middle)), ("04-01", change(middle, new)),
                ("05-01", trade(new, -1, at: 30)),
            ], quantity: 4, realized: 32, income: 4),
        Case(
            name: "twice on one day",
            rows: [
                ("01-05", trade(old, 10, at: 20)), ("01-10", trade(old, -4, at: 25)),
                ("03-02", change(old, middle)), ("03-02", change(middle, new)),
                ("03-02", trade(new, -1, at: 30)),
            ], quantity: 5, realized: 30),
        Case(
            name: "and back",
            symbol: old,
            rows: [
                ("01-05", trade(old, 10, at: 20)), ("01-10", trade(old, -4, at: 25)),
                ("03-02", change(old, middle)), ("03-10", trade(middle, -1, at: 22)),
                ("04-01", change(middle, old)), ("05-01", trade(old, -1, at: 30)), ("05-02", income(7, old)),
            ], quantity: 4, realized: 32, income: 7),
        Case(
            name: "by a merger in shares, of which some were held",
            rows: [
                ("01-05", trade(new, 5, at: 10)), ("01-06", trade(old, 4, at: 30)),
                ("01-07", trade(old, -2, at: 40)), ("03-02", change(old, new, new: 3, old: 2)),
                ("03-10", trade(new, -5, at: 12)),
            ], quantity: 3, realized: 30),
        Case(
            name: "on the day of trades under both symbols",
            rows: [
                ("01-05", trade(old, 10, at: 20)), ("03-02", change(old, new)),
                ("03-02", trade(old, -4, at: 25)),
                ("03-02", trade(new, -1, at: 30)),
            ], quantity: 5, realized: 30),
        Case(
            name: "before a dividend under the earlier symbol",
            rows: [
                ("01-05", trade(old, 10, at: 20)), ("03-02", change(old, new)), ("03-20", income(6, old)),
                ("03-21", trade(old, -1, at: 21)),
            ], quantity: 9, realized: 1, income: 6),
        Case(
            name: "to one that another company had",
            rows: [
                ("01-05", trade(new, 10, at: 20)), ("01-06", trade(old, 3, at: 10)),
                ("01-10", trade(new, -4, at: 25)), ("03-01", change(new, other)), ("03-02", change(old, new)),
                ("04-01", income(2, new)), ("04-02", trade(new, -1, at: 15)),
            ], quantity: 2, realized: 5, income: 2),
        Case(
            name: "after which another company got the earlier one",
            rows: [
                ("01-05", trade(old, 10, at: 20)), ("03-02", change(old, new)),
                ("04-01", trade(old, 5, at: 7)),
                ("04-02", trade(old, -5, at: 9)), ("05-01", income(1, old)),
            ], quantity: 10, realized: 0),
        Case(
            name: "of which another company has the earlier symbol",
            symbol: old,
            rows: [
                ("01-05", trade(old, 10, at: 20)), ("01-06", trade(old, -1, at: 50)),
                ("03-02", change(old, new)),
                ("04-01", trade(old, 5, at: 7)), ("04-02", trade(old, -4, at: 9)), ("05-01", income(1, old)),
            ], quantity: 1, realized: 8, income: 1),
        Case(
            name: "and came by a spin-off",
            rows: [
                ("01-05", trade(other, 40, at: 10)),
                (
                    "02-02",
                    .spinOff(.init(parent: other, child: old, quantity: 10, parentPrice: 9, childPrice: 4))
                ),
                ("02-10", trade(old, -2, at: 5)), ("03-02", change(old, new)),
                ("03-10", trade(new, -5, at: 6)),
            ], quantity: 3, realized: 12),
    ]

    @Test("has the profit and the income of all its symbols", arguments: cases)
    func figures(_ test: Case) throws {
        let summary = try Self.summary(of: test.symbol, test.rows)
        #expect(summary.quantity == test.quantity)
        #expect(summary.realizedProfit == .determined(test.realized))
        #expect(summary.convertedRealizedProfit == .determined(test.realized))
        #expect(summary.income.value?.gross == test.income)
        #expect(summary.missing.isEmpty)
        let cost = try #require(summary.cost.value)
        #expect(summary.yieldOnCost == (try test.income.divided(by: cost, to: 12, .halfEven)))
    }

    @Test("has units without a known cost, which are listed and not counted as a short position")
    func missing() throws {
        let rows: [(day: String, kind: Kind)] = [
            ("03-02", Self.change(Self.old, Self.new)), ("03-10", Self.trade(Self.new, -8, at: 6)),
        ]
        let summary = try Self.summary(of: Self.new, rows, opening: [Self.old: 5])
        #expect(summary.quantity == 0)
        #expect(summary.missing.map(\.quantity) == [5, 3])
        let reason = Undetermined(.missingCost, symbol: Self.new)
        #expect(summary.realizedProfit == .undetermined(reason, known: nil))
    }

    @Test("of the parent of a spin-off has the part of the cost, whichever symbol the source names")
    func parent() throws {
        for parent in [Self.old, Self.new] {
            let lots = try Self.lots([
                ("01-05", Self.trade(Self.old, 40, at: 10)),
                (
                    "02-02",
                    .spinOff(
                        .init(parent: parent, child: Self.other, quantity: 10, parentPrice: 9, childPrice: 4))
                ),
                ("03-02", Self.change(Self.old, Self.new)),
            ])
            #expect(lots.lots[Self.new]?.map(\.cost) == [360])
            #expect(lots.lots[Self.other]?.map(\.cost) == [40])
            #expect(lots.missing.isEmpty)
        }
    }

    @Test("has no profit in its currency if the companies that merged had shares in two")
    func currencies() throws {
        let rows: [(day: String, kind: Kind)] = [
            ("01-05", .trade(.init(Self.old, quantity: 4, price: 30, currency: "EUR"))),
            ("01-07", .trade(.init(Self.old, quantity: -4, price: 40, currency: "EUR"))),
            ("01-08", .trade(.init(Self.new, quantity: 4, price: 30, currency: "USD"))),
            ("03-02", Self.change(Self.old, Self.new)), ("03-10", Self.trade(Self.new, -1, at: 40)),
        ]
        #expect(
            try Self.summary(of: Self.new, rows).realizedProfit
                == .undetermined(
                    Undetermined(
                        .mixedCurrencies, date: date("2026-01-07"), symbol: Self.new, currency: "EUR"),
                    known: nil))
    }

    @Test("has the values and the flows of all its symbols, also of a company that it took over")
    func performance() throws {
        let account = AccountRecord(
            id: "1", currency: "USD", valuations: [],
            activities: try Self.ledger([
                ("01-05", Self.trade(Self.new, 5, at: 10)), ("01-06", Self.trade(Self.old, 4, at: 30)),
                ("02-02", Self.change(Self.new, Self.new, new: 2)),
                ("03-02", Self.change(Self.old, Self.new, new: 3, old: 2)),
                ("04-01", Self.trade(Self.old, 9, at: 7)), ("04-02", Self.income(1, Self.old)),
            ]))
        let days = ["01-05", "01-06", "02-02", "03-02", "04-01"]
        func closes(_ prices: [Decimal]) throws -> [DatedValue] {
            try zip(days, prices).map { DatedValue(try date("2026-\($0)"), $1) }
        }
        let adjusted = try account.valuations(
            of: Self.new, closes: closes([5, 5, 5, 5, 5]), isAdjusted: true)
        // Ten of today's units, and six for the four of the other company.
        #expect(adjusted.map(\.value) == [50, 80, 80, 80, 80])
        let raw = try account.valuations(of: Self.new, closes: closes([10, 10, 5, 5, 5]), isAdjusted: false)
        #expect(raw.map(\.value) == [50, 80, 80, 80, 80])
        let position = try account.position(in: Self.new, currency: "USD", valuations: raw)
        #expect(position.activities.map(\.id) == ["0", "1"])
    }

    @Test("has the fees of its trades under the earlier symbol on the day of the change")
    func fees() throws {
        let lots = try Self.lots([
            ("01-05", Self.trade(Self.old, 10, at: 20)), ("03-02", Self.change(Self.old, Self.new)),
            ("03-02", Self.trade(Self.old, -5, at: 30)),
            ("03-02", .fee(.init(CurrencyAmount(-2, "USD"), .transaction, symbol: Self.new))),
        ])
        #expect(lots.disposals.map(\.profit) == [48])
    }

    @Test("ends by a merger for cash, which has no part of the fees of the day's trades")
    func cashMerger() throws {
        let merger = ClassifiedActivity.Trade(
            Self.old, quantity: -20, price: 25, currency: "USD", booked: CurrencyAmount(500, "USD"),
            isMerger: true)
        let lots = try Self.lots([
            ("01-05", Self.trade(Self.old, 20, at: 20)), ("01-05", Self.trade(Self.other, 10, at: 8)),
            ("03-02", .trade(merger)), ("03-02", Self.trade(Self.other, -10, at: 10)),
            ("03-02", .fee(.init(CurrencyAmount(-2, "USD"), .transaction))),
        ])
        #expect(lots.disposals.map(\.symbol) == [Self.old, Self.other])
        #expect(lots.disposals.map(\.proceeds) == [500, 98])
    }
}
