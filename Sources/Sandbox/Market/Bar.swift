package import Brokerage

/// Open, high, low, close and volume of an interval, prices in the instrument's ticks: cents for a share.
package struct Bar: Sendable, Hashable {
    package var open: Int
    package var high: Int
    package var low: Int
    package var close: Int
    /// Shares.
    package var volume: Int

    /// The number of trades; at least one where there is volume.
    package var trades: Int { (volume + Self.sharesPerTrade - 1) / Self.sharesPerTrade }
    private static let sharesPerTrade = 75

    /// The volume-weighted average price of a share, with 6 decimals; see ``averagePrice(of:)``.
    package var averagePrice: Decimal { averagePrice(decimals: 2) }

    /// The volume-weighted average price, with 4 decimals more than the instrument's prices have.
    ///
    /// The market has no single trades to weigh; the typical price (high + low + close) ÷ 3 stands for it.
    package func averagePrice(of instrument: FakeInstrument) -> Decimal {
        averagePrice(decimals: instrument.decimals)
    }

    private func averagePrice(decimals: Int) -> Decimal {
        guard let sum = Decimal(coefficient: Int128(high + low + close), scale: decimals),
            let average = try? sum.divided(by: 3, to: decimals + 4, .halfEven)
        else { return .zero }
        return average
    }

    /// Both intervals as one; `later` follows this one.
    package func joined(with later: Bar) -> Bar {
        Bar(
            open: open, high: max(high, later.high), low: min(low, later.low), close: later.close,
            volume: volume + later.volume)
    }
}

extension Decimal {
    /// An amount of US cents, in dollars.
    package init(cents: Int) {
        // Two is a scale that every decimal may have.
        self = Decimal(coefficient: Int128(cents), scale: 2) ?? .zero
    }
}
