extension FakeInstrument {
    /// Shares of the London Stock Exchange, in pence.
    ///
    /// They are no part of ``all``: only providers that reach beyond the United States know them, and find them by
    /// ``Market/anyInstrument(_:)``.
    package static let london: [FakeInstrument] = [
        share("HSBA", "HSBC Holdings plc", 1_170_20, 21_000_000, volatility: 90),
        share("TSCO", "Tesco PLC", 442_60, 17_000_000, volatility: 70),
        share("VOD", "Vodafone Group Public Limited Company", 98_74, 68_000_000, volatility: 90),
    ]

    /// The symbol bears the exchange behind a dot.
    private static func share(
        _ symbol: String, _ name: String, _ anchor: Int, _ volume: Int, volatility: Int
    ) -> FakeInstrument {
        FakeInstrument(
            symbol: "\(symbol).L", name: name, exchange: .london, anchor: anchor, dailyVolume: volume,
            volatility: volatility, isThin: false)
    }
}
