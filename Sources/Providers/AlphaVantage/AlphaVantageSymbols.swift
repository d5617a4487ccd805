package import Brokerage
import Upstream

/// The mapping between Alpha Vantage's symbols and Portico's: `IBM`, `BRK-B`, `TSCO.LON`.
///
/// Only shares and funds have symbols; currencies and coins have separate functions, and there are no
/// indices.
package struct AlphaVantageSymbols: SymbolMapping {
    package init() {}

    package func providerSymbol(for symbol: Symbol) -> String? {
        guard case .listing(let ticker, let market)? = SymbolKind(symbol) else { return nil }
        let root = ticker.replacing(".", with: "-")
        guard let market else { return root }
        return AlphaVantageMarket(rawValue: market).map { "\(root).\($0.suffix)" }
    }

    package func symbol(for spelling: String) -> Symbol? {
        let parts = spelling.split(separator: ".", omittingEmptySubsequences: false)
        let root = String(parts[0]).replacing("-", with: ".")
        switch parts.count {
        case 1: return SymbolKind.listing(ticker: root, market: nil).symbol
        case 2:
            if let market = AlphaVantageMarket(suffix: parts[1]) {
                return SymbolKind.listing(ticker: root, market: market.rawValue).symbol
            }
            // Alpha Vantage reportedly accepts `BRK.B` for `BRK-B`; no exchange has a suffix of one letter.
            return parts[1].utf8.count == 1
                ? SymbolKind.listing(ticker: "\(root).\(parts[1])", market: nil).symbol : nil
        default: return nil
        }
    }

    /// The unit of a listing's prices; nil if only a search returns it.
    package func unit(of symbol: Symbol) -> PriceUnit? {
        guard case .listing(_, let market)? = SymbolKind(symbol) else { return nil }
        guard let market else { return .usDollar }
        return AlphaVantageMarket(rawValue: market)?.unit
    }
}

/// The exchanges outside of the United States; the raw value is the market identifier code (ISO 10383).
enum AlphaVantageMarket: String, CaseIterable {
    case london = "XLON"
    case toronto = "XTSE"
    case torontoVenture = "XTSX"
    case xetra = "XETR"
    case frankfurt = "XFRA"
    case bombay = "XBOM"
    case shanghai = "XSHG"
    case shenzhen = "XSHE"
    case saoPaulo = "BVMF"
    case paris = "XPAR"
    case amsterdam = "XAMS"

    init?(suffix: Substring) {
        guard let market = Self.allCases.first(where: { $0.suffix == suffix }) else { return nil }
        self = market
    }

    /// The suffix of the ticker.
    var suffix: String {
        switch self {
        case .london: "LON"
        case .toronto: "TRT"
        case .torontoVenture: "TRV"
        case .xetra: "DEX"
        case .frankfurt: "FRK"
        case .bombay: "BSE"
        case .shanghai: "SHH"
        case .shenzhen: "SHZ"
        case .saoPaulo: "SAO"
        case .paris: "PAR"
        case .amsterdam: "AMS"
        }
    }

    /// The only unit of the exchange; nil if there are several: pence, pounds and dollars in London.
    var unit: PriceUnit? {
        switch self {
        case .xetra, .frankfurt, .paris, .amsterdam: PriceUnit("EUR")
        case .bombay: PriceUnit("INR")
        case .shanghai, .shenzhen: PriceUnit("CNY")
        case .saoPaulo: PriceUnit("BRL")
        case .london, .toronto, .torontoVenture: nil
        }
    }
}
