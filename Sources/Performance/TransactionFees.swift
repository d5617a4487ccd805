import Brokerage

/// The transaction fees of each trade.
///
/// A fee that names no trade belongs to the trades of its day and instrument, in proportion to their amounts; a fee
/// without instrument to all trades of its day. Without a trade it changes no cost. The removal of units by a merger is no
/// trade.
struct TransactionFees {
    /// By the id of the activity of the trade; negative.
    private var byTrade: [String: Amount] = [:]
    private let target: String
    private let rates: ExchangeRateHistory

    /// An amount in the currency of an instrument, and in that of the result if there is a rate.
    struct Amount {
        var own = Decimal.zero
        var converted: Decimal? = .zero

        static func + (left: Amount, right: Amount) throws -> Amount {
            try Amount(
                own: left.own + right.own,
                converted: left.converted.flatMap { first in try right.converted.map { try first + $0 } })
        }

        /// The part of a quantity, and the rest.
        func split(_ quantity: Decimal, of whole: Decimal) throws -> (part: Amount, rest: Amount) {
            if quantity == whole {
                return (self, Amount(own: .zero, converted: converted.map { _ in .zero }))
            }
            let part = try Amount(
                own: own.proportion(quantity, of: whole),
                converted: converted?.proportion(quantity, of: whole))
            let rest = try Amount(
                own: own - part.own,
                converted: converted.flatMap { all in try part.converted.map { try all - $0 } })
            return (part, rest)
        }
    }

    init(
        _ activities: [ClassifiedActivity], _ symbols: SymbolHistory, in target: String,
        rates: ExchangeRateHistory
    ) throws {
        (self.target, self.rates) = (target, rates)
        var trades: [CalendarDate: [(id: String, trade: ClassifiedActivity.Trade)]] = [:]
        for activity in activities {
            if case .trade(let trade) = activity.kind, !trade.isMerger {
                trades[activity.date, default: []].append((activity.id, trade))
            }
        }
        let ids = Dictionary(trades.values.joined().map { ($0.id, $0.trade) }) { first, _ in first }
        for activity in activities {
            guard case .fee(let fee) = activity.kind, fee.category == .transaction else { continue }
            if let id = fee.trade, let trade = ids[id] {
                try add(fee.amount, to: [(id, trade)], on: activity.date)
            } else {
                let instrument = fee.symbol.map { symbols.latest($0, on: activity.date) }
                let candidates = (trades[activity.date] ?? []).filter {
                    instrument == nil || symbols.latest($0.trade.symbol, on: activity.date) == instrument
                }
                try add(fee.amount, to: candidates, on: activity.date)
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
            .map { (id: $0.id, size: try $0.trade.amount.amount.magnitude) }
        var rest = Amount(own: own, converted: try? rates.convert(fee, to: target, on: date))
        var remaining = try trades.map(\.size).sum()
        for (id, size) in trades where !size.isZero {
            let (share, next) = try rest.split(size, of: remaining)
            (rest, remaining) = (next, try remaining - size)
            byTrade[id] = try self[id] + share
        }
    }
}
