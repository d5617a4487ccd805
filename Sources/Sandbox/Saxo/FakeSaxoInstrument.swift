import Brokerage

/// An instrument as Saxo lists it, identified by Uic and asset type.
struct FakeSaxoInstrument: Sendable, Hashable {
    let uic: Int
    let assetType: AssetType
    let instrument: FakeInstrument

    /// Saxo's asset types, as far as the market has instruments for them.
    enum AssetType: String, Sendable, Hashable, CaseIterable {
        case stock = "Stock"
        case fund = "Etf"
        case contractOnStock = "CfdOnStock"
        case contractOnFund = "CfdOnEtf"
        case contractOnIndex = "CfdOnIndex"
        case index = "StockIndex"
        case currencies = "FxSpot"
        /// Since May 2025; requests with FxSpot are accepted too (developer.saxo, "Planned changes").
        case cryptocurrencies = "FxCrypto"

        /// True for pairs, which Saxo itself quotes.
        var isPair: Bool { self == .currencies || self == .cryptocurrencies }

        /// True if only a part of the price is paid; the value of a position is its profit or loss.
        var isOnMargin: Bool {
            switch self {
            case .stock, .fund, .index: false
            case .contractOnStock, .contractOnFund, .contractOnIndex, .currencies, .cryptocurrencies: true
            }
        }

        /// True if charts have bid and ask.
        var hasTwoSidedChart: Bool {
            switch self {
            case .stock, .fund, .index: false
            case .contractOnStock, .contractOnFund, .contractOnIndex, .currencies, .cryptocurrencies: true
            }
        }

        /// True if prices come from an exchange, which requires a data subscription.
        var isExchangeTraded: Bool {
            switch self {
            case .stock, .fund, .index: true
            case .contractOnStock, .contractOnFund, .contractOnIndex, .currencies, .cryptocurrencies: false
            }
        }

        var isTradable: Bool { self != .index }
    }

    /// The displayed symbol: `AAPL:xnas`, class shares `BRKb:xnys`, `TSCO:xlon`, `EURDKK`, `SPX.I`.
    var symbol: String {
        switch instrument.assetClass {
        case .equity where instrument.exchange == .london:
            return instrument.symbol.replacing(".L", with: "") + ":" + marketCode
        case .equity:
            let parts = instrument.symbol.split(separator: ".")
            return parts[0] + (parts.count > 1 ? parts[1].lowercased() : "") + ":" + marketCode
        case .index: return instrument.symbol + ".I"
        case .currencyPair(let base, let quote): return base + quote
        case .crypto(let base): return base + "USD"
        }
    }

    /// The displayed name: `Apple Inc.`.
    var description: String { instrument.displayName }

    /// Saxo's name of the exchange.
    var exchangeID: String {
        switch instrument.exchange {
        case .nasdaq: "NASDAQ"
        case .nyse: "NYSE"
        case .arca: "NYSE_ARCA"
        case .london: "LSE_SETS"
        case .overTheCounter: instrument.assetClass == .index ? "INDEX" : "SBFX"
        }
    }

    /// The market identifier code (ISO 10383).
    private var marketCode: String {
        switch instrument.exchange {
        case .nasdaq: "xnas"
        case .nyse: "xnys"
        case .arca: "arcx"
        case .london: "xlon"
        case .overTheCounter: "xxxx"
        }
    }

    /// Pairs are shown with one decimal less than they have: the last is a tenth of a pip.
    var displayDecimals: Int {
        switch instrument.assetClass {
        case .currencyPair: instrument.decimals - 1
        case .equity, .index, .crypto: instrument.decimals
        }
    }

    var displayFormat: String {
        switch instrument.assetClass {
        case .currencyPair: "AllowDecimalPips"
        case .equity, .index, .crypto: "Normal"
        }
    }

    /// `CurrencyCode`, and `Currency` of `DisplayAndFormat`: that of amounts, which for a price in pence is the pound.
    var currency: String { instrument.saxoCurrency }

    /// `PriceCurrency`: `GBX` for a price in pence.
    var priceCurrency: String { instrument.currency }

    /// `PriceToContractFactor`: the amount in ``currency`` of one unit at a price of 1.
    var priceFactor: Decimal { instrument.saxoPriceFactor }

    /// Returns the amount in ``currency`` of one unit at a price in ticks.
    func value(_ ticks: Int) throws -> Decimal { try instrument.saxoValue(ticks) }

    /// The currency of the exposure: the base of a pair, otherwise that of amounts.
    var exposureCurrency: String {
        switch instrument.assetClass {
        case .currencyPair(let base, _): base
        case .equity, .index, .crypto: currency
        }
    }

    /// True if orders can be executed before and after the regular hours: shares and funds of the US.
    var hasExtendedHours: Bool {
        (assetType == .stock || assetType == .fund)
            && [.nasdaq, .nyse, .arca].contains(instrument.exchange)
    }

