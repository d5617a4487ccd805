/// A symbol as people and other services write it.
///
/// | Text | Portico's form |
/// |---|---|
/// | `aapl`, `Aapl`, `AAPL:XNAS`, `AAPL:xnas` | `AAPL` |
/// | `BRK-B`, `brk-b`, `BRKb:xnys` | `BRK.B` |
/// | `BAC-PK`, `BACpK` | `BAC.PRK` |
/// | `SWDA.MI`, `TSCO.LON`, `M&M.NS` | `SWDA:XMIL`, `TSCO:XLON`, `M&M:XNSE` |
/// | `0700.HK`, `700:XHKG`, `7203.T` | `0700:XHKG`, `7203:XTKS` |
/// | `EURUSD`, `EURUSD=X`, `EUR-USD` | `EUR/USD` |
/// | `BTC-USD`, `BTCUSD` | `BTC/USD` |
/// | `^GSPC` | `^SPX` |
///
/// `VOD.L` is unchanged, since it can be a class of shares in the United States.
struct TypedSymbol {
    private let text: String

    init(_ text: String) {
        self.text = Self.capitalized(text)
    }

    /// The instrument that the text means; nil for a symbol that only one provider has.
    var kind: SymbolKind? {
        if text.contains(":") { return listing }
        if text.hasPrefix("^") {
            let name = String(text.dropFirst())
            return .index(SymbolKind.yahooIndices.first { $0.value == name }?.key ?? name)
        }
        if text.hasSuffix("=X") { return currencies }
        if text.contains("-") { return hyphenated }
        return dotted?.unambiguous ?? joinedPair ?? plain
    }

