import Brokerage
import Performance
import Testing

@Suite("Tax lots")
struct TaxLotsTests {
    private static let symbol = Symbol("EXMP") ?? .example

    private func activity(_ day: String, _ kind: ClassifiedActivity.Kind, id: String? = nil) throws
        -> ClassifiedActivity
    {
        ClassifiedActivity(id: id ?? day, date: try date(day), kind: kind)
    }

    private func trade(
        _ day: String, _ quantity: String, at price: String, isShortSale: Bool = false, id: String? = nil
    ) throws -> ClassifiedActivity {
        try activity(
            day,
            .trade(
                .init(
                    Self.symbol, quantity: decimal(quantity), price: decimal(price), currency: "USD",
                    isShortSale: isShortSale)), id: id)
    }

    private func lots(
        _ activities: [ClassifiedActivity], _ method: TaxLots.Method = .fifo, in currency: String = "USD",
        rates: ExchangeRateHistory = ExchangeRateHistory(), opening: [Symbol: Decimal] = [:],
        knownFrom: String? = nil
    ) throws -> TaxLots {
        try TaxLots(
            method, activities: activities, in: currency, rates: rates, opening: opening,
            knownFrom: knownFrom.map { try date($0) })
    }

    /// The time must not grow with the square of the number of lots.
    @Test("are tens of thousands of one instrument, which are sold one after the other")
    func many() throws {
        let count = 10_000
        let purchases = try (0..<count).map { try trade("2026-01-05", "2", at: "10", id: "purchase \($0)") }
        let sales = try (0..<count).map { try trade("2026-01-06", "-1", at: "11", id: "sale \($0)") }
        let lots = try lots(purchases + sales)
        #expect(lots.disposals.count == count && lots.disposals.allSatisfy { $0.profit == 1 })
        let left = try #require(lots.lots[Self.symbol])
        #expect(left.count == count / 2 && left.allSatisfy { $0.quantity == 2 && $0.cost == 20 })
        // One more than is held, which is a short position.
        let last = try self.lots(purchases + sales + [trade("2026-01-07", "-10001", at: "12")])
        #expect(last.disposals.count == count + count / 2)
        #expect(last.lots[Self.symbol]?.map(\.quantity) == [-1])
        #expect(last.lots[Self.symbol]?.map(\.cost) == [-12])
    }

    @Test("of a short position mirror those of a long one", arguments: TaxLots.Method.allCases)
    func short(_ method: TaxLots.Method) throws {
        let lots = try lots(
            [
                trade("2026-01-05", "-10", at: "50"), trade("2026-01-06", "4", at: "40"),
                trade("2026-01-07", "10", at: "45"),
            ], method)
        #expect(lots.disposals.map(\.profit) == [40, 30])
        #expect(lots.disposals.map(\.quantity) == [-4, -6])
        // The last purchase covers 6, and the other 4 are held.
        #expect(lots.lots[Self.symbol]?.map(\.quantity) == [4])
        #expect(lots.lots[Self.symbol]?.map(\.cost) == [180])
        #expect(lots.missing.isEmpty)
    }

    @Test("whose purchase is before the known activities have no cost, and say what is missing")
    func missingHistory() throws {
        let opened = try lots(
            [trade("2026-01-05", "5", at: "20"), trade("2026-02-05", "-12", at: "30")],
            opening: [Self.symbol: 10], knownFrom: "2026-01-01")
        #expect(opened.disposals.map(\.quantity) == [10, 2])
        #expect(opened.disposals.map(\.profit) == [nil, 20])
        #expect(opened.missing.map(\.quantity) == [10])
        #expect(opened.missing.map(\.before?.description) == ["2026-01-01"])

        let average = try lots(
            [trade("2026-01-05", "5", at: "20"), trade("2026-02-05", "-12", at: "30")], .averageCost,
            opening: [Self.symbol: 10], knownFrom: "2026-01-01")
        #expect(average.disposals.map(\.profit) == [nil])

        // No opening quantity is known, but a sale exceeds the purchases.
        let unexpected = try lots(
            [trade("2026-01-05", "5", at: "20"), trade("2026-02-05", "-7", at: "30")], knownFrom: "2026-01-01"
        )
        #expect(unexpected.disposals.map(\.profit) == [50, nil])
        #expect(unexpected.missing.map(\.quantity) == [2])
        #expect(unexpected.lots[Self.symbol] == nil)

        let short = try lots(
            [trade("2026-02-05", "-7", at: "30", isShortSale: true)], knownFrom: "2026-01-01")
        #expect(short.missing.isEmpty && short.disposals.isEmpty)
        #expect(short.lots[Self.symbol]?.map(\.cost) == [-210])
    }

