package import Brokerage
import Upstream

/// The mapping between Polygon's symbols and Portico's: `AAPL`, `BRK.B`, `BACpK` for `BAC.PRK`, `C:EURUSD`,
/// `X:BTCUSD`, `I:SPX`.
///
/// Polygon has shares and funds that are listed in the United States. Option contracts (`O:…`) have no
/// symbol in Portico.
package struct PolygonSymbols: SymbolMapping {
    package init() {}

    package func providerSymbol(for symbol: Symbol) -> String? {
        switch SymbolKind(symbol) {
        case .listing(let ticker, market: nil):
            return SymbolKind.markingPreferred(ticker, with: Self.preferredMark) ?? ticker
        case .currencies(let base, let quote): return "C:\(base)\(quote)"
        case .crypto(let base, let quote):
            // Without a separator, only a currency at the end can be distinguished from the coin before it.
            return FiatCurrency.isCode(quote) ? "X:\(base)\(quote)" : nil
        case .index(let name): return "I:\(name)"
        case .listing, .future, nil: return nil
        }
    }

    package func symbol(for spelling: String) -> Symbol? {
        guard let colon = spelling.firstIndex(of: ":") else {
            let ticker = SymbolKind.preferredTicker(spelling, mark: Self.preferredMark) ?? spelling
            return SymbolKind.listing(ticker: ticker, market: nil).symbol
        }
        let name = String(spelling[spelling.index(after: colon)...])
        switch spelling[..<colon] {
        case "C": return Self.pair(name).flatMap { SymbolKind.currencies(base: $0, quote: $1).symbol }
        case "X": return Self.pair(name).flatMap { SymbolKind.crypto(base: $0, quote: $1).symbol }
        case "I": return SymbolKind.index(name).symbol
        default: return nil
        }
    }

    /// Two codes of which the second has three letters.
    private static func pair(_ name: String) -> (String, String)? {
        let (base, quote) = (name.dropLast(3), name.suffix(3))
        return !base.isEmpty && FiatCurrency.isCode(quote) ? (String(base), String(quote)) : nil
    }

    /// ISO 4217, of an instrument's prices; nil for an index, which has points.
    func currency(of symbol: Symbol) -> String? {
        switch SymbolKind(symbol) {
        case .listing: PriceUnit.usDollar.currency
        case .currencies(_, let quote), .crypto(_, let quote): quote
        case .index, .future, nil: nil
        }
    }

    /// Before the series of preferred shares.
    private static let preferredMark = "p"
}
