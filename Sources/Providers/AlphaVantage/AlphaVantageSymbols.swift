package import Brokerage
import Upstream

/// The mapping between Alpha Vantage's symbols and Portico's: `IBM`, `BRK-B`, `BAC-P-K` for `BAC.PRK`, `TSCO.LON`.
///
/// Only shares and funds have symbols; currencies and coins have separate functions, and there are no
/// indices.
package struct AlphaVantageSymbols: SymbolMapping {
    package init() {}

    package func providerSymbol(for symbol: Symbol) -> String? {
        guard case .listing(let ticker, let market)? = SymbolKind(symbol) else { return nil }
        let root = ticker.replacing(".", with: "-")
        guard let market else {
            return SymbolKind.markingPreferred(ticker, with: Self.preferredMark) ?? root
        }
        return Exchange(code: market)?.alphaVantageSuffix.map { "\(root).\($0)" }
    }

    package func symbol(for spelling: String) -> Symbol? {
        let parts = spelling.split(separator: ".", omittingEmptySubsequences: false)
        let root = String(parts[0]).replacing("-", with: ".")
        switch parts.count {
        case 1:
            let ticker = SymbolKind.preferredTicker(spelling, mark: Self.preferredMark) ?? root
            return SymbolKind.listing(ticker: ticker, market: nil).symbol
        case 2:
            if let exchange = Exchange(alphaVantageSuffix: parts[1]) {
                return exchange.listing(root).symbol
            }
            // Alpha Vantage reportedly accepts `BRK.B` for `BRK-B`; no exchange has a suffix of one letter.
            return parts[1].utf8.count == 1
                ? SymbolKind.listing(ticker: "\(root).\(parts[1])", market: nil).symbol : nil
        default: return nil
        }
    }

    /// Before the series of American preferred shares.
    private static let preferredMark = "-P-"

    /// Whether an instrument is listed in the United States.
    func isAmerican(_ symbol: Symbol) -> Bool {
        guard case .listing(_, market: nil)? = SymbolKind(symbol) else { return false }
        return true
    }

    /// Whether the unit of a listing's dividends is known: that of the exchange, where all prices have one.
    ///
    /// No document of Alpha Vantage names it. Where prices are in hundredths of the currency, an amount could be a hundred
    /// times too large.
    func isDividendUnitKnown(of symbol: Symbol) -> Bool {
        guard case .listing(_, let market?)? = SymbolKind(symbol) else { return true }
        return !Self.marketsWithHundredths.contains(market)
    }

    /// London (pence), Johannesburg (cents) and Tel Aviv (agorot).
    private static let marketsWithHundredths: Set = ["XLON", "XJSE", "XTAE"]

    /// The unit of a listing's prices; nil if only a search returns it.
    package func unit(of symbol: Symbol) -> PriceUnit? {
        guard case .listing(_, let market)? = SymbolKind(symbol) else { return nil }
        // Nil where there are several: pence, pounds and dollars in London.
        switch market {
        case nil: return .usDollar
        case "XETR", "XFRA", "XPAR", "XAMS": return PriceUnit("EUR")
        case "XBOM": return PriceUnit("INR")
        case "XSHG", "XSHE": return PriceUnit("CNY")
        case "BVMF": return PriceUnit("BRL")
        default: return nil
        }
    }
}