    /// Units that are received for those of another symbol, of which the account holds units already.
    struct Received: CustomTestStringConvertible {
        let testDescription: String
        let method: TaxLots.Method
        let activities: [ClassifiedActivity]
        /// What is held at the end.
        let positions: [Symbol: Decimal]
        let symbol: Symbol
        let profits: [Decimal]
        /// Of the lots that are left: the day of the purchase, and the cost.
        let left: [String]

        /// 10 T at 20 and 10 MSFT at 30, a merger of the former into the latter, and a sale of 10 at 50.
        static func merger(_ method: TaxLots.Method, profit: Decimal, left: String) throws -> Received {
            let (old, new) = (try #require(Symbol("T")), try #require(Symbol("MSFT")))
            return Received(
                testDescription: "merger \(method)", method: method,
                activities: [
                    try trade("2026-09-02", 10, of: old, at: 20),
                    try trade("2026-09-03", 10, of: new, at: 30),
                    ClassifiedActivity(
                        id: "merger", date: try date("2026-10-05"),
                        kind: .exchange(from: old, to: new, new: 10, old: 10)),
                    try trade("2026-11-02", -10, of: new, at: 50),
                ], positions: [new: 10], symbol: new, profits: [profit], left: [left])
        }

        /// 100 T at 25, 24 WBD at 24, a spin-off of 24 WBD that have a quarter of the value, and a sale of 24 at 30.
        static func spinOff(_ method: TaxLots.Method, profit: Decimal, left: String) throws -> Received {
            let (parent, child) = (try #require(Symbol("T")), try #require(Symbol("WBD")))
            return Received(
                testDescription: "spin-off \(method)", method: method,
                activities: [
                    try trade("2022-01-10", 100, of: parent, at: 25),
                    try trade("2022-04-12", 24, of: child, at: 24),
                    ClassifiedActivity(
                        id: "spin-off", date: try date("2022-04-14"),
                        kind: .spinOff(
                            .init(
                                parent: parent, child: child, quantity: 24,
                                parentPrice: try decimal("17.28"), childPrice: 24))),
                    try trade("2022-05-02", -24, of: child, at: 30),
                ], positions: [parent: 100, child: 24], symbol: child, profits: [profit], left: [left])
        }

        /// Lots of two symbols, whose dates alternate, and no sale.
        static func alternating() throws -> Received {
            let (old, new) = (try #require(Symbol("OLD")), try #require(Symbol("NEW")))
            return Received(
                testDescription: "alternating dates", method: .fifo,
                activities: [
                    try trade("2026-01-05", 1, of: old, at: 1), try trade("2026-01-06", 1, of: new, at: 2),
                    try trade("2026-01-07", 1, of: old, at: 3), try trade("2026-01-08", 1, of: new, at: 4),
                    try trade("2026-01-08", 1, of: old, at: 5), try trade("2026-01-09", 1, of: old, at: 6),
                    ClassifiedActivity(
                        id: "merger", date: try date("2026-02-02"),
                        kind: .exchange(from: old, to: new, new: 4, old: 4)),
                ], positions: [new: 6], symbol: new, profits: [],
                left: [
                    "2026-01-05 1", "2026-01-06 2", "2026-01-07 3", "2026-01-08 4", "2026-01-08 5",
                    "2026-01-09 6",
                ])
        }

        private static func trade(
            _ day: String, _ quantity: Decimal, of symbol: Symbol, at price: Decimal
        ) throws -> ClassifiedActivity {
            ClassifiedActivity(
                id: "\(symbol) \(day)", date: try date(day),
                kind: .trade(.init(symbol, quantity: quantity, price: price, currency: "USD")))
        }

        static let all = Result {
            [
                // The lot of T is the earliest: 500 − 200.
                try merger(.fifo, profit: 300, left: "2026-09-03 300"),
                // 20 units cost 500.
                try merger(.averageCost, profit: 250, left: "2026-09-02 250"),
                // A quarter of 2,500 is 625, of units that were bought in January: 720 − 625.
                try spinOff(.fifo, profit: 95, left: "2022-04-12 576"),
                // 48 units cost 1,201: 720 − 600.50.
                try spinOff(.averageCost, profit: decimal("119.5"), left: "2022-01-10 600.5"),
                try alternating(),
            ]
        }
    }

    @Test(
        "of units that were received for others are sold by the dates of their purchases, and none is missing"
    )
    func received() throws {
        for received in try Received.all.get() {
            let opening = try ActivityTotals.opening(
                of: received.positions, before: received.activities)
            #expect(opening.isEmpty, "\(received)")
            let lots = try lots(received.activities, received.method)
            #expect(lots.disposals.map(\.profit) == received.profits, "\(received)")
            let left = lots.lots[received.symbol]?.map {
                "\($0.acquired?.description ?? "-") \($0.cost?.withoutTrailingZeros.description ?? "-")"
            }
            #expect(left == received.left, "\(received)")
            #expect(lots.missing.isEmpty, "\(received)")
        }
    }

    @Test("are taken over by another symbol, and by a merger in shares, with cost and date")
    func exchange() throws {
        let other = try #require(Symbol("NEW"))
        let lots = try lots([
            trade("2026-01-05", "10", at: "20"),
            activity("2026-02-01", .exchange(from: Self.symbol, to: other, new: 3, old: 2)),
            activity(
                "2026-03-01",
                .trade(.init(other, quantity: -6, price: 20, currency: "USD"))),
        ])
        #expect(lots.disposals.map(\.profit) == [40])
        #expect(lots.disposals.map(\.acquired?.description) == ["2026-01-05"])
        #expect(Array(lots.lots.keys) == [other])
        #expect(lots.lots[other]?.map(\.acquired?.description) == ["2026-01-05"])
        // Without the zeros of the division.
        #expect(lots.lots[other]?.map(\.quantity.description) == ["9"])
        #expect(lots.lots[other]?.map(\.cost) == [120])
    }

    @Test("have a lower cost after a return of capital; what exceeds the cost is a profit")
    func returnOfCapital() throws {
        let activities = [
            try trade("2026-01-05", "10", at: "2"), try trade("2026-01-06", "10", at: "30"),
            try activity("2026-02-01", .returnOfCapital(CurrencyAmount(60, "USD"), Self.symbol)),
        ]
        let fifo = try lots(activities)
        #expect(fifo.lots[Self.symbol]?.map(\.cost) == [0, 270])
        #expect(fifo.disposals.map(\.profit) == [10])
        let average = try lots(activities, .averageCost)
        #expect(average.lots[Self.symbol]?.map(\.cost) == [260])
        #expect(average.disposals.isEmpty)
    }

    @Test("of a transfer have the cost that is delivered with it")
    func transfer() throws {
        func transfer(_ quantity: Decimal, _ cost: Decimal?) -> ClassifiedActivity.Kind {
            .securitiesTransfer(.init(Self.symbol, quantity: quantity, price: 9, currency: "USD", cost: cost))
        }
        let known = try lots([
            activity("2026-01-05", transfer(10, 70)), activity("2026-01-06", transfer(-4, nil)),
        ])
        #expect(known.lots[Self.symbol]?.map(\.cost) == [42])
        #expect(known.disposals.isEmpty && known.missing.isEmpty)
        let unknown = try lots([
            activity("2026-01-05", transfer(10, nil)), trade("2026-01-06", "-4", at: "9"),
        ])
        #expect(unknown.disposals.map(\.profit) == [nil])
        #expect(unknown.missing.map(\.quantity) == [10])
    }

    @Test("contain the fees of their day and instrument in proportion, or those of the named trade")
    func fees() throws {
        func fee(_ id: String, _ amount: String, trade: String? = nil, symbol: Symbol? = Self.symbol) throws
            -> ClassifiedActivity
        {
            try activity(
                "2026-01-05",
                .fee(
                    .init(CurrencyAmount(decimal(amount), "USD"), .transaction, symbol: symbol, trade: trade)),
                id: id)
        }
        let lots = try lots([
            trade("2026-01-05", "10", at: "10", id: "a"), trade("2026-01-05", "10", at: "30", id: "b"),
            fee("1", "-4"), fee("2", "-1", trade: "a"), fee("3", "-8", symbol: Symbol("OTHER")),
        ])
        #expect(lots.lots[Self.symbol]?.map(\.cost) == [102, 303])
    }

    @Test("divide a profit in another currency into price and exchange rate")
    func currencies() throws {
        var rates = ExchangeRateHistory()
        rates.set(
            [
                DatedValue(try date("2026-01-05"), try decimal("1.25")),
                DatedValue(try date("2026-02-05"), try decimal("1.00")),
            ], of: "EUR", in: "USD")
        let activities = [try trade("2026-01-05", "10", at: "50"), try trade("2026-02-05", "-10", at: "60")]
        let profit = try #require(try lots(activities, in: "EUR", rates: rates).disposals.first?.converted)
        // USD 500 were EUR 400, and USD 600 are EUR 600; the gain of USD 100 at 1.25 is EUR 80.
        #expect(profit.proceeds == 600 && profit.cost == 400)
        #expect(profit.price == 80 && profit.currency == 120)
        let unknown = try lots(activities, in: "CHF", rates: rates)
        #expect(unknown.disposals.map(\.converted) == [nil])
        #expect(unknown.disposals.map(\.profit) == [100])
    }

    @Test("of a spin-off without prices have no cost")
    func spinOffWithoutPrices() throws {
        let child = try #require(Symbol("NEWC"))
        let lots = try lots([
            trade("2026-01-05", "40", at: "10"),
            activity(
                "2026-02-01",
                .spinOff(
                    .init(parent: Self.symbol, child: child, quantity: 10, parentPrice: nil, childPrice: nil))
            ),
        ])
        #expect(lots.lots[child]?.map(\.cost) == [nil])
        #expect(lots.lots[Self.symbol]?.map(\.cost) == [nil])
        #expect(lots.missing.map(\.symbol) == [child, Self.symbol])
    }

    @Test("of one instrument in two currencies are refused")
    func mixedCurrencies() throws {
        let other = ClassifiedActivity.Trade(Self.symbol, quantity: 1, price: 1, currency: "EUR")
        let error = try #require(throws: Undetermined.self) {
            try lots([trade("2026-01-05", "40", at: "10"), activity("2026-02-01", .trade(other))])
        }
        #expect(
            error
                == Undetermined(
                    .mixedCurrencies, date: try date("2026-02-01"), symbol: Self.symbol, currency: "EUR"))
    }

