import Brokerage
import Performance
import Testing

@Suite("The effect of an activity")
struct ActivityClassifierTests {
    private static let symbol = Symbol("EXMP") ?? .example
    private static let other = Symbol("NEWC") ?? .example

    private func activity(
        _ kind: ActivityKind, _ term: String, amount: String? = nil, symbol: Symbol? = nil,
        quantity: String? = nil, price: String? = nil, currency: String? = "USD", group: String? = nil,
        accountAmount: String? = nil, id: String = "1"
    ) throws -> Activity {
        var activity = Activity(id: id, kind: kind, providerKind: term, date: try date("2026-06-15"))
        activity.amount = try amount.map { try decimal($0) }
        activity.symbol = symbol
        activity.quantity = try quantity.map { try decimal($0) }
        activity.price = try price.map { try decimal($0) }
        activity.currency = currency
        activity.groupID = group
        activity.accountAmount = try accountAmount.map { try decimal($0) }
        activity.accountCurrency = accountAmount.map { _ in "EUR" }
        return activity
    }

    private func kinds(
        _ activities: Activity..., spinOffs: [Symbol: ActivityClassifier.SpinOffReference] = [:]
    ) -> [ClassifiedActivity.Kind] {
        ActivityClassifier(spinOffs: spinOffs).classify(activities).map(\.kind)
    }

    private func dollars(_ amount: String) throws -> CurrencyAmount {
        CurrencyAmount(try decimal(amount), "USD")
    }

