import Brokerage
import Performance
import TestSupport

/// An account with random activities, prices and exchange rates, the same for a seed.
struct GeneratedLedger {
    static let currency = "USD"
    let symbols: [Symbol]
    /// The days with prices; the account is opened on the second one.
    let days: [CalendarDate]
    var activities: [ClassifiedActivity] = []
    /// The price of each symbol on each day.
    var prices: [[Decimal]] = []
    /// The value of one euro in dollars on each day.
    var euro: [Decimal] = []

    /// The ledgers of the seeds 0 to 9,999, generated once.
    static let all = Result { try (0..<10_000).map { try GeneratedLedger(seed: $0) } }

    private init(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        symbols = ["AAA", "BBB", "CCC"].prefix(Int.random(in: 1...3, using: &random)).compactMap {
            Symbol($0)
        }
        var day = try date("2024-01-01").adding(days: Int.random(in: 0...400, using: &random))
        var days: [CalendarDate] = []
        while days.count < 12, let next = day {
            days.append(next)
            day = next.adding(days: Int.random(in: 1...3, using: &random))
        }
        self.days = days
        for _ in symbols {
            var price = Decimal(Int.random(in: 500...50_000, using: &random))
            prices.append(
                try days.map { _ in
                    price = try max(1, price + Decimal(Int.random(in: -300...320, using: &random)))
                    return try price * Self.number(1, 2)
                })
        }
        euro = try days.map { _ in
            try Decimal(Int.random(in: 9_000...13_000, using: &random)) * Self.number(1, 4)
        }
        try addActivities(&random)
    }

    private mutating func addActivities(_ random: inout SplitMix) throws {
        var held = [Decimal](repeating: .zero, count: symbols.count)
        var cash = Decimal(Int.random(in: 100_000...900_000, using: &random))
        add(.cashFlow(amount(cash)), on: 1)
        for day in 2..<days.count {
            let index = Int.random(in: 0..<symbols.count, using: &random)
            let (symbol, price) = (symbols[index], prices[index][day])
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                let deposit = Decimal(Int.random(in: 1...90_000, using: &random))
                cash = try cash + deposit
                add(.cashFlow(amount(deposit)), on: day)
            case 1:
                let withdrawal = try min(
                    Decimal(Int.random(in: 1...90_000, using: &random)), cash * Self.number(5, 1))
                cash = try cash - withdrawal
                add(.cashFlow(amount(try withdrawal.negated)), on: day)
            case 2, 3, 4:
                let quantity = Decimal(Int.random(in: 1...40, using: &random))
                guard try quantity * price < cash else { continue }
                let cost = try (quantity * price).negated
                cash = try cash + cost
                held[index] = try held[index] + quantity
                add(
                    .trade(
                        .init(
                            symbol, quantity: quantity, price: price, currency: Self.currency,
                            booked: amount(cost))), on: day)
            case 5, 6:
                guard held[index] > .zero else { continue }
                let whole = Int(held[index].coefficient)
                let quantity = Decimal(Int.random(in: 1...whole, using: &random))
                let proceeds = try quantity * price
                cash = try cash + proceeds - Self.number(35, 2)
                held[index] = try held[index] - quantity
                add(
                    .trade(
                        .init(
                            symbol, quantity: try quantity.negated, price: price, currency: Self.currency,
                            booked: amount(proceeds))), on: day)
                add(.fee(.init(amount(Self.number(-35, 2)), .transaction, symbol: symbol)), on: day)
            case 7:
                guard held[index] > .zero else { continue }
                let (income, tax) = (
                    try held[index] * Self.number(26, 2), try held[index] * Self.number(-4, 2)
                )
                cash = try cash + income + tax
                add(.income(amount(income), symbol), on: day)
                add(.tax(amount(tax), symbol), on: day)
            case 8:
                cash = try cash - Self.number(499, 2)
                add(.fee(.init(amount(Self.number(-499, 2)), .service)), on: day)
            default: break
            }
        }
    }

    /// `digits` ÷ 10^`scale`.
    private static func number(_ digits: Int, _ scale: Int) -> Decimal {
        Decimal(coefficient: Int128(digits), scale: scale) ?? .zero
    }

    private func amount(_ value: Decimal) -> CurrencyAmount { CurrencyAmount(value, Self.currency) }

    private mutating func add(_ kind: ClassifiedActivity.Kind, on day: Int) {
        activities.append(ClassifiedActivity(id: "\(activities.count)", date: days[day], kind: kind))
    }

    /// The value of cash and securities at the end of each day; calculated without the code under test.
    func valuations() throws -> [Valuation] {
        var cash = Decimal.zero
        var held: [Symbol: Decimal] = [:]
        var next = activities[...]
        return try days.enumerated().map { index, day in
            while let activity = next.first, activity.date <= day {
                next = next.dropFirst()
                switch activity.kind {
                case .cashFlow(let amount), .income(let amount, _), .tax(let amount, _):
                    cash = try cash + amount.amount
                case .fee(let fee): cash = try cash + fee.amount.amount
                case .trade(let trade):
                    cash = try cash + (try unwrap(trade.amount)).amount
                    held[trade.symbol] = try (held[trade.symbol] ?? .zero) + trade.quantity
                case .exchange(let from, _, let new, let old):
                    held[from] = try (held[from] ?? .zero).multiplied(
                        by: new, dividedBy: old, to: 6, .halfEven)
                case .securitiesTransfer, .returnOfCapital, .spinOff, .stockDividend, .unknownAmount,
                    .unclassified:
                    break
                }
            }
            var value = cash
            for (symbol, price) in zip(symbols, prices) {
                value = try value + (held[symbol] ?? .zero) * price[index]
            }
            return Valuation(day, value)
        }
    }

    /// The account with its values on the days whose index is accepted.
    func account(on accepted: (Int) -> Bool = { _ in true }) throws -> AccountRecord {
        AccountRecord(
            id: "1", currency: Self.currency,
            valuations: try valuations().enumerated().filter { accepted($0.offset) }.map(\.element),
            activities: activities, openedOn: days[1])
    }

    /// The same account with a split of an instrument before the market opens on a day.
    func split(_ index: Int, on day: Int, factor: Int) throws -> GeneratedLedger {
        var ledger = self
        let (symbol, factor) = (symbols[index], Decimal(factor))
        for later in day..<days.count {
            ledger.prices[index][later] = try prices[index][later].divided(by: factor, to: 8, .halfEven)
        }
        ledger.activities = try activities.map { activity in
            guard case .trade(var trade) = activity.kind, trade.symbol == symbol, activity.date >= days[day]
            else {
                return activity
            }
            trade.quantity = try trade.quantity * factor
            trade.price = try trade.price.divided(by: factor, to: 8, .halfEven)
            return ClassifiedActivity(id: activity.id, date: activity.date, kind: .trade(trade))
        }
        let split = ClassifiedActivity(
            id: "split", date: days[day], kind: .exchange(from: symbol, to: symbol, new: factor, old: 1))
        let place = ledger.activities.firstIndex { $0.date >= days[day] } ?? ledger.activities.endIndex
        ledger.activities.insert(split, at: place)
        return ledger
    }

    /// The rates of the euro.
    var rates: ExchangeRateHistory {
        var rates = ExchangeRateHistory()
        rates.set(zip(days, euro).map { DatedValue($0, $1) }, of: "EUR", in: "USD")
        return rates
    }
}