    /// The listing whose Yahoo's or Alpha Vantage's symbol the text is; nil for another text.
    var dotted: (unambiguous: SymbolKind?, any: SymbolKind)? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty,
            let exchange = Exchange(yahooSuffix: parts[1]) ?? Exchange(alphaVantageSuffix: parts[1])
        else { return nil }
        let kind = exchange.listing(Self.capitalized(String(parts[0])).replacing("-", with: "."))
        // An American ticker has letters only, and the class of its shares one behind a dot.
        let isAmbiguous =
            parts[0].utf8.allSatisfy(Self.isCapital)
            && (parts[1].utf8.count == 1 || Self.americanSuffixes.contains(String(parts[1])))
        return (isAmbiguous ? nil : kind, kind)
    }

    /// The American ticker in a form of other services: `AAPL.US`, `NASDAQ:AAPL`; nil for another text.
    ///
    /// Each of these texts is also a symbol of Portico, though of no known instrument.
    fileprivate var american: Symbol? {
        let colon = text.split(separator: ":", omittingEmptySubsequences: false)
        let dot = text.split(separator: ".", omittingEmptySubsequences: false)
        let ticker: Substring
        if colon.count == 2, Self.americanMarkets.contains(String(colon[0])) {
            ticker = colon[1]
        } else if dot.count > 1, let suffix = dot.last, suffix == "US" {
            ticker = text.dropLast(suffix.utf8.count + 1)
        } else {
            return nil
        }
        return Symbol(typed: String(ticker)).flatMap { symbol in
            guard case .listing(_, nil)? = SymbolKind(symbol) else { return nil }
            return symbol
        }
    }

    // MARK: Forms

    /// With a market, in Portico's or Saxo's form.
    private var listing: SymbolKind? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].utf8.count == 4 else { return nil }
        let market = parts[1].uppercased()
        let isSaxo = parts[1] == parts[1].lowercased() && parts[1] != market
        // `Bond` is an asset type of Saxo.
        guard isSaxo || parts[1] == market else { return nil }
        let name = Self.capitalized(String(parts[0]))
        let ticker = isSaxo ? SymbolKind.classTicker(saxo: name) ?? name : name
        return Exchange(code: market).map { exchange in
            exchange.listing(exchange.isAmerican ? Self.american(ticker) : ticker.replacing("-", with: "."))
        } ?? .listing(ticker: ticker, market: market)
    }

    /// `EURUSD=X`, or `JPY=X` for the price of a dollar.
    private var currencies: SymbolKind? {
        let name = text.dropLast(2)
        let (base, quote) = name.utf8.count == 3 ? ("USD", name) : (name.dropLast(3), name.suffix(3))
        guard FiatCurrency.isCode(base), FiatCurrency.isCode(quote) else { return nil }
        return .currencies(base: String(base), quote: String(quote))
    }

    /// A pair, or a class of shares.
    private var hyphenated: SymbolKind? {
        if let dotted { return dotted.unambiguous }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        if parts.count == 2, Self.isQuote(parts[1]) {
            return SymbolKind.pair(String(parts[0]), String(parts[1]))
        }
        return .listing(ticker: Self.american(text), market: nil)
    }

    /// A pair without a separator; American tickers have five letters at most.
    private var joinedPair: SymbolKind? {
        guard text.utf8.count >= 6, text.utf8.allSatisfy(Self.isCapital),
            let length = [4, 3].first(where: { Self.isQuote(text.suffix($0)) })
        else { return nil }
        let (base, quote) = (String(text.dropLast(length)), String(text.suffix(length)))
        if FiatCurrency.isCode(base), FiatCurrency.isCode(quote) {
            return .currencies(base: base, quote: quote)
        }
        return Self.coinQuotes.contains(quote) ? .crypto(base: base, quote: quote) : nil
    }

    private var plain: SymbolKind? {
        Symbol(Self.american(text)).flatMap(SymbolKind.init)
    }

    // MARK: Parts

    /// In capitals, if the text has none, or only the one that phones write at the beginning of a word.
    ///
    /// In other texts small letters have a meaning: `BACpK`, `BRKb:xnys`, `NDX.I:CfdOnIndex`.
    private static func capitalized(_ text: String) -> String {
        let rest = text.utf8.dropFirst()
        let isWord = rest.count >= 2 && rest.allSatisfy { (0x61...0x7A).contains($0) }
        return isWord || !text.utf8.contains(where: isCapital) ? text.uppercased() : text
    }

    /// An American ticker in Portico's form: `BRK.B` for `BRK-B`, `BAC.PRK` for `BAC-PK` and `BACpK`.
    private static func american(_ ticker: String) -> String {
        SymbolKind.preferredTicker(ticker, mark: "-P") ?? SymbolKind.preferredTicker(ticker, mark: "p")
            ?? ticker.replacing("-", with: ".")
    }

    /// Whether coins are usually priced in it.
    fileprivate static func isQuote(_ text: some StringProtocol) -> Bool {
        FiatCurrency.isCode(text) || coinQuotes.contains(String(text))
    }

    /// The class of American shares whose ticker and class are the two parts of a text: `BRK.B` for `BRK B`, `BAC.PRK` for
    /// `BAC PRK`; nil for other parts.
    fileprivate static func shareClass(_ parts: [Substring]) -> Symbol? {
        let parts = parts.map { $0.uppercased() }
        guard parts.count == 2, (1...5).contains(parts[0].utf8.count),
            parts.allSatisfy({ $0.utf8.allSatisfy(isCapital) }),
            parts[1].utf8.count == 1 || parts[1].utf8.count == 3 && parts[1].hasPrefix("PR")
        else { return nil }
        return Symbol(parts.joined(separator: "."))
    }

    /// The currencies and coins in which coins are usually priced.
    private static let coinQuotes: Set = ["USD", "EUR", "GBP", "USDT", "USDC", "BTC"]
    /// Yahoo's suffixes of exchanges that are also suffixes of American tickers: preferred, called.
    private static let americanSuffixes: Set = ["PR", "CL"]
    /// Names of American exchanges that other services write before a ticker.
    private static let americanMarkets: Set = [
        "NASDAQ", "NYSE", "AMEX", "NYSEAMERICAN", "NYSEARCA", "ARCA", "BATS", "CBOE", "XNAS", "XNYS", "XASE",
        "ARCX",
    ]

    private static func isCapital(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) }
}

extension Symbol {
    /// The symbol that a text means, in Portico's form; nil for a text that is no symbol.
    ///
    /// It is found by rules, without a call, so that all texts for an instrument have one key of the caches. A symbol in
    /// Portico's form is unchanged.
    package init?(typed text: String) {
        guard let symbol = Symbol(text) else { return nil }
        self = symbol.isShortTicker ? symbol : TypedSymbol(text).kind?.symbol ?? symbol
    }

