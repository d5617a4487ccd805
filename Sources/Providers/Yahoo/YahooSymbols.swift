package import Brokerage
import Upstream

/// The mapping between Yahoo's symbols and Portico's: `AAPL`, `BRK-B`, `BAC-PK`, `TSCO.L`, `EURUSD=X`,
/// `BTC-USD`, `^GSPC`, `GC=F`.
package struct YahooSymbols: SymbolMapping {
    package init() {}

    package func providerSymbol(for symbol: Symbol) -> String? {
        switch SymbolKind(symbol) {
        case .listing(let ticker, let market): return Self.listing(ticker, market)
        case .currencies(let base, let quote): return "\(base)\(quote)=X"
        // Only a symbol that ends in a currency can be distinguished from a class of shares.
        case .crypto(let base, let quote): return FiatCurrency.isCode(quote) ? "\(base)-\(quote)" : nil
        case .index(let name):
            if let own = SymbolKind.yahooIndices[name] { return "^\(own)" }
            // Yahoo's name of another index must not be sent for an index of Portico.
            return SymbolKind.yahooIndices.values.contains(name) ? nil : "^\(name)"
        case .future: return symbol.text
        case nil: return nil
        }
    }

    package func symbol(for spelling: String) -> Symbol? {
        if spelling.hasPrefix("^") {
            let name = String(spelling.dropFirst())
            if let own = SymbolKind.yahooIndices.first(where: { $0.value == name })?.key {
                return SymbolKind.index(own).symbol
            }
            return SymbolKind.yahooIndices[name] == nil ? SymbolKind.index(name).symbol : nil
        }
        if spelling.hasSuffix("=X") { return Self.currencies(spelling.dropLast(2)) }
        if let symbol = Symbol(spelling), case .future? = SymbolKind(symbol) { return symbol }
        let parts = spelling.split(separator: ".", omittingEmptySubsequences: false)
        switch parts.count {
        case 1: return Self.unsuffixed(parts[0])
        case 2:
            let ticker = String(parts[0]).replacing("-", with: ".")
            return Exchange(yahooSuffix: parts[1])?.listing(ticker).symbol
        default: return nil
        }
    }

    private static func listing(_ ticker: String, _ market: String?) -> String? {
        if market == nil, let preferred = SymbolKind.markingPreferred(ticker, with: preferredMark) {
            return preferred
        }
        let root = ticker.replacing(".", with: "-")
        if let market { return Exchange(code: market)?.yahooSuffix.map { "\(root).\($0)" } }
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
        let ticker =
            SymbolKind.preferredTicker(String(text), mark: preferredMark)
            ?? String(text).replacing("-", with: ".")
        return SymbolKind.listing(ticker: ticker, market: nil).symbol
    }

    /// Before the series of preferred shares: `BAC-PK`.
    private static let preferredMark = "-P"
}
