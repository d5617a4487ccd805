extension FakeInstrument {
    /// Every pair of currencies, by symbol.
    package static let currencyPairs: [FakeInstrument] = [
        pair("AUD", "USD", "Australian Dollar/US Dollar", 0_66850, volatility: 38),
        pair("EUR", "CHF", "Euro/Swiss Franc", 0_93030, volatility: 18),
        pair("EUR", "DKK", "Euro/Danish Krone", 7_46860, volatility: 1),
        pair("EUR", "GBP", "Euro/British Pound", 0_87160, volatility: 24),
        pair("EUR", "JPY", "Euro/Japanese Yen", 183_760, volatility: 40, decimals: 3),
        pair("EUR", "NOK", "Euro/Norwegian Krone", 11_79800, volatility: 34),
        pair("EUR", "SEK", "Euro/Swedish Krona", 10_82100, volatility: 28),
        pair("EUR", "USD", "Euro/US Dollar", 1_17200, volatility: 32),
        pair("GBP", "USD", "British Pound/US Dollar", 1_34470, volatility: 34),
        pair("USD", "CAD", "US Dollar/Canadian Dollar", 1_37320, volatility: 26),
        pair("USD", "CHF", "US Dollar/Swiss Franc", 0_79380, volatility: 34),
        pair("USD", "DKK", "US Dollar/Danish Krone", 6_37250, volatility: 32),
        pair("USD", "JPY", "US Dollar/Japanese Yen", 156_790, volatility: 36, decimals: 3),
    ]

    /// Every index, by symbol.
    package static let indices: [FakeInstrument] = [
        index("DJI", "Dow Jones Industrial Average", 48_382_39, 480_000_000, volatility: 45),
        index("NDX", "NASDAQ-100 Index", 25_206_17, 1_200_000_000, volatility: 70),
        index("SPX", "S&P 500 Index", 6_858_47, 2_900_000_000, volatility: 50),
    ]

    /// Every cryptocurrency, by symbol.
    package static let cryptocurrencies: [FakeInstrument] = [
        crypto("BTC", "Bitcoin", 89_940_00, 16_000, volatility: 260),
        crypto("ETH", "Ethereum", 3_124_00, 190_000, volatility: 320),
    ]

    /// Everything that the market has a price of: shares and funds first.
    package static let all: [FakeInstrument] = listing + indices + currencyPairs + cryptocurrencies

    private static func pair(
        _ base: String, _ quote: String, _ name: String, _ anchor: Int, volatility: Int, decimals: Int = 5
    ) -> FakeInstrument {
        FakeInstrument(
            symbol: "\(base)/\(quote)", name: name, exchange: .overTheCounter, anchor: anchor,
            dailyVolume: 240_000, volatility: volatility, isThin: false,
            assetClass: .currencyPair(base: base, quote: quote), decimals: decimals)
    }

    private static func index(
        _ symbol: String, _ name: String, _ anchor: Int, _ volume: Int, volatility: Int
    ) -> FakeInstrument {
        FakeInstrument(
            symbol: symbol, name: name, exchange: .overTheCounter, anchor: anchor, dailyVolume: volume,
            volatility: volatility, isThin: false, assetClass: .index)
    }

    private static func crypto(
        _ base: String, _ name: String, _ anchor: Int, _ volume: Int, volatility: Int
    ) -> FakeInstrument {
        FakeInstrument(
            symbol: "\(base)/USD", name: "\(name)/US Dollar", exchange: .overTheCounter, anchor: anchor,
            dailyVolume: volume, volatility: volatility, isThin: false, assetClass: .crypto(base: base))
    }
}
