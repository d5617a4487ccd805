/// Everything that Saxo lists.
enum FakeSaxoDirectory {
    /// In the order of their Uics, what is tradable as it is before contracts on it.
    static let instruments: [FakeSaxoInstrument] = FakeInstrument.all.flatMap {
        instrument -> [FakeSaxoInstrument] in
        guard let uic = uics[instrument.symbol] else { return [] }
        return assetTypes(of: instrument).map {
            FakeSaxoInstrument(uic: uic, assetType: $0, instrument: instrument)
        }
    }.sorted { $0.uic < $1.uic }

    private static let byIdentity = Dictionary(
        instruments.map { (Identity(uic: $0.uic, assetType: $0.assetType), $0) },
        uniquingKeysWith: { first, _ in first })

    private struct Identity: Hashable {
        let uic: Int
        let assetType: FakeSaxoInstrument.AssetType
    }

    /// Nil when there is no such pair of Uic and asset type.
    static func instrument(_ uic: Int, _ assetType: FakeSaxoInstrument.AssetType) -> FakeSaxoInstrument? {
        byIdentity[Identity(uic: uic, assetType: assetType)]
    }

    /// What is meant by a symbol of the market in a portfolio: the thing itself, no contract on it.
    static func instrument(of instrument: FakeInstrument) -> FakeSaxoInstrument? {
        guard let uic = uics[instrument.symbol], let assetType = assetTypes(of: instrument).first else {
            return nil
        }
        return FakeSaxoInstrument(uic: uic, assetType: assetType, instrument: instrument)
    }

    /// Everything that an instrument is tradable as.
    static func assetTypes(of instrument: FakeInstrument) -> [FakeSaxoInstrument.AssetType] {
        switch instrument.assetClass {
        case .equity:
            funds.contains(instrument.symbol) || instrument.exchange == .arca
                ? [.fund, .contractOnFund] : [.stock, .contractOnStock]
        case .index: [.index, .contractOnIndex]
        case .currencyPair, .crypto: [.currencies]
        }
    }

    /// Funds that are not listed where only funds are.
    private static let funds: Set<String> = ["QQQ"]

    /// The Uics of pairs and of AAPL are Saxo's own as far as the fact sheet gives them; the others are the
    /// sandbox's.
    private static let uics: [String: Int] = {
        var uics = [
            "AUD/USD": 4, "EUR/CHF": 15, "EUR/DKK": 16, "EUR/GBP": 17, "EUR/JPY": 18, "EUR/NOK": 19,
            "EUR/SEK": 20, "EUR/USD": 21, "GBP/USD": 31, "USD/CAD": 38, "USD/CHF": 39, "USD/DKK": 40,
            "USD/JPY": 42, "AAPL": 211, "SPX": 4910, "NDX": 4911, "DJI": 4912, "BTC/USD": 21_700,
            "ETH/USD": 21_701,
        ]
        for (index, instrument) in FakeInstrument.listing.enumerated() where uics[instrument.symbol] == nil {
            uics[instrument.symbol] = 30_000 + index
        }
        return uics
    }()
}