    @Test("are preceded by what the current positions have more than the activities")
    func opening() throws {
        let activities = [
            try trade("2026-01-05", "5", at: "20"),
            try activity("2026-02-01", .exchange(from: Self.symbol, to: Self.symbol, new: 2, old: 1)),
            try trade("2026-02-05", "-12", at: "30"),
        ]
        #expect(try ActivityTotals.opening(of: [Self.symbol: 18], before: activities) == [Self.symbol: 10])
        #expect(try ActivityTotals.opening(of: [:], before: activities) == [Self.symbol: 1])
    }

    @Test("have the income of twelve months as a yield on their cost")
    func income() throws {
        let activities = [
            try activity("2025-06-30", .income(CurrencyAmount(50, "USD"), Self.symbol)),
            try activity("2025-07-01", .income(CurrencyAmount(8, "USD"), Self.symbol)),
            try activity("2026-06-30", .income(CurrencyAmount(2, "USD"), nil)),
            try activity("2026-06-30", .tax(CurrencyAmount(-1, "USD"), Self.symbol)),
        ]
        func income(_ symbol: Symbol?, knownFrom: String? = nil) throws -> Figure<IncomeSummary> {
            IncomeSummary.twelveMonths(
                through: try date("2026-06-30"), of: activities, symbol: symbol, in: "USD",
                rates: ExchangeRateHistory(), knownFrom: try knownFrom.map { try date($0) })
        }
        let all = try #require(income(nil).value)
        #expect(try all.gross == 10 && all.taxes == -1 && all.net == 9)
        let own = try #require(income(Self.symbol).value)
        #expect(own.gross == 8)
        #expect(own.yieldOnCost(160)?.description == "0.050000000000")
        #expect(own.yieldOnCost(0) == nil)
        #expect(try income(nil, knownFrom: "2025-07-01").value != nil)
        let late = try income(nil, knownFrom: "2025-07-02")
        #expect(late.undetermined?.reason == .missingActivities)
        #expect(late.known?.gross == 10)
    }