    /// The symbol that an invalid text probably means: a class of shares for `BRK B`, otherwise the text without white space
    /// and the sign of `$AAPL`; nil for another text.
    package init?(suggestedBy text: String) {
        guard text.utf8.count <= 2 * Symbol.maximumLength else { return nil }
        let words = text.filter { $0 != "$" }.split(whereSeparator: \.isWhitespace)
        if let shares = TypedSymbol.shareClass(words) {
            self = shares
            return
        }
        self.init(typed: words.joined())
        // Words are no ticker: `TSCO LN` is not `TSCOLN`.
        if words.count > 1, case .listing(_, nil)? = SymbolKind(self) { return nil }
    }

    /// The symbol that a text means by its form alone, which no name of an instrument has: one with a market or an asset type, a
    /// pair, an index or a future; nil for another text, such as the beginning of a name.
    package init?(denotedBy text: String) {
        guard let symbol = Symbol(typed: text) else { return nil }
        switch SymbolKind(symbol) {
        // Companies end in `A/S`.
        case .crypto(_, let quote)? where !TypedSymbol.isQuote(quote): return nil
        // `EURUSD` and `0700.HK` are also found as words.
        case .currencies?, .crypto?, .index?, .future?, .listing?:
            guard text.utf8.contains(where: { ":/^=".utf8.contains($0) }) else { return nil }
        // An instrument that only one provider has, with its asset type.
        case nil: guard text.contains(":") else { return nil }
        }
        self = symbol
    }

    /// Another instrument that the symbol can mean, in Portico's form: `VOD:XLON` for `VOD.L`, `BRK.B` for `BRK/B`, `^SPX` for
    /// `SPX`, `AAPL` for `AAPL.US` and `NASDAQ:AAPL`.
    package var alternative: Symbol? {
        if let index = SymbolKind.index(named: text) { return index.symbol }
        if isShortTicker { return nil }
        let typed = TypedSymbol(text)
        let other =
            typed.american ?? typed.dotted?.any.symbol
            ?? TypedSymbol.shareClass(text.split(separator: "/", omittingEmptySubsequences: false))
        return other == self ? nil : other
    }

    /// Whether it has at most five characters, all of them capitals.
    private var isShortTicker: Bool {
        text.utf8.count <= 5 && text.utf8.allSatisfy { (0x41...0x5A).contains($0) }
    }
}

extension SymbolKind {
    /// Indices that Yahoo calls otherwise than the exchanges do, by the exchange's name.
    package static let yahooIndices = ["SPX": "GSPC", "COMP": "IXIC", "DAX": "GDAXI", "UKX": "FTSE"]

    /// The index with one of its names, `^SPX` for `SPX` and `GSPC`; nil for another text.
    fileprivate static func index(named text: String) -> SymbolKind? {
        if yahooIndices[text] != nil || otherIndices.contains(text) { return .index(text) }
        return yahooIndices.first { $0.value == text }.map { .index($0.key) }
    }

    /// Indices that all call by one name.
    private static let otherIndices: Set = ["NDX", "DJI", "RUT", "VIX"]

    /// The ticker of preferred shares in Portico's form, `BAC.PRK`, for one with another mark before the series: `BACpK`.
    ///
    /// Nil for another ticker.
    package static func preferredTicker(_ text: String, mark: String) -> String? {
        guard text.utf8.count > mark.utf8.count + 1, let series = text.utf8.last,
            (0x41...0x5A).contains(series), text.dropLast().hasSuffix(mark)
        else { return nil }
        let root = text.dropLast(mark.count + 1)
        return root.utf8.allSatisfy { (0x41...0x5A).contains($0) }
            ? "\(root)\(preferredMark)\(text.suffix(1))" : nil
    }

    /// A ticker with another mark in place of Portico's: `BACpK` for `BAC.PRK`.
    package static func markingPreferred(_ ticker: String, with mark: String) -> String? {
        guard ticker.count > preferredMark.count + 1, ticker.dropLast().hasSuffix(preferredMark) else {
            return nil
        }
        return "\(ticker.dropLast(preferredMark.count + 1))\(mark)\(ticker.suffix(1))"
    }

    /// The ticker of a class of shares in Portico's form, `BRK.B`, for Saxo's `BRKb`; nil for another ticker.
    package static func classTicker(saxo text: some StringProtocol) -> String? {
        guard text.count >= 2, let last = text.last, last.isLowercase,
            text.dropLast().allSatisfy({ !$0.isLowercase })
        else { return nil }
        return "\(text.dropLast()).\(last.uppercased())"
    }

    private static let preferredMark = ".PR"
}
