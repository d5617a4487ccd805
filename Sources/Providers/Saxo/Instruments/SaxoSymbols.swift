package import Brokerage
import Upstream

/// The mapping between Saxo's symbols and Portico's.
///
/// An instrument's identity at Saxo is its Uic and its AssetType together: one Uic is a share and the CFD on
/// it. So only a share or fund has a plain symbol, and only FX spot a pair; all others have their AssetType
/// as a suffix:
///
/// | Saxo | AssetType | Portico |
/// |---|---|---|
/// | `AAPL:xnas` | Stock | `AAPL` |
/// | `BRKb:xnys` | Stock | `BRK.B` |
/// | `TSCO:xlon` | Stock | `TSCO:XLON` |
/// | `EURDKK` | FxSpot | `EUR/DKK` |
/// | `SPX.I` | StockIndex | `^SPX` |
/// | `AAPL:xnas` | CfdOnStock | `AAPL:XNAS:CfdOnStock` |
/// | `ES Dec26`, Uic 77 | ContractFutures | `UIC=77:ContractFutures` |
package struct SaxoSymbols: SymbolMapping, Hashable {
    /// Exchanges by market identifier code in lower case, whose shares go without it; the first is preferred where
    /// several have a share of one name.
    package var homeExchanges = ["xnas", "xnys", "arcx", "xase", "bats"]
    /// The AssetTypes of shares and funds, which have plain symbols.
    package var shareTypes = ["Stock", "Etf", "Etc", "Etn", "Fund"]
    /// The form of share classes in Saxo's symbols.
    package var classShares = ClassShares.lowercase

    /// Saxo's documents have no example of a share with a class.
    package enum ClassShares: Hashable, Sendable {
        /// `BRKb:xnys`
        case lowercase
        /// `BRK.B:xnys`
        case dot
    }

    package init() {}

    package func providerSymbol(for symbol: Symbol) -> String? {
        switch SaxoSymbolQuery(symbol, in: self) {
        case .share(let ticker, let exchange): [providerSymbol(forTicker: ticker), exchange].joined()
        case .pair(let base, let quote): base + quote
        case .other(let spelling, _): spelling
        case .uic(let key): String(key.uic)
        case nil: nil
        }
    }

    package func symbol(for spelling: String) -> Symbol? {
        if let pair = Self.pair(spelling) { return Symbol("\(pair.base)/\(pair.quote)") }
        return share(for: spelling)
    }

    /// Portico's symbol of an instrument; nil for a Saxo symbol that cannot be mapped.
    func symbol(for spelling: String, assetType: String) -> Symbol? {
        if assetType == Self.spot {
            return Self.pair(spelling).flatMap { Symbol("\($0.base)/\($0.quote)") }
        }
        if shareTypes.contains(assetType) { return share(for: spelling) }
        if assetType == Self.index, spelling.hasSuffix(Self.indexSuffix) {
            return SymbolKind.index(String(spelling.dropLast(Self.indexSuffix.count))).symbol
        }
        return Symbol("\(Self.capitalizingExchange(spelling)):\(assetType)")
    }

    /// Portico's symbol of an instrument, for any symbol of Saxo.
    package func symbol(of key: SaxoInstrumentKey, providerSymbol spelling: String?) -> Symbol? {
        spelling.flatMap { symbol(for: $0, assetType: key.assetType) }
            ?? Symbol("UIC=\(key.uic):\(key.assetType.prefix(Self.maximumTypeLength))")
    }

    static let spot = "FxSpot"
    static let index = "StockIndex"
    static let indexSuffix = ".I"
    /// Beside a Uic of ten digits, in the longest symbol.
    private static let maximumTypeLength = Symbol.maximumLength - 15

    // MARK: Shares

    private func share(for spelling: String) -> Symbol? {
        let parts = spelling.split(separator: ":", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        let ticker = ticker(for: parts[0])
        guard parts.count == 2 else { return Symbol(ticker) }
        let exchange = parts[1].lowercased()
        return Symbol(homeExchanges.contains(exchange) ? ticker : "\(ticker):\(exchange.uppercased())")
    }

    private func ticker(for spelling: Substring) -> String {
        guard classShares == .lowercase, spelling.count >= 2, let last = spelling.last, last.isLowercase,
            spelling.dropLast().allSatisfy({ !$0.isLowercase })
        else { return String(spelling) }
        return "\(spelling.dropLast()).\(last.uppercased())"
    }

    /// The ticker in Saxo's form.
    func providerSymbol(forTicker ticker: String) -> String {
        let parts = ticker.split(separator: ".", omittingEmptySubsequences: false)
        guard classShares == .lowercase, parts.count == 2, parts[1].count == 1, !parts[0].isEmpty else {
            return ticker
        }
        return parts[0] + parts[1].lowercased()
    }

    // MARK: Others

    /// The two currencies of a pair that is written as six capital letters.
    private static func pair(_ spelling: String) -> (base: Substring, quote: Substring)? {
        guard spelling.utf8.count == 6, spelling.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) else {
            return nil
        }
        return (spelling.prefix(3), spelling.suffix(3))
    }

    private static func capitalizingExchange(_ spelling: String) -> String {
        guard let colon = spelling.lastIndex(of: ":") else { return spelling }
        return spelling[...colon] + spelling[spelling.index(after: colon)...].uppercased()
    }
}

/// A symbol of Portico as a query for Saxo's instruments.
package enum SaxoSymbolQuery: Hashable {
    /// `exchange` is empty for one of the home exchanges, whichever; else a colon and its code in lower case.
    case share(ticker: String, exchange: String)
    /// FX spot.
    case pair(base: String, quote: String)
    /// In Saxo's form.
    case other(providerSymbol: String, assetType: String)
    case uic(SaxoInstrumentKey)

    /// Nil for a kind of symbol that only other providers have, such as `EURUSD=X`.
    package init?(_ symbol: Symbol, in symbolMapping: SaxoSymbols) {
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
                exchange: symbolMapping.homeExchanges.contains(exchange) ? "" : ":\(exchange)")
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