    /// A purchase, and the position as a broker values it.
    struct Contract: CustomTestStringConvertible {
        let testDescription: String
        let symbol: String
        let assetClass: AssetClass
        let quantity: String
        let bought: String
        var booked: String?
        let price: String
        var value: String?
        let cost: Decimal?
        let profit: Decimal?
    }

    @Test(
        "cost what was booked, or quantity × price × the units of the contract, and their profit is by the same units",
        arguments: [
            Contract(
                testDescription: "bond in per cent", symbol: "UIC=1:Bond", assetClass: .bond,
                quantity: "10000", bought: "99.5", booked: "-9950", price: "99.8", value: "9980", cost: 9950,
                profit: 30),
            Contract(
                testDescription: "booked option", symbol: "UIC=2:StockOption", assetClass: .option,
                quantity: "1", bought: "2.5", booked: "-250", price: "2.8", value: "280", cost: 250,
                profit: 30),
            Contract(
                testDescription: "option that books nothing", symbol: "AAPL261218C00230000",
                assetClass: .option, quantity: "1", bought: "2.5", price: "2.8", value: "280", cost: 250,
                profit: 30),
            Contract(
                testDescription: "option without a value", symbol: "AAPL261218C00230000",
                assetClass: .option, quantity: "1", bought: "2.5", price: "2.8", cost: nil, profit: nil),
            Contract(
                testDescription: "booked option without a value", symbol: "UIC=2:StockOption",
                assetClass: .option, quantity: "1", bought: "2.5", booked: "-250", price: "2.8", cost: 250,
                profit: nil),
            Contract(
                testDescription: "future", symbol: "UIC=3:ContractFutures", assetClass: .future,
                quantity: "1", bought: "50", price: "60", value: "10", cost: nil, profit: nil),
            Contract(
                testDescription: "share", symbol: "AAPL", assetClass: .equity, quantity: "10", bought: "20",
                price: "21", value: "210", cost: 200, profit: 10),
        ])
    func contracts(_ contract: Contract) throws {
        let symbol = try #require(Symbol(contract.symbol))
        var activity = Activity(
            id: "1", kind: .trade, providerKind: "Bought", date: try date("2026-09-03"))
        (activity.symbol, activity.currency) = (symbol, "USD")
        (activity.quantity, activity.price) = (try decimal(contract.quantity), try decimal(contract.bought))
        activity.amount = try contract.booked.map { try decimal($0) }
        var position = Position(
            symbol: symbol, side: .long, quantity: try decimal(contract.quantity), currency: "USD",
            provenance: Provenance(source: .saxo, fetchedAt: .now))
        position.assetClass = contract.assetClass
        position.currentPrice = try decimal(contract.price)
        position.marketValue = try contract.value.map { try decimal($0) }
        let multiplier = position.priceMultiplier
        let activities = ActivityClassifier(multipliers: multiplier.map { [symbol: $0] } ?? [:])
            .classify([activity])
        let price = try decimal(contract.price)
        let summary = try HoldingSummary(
            of: symbol,
            in: [.init(lots: lots(activities), activities: activities, knownFrom: nil)],
            price: multiplier.map { try price * $0 }, on: date("2026-11-27"), currency: "USD",
            rates: ExchangeRateHistory())
        #expect(summary.quantity == position.quantity)
        #expect(summary.cost.value == contract.cost)
        #expect(summary.unrealizedProfit.value == contract.profit)
        #expect((summary.cost.undetermined?.reason == .missingCost) == (contract.cost == nil))
    }

