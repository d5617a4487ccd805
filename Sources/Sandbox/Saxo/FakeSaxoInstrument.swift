import Brokerage

/// An instrument as Saxo lists it: known by its Uic together with an asset type.
struct FakeSaxoInstrument: Sendable, Hashable {
    let uic: Int
    let assetType: AssetType
    let instrument: FakeInstrument

    /// Saxo's kinds of instruments, as far as the market has something for them.
    enum AssetType: String, Sendable, Hashable, CaseIterable {
        case stock = "Stock"
        case fund = "Etf"
        case contractOnStock = "CfdOnStock"
        case contractOnFund = "CfdOnEtf"
        case contractOnIndex = "CfdOnIndex"
        case index = "StockIndex"
        case currencies = "FxSpot"

        /// Only a part of the price is paid; profit and loss are all that the position is worth.
        var isOnMargin: Bool {
            switch self {
            case .stock, .fund, .index: false
            case .contractOnStock, .contractOnFund, .contractOnIndex, .currencies: true
            }
        }

        /// Told of by bid and ask, in charts too.
        var hasTwoSidedChart: Bool {
            switch self {
            case .stock, .fund, .index: false
            case .contractOnStock, .contractOnFund, .contractOnIndex, .currencies: true
            }
        }

        /// Prices come from an exchange, whose data must be subscribed to.
        var isExchangeTraded: Bool {
            switch self {
            case .stock, .fund, .index: true
            case .contractOnStock, .contractOnFund, .contractOnIndex, .currencies: false
            }
        }

        var isTradable: Bool { self != .index }
    }

    /// What is displayed: `AAPL:xnas`, class shares `BRKb:xnys`, `EURDKK`, `SPX.I`.
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

    /// The name that people know: `Apple Inc.`.
    var description: String { instrument.displayName }

    /// The exchange, as Saxo names it.
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

    /// The currency in which exposure is told: the base of a pair, else that of the price.
    var exposureCurrency: String {
        switch instrument.assetClass {
        case .currencyPair(let base, _): base
        case .equity, .index, .crypto: instrument.currency
        }
    }

    /// The smallest order, and what orders grow by.
    var lot: (minimum: Int, increment: Int) {
        switch instrument.assetClass {
        case .currencyPair: (1_000, 1_000)
        case .equity, .index, .crypto: (1, 1)
        }
    }

    /// What part of the exposure is blocked as margin, in percent.
    var marginPercent: Decimal {
        switch instrument.assetClass {
        case .currencyPair: Decimal(coefficient: 333, scale: 2) ?? .zero
        case .equity, .index, .crypto: 20
        }
    }

    /// `DisplayAndFormat`, as it stands in many answers.
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
