package import Brokerage

/// Who an instrument is at Saxo: its Uic and its AssetType, never one without the other.
package struct SaxoInstrumentKey: Hashable, Sendable {
    package let uic: Int
    /// In Saxo's words: `Stock`, `FxSpot`.
    package let assetType: String

    package init(uic: Int, assetType: String) {
        self.uic = uic
        self.assetType = assetType
    }
}

/// An instrument as Saxo lists it.
package struct SaxoListing: Hashable, Sendable {
    package let key: SaxoInstrumentKey
    package let symbol: Symbol
    /// In Saxo's words, which may be a hundredth of a currency.
    let currencyName: String?

    var currency: SaxoCurrency? { currencyName.map(SaxoCurrency.init) }

    init(_ key: SaxoInstrumentKey, symbol: Symbol, currencyName: String?) {
        self.key = key
        self.symbol = symbol
        self.currencyName = currencyName
    }
}

extension Listing {
    /// Who an instrument is, without what may be done with it.
    init(saxo key: SaxoInstrumentKey) {
        self.init(provider: .saxo, key: String(key.uic))
        assetType = key.assetType
    }
}

extension AssetClass {
    /// By Saxo's AssetType, of which there are some fifty.
    init(saxo assetType: String) {
        self =
            switch assetType {
            case "Stock", "CompanyWarrant", "Rights": .equity
            case "Etf", "Etc", "Etn": .etf
            case "Fund", "MutualFund": .fund
            case "FxSpot", "FxForwards", "FxSwap", "FxNdf": .fx
            case "FxCrypto", "Crypto": .crypto
            case "Bond": .bond
            case "StockIndex": .index
            case "ContractFutures", "FuturesStrategy": .future
            case "Cash": .cash
            case _ where assetType.hasPrefix("CfdOn"): .cfd
            case _ where assetType.hasSuffix("Option"): .option
            default: .other
            }
    }
}