    @Test("share a fee of their day with the trades whose amounts are known")
    func feeOfUnknownProportion() throws {
        let option = try #require(Symbol("AAPL261218C00230000"))
        let unknown = ClassifiedActivity.Trade(
            option, quantity: 1, price: 3, multiplier: nil, currency: "USD")
        let fee = try activity(
            "2026-01-05", .fee(.init(CurrencyAmount(-1, "USD"), .transaction)), id: "fee")
        let activities = [
            try trade("2026-01-05", "10", at: "20", id: "a"),
            try activity("2026-01-05", .trade(unknown), id: "b"),
        ]
        #expect(try lots(activities).lots[Self.symbol]?.map(\.cost) == [200])
        #expect(try lots(activities + [fee]).lots[Self.symbol]?.map(\.cost) == [201])
        #expect(try lots(activities + [fee]).lots[option]?.map(\.cost) == [nil])
    }

    /// Activities that add units, or pay with them.
    struct Units: CustomTestStringConvertible {
        let testDescription: String
        let method: TaxLots.Method
        let activities: [ClassifiedActivity]
        let position: Decimal
        let profits: [Decimal]
        /// The quantities and costs of the lots.
        let left: [String]

        /// 100 bought at 60, 20 at 90, a dividend of 6 units, and a sale of 105 at 70.
        static func dividend(_ method: TaxLots.Method, profits: [Decimal], left: [String]) throws -> Units {
            Units(
                testDescription: "dividend \(method)", method: method,
                activities: [
                    try trade("2026-09-03", "100", at: "60"), try trade("2026-09-04", "20", at: "90"),
                    activity("2026-10-01", .stockDividend(TaxLotsTests.symbol, 6)),
                    try trade("2026-11-02", "-105", at: "70"),
                ], position: 21, profits: profits, left: left)
        }

