package import Brokerage

/// An instrument with a price in the sandbox's market: a share, a fund, an index, a currency pair, a
/// cryptocurrency.
package struct FakeInstrument: Sendable, Hashable {
    /// Portico's symbol: class shares with a dot, `BRK.B`; pairs with a slash, `EUR/DKK`, `BTC/USD`; indices
    /// without, `SPX`.
    package let symbol: String
    package let name: String
    package let exchange: Exchange
    /// The price at 2026-01-02, in ticks.
    package let anchor: Int
    /// The usual volume of a day: shares, for an index those of its members, for crypto coins.
    ///
    /// For a currency pair it is the number of price changes, since no volume is reported.
    package let dailyVolume: Int
    /// The volatility in percent of that of a usual large company.
    package let volatility: Int
    /// True if there are no quotes outside of market hours.
    package let isThin: Bool
    /// The class of the instrument; it determines the price model.
    package var assetClass: AssetClass = .equity
    /// The number of decimals of prices: a tick is 10^-`decimals`, a cent for 2.
    package var decimals = 2

    /// The class of an instrument.
    package enum AssetClass: Sendable, Hashable {
        /// A share or a fund, in US dollars or, in London, in pence.
        case equity
        /// A calculated number that cannot be traded, in US dollars.
        case index
        /// The price of one unit of the base, in units of the quote; ISO 4217.
        case currencyPair(base: String, quote: String)
        /// The price of one unit of the base, in US dollars.
        case crypto(base: String)
    }

    /// The listing exchange.
    package enum Exchange: String, Sendable, Hashable {
        case nasdaq = "NASDAQ"
        case nyse = "NYSE"
        case arca = "ARCA"
        case london = "LSE"
        /// Currencies, crypto, and indices, which are not listed on an exchange.
        case overTheCounter = "OTC"

        /// The consolidated tape that reports its trades; empty for none.
        package var tape: String {
            switch self {
            case .nyse: "A"
            case .arca: "B"
            case .nasdaq: "C"
            case .london, .overTheCounter: ""
            }
        }
    }

    /// The currency of its price by ISO 4217, or `GBX` for pence sterling.
    package var currency: String {
        switch assetClass {
        case .equity: exchange == .london ? "GBX" : "USD"
        case .index, .crypto: "USD"
        case .currencyPair(_, let quote): quote
        }
    }

    /// The trading hours.
    package var schedule: TradingHours {
        switch assetClass {
        case .equity: exchange == .london ? .london : .exchanges
        case .index: .marketHours
        case .currencyPair: .currencies
        case .crypto: .continuous
        }
    }

    /// Converts a price in ticks to a decimal, in ``currency``.
    package func price(_ ticks: Int) -> Decimal {
        // Every listed instrument has 2 to 5 decimals, and these scales are valid for every decimal.
        Decimal(coefficient: Int128(ticks), scale: decimals) ?? .zero
    }

    /// A UUID (version 8) of the symbol, independent of the seed.
    package var id: String {
        let noise = SeededRandom(seed: 0).branch(symbol).branch(.identity)
        return UUIDFormat.version8(noise.bits(0), noise.bits(1))
    }
}

