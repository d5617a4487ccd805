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

    /// The displayed symbol: `AAPL:xnas`, class shares `BRKb:xnys`, `EURDKK`, `SPX.I`.
    var symbol: String {
        switch instrument.assetClass {
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

    /// The currency of the exposure: the base of a pair, otherwise the price's.
    var exposureCurrency: String {
        switch instrument.assetClass {
        case .currencyPair(let base, _): base
        case .equity, .index, .crypto: instrument.currency
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
            let value = try? amount * instrument.price(price), let share = try? value * rate
        else { return .zero }
        return max(1, share.rounded(to: 2, .halfUp))
    }

    /// `DisplayAndFormat`, a member of many responses.
    var displayAndFormat: JSONDocument {
        [
            "Currency": .string(instrument.currency),
            "Decimals": JSONDocument(integerLiteral: displayDecimals),
            "Description": .string(description),
            "Format": .string(displayFormat),
            "OrderDecimals": JSONDocument(integerLiteral: displayDecimals),
            "Symbol": .string(symbol),
        ]
    }
}

/// All instruments that Saxo lists.
enum FakeSaxoInstruments {
    /// In the order of their Uics; the tradable instrument precedes contracts on it.
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
        ]
        for (index, instrument) in FakeInstrument.listing.enumerated() where uics[instrument.symbol] == nil {
            uics[instrument.symbol] = 30_000 + index
        }
        return uics
    }()
}

/// Saxo's reference data: the instruments.
struct FakeSaxoReference: Sendable {
    let host: FakeSaxoHost

    var routes: [SandboxRoute] {
        [
            host.get("/ref/v1/instruments") { context in
                let found = try Self.matchingInstruments(context)
                return .json(try FakeSaxoPage(context).document(found, Self.summary))
            },
            host.get("/ref/v1/instruments/details") { context in
                guard context.request[query: "Uics"] != nil || context.request[query: "AssetTypes"] != nil
                else {
                    throw FakeSaxoError.invalid("Uics", "Uics or AssetTypes is required")
                }
                let found = try Self.matchingInstruments(context)
                return .json(try FakeSaxoPage(context).document(found) { Self.details($0, context.format) })
            },
            host.get("/ref/v1/instruments/details/{uic}/{asset_type}") { context in
                let parameters = context.request.parameters
                let assetType = parameters["asset_type"].flatMap(FakeSaxoInstrument.AssetType.init(rawValue:))
                guard let uic = parameters["uic"].flatMap({ Int($0) }), let assetType,
                    let listing = FakeSaxoInstruments.instrument(uic, assetType)
                else { throw FakeSaxoError.notFound }
                return .json(Self.details(listing, context.format))
            },
        ]
    }

    private static func matchingInstruments(_ context: FakeSaxoHost.AuthenticatedRequest)
        throws(FakeSaxoError)
        -> [FakeSaxoInstrument]
    {
        let request = context.request
        var found = FakeSaxoInstruments.instruments
        if let text = request[query: "Uics"] {
            let uics = try FakeSaxoPrices.uics(text, maximum: context.settings.pageMaximum)
            found = found.filter { uics.contains($0.uic) }
        }
        if let text = request[query: "AssetTypes"], !text.isEmpty {
            var types: Set<FakeSaxoInstrument.AssetType> = []
            for name in text.split(separator: ",") {
                // Saxo has more asset types than the sandbox has instruments of.
                if let type = FakeSaxoInstrument.AssetType(rawValue: String(name)) { types.insert(type) }
            }
            found = found.filter { types.contains($0.assetType) }
        }
        if let exchange = request[query: "ExchangeId"] { found = found.filter { $0.exchangeID == exchange } }
        if request[query: "IncludeNonTradable"]?.lowercased() != "true" {
            found = found.filter(\.assetType.isTradable)
        }
        if let keywords = request[query: "Keywords"] {
            let words = keywords.lowercased().split(separator: " ")
            found = found.filter { listing in
                let text = "\(listing.symbol) \(listing.description)".lowercased()
                return words.allSatisfy { text.contains($0) }
            }
        }
        return found
    }

    /// Writes a search result, in which the Uic has the name `Identifier`.
    private static func summary(_ listing: FakeSaxoInstrument) -> JSONDocument {
        [
            "AssetType": .string(listing.assetType.rawValue),
            "CurrencyCode": .string(listing.instrument.currency),
            "Description": .string(listing.description),
            "ExchangeId": .string(listing.exchangeID),
            "GroupId": JSONDocument(integerLiteral: 2_000 + listing.uic % 1_000),
            "Identifier": JSONDocument(integerLiteral: listing.uic),
            "PrimaryListing": JSONDocument(integerLiteral: listing.uic),
            "SummaryType": "Instrument",
            "Symbol": .string(listing.symbol),
            "TradableAs": tradableAs(listing),
        ]
    }

    private static func tradableAs(_ listing: FakeSaxoInstrument) -> JSONDocument {
        .array(
            FakeSaxoInstruments.assetTypes(of: listing.instrument).filter(\.isTradable).map {
                .string($0.rawValue)
            }
        )
    }

    private static func details(_ listing: FakeSaxoInstrument, _ format: FakeSaxoFormat) -> JSONDocument {
        let durations: JSONDocument = ["DayOrder", "GoodTillCancel", "GoodTillDate"]
        let isTradable = listing.assetType.isTradable
        let types = isTradable ? FakeSaxoOrderRequest.types.sorted() : []
        return [
            "AmountDecimals": 0,
            "AssetType": .string(listing.assetType.rawValue),
            "CurrencyCode": .string(listing.instrument.currency),
            "Description": .string(listing.description),
            "Exchange": ["ExchangeId": .string(listing.exchangeID), "Name": .string(listing.exchangeID)],
            "Format": [
                "Decimals": JSONDocument(integerLiteral: listing.displayDecimals),
                "Format": .string(listing.displayFormat),
                "OrderDecimals": JSONDocument(integerLiteral: listing.displayDecimals),
            ],
            "GroupId": JSONDocument(integerLiteral: 2_000 + listing.uic % 1_000),
            "IncrementSize": JSONDocument(integerLiteral: listing.lot.increment),
            "IsExtendedTradingHoursEnabled": .bool(listing.hasExtendedHours),
            "IsTradable": .bool(isTradable),
            "MinimumTradeSize": JSONDocument(integerLiteral: listing.lot.minimum),
            "NonTradableReason": isTradable ? "None" : "NonTradableInstrument",
            "PrimaryListing": JSONDocument(integerLiteral: listing.uic),
            "SupportedOrderTypes": .array(types.map { .string($0) }),
            "SupportedOrderTypeSettings": .array(
                types.map { type in
                    let own: JSONDocument =
                        type == "Market" ? ["DayOrder", "FillOrKill", "ImmediateOrCancel"] : durations
                    return ["DurationTypes": own, "OrderType": .string(type)]
                }),
            "Symbol": .string(listing.symbol),
            "TickSize": format.price(1, of: listing.instrument),
            "TradableAs": tradableAs(listing),
            "TradableOn": [],
            "Uic": JSONDocument(integerLiteral: listing.uic),
        ]
    }
}
