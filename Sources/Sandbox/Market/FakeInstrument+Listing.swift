extension FakeInstrument {
    /// Everything that is listed, by symbol.
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