extension FakeInstrument {
    /// All shares and funds of the US exchanges, by symbol.
    package static let listing: [FakeInstrument] = [
        nasdaq("AAPL", "Apple Inc. Common Stock", 231_40, 48_000_000),
        nasdaq("ADBE", "Adobe Inc. Common Stock", 352_10, 3_600_000),
        nasdaq("AMD", "Advanced Micro Devices, Inc. Common Stock", 214_30, 42_000_000, volatility: 190),
        nasdaq("AMZN", "Amazon.com, Inc. Common Stock", 229_80, 41_000_000, volatility: 120),
        nasdaq("AVGO", "Broadcom Inc. Common Stock", 342_60, 24_000_000, volatility: 160),
        nyse("BA", "Boeing Company", 217_90, 7_500_000, volatility: 130),
        nyse("BAC", "Bank of America Corporation", 54_80, 33_000_000, volatility: 90),
        nyse("BRK.A", "Berkshire Hathaway Inc. Class A", 742_150_00, 900, volatility: 60, isThin: true),
        nyse("BRK.B", "Berkshire Hathaway Inc. Class B", 494_20, 4_300_000, volatility: 60, isThin: true),
        nyse("C", "Citigroup Inc.", 116_70, 14_000_000),
        nyse("CAT", "Caterpillar Inc.", 574_30, 3_100_000),
        nasdaq("COST", "Costco Wholesale Corporation Common Stock", 863_50, 2_200_000, volatility: 80),
        nyse("CRM", "Salesforce, Inc.", 264_90, 7_200_000),
        nasdaq("CSCO", "Cisco Systems, Inc. Common Stock", 76_90, 19_000_000, volatility: 80),
        nyse("CVX", "Chevron Corporation", 152_60, 8_000_000, volatility: 80),
        nyse("DIS", "Walt Disney Company", 113_40, 8_800_000),
        arca("GLD", "SPDR Gold Shares", 396_30, 11_000_000, volatility: 50),
        nasdaq("GOOG", "Alphabet Inc. Class C Capital Stock", 314_20, 21_000_000),
        nasdaq("GOOGL", "Alphabet Inc. Class A Common Stock", 313_50, 32_000_000),
        nyse("GS", "Goldman Sachs Group, Inc.", 884_10, 2_000_000),
        nyse("HD", "Home Depot, Inc.", 346_80, 3_700_000, volatility: 80),
        nyse("IBM", "International Business Machines Corporation", 296_20, 4_100_000, volatility: 80),
        nasdaq("INTC", "Intel Corporation Common Stock", 38_70, 88_000_000, volatility: 170),
        arca("IWM", "iShares Russell 2000 ETF", 248_10, 31_000_000, volatility: 70),
        nyse("JNJ", "Johnson & Johnson", 207_30, 7_900_000, volatility: 50),
        nyse("JPM", "JPMorgan Chase & Co.", 325_40, 8_600_000, volatility: 90),
        nyse("KO", "Coca-Cola Company", 69_10, 15_000_000, volatility: 50),
        nyse("MA", "Mastercard Incorporated", 563_70, 2_700_000, volatility: 70),
        nyse("MCD", "McDonald's Corporation", 304_60, 3_200_000, volatility: 50),
        nasdaq("META", "Meta Platforms, Inc. Class A Common Stock", 652_80, 14_000_000, volatility: 130),
        nasdaq("MSFT", "Microsoft Corporation Common Stock", 476_30, 22_000_000, volatility: 90),
        nasdaq("NFLX", "Netflix, Inc. Common Stock", 91_40, 38_000_000, volatility: 130),
        nyse("NKE", "Nike, Inc.", 63_20, 14_000_000, volatility: 120),
        nasdaq("NVDA", "NVIDIA Corporation Common Stock", 188_60, 170_000_000, volatility: 180),
        nyse("ORCL", "Oracle Corporation", 194_50, 22_000_000, volatility: 150),
        nasdaq("PEP", "PepsiCo, Inc. Common Stock", 142_30, 6_800_000, volatility: 50),
        nyse("PFE", "Pfizer Inc.", 24_90, 44_000_000, volatility: 80),
        nyse("PG", "Procter & Gamble Company", 142_70, 8_900_000, volatility: 50),
        nasdaq(
            "PLTR", "Palantir Technologies Inc. Class A Common Stock", 174_20, 46_000_000, volatility: 230),
        nasdaq("PYPL", "PayPal Holdings, Inc. Common Stock", 58_40, 14_000_000, volatility: 120),
        nasdaq("QQQ", "Invesco QQQ Trust, Series 1", 614_20, 52_000_000, volatility: 70),
        nasdaq("SBUX", "Starbucks Corporation Common Stock", 84_90, 9_000_000, volatility: 90),
        arca("SPY", "SPDR S&P 500 ETF Trust", 682_40, 74_000_000, volatility: 50),
        nyse("T", "AT&T Inc.", 24_30, 36_000_000, volatility: 60),
        nasdaq("TSLA", "Tesla, Inc. Common Stock", 438_10, 81_000_000, volatility: 220),
        nyse("UNH", "UnitedHealth Group Incorporated", 331_60, 8_700_000, volatility: 120),
        nyse("V", "Visa Inc.", 346_20, 6_100_000, volatility: 70),
        arca("VTI", "Vanguard Total Stock Market ETF", 336_10, 4_200_000, volatility: 50),
        nyse("VZ", "Verizon Communications Inc.", 40_50, 20_000_000, volatility: 50),
        nyse("WMT", "Walmart Inc.", 112_80, 19_000_000, volatility: 70),
        nyse("XOM", "Exxon Mobil Corporation", 122_40, 15_000_000, volatility: 80),
    ]

