import Brokerage

/// What one currency costs in another at a moment, by the market's last prices.
struct FakeSaxoRates: Sendable {
    let market: Market
    /// Seconds since 1970.
    let second: Int

    /// The price of one unit of `from` in units of `to`, with 10 decimals; 1 for the same.
    ///
    /// Nil where the market has no way from one to the other.
    func rate(from: String, to: String) -> Decimal? {
        if from == to { return 1 }
        if let direct = direct(from, to) { return direct }
        // Every currency of the market has a pair with the dollar or the euro.
        for middle in ["USD", "EUR"] where middle != from && middle != to {
            if let first = direct(from, middle), let second = direct(middle, to),
                let rate = try? first * second
            {
                return rate.rounded(to: 10, .halfEven)
            }
        }
        return nil
    }

    private func direct(_ from: String, _ to: String) -> Decimal? {
        if let price = price("\(from)/\(to)") { return price }
        return price("\(to)/\(from)").flatMap { try? Decimal(1).divided(by: $0, to: 10, .halfEven) }
    }

    private func price(_ symbol: String) -> Decimal? {
        market.anyInstrument(symbol).map { $0.price(market.lastTrade($0, at: second).price) }
    }

    /// An amount in another currency, rounded to what its coins allow.
    func converted(_ amount: Decimal, from: String, to: String) throws -> Decimal {
        guard let rate = rate(from: from, to: to) else { throw NoRate(from: from, to: to) }
        return try (amount * rate).rounded(to: Self.decimals(of: to), .halfEven)
    }

    /// The market lists no pair for it.
    struct NoRate: Error, Hashable {
        let from: String
        let to: String
    }

    /// How many decimals amounts of a currency have (ISO 4217).
    static func decimals(of currency: String) -> Int { currency == "JPY" ? 0 : 2 }
}
