import Brokerage

/// What one of Portico's symbols says of an instrument at Saxo.
enum SaxoSymbolQuery: Hashable {
    /// `exchange` is empty for one of the home exchanges, whichever; else a colon and its code in lower case.
    case share(ticker: String, exchange: String)
    /// FX spot.
    case pair(base: String, quote: String)
    /// Spelled as Saxo does.
    case other(providerSymbol: String, assetType: String)
    case uic(SaxoInstrumentKey)

    /// Nil for a kind of symbol that is of other providers, such as `EURUSD=X`.
    init?(_ symbol: Symbol, in dialect: SaxoSymbols) {
        if case .index(let name) = SymbolKind(symbol) {
            self = .other(providerSymbol: name + SaxoSymbols.indexSuffix, assetType: SaxoSymbols.index)
            return
        }
        let parts = symbol.text.split(separator: ":", omittingEmptySubsequences: false)
        guard let first = parts.first, let last = parts.last, parts.allSatisfy({ !$0.isEmpty }) else {
            return nil
        }
        if first.hasPrefix(Self.uicPrefix) {
            guard parts.count == 2, Self.isAssetType(last),
                let uic = Int(first.dropFirst(Self.uicPrefix.count)),
                uic > 0
            else { return nil }
            self = .uic(SaxoInstrumentKey(uic: uic, assetType: String(last)))
            return
        }
        guard !symbol.text.contains(where: { "^=+".contains($0) }) else { return nil }
        switch parts.count {
        case 1:
            guard let name = Self.plain(first) else { return nil }
            self = name
        case 2 where Self.isAssetType(last):
            self = .other(providerSymbol: String(first), assetType: String(last))
        case 2:
            guard !first.contains("/") else { return nil }
            let exchange = last.lowercased()
            self = .share(
                ticker: String(first),
                exchange: dialect.homeExchanges.contains(exchange) ? "" : ":\(exchange)")
        case 3 where Self.isAssetType(last):
            self = .other(providerSymbol: "\(first):\(parts[1].lowercased())", assetType: String(last))
        default: return nil
        }
    }

    private static func plain(_ text: Substring) -> SaxoSymbolQuery? {
        let sides = text.split(separator: "/", omittingEmptySubsequences: false)
        guard sides.count > 1 else { return .share(ticker: String(text), exchange: "") }
        guard sides.count == 2, sides.allSatisfy({ $0.utf8.count == 3 }) else { return nil }
        return .pair(base: String(sides[0]), quote: String(sides[1]))
    }

    private static let uicPrefix = "UIC="

    /// `CfdOnStock`: it begins with a capital and has small letters, which codes of exchanges have not.
    private static func isAssetType(_ text: Substring) -> Bool {
        text.first?.isUppercase == true && text.contains(where: \.isLowercase)
            && text.allSatisfy { $0.isASCII && $0.isLetter }
    }
}
