package import Brokerage
import Upstream

/// The mapping between Yahoo's symbols and Portico's: `AAPL`, `BRK-B`, `TSCO.L`, `EURUSD=X`, `BTC-USD`,
/// `^GSPC`.
package struct YahooSymbols: SymbolMapping {
    package init() {}

    package func providerSymbol(for symbol: Symbol) -> String? {
        switch SymbolKind(symbol) {
        case .listing(let ticker, let market): return Self.listing(ticker, market)
        case .currencies(let base, let quote): return "\(base)\(quote)=X"
        // Only a symbol that ends in a currency can be distinguished from a class of shares.
        case .crypto(let base, let quote): return FiatCurrency.isCode(quote) ? "\(base)-\(quote)" : nil
        case .index(let name):
            if let own = Self.indices[name] { return "^\(own)" }
            // Yahoo's name of another index must not be sent for an index of Portico.
            return Self.indices.values.contains(name) ? nil : "^\(name)"
        case nil: return nil
        }
    }

    package func symbol(for spelling: String) -> Symbol? {
        if spelling.hasPrefix("^") {
            let name = String(spelling.dropFirst())
            if let own = Self.indices.first(where: { $0.value == name })?.key {
                return SymbolKind.index(own).symbol
            }
            return Self.indices[name] == nil ? SymbolKind.index(name).symbol : nil
        }
        if spelling.hasSuffix("=X") { return Self.currencies(spelling.dropLast(2)) }
        let parts = spelling.split(separator: ".", omittingEmptySubsequences: false)
        switch parts.count {
        case 1: return Self.unsuffixed(parts[0])
        case 2:
            guard let market = YahooMarket.code(suffix: parts[1]) else { return nil }
            let ticker = String(parts[0]).replacing("-", with: ".")
            return SymbolKind.listing(ticker: ticker, market: market).symbol
        default: return nil
        }
    }

    private static func listing(_ ticker: String, _ market: String?) -> String? {
        let root = ticker.replacing(".", with: "-")
        if let market { return YahooMarket.suffix(code: market).map { "\(root).\($0)" } }
        // `ABC.USD` would be taken for the coin ABC.
        let isCoin = root.split(separator: "-").last.map { FiatCurrency.isCode($0) } ?? false
        return root.contains("-") && isCoin ? nil : root
    }

    /// `EURUSD`, or `JPY` for the price of a dollar.
    private static func currencies(_ name: Substring) -> Symbol? {
        switch name.utf8.count {
        case 3: SymbolKind.currencies(base: "USD", quote: String(name)).symbol
        case 6: SymbolKind.currencies(base: String(name.prefix(3)), quote: String(name.suffix(3))).symbol
        default: nil
        }
    }

    /// An American listing, or a coin.
    private static func unsuffixed(_ text: Substring) -> Symbol? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        if parts.count == 2, FiatCurrency.isCode(parts[1]) {
            return SymbolKind.crypto(base: String(parts[0]), quote: String(parts[1])).symbol
        }
        return SymbolKind.listing(ticker: String(text).replacing("-", with: "."), market: nil).symbol
    }

    /// Indices that Yahoo calls otherwise than the exchanges do, by the exchange's name.
    private static let indices = ["SPX": "GSPC", "COMP": "IXIC", "DAX": "GDAXI", "UKX": "FTSE"]
}

/// The exchanges outside of the United States.
enum YahooMarket {
    /// The suffixes of tickers by market identifier code (ISO 10383).
    private static let suffixes = [
        "XLON": "L", "XETR": "DE", "XFRA": "F", "XTSE": "TO", "XTSX": "V", "XASX": "AX", "XHKG": "HK",
        "XPAR": "PA", "XAMS": "AS", "XBRU": "BR", "XLIS": "LS", "XDUB": "IR", "XMIL": "MI", "XMAD": "MC",
        "XSWX": "SW", "XWBO": "VI", "XSTO": "ST", "XCSE": "CO", "XHEL": "HE", "XOSL": "OL", "XTKS": "T",
        "XSHG": "SS", "XSHE": "SZ", "XNSE": "NS", "XBOM": "BO", "XKRX": "KS", "XTAI": "TW", "XSES": "SI",
        "XNZE": "NZ", "XJSE": "JO", "XTAE": "TA", "BVMF": "SA", "XMEX": "MX",
    ]

    static func suffix(code: String) -> String? { suffixes[code] }

    static func code(suffix: Substring) -> String? {
        suffixes.first { $0.value == suffix }?.key
    }

    /// The code of an American exchange for Yahoo's name.
    static func american(_ word: String) -> String? {
        switch word {
        case "NMS", "NGM", "NCM": "XNAS"
        case "NYQ": "XNYS"
        case "ASE": "XASE"
        case "PCX": "ARCX"
        case "BTS": "BATS"
        default: nil
        }
    }
}
