package import Brokerage
import Upstream

/// The mapping between Saxo's symbols and Portico's.
///
/// An instrument's identity at Saxo is its Uic and its AssetType together: one Uic is a share and the CFD on
/// it. So only a share or fund has a plain symbol, and only FX spot and a cryptocurrency a pair; all others have their
/// AssetType as a suffix:
///
/// | Saxo | AssetType | Portico |
/// |---|---|---|
/// | `AAPL:xnas` | Stock | `AAPL` |
/// | `BRKb:xnys` | Stock | `BRK.B` |
/// | `TSCO:xlon` | Stock | `TSCO:XLON` |
/// | `EURDKK` | FxSpot | `EUR/DKK` |
/// | `BTCUSD` | FxCrypto, until May 2025 FxSpot | `BTC/USD` |
/// | `SPX.I` | StockIndex | `^SPX` |
/// | `NESN:xvtx`, `00700:xhkg` | Stock | `NESN:XSWX`, `0700:XHKG` |
/// | `AAPL:xnas` | CfdOnStock | `AAPL:XNAS:CfdOnStock` |
/// | `ES Dec26`, Uic 77 | ContractFutures | `UIC=77:ContractFutures` |
package struct SaxoSymbols: SymbolMapping, Hashable {
    /// Exchanges by market identifier code in lower case, whose shares go without it; the first is preferred where
    /// several have a share of one name.
    package var homeExchanges = ["xnas", "xnys", "arcx", "xase", "bats"]
    /// The AssetTypes of shares and funds, which have plain symbols.
    package var shareTypes = ["Stock", "Etf", "Etc", "Etn", "Fund"]

    package init() {}

    package func providerSymbol(for symbol: Symbol) -> String? {
        switch SaxoSymbolQuery(symbol, in: self) {
        case .share(let ticker, let market):
            providerSymbol(forTicker: ticker, at: market)
                + (market.map { ":\(Exchange(code: $0)?.saxoCodes.first ?? $0.lowercased())" } ?? "")
        case .pair(let base, let quote): base + quote
        case .other(let spelling, _): spelling
        case .uic(let key): String(key.uic)
        case nil: nil
        }
    }

    package func symbol(for spelling: String) -> Symbol? {
        if let pair = Self.pair(spelling) { return Symbol("\(pair.base)/\(pair.quote)") }
        // Portico's symbols of other instruments end in an AssetType, which is no exchange.
        if let colon = spelling.lastIndex(of: ":"),
            SaxoSymbolQuery.isAssetType(spelling[spelling.index(after: colon)...])
        {
            return spelling.hasPrefix(SaxoSymbolQuery.uicPrefix)
                ? Symbol(spelling)
                : symbol(
                    for: String(spelling[..<colon]),
                    assetType: String(spelling[spelling.index(after: colon)...]))
        }
        // A share has an exchange.
        if spelling.hasSuffix(Self.indexSuffix), !spelling.contains(":") {
            return symbol(for: spelling, assetType: Self.index)
        }
        return share(for: spelling)
    }

    /// Portico's symbol of an instrument; nil for a Saxo symbol that cannot be mapped.
    func symbol(for spelling: String, assetType: String) -> Symbol? {
        if Self.pairTypes.contains(assetType) {
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

    /// The AssetTypes of pairs.
    ///
    /// Saxo returned cryptocurrencies as FxSpot until May 2025, and still accepts it for them.
    static let pairTypes = ["FxSpot", "FxCrypto"]
    static let index = "StockIndex"
    static let indexSuffix = ".I"
    /// Before the series of preferred shares.
    private static let preferredMark = "p"
    /// Beside a Uic of ten digits, in the longest symbol.
    private static let maximumTypeLength = Symbol.maximumLength - 15

    // MARK: Shares

    private func share(for spelling: String) -> Symbol? {
        let parts = spelling.split(separator: ":", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        let ticker = ticker(for: parts[0])
        guard parts.count == 2 else { return Symbol(ticker) }
        let code = parts[1].lowercased()
        if homeExchanges.contains(code) { return Symbol(ticker) }
        let market = Exchange(code: code.uppercased())
        return Symbol("\(market?.padded(ticker) ?? ticker):\(market?.code ?? code.uppercased())")
    }

    /// Saxo's documents have no example of a share with a class; its class is assumed to be a lowercase letter.
    private func ticker(for spelling: Substring) -> String {
        SymbolKind.preferredTicker(String(spelling), mark: Self.preferredMark)
            ?? SymbolKind.classTicker(saxo: spelling) ?? String(spelling)
    }

    /// The ticker in Saxo's form, at the exchange with a market identifier code.
    func providerSymbol(forTicker ticker: String, at market: String?) -> String {
        let parts = ticker.split(separator: ".", omittingEmptySubsequences: false)
        if parts.count == 2, !parts[0].isEmpty {
            if parts[1].count == 1 { return parts[0] + parts[1].lowercased() }
            if market == nil, let preferred = SymbolKind.markingPreferred(ticker, with: Self.preferredMark) {
                return preferred
            }
        }
        let digits = market.flatMap { Exchange(code: $0)?.saxoTickerDigits }
        return Exchange.padding(ticker, to: digits)
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
    /// `market` is a market identifier code; nil for one of the home exchanges, whichever.
    case share(ticker: String, market: String?)
    /// FX spot, or a cryptocurrency.
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
            let isHome = symbolMapping.homeExchanges.contains(last.lowercased())
            self = .share(ticker: String(first), market: isHome ? nil : last.uppercased())
        case 3 where Self.isAssetType(last):
            self = .other(providerSymbol: "\(first):\(parts[1].lowercased())", assetType: String(last))
        default: return nil
        }
    }

    private static func plain(_ text: Substring) -> SaxoSymbolQuery? {
        let sides = text.split(separator: "/", omittingEmptySubsequences: false)
        guard sides.count > 1 else { return .share(ticker: String(text), market: nil) }
        guard sides.count == 2, sides.allSatisfy({ $0.utf8.count == 3 }) else { return nil }
        return .pair(base: String(sides[0]), quote: String(sides[1]))
    }

    static let uicPrefix = "UIC="

    /// `CfdOnStock`: it begins with a capital and has small letters, which codes of exchanges have not.
    static func isAssetType(_ text: Substring) -> Bool {
        text.first?.isUppercase == true && text.contains(where: \.isLowercase)
            && text.allSatisfy { $0.isASCII && $0.isLetter }
    }
}
