import Brokerage

/// A part of a position that a later trade closed, by first in, first out.
struct FakeSaxoClosedTrade {
    let open: FakeSaxoLedger.Row
    let close: FakeSaxoLedger.Row
    /// Positive for a long position.
    let amount: Decimal
    /// The part's share of all bookings of the two trades, in the account's currency.
    let bookedOnOpening: Decimal
    let bookedOnClosing: Decimal

    /// The profit with all costs, in the account's currency.
    var profit: Decimal { get throws { try bookedOnOpening + bookedOnClosing } }

    /// Returns the closed parts of an account, in the order of the closing trades.
    static func trades(of account: FakeSaxoLedger.Account) throws -> [FakeSaxoClosedTrade] {
        var open: [String: [(row: FakeSaxoLedger.Row, left: Decimal)]] = [:]
        var closed: [FakeSaxoClosedTrade] = []
        for row in account.rows where !row.entry.change.isZero {
            let symbol = row.entry.instrument?.symbol ?? ""
            var left = row.entry.change
            while let first = open[symbol]?.first, !left.isZero, first.left.isNegative != left.isNegative {
                let size = try min(first.left.magnitude, left.magnitude)
                let amount = first.left.isNegative ? try size.negated : size
                closed.append(
                    FakeSaxoClosedTrade(
                        open: first.row, close: row, amount: amount,
                        bookedOnOpening: try part(amount, of: first.row, in: account),
                        bookedOnClosing: try part(amount, of: row, in: account)))
                left = try left + amount
                let rest = try first.left - amount
                if rest.isZero { open[symbol]?.removeFirst() } else { open[symbol]?[0].left = rest }
            }
            if !left.isZero { open[symbol, default: []].append((row, left)) }
        }
        return closed
    }

    /// Returns the sum of a trade's bookings: the share amount and the commission.
    static func booked(_ row: FakeSaxoLedger.Row, in account: FakeSaxoLedger.Account) throws -> Decimal {
        try account.rows.filter {
            $0.entry.event == row.entry.event && !$0.entry.isExternalFlow
        }.reduce(Decimal.zero) { try $0 + $1.entry.cash }
    }

    private static func part(
        _ amount: Decimal, of row: FakeSaxoLedger.Row, in account: FakeSaxoLedger.Account
    ) throws -> Decimal {
        let whole = try booked(row, in: account) * amount.magnitude
        return try whole.divided(
            by: row.entry.quantity.magnitude, to: FakeSaxoRates.decimals(of: account.account.currency),
            .halfEven)
    }
}
