import Brokerage

/// The transaction fees of each trade.
///
/// A fee that names no trade belongs to the trades of its day and instrument, in proportion to their amounts; a fee
/// without instrument to all trades of its day. Without a trade it changes no cost. The removal of units by a merger, or for a
/// fee, is no trade. If one fee of a trade is unknown, their sum is.
struct TransactionFees {
    /// By the id of the activity of the trade; negative, and unknown if one is.
    private var byTrade: [String: Amount] = [:]
    private let target: String
    private let rates: ExchangeRateHistory

    /// An amount in the currency of an instrument, and in that of the result if there is a rate; nil if it is unknown.
    struct Amount {
        var own: Decimal? = .zero
        var converted: Decimal? = .zero

        static let unknown = Amount(own: nil, converted: nil)

        static func + (left: Amount, right: Amount) throws -> Amount {
            func sum(_ first: Decimal?, _ second: Decimal?) throws -> Decimal? {
                guard let first, let second else { return nil }
                return try first + second
            }
            return try Amount(own: sum(left.own, right.own), converted: sum(left.converted, right.converted))
        }

        /// The part of a quantity, and the rest.
        func split(_ quantity: Decimal, of whole: Decimal) throws -> (part: Amount, rest: Amount) {
            if quantity == whole {
                return (self, Amount(own: own.map { _ in .zero }, converted: converted.map { _ in .zero }))
            }
            func divide(_ amount: Decimal?) throws -> (part: Decimal?, rest: Decimal?) {
                guard let amount else { return (nil, nil) }
                let part = try amount.proportion(quantity, of: whole)
                return (part, try amount - part)
            }
            let (own, converted) = (try divide(own), try divide(converted))
            return (
                Amount(own: own.part, converted: converted.part),
                Amount(own: own.rest, converted: converted.rest)
            )
        }
    }

    init(
        _ activities: [ClassifiedActivity], _ symbols: SymbolHistory, in target: String,
        rates: ExchangeRateHistory
    ) throws {
        (self.target, self.rates) = (target, rates)
        var trades: [CalendarDate: [(id: String, trade: ClassifiedActivity.Trade)]] = [:]
        for activity in activities {
            if case .trade(let trade) = activity.kind, !trade.isMerger, !trade.isFeePayment {
                trades[activity.date, default: []].append((activity.id, trade))
            }
        }
        let ids = Dictionary(trades.values.joined().map { ($0.id, $0.trade) }) { first, _ in first }
        for activity in activities {
            let (amount, named): (CurrencyAmount?, String?)
            switch activity.kind {
            case .fee(let fee) where fee.category == .transaction: (amount, named) = (fee.amount, fee.trade)
            case .unknownAmount(let fee)
            where fee.effect == .fee(.transaction) && (fee.symbol != nil || fee.trade != nil):
                (amount, named) = (nil, fee.trade)
            default: continue
            }
            var own: [(id: String, trade: ClassifiedActivity.Trade)] = []
            if let named, let trade = ids[named] {
                own = [(named, trade)]
            } else {
                let instrument = activity.symbol.map { symbols.latest($0, on: activity.date) }
                own = (trades[activity.date] ?? []).filter {
                    instrument == nil || symbols.latest($0.trade.symbol, on: activity.date) == instrument
                }
            }
            if let amount {
                try add(amount, to: own, on: activity.date)
            } else {
                for (id, _) in own { byTrade[id] = .unknown }
            }
        }
    }

    /// The fees of a trade; zero if it has none.
    subscript(id: String) -> Amount { byTrade[id] ?? Amount() }

    private mutating func add(
        _ fee: CurrencyAmount, to trades: [(id: String, trade: ClassifiedActivity.Trade)],
        on date: CalendarDate
    ) throws {
        // Amounts of several currencies are not comparable, so those of the first trade's currency count.
        guard let currency = trades.first?.trade.currency,
            let own = try? rates.convert(fee, to: currency, on: date)
        else { return }
        let trades = try trades.filter { $0.trade.currency == currency }
            // The cost of a trade without an amount is unknown; the others share the fee, which is small.
            .compactMap { row in try row.trade.amount.map { (id: row.id, size: try $0.amount.magnitude) } }
        var rest = Amount(own: own, converted: try? rates.convert(fee, to: target, on: date))
        var remaining = try trades.map(\.size).sum()
        for (id, size) in trades where !size.isZero {
            let (share, next) = try rest.split(size, of: remaining)
            (rest, remaining) = (next, try remaining - size)
            byTrade[id] = try self[id] + share
        }
    }
}