    /// The minimum size of an order, and its increment.
    var lot: (minimum: Int, increment: Int) {
        switch instrument.assetClass {
        case .currencyPair: (1_000, 1_000)
        case .equity, .index, .crypto: (1, 1)
        }
    }

    /// The part of the exposure that is reserved as margin, in percent.
    var marginPercent: Decimal {
        switch instrument.assetClass {
        case .currencyPair: Decimal(coefficient: 333, scale: 2) ?? .zero
        case .equity, .index, .crypto: 20
        }
    }

    /// Returns the commission on a trade, in the currency of the instrument: 0.08 % and at least 1 on an
    /// exchange, otherwise none, because the spread has the costs.
    func commission(on amount: Decimal, at price: Int) -> Decimal {
        guard assetType.isExchangeTraded, let rate = Decimal(coefficient: 8, scale: 4),
            let paid = try? amount * value(price), let share = try? paid * rate
        else { return .zero }
        return max(1, share.rounded(to: 2, .halfUp))
    }

    /// `DisplayAndFormat`, a member of many responses.
    var displayAndFormat: JSONDocument {
        [
            "Currency": .string(currency),
            "Decimals": .integer(displayDecimals),
            "Description": .string(description),
            "Format": .string(displayFormat),
            "OrderDecimals": .integer(displayDecimals),
            "Symbol": .string(symbol),
        ]
    }
}

/// All instruments that Saxo lists.
enum FakeSaxoInstruments {
    /// In the order of their Uics; the tradable instrument precedes contracts on it.
    static let instruments: [FakeSaxoInstrument] = (FakeInstrument.all + FakeInstrument.london).flatMap {
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

    /// Returns nil for an unknown pair of Uic and asset type.
    static func instrument(_ uic: Int, _ assetType: FakeSaxoInstrument.AssetType) -> FakeSaxoInstrument? {
        byIdentity[Identity(uic: uic, assetType: assetType)]
            ?? (assetType == .currencies ? byIdentity[Identity(uic: uic, assetType: .cryptocurrencies)] : nil)
    }

    /// Returns the instrument of a market symbol in a portfolio: the underlying itself, not a contract on
    /// it.
    static func instrument(of instrument: FakeInstrument) -> FakeSaxoInstrument? {
        guard let uic = uics[instrument.symbol], let assetType = assetTypes(of: instrument).first else {
            return nil
        }
        return FakeSaxoInstrument(uic: uic, assetType: assetType, instrument: instrument)
    }

    static func assetTypes(of instrument: FakeInstrument) -> [FakeSaxoInstrument.AssetType] {
        switch instrument.assetClass {
        case .equity:
            funds.contains(instrument.symbol) || instrument.exchange == .arca
                ? [.fund, .contractOnFund] : [.stock, .contractOnStock]
        case .index: [.index, .contractOnIndex]
        case .currencyPair: [.currencies]
        case .crypto: [.cryptocurrencies]
        }
    }

    /// Funds that are listed on an exchange of shares.
    private static let funds: Set<String> = ["QQQ"]

    /// The Uics of pairs, cryptocurrencies and AAPL are Saxo's if they are known; the others are invented.
    private static let uics: [String: Int] = {
        var uics = [
            "AUD/USD": 4, "EUR/CHF": 15, "EUR/DKK": 16, "EUR/GBP": 17, "EUR/JPY": 18, "EUR/NOK": 19,
            "EUR/SEK": 20, "EUR/USD": 21, "GBP/USD": 31, "USD/CAD": 38, "USD/CHF": 39, "USD/DKK": 40,
            "USD/JPY": 42, "AAPL": 211, "SPX": 4910, "NDX": 4911, "DJI": 4912, "BTC/USD": 21_700_189,
            "ETH/USD": 21_750_301, "WBD": 30_900,
            "TSCO.L": 30_901,
        ]
        for (index, instrument) in FakeInstrument.listing.enumerated() where uics[instrument.symbol] == nil {
            uics[instrument.symbol] = 30_000 + index
        }
        return uics
    }()
}

extension FakeInstrument {
    /// The currency of Saxo's amounts: London's prices are in pence, and their amounts in pounds.
    var saxoCurrency: String { currency == "GBX" ? "GBP" : currency }

    /// Saxo's amount of one unit at a price of 1, in ``saxoCurrency``.
    var saxoPriceFactor: Decimal { currency == "GBX" ? Decimal(coefficient: 1, scale: 2) ?? 1 : 1 }

    /// Returns Saxo's amount of one unit at a price in ticks, in ``saxoCurrency``.
    func saxoValue(_ ticks: Int) throws -> Decimal { try price(ticks) * saxoPriceFactor }
}