        /// 1 coin at 600, of which 0.0025 pay the fee that is booked before the trade, and a sale of the rest at 700.
        static func fee(_ method: TaxLots.Method, sold: String?, profits: [String], left: [String]) throws
            -> Units
        {
            let payment = ClassifiedActivity.Trade(
                TaxLotsTests.symbol, quantity: try decimal("-0.0025"), price: 600, currency: "USD",
                isFeePayment: true)
            let fee = ClassifiedActivity.Fee(
                CurrencyAmount(try decimal("-1.5"), "USD"), .transaction, symbol: TaxLotsTests.symbol)
            let sales = try sold.map { [try trade("2026-11-02", $0, at: "700")] } ?? []
            return Units(
                testDescription: "fee \(method) \(sold ?? "-")", method: method,
                activities: [
                    activity("2026-09-04", .trade(payment), id: "payment"),
                    activity("2026-09-04", .fee(fee), id: "fee"), try trade("2026-09-04", "1", at: "600"),
                ] + sales,
                position: sold == nil ? try decimal("0.9975") : .zero,
                profits: try profits.map { try decimal($0) },
                left: left)
        }

        private static func trade(_ day: String, _ quantity: String, at price: String) throws
            -> ClassifiedActivity
        {
            activity(
                day,
                .trade(
                    .init(
                        TaxLotsTests.symbol, quantity: try decimal(quantity), price: try decimal(price),
                        currency: "USD")), id: "trade \(day)")
        }