    /// Shares that have a price, but that no provider lists any more.
    package static let unlisted: [FakeInstrument] = [
        nasdaq("WBD", "Warner Bros. Discovery, Inc. Series A Common Stock", 27_80, 29_000_000, volatility: 80)
    ]

    private static func nasdaq(
        _ symbol: String, _ name: String, _ anchor: Int, _ volume: Int, volatility: Int = 100
    ) -> FakeInstrument {
        FakeInstrument(
            symbol: symbol, name: name, exchange: .nasdaq, anchor: anchor, dailyVolume: volume,
            volatility: volatility, isThin: false)
    }

    private static func nyse(
        _ symbol: String, _ name: String, _ anchor: Int, _ volume: Int, volatility: Int = 100,
        isThin: Bool = false
    ) -> FakeInstrument {
        FakeInstrument(
            symbol: symbol, name: name, exchange: .nyse, anchor: anchor, dailyVolume: volume,
            volatility: volatility, isThin: isThin)
    }

    private static func arca(
        _ symbol: String, _ name: String, _ anchor: Int, _ volume: Int, volatility: Int
    ) -> FakeInstrument {
        FakeInstrument(
            symbol: symbol, name: name, exchange: .arca, anchor: anchor, dailyVolume: volume,
            volatility: volatility, isThin: false)
    }
}

extension FakeInstrument {
    /// All currency pairs, by symbol.
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

    /// All indices, by symbol.
    package static let indices: [FakeInstrument] = [
        index("DJI", "Dow Jones Industrial Average", 48_382_39, 480_000_000, volatility: 45),
        index("NDX", "NASDAQ-100 Index", 25_206_17, 1_200_000_000, volatility: 70),
        index("SPX", "S&P 500 Index", 6_858_47, 2_900_000_000, volatility: 50),
    ]

    /// All cryptocurrencies, by symbol.
    package static let cryptocurrencies: [FakeInstrument] = [
        crypto("BTC", "Bitcoin", 89_940_00, 16_000, volatility: 260),
        crypto("ETH", "Ethereum", 3_124_00, 190_000, volatility: 320),
    ]

    /// All instruments except those of London, shares and funds first.
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

extension FakeInstrument {
    /// Shares of the London Stock Exchange, in pence.
    ///
    /// They are not part of ``all``: only providers with international data list them, and find them by
    /// ``Market/anyInstrument(_:)``.
    package static let london: [FakeInstrument] = [
        share("HSBA", "HSBC Holdings plc", 1_170_20, 21_000_000, volatility: 90),
        share("TSCO", "Tesco PLC", 442_60, 17_000_000, volatility: 70),
        share("VOD", "Vodafone Group Public Limited Company", 98_74, 68_000_000, volatility: 90),
    ]

    /// Creates a share whose symbol ends with a dot and the exchange.
    private static func share(
        _ symbol: String, _ name: String, _ anchor: Int, _ volume: Int, volatility: Int
    ) -> FakeInstrument {
        FakeInstrument(
            symbol: "\(symbol).L", name: name, exchange: .london, anchor: anchor, dailyVolume: volume,
            volatility: volatility, isThin: false)
    }
}