    @Test("of cash is that of its kind and of the broker's term")
    func cash() throws {
        let (symbol, other) = (Self.symbol, Self.other)
        #expect(try kinds(activity(.deposit, "CSD", amount: "5")) == [.cashFlow(dollars("5"))])
        #expect(try kinds(activity(.withdrawal, "CSW", amount: "-5")) == [.cashFlow(dollars("-5"))])
        #expect(try kinds(activity(.transfer, "JNLC", amount: "5")) == [.cashFlow(dollars("5"))])
        #expect(
            try kinds(activity(.dividend, "DIV/CDIV", amount: "5", symbol: symbol)) == [
                .income(dollars("5"), symbol)
            ])
        #expect(
            try kinds(activity(.dividend, "DIV/ROC", amount: "5", symbol: other)) == [
                .returnOfCapital(dollars("5"), other)
            ])
        #expect(try kinds(activity(.interest, "INT/CDT", amount: "5")) == [.income(dollars("5"), nil)])
        #expect(
            try kinds(activity(.interest, "INT/MGN", amount: "-5")) == [
                .fee(.init(dollars("-5"), .financing))
            ])
        #expect(
            try kinds(activity(.tax, "DIVNRA", amount: "-1", symbol: symbol)) == [.tax(dollars("-1"), symbol)]
        )
    }

    @Test(
        "of a fee is by its purpose",
        arguments: [
            ("FEE/TAF", ClassifiedActivity.Fee.Category.transaction), ("Commission", .transaction),
            ("Depository Charges", .service), ("DIVFEE", .service), ("FEE", .other),
        ])
    func fees(_ term: String, category: ClassifiedActivity.Fee.Category) throws {
        #expect(try kinds(activity(.fee, term, amount: "-1")) == [.fee(.init(dollars("-1"), category))])
    }

    @Test("of a trade of currencies that books nothing is the value of the contract, and no cash")
    func margin() throws {
        let pair = try #require(Symbol("EUR/USD"))
        let trade = try activity(
            .trade, "Bought", symbol: pair, quantity: "100000", price: "1.17", currency: nil)
        let kind = try #require(kinds(trade).first)
        #expect(
            kind
                == .trade(
                    .init(
                        pair, quantity: try decimal("100000"), price: try decimal("1.17"), currency: "USD",
                        isOnMargin: true)))
        let classified = ClassifiedActivity(id: "1", date: trade.date, kind: kind)
        #expect(try classified.cash == nil)
        guard case .trade(let value) = kind else { return }
        #expect(try value.amount == dollars("-117000.00"))
        // Without a currency, a trade of another instrument is unknown.
        let other = try activity(
            .trade, "Bought", symbol: Self.symbol, quantity: "1", price: "5", currency: nil)
        #expect(try kinds(other) == [.unclassified("Bought", nil)])
    }

    @Test("of a trade contains the broker's conversion, and its fee names it")
    func trade() throws {
        let trade = try activity(
            .trade, "Bought", amount: "-9003.20", symbol: Self.symbol, quantity: "40", price: "225.08",
            group: "7",
            accountAmount: "-7764.27", id: "trade-7")
        let fee = try activity(
            .fee, "Commission", amount: "-7.20", symbol: Self.symbol, group: "7", accountAmount: "-6.21",
            id: "booking-8")
        let booked = CurrencyAmount(
            try decimal("-9003.20"), "USD", converted: .init(try decimal("-7764.27"), "EUR"))
        let charged = CurrencyAmount(
            try decimal("-7.20"), "USD", converted: .init(try decimal("-6.21"), "EUR"))
        #expect(
            try kinds(trade, fee) == [
                .trade(
                    .init(
                        Self.symbol, quantity: 40, price: decimal("225.08"), currency: "USD", booked: booked)),
                .fee(.init(charged, .transaction, symbol: Self.symbol, trade: "trade-7")),
            ])
        let lots = try TaxLots(
            .fifo, activities: ActivityClassifier().classify([trade, fee]), in: "EUR",
            rates: ExchangeRateHistory())
        #expect(try lots.lots[Self.symbol]?.map(\.convertedCost) == [decimal("7770.48")])
        #expect(try lots.lots[Self.symbol]?.map(\.cost) == [decimal("9010.40")])
    }

    @Test("is unclassified if its kind or its amounts are unknown")
    func unclassified() throws {
        #expect(try kinds(activity(.other, "XYZ", amount: "3")) == [.unclassified("XYZ", dollars("3"))])
        #expect(
            try kinds(
                activity(.trade, "Bought", symbol: Self.symbol, quantity: "4", price: "2", currency: nil))
                == [
                    .unclassified("Bought", nil)
                ])
        #expect(
            try kinds(activity(.split, "SPLIT", symbol: Self.symbol, quantity: "20")) == [
                .unclassified("SPLIT", nil)
            ])
    }

    /// An activity without an amount, and what is unknown.
    struct Unknown: CustomTestStringConvertible {
        let kind: ActivityKind
        let term: String
        var symbol: Symbol?
        let unknown: ClassifiedActivity.UnknownAmount

        var testDescription: String { "\(term) \(symbol?.text ?? "-")" }
    }

    @Test(
        "of a known kind without an amount, or without its currency, is an unknown amount",
        arguments: [
            Unknown(kind: .deposit, term: "CSD", unknown: .init(.externalFlow)),
            Unknown(kind: .withdrawal, term: "CSW", unknown: .init(.externalFlow)),
            Unknown(kind: .transfer, term: "JNLC", unknown: .init(.externalFlow)),
            Unknown(
                kind: .dividend, term: "DIV/CDIV", symbol: symbol, unknown: .init(.income, symbol: symbol)),
            Unknown(kind: .dividend, term: "DIV", unknown: .init(.income, isOfUnknownInstrument: true)),
            Unknown(
                kind: .dividend, term: "DIVROC", symbol: symbol,
                unknown: .init(.returnOfCapital, symbol: symbol)),
            Unknown(kind: .interest, term: "INT", unknown: .init(.income)),
            Unknown(kind: .tax, term: "DIVNRA", symbol: symbol, unknown: .init(.tax, symbol: symbol)),
            Unknown(kind: .fee, term: "FEE/TAF", unknown: .init(.fee(.transaction))),
            Unknown(kind: .fee, term: "Depository Charges", unknown: .init(.fee(.service))),
        ])
    func unknownAmount(_ row: Unknown) throws {
        let expected: [ClassifiedActivity.Kind] = [.unknownAmount(row.unknown)]
        #expect(try kinds(activity(row.kind, row.term, symbol: row.symbol)) == expected)
        #expect(
            try kinds(activity(row.kind, row.term, amount: "3", symbol: row.symbol, currency: nil))
                == expected)
    }

    @Test("of a dividend in units is more units without cash, and of a fee in units their sale for the fee")
    func units() throws {
        let coin = try #require(Symbol("BTC/USD"))
        #expect(
            try kinds(activity(.dividend, "DIV/SDIV", amount: "0", symbol: Self.symbol, quantity: "5"))
                == [.stockDividend(Self.symbol, 5)])
        #expect(
            try kinds(activity(.dividend, "DIV/SDIV", amount: "3", symbol: Self.symbol, quantity: "5"))
                == [.stockDividend(Self.symbol, 5), .income(dollars("3"), Self.symbol)])
        let quantity = try decimal("-0.0025")
        // 0.0025 × 600.
        let paid = try activity(
            .fee, "CFEE", amount: "0", symbol: coin, quantity: "-0.0025", price: "600")
        #expect(
            try kinds(paid) == [
                .trade(.init(coin, quantity: quantity, price: 600, currency: "USD", isFeePayment: true)),
                .fee(.init(dollars("-1.50"), .transaction, symbol: coin)),
            ])
        for row in ActivityClassifier().classify([paid]) where row.symbol != coin {
            Issue.record("\(row)")
        }
        let unpriced = try activity(.fee, "CFEE", symbol: coin, quantity: "-0.0025")
        #expect(
            kinds(unpriced) == [
                .trade(
                    .init(
                        coin, quantity: quantity, price: 0, multiplier: nil, currency: "USD",
                        isFeePayment: true)),
                .unknownAmount(.init(.fee(.transaction), symbol: coin)),
            ])
        // A fee in cash.
        #expect(
            try kinds(activity(.fee, "CFEE", amount: "-1", symbol: coin, quantity: "-0.0025"))
                == [.fee(.init(dollars("-1"), .transaction, symbol: coin))])
    }

    @Test("of securities from another broker has their price, which is never 0")
    func transfer() throws {
        func transfer(_ price: String) throws -> Activity {
            try activity(.transfer, "ACATS", symbol: Self.symbol, quantity: "10", price: price)
        }
        #expect(
            try kinds(transfer("9")) == [
                .securitiesTransfer(.init(Self.symbol, quantity: 10, price: 9, currency: "USD"))
            ])
        #expect(
            try kinds(transfer("0")) == [
                .securitiesTransfer(.init(Self.symbol, quantity: 10, price: nil, currency: "USD"))
            ])
        let unknown = try activity(
            .transfer, "TransferIn", symbol: Self.symbol, quantity: "20", price: "250", currency: nil)
        #expect(
            kinds(unknown) == [
                .securitiesTransfer(.init(Self.symbol, quantity: 20, price: 250, currency: nil))
            ])
    }

    @Test("of the rows of one corporate action is one")
    func corporateActions() throws {
        let split = kinds(
            try activity(.split, "SPLIT/FSPLIT", amount: "0", symbol: Self.symbol, quantity: "-20", id: "a"),
            try activity(.split, "SPLIT/FSPLIT", amount: "0", symbol: Self.symbol, quantity: "40", id: "b"))
        #expect(split == [.exchange(from: Self.symbol, to: Self.symbol, new: 40, old: 20)])
        let rename = kinds(
            try activity(.symbolChange, "NC", symbol: Self.symbol, quantity: "-20", group: "g", id: "a"),
            try activity(.symbolChange, "NC", symbol: Self.other, quantity: "20", group: "g", id: "b"))
        #expect(rename == [.exchange(from: Self.symbol, to: Self.other, new: 20, old: 20)])
        let cash = kinds(
            try activity(.merger, "MA/CMA", amount: "500", group: "g", id: "a"),
            try activity(.merger, "MA/CMA", symbol: Self.symbol, quantity: "-20", group: "g", id: "b"))
        #expect(
            cash == [
                .trade(
                    .init(
                        Self.symbol, quantity: -20, price: 25, currency: "USD", booked: try dollars("500"),
                        isMerger: true))
            ])
        let both = kinds(
            try activity(.merger, "MA/SCMA", amount: "500", group: "g", id: "a"),
            try activity(.merger, "MA/SCMA", symbol: Self.symbol, quantity: "-20", group: "g", id: "b"),
            try activity(.merger, "MA/SCMA", symbol: Self.other, quantity: "5", group: "g", id: "c"))
        #expect(both.count == 3)
        let spinOff = try activity(
            .spinOff, "SPIN", amount: "0", symbol: Self.other, quantity: "10", price: "0")
        #expect(
            kinds(spinOff) == [
                .spinOff(
                    .init(parent: nil, child: Self.other, quantity: 10, parentPrice: nil, childPrice: nil))
            ])
        #expect(
            kinds(
                spinOff, spinOffs: [Self.other: .init(parent: Self.symbol, parentPrice: 57, childPrice: 12)])
                == [
                    .spinOff(
                        .init(
                            parent: Self.symbol, child: Self.other, quantity: 10, parentPrice: 57,
                            childPrice: 12))
                ])
    }
}