        private static func activity(
            _ day: String, _ kind: ClassifiedActivity.Kind, id: String? = nil
        ) -> ClassifiedActivity {
            ClassifiedActivity(id: id ?? day, date: CalendarDate(day) ?? .earliest, kind: kind)
        }
    }

    @Test("grow by a dividend in units without a cost, and pay a fee in units as by a sale")
    func units() throws {
        // 100 and 20 become 105 and 21. 105 × 70 = 7,350; by the average, 126 units cost 7,800, and 105 of them 6,500.
        // The fee of 1.50 is a part of the cost of the coin: 0.0025 × 601.50 = 1.50375, and 599.99625 are left.
        for units in [
            try Units.dividend(.fifo, profits: [1350], left: ["21 1800"]),
            try Units.dividend(.averageCost, profits: [850], left: ["21 1300"]),
            try Units.fee(.fifo, sold: nil, profits: ["-0.00375"], left: ["0.9975 599.99625"]),
            try Units.fee(.averageCost, sold: nil, profits: ["-0.00375"], left: ["0.9975 599.99625"]),
            // 698.25 − 599.99625.
            try Units.fee(.fifo, sold: "-0.9975", profits: ["-0.00375", "98.25375"], left: []),
        ] {
            let positions = units.position.isZero ? [:] : [Self.symbol: units.position]
            #expect(
                try ActivityTotals.opening(of: positions, before: units.activities).isEmpty, "\(units)")
            #expect(try ActivityTotals(units.activities).quantities == positions, "\(units)")
            let lots = try lots(units.activities, units.method)
            #expect(lots.disposals.map(\.profit) == units.profits, "\(units)")
            let left = (lots.lots[Self.symbol] ?? []).map {
                "\($0.quantity) \($0.cost?.withoutTrailingZeros.description ?? "-")"
            }
            #expect(left == units.left, "\(units)")
            #expect(lots.missing.isEmpty, "\(units)")
        }
    }

    @Test("have no cost if they come from a dividend on units that are not known")
    func unknownDividend() throws {
        let lots = try lots(
            [activity("2026-10-01", .stockDividend(Self.symbol, 5))], knownFrom: "2026-09-01")
        #expect(lots.lots[Self.symbol]?.map(\.cost) == [nil])
        #expect(lots.missing.map(\.quantity) == [5])
    }

    @Test("have an income that is undetermined if a dividend is unknown, with the others as the known part")
    func unknownIncome() throws {
        let other = try #require(Symbol("OTHER"))
        func income(
            _ unknown: ClassifiedActivity.UnknownAmount, of symbol: Symbol?, on day: String = "2026-06-30"
        ) throws -> Figure<IncomeSummary> {
            IncomeSummary.twelveMonths(
                through: try date("2026-06-30"),
                of: [
                    try activity("2026-05-15", .income(CurrencyAmount(50, "USD"), Self.symbol)),
                    try activity(day, .unknownAmount(unknown)),
                ], symbol: symbol, in: "USD", rates: ExchangeRateHistory())
        }
        for (unknown, symbol, isKnown) in [
            (ClassifiedActivity.UnknownAmount(.income, symbol: Self.symbol), Symbol?.none, false),
            (.init(.tax, symbol: Self.symbol), nil, false),
            (.init(.income, symbol: Self.symbol), Self.symbol, false),
            (.init(.income, isOfUnknownInstrument: true), Self.symbol, false),
            // Interest, a dividend of another instrument, a fee and a deposit.
            (.init(.income), Self.symbol, true), (.init(.income, symbol: other), Self.symbol, true),
            (.init(.fee(.other)), nil, true), (.init(.externalFlow), nil, true),
        ] {
            let figure = try income(unknown, of: symbol)
            #expect(figure.undetermined?.reason == (isKnown ? nil : .missingAmount), "\(unknown)")
            #expect(figure.known?.gross == 50, "\(unknown)")
        }
        #expect(try income(.init(.income), of: nil, on: "2025-06-30").value?.gross == 50)
    }

    @Test("have no cost and no profit with a fee, or after a return of capital, whose amount is unknown")
    func unknownCost() throws {
        func fee(_ day: String) throws -> ClassifiedActivity {
            try activity(
                day, .unknownAmount(.init(.fee(.transaction), symbol: Self.symbol)), id: "fee")
        }
        let trades = [
            try trade("2026-01-05", "10", at: "20"), try trade("2026-01-06", "10", at: "30"),
            try trade("2026-02-05", "-5", at: "40"),
        ]
        let bought = try lots(trades + [fee("2026-01-05")])
        #expect(bought.disposals.map(\.profit) == [nil])
        #expect(bought.disposals.map(\.proceeds) == [200])
        #expect(bought.lots[Self.symbol]?.map(\.cost) == [nil, 300])
        let sold = try lots(trades + [fee("2026-02-05")])
        #expect(sold.disposals.map(\.profit) == [nil] && sold.disposals.map(\.cost) == [100])
        #expect(sold.lots[Self.symbol]?.map(\.cost) == [100, 300])
        let distribution = try activity(
            "2026-03-02", .unknownAmount(.init(.returnOfCapital, symbol: Self.symbol)))
        let distributed = try lots(trades + [distribution])
        #expect(distributed.disposals.map(\.profit) == [100])
        #expect(distributed.lots[Self.symbol]?.map(\.cost) == [nil, nil])
        #expect(distributed.lots[Self.symbol]?.map(\.quantity) == [5, 10])
    }

    @Test("of several accounts are one holding, which says what is missing")
    func holding() throws {
        let first = [
            try trade("2026-01-05", "10", at: "20"), try trade("2026-02-05", "-4", at: "25"),
            try activity("2026-03-05", .income(CurrencyAmount(6, "USD"), Self.symbol)),
        ]
        let second = [try trade("2026-01-06", "4", at: "30")]
        func account(
            _ activities: [ClassifiedActivity], opening: [Symbol: Decimal] = [:], knownFrom: String? = nil
        ) throws -> HoldingSummary.Account {
            HoldingSummary.Account(
                lots: try lots(activities, opening: opening, knownFrom: knownFrom), activities: activities,
                knownFrom: try knownFrom.map { try date($0) })
        }
        func summary(_ accounts: [HoldingSummary.Account], price: Decimal?) throws -> HoldingSummary {
            try HoldingSummary(
                of: Self.symbol, in: accounts, price: price, on: date("2026-06-30"), currency: "USD",
                rates: ExchangeRateHistory())
        }
        let complete = try summary([account(first), account(second)], price: 28)
        #expect(complete.quantity == 10)
        #expect(complete.cost == .determined(240))
        #expect(complete.realizedProfit == .determined(20))
        #expect(complete.unrealizedProfit == .determined(40))
        #expect(complete.yieldOnCost?.description == "0.025000000000")
        let unpriced = try summary([account(first)], price: nil)
        #expect(unpriced.unrealizedProfit.undetermined?.reason == .missingPrice)

        let late = try account(second, opening: [Self.symbol: 5], knownFrom: "2026-01-01")
        let partial = try summary([account(first), late], price: 28)
        #expect(partial.quantity == 15)
        #expect(partial.cost == .undetermined(Undetermined(.missingCost, symbol: Self.symbol), known: 240))
        #expect(partial.unrealizedProfit.value == nil && partial.unrealizedProfit.known == 40)
        #expect(partial.realizedProfit == .determined(20))
        #expect(partial.income.undetermined?.reason == .missingActivities)
        #expect(partial.income.known?.gross == 6)
        #expect(partial.yieldOnCost == nil)
        #expect(partial.missing.map(\.quantity) == [5])
    }
}
