/// The short name of an instrument: `AAPL`, `BRK.B`, `EUR/DKK`.
///
/// Case matters.
package struct Symbol: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    /// The longest symbol, in bytes; the longest in use (option contracts) have 21.
    package static let maximumLength = 32

    /// Returns nil if the text is empty, too long, or has a character that no market uses in symbols: ASCII
    /// letters, digits and `. - / : = ^ _ + &` are allowed.
    ///
    /// A symbol can therefore not add a separator to a list or a key; in a URL, `&` and `/` are encoded.
    package init?(_ text: String) {
        let length = text.utf8.count
        guard (1...Symbol.maximumLength).contains(length), text.utf8.allSatisfy(Symbol.mayContain) else {
            return nil
        }
        self.text = text
    }

    private init(valid text: String) {
        self.text = text
    }

    /// A valid symbol for placeholders.
    package static let example = Symbol(valid: "AAPL")

    package var description: String { text }

    private static func mayContain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: "="),
            UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: "&"):
            true
        default: false
        }
    }
}

/// The kind of instrument that a symbol of Portico denotes, by the form of its text.
///
/// The instrument does not have to exist. The symbol mapping of each provider translates these forms.
package enum SymbolKind: Hashable, Sendable {
    /// A share or fund: `AAPL`, `BRK.B` in the United States, `TSCO:XLON` with a market (ISO 10383).
    case listing(ticker: String, market: String?)
    /// One currency in terms of another: `EUR/DKK`.
    case currencies(base: String, quote: String)
    /// A coin in terms of a currency or another coin: `BTC/USD`.
    case crypto(base: String, quote: String)
    /// `^SPX`.
    case index(String)
    /// The next contract of a future, by the contract's root: `GC=F`.
    case future(String)

    /// Returns nil if the symbol has none of the forms of Portico.
    package init?(_ symbol: Symbol) {
        let text = symbol.text
        if text.hasPrefix("^") {
            guard let name = Self.name(text.dropFirst()) else { return nil }
            self = .index(name)
        } else if text.hasSuffix(Self.futureSuffix) {
            guard let root = Self.code(text.dropLast(Self.futureSuffix.count)) else { return nil }
            self = .future(root)
        } else if text.contains("/") {
            guard let (base, quote) = Self.halves(of: text, at: "/"), let base = Self.code(base),
                let quote = Self.code(quote)
            else { return nil }
            self = Self.pair(base, quote)
        } else if text.contains(":") {
            guard let (ticker, market) = Self.halves(of: text, at: ":"), let ticker = Self.ticker(ticker),
                let market = Self.code(market), market.utf8.count == 4
            else { return nil }
            self = .listing(ticker: ticker, market: market)
        } else {
            guard let ticker = Self.ticker(text[...]) else { return nil }
            self = .listing(ticker: ticker, market: nil)
        }
    }

    /// A pair of two codes: FX if states issue both.
    package static func pair(_ base: String, _ quote: String) -> SymbolKind {
        FiatCurrency.isCode(base) && FiatCurrency.isCode(quote)
            ? .currencies(base: base, quote: quote) : .crypto(base: base, quote: quote)
    }

    /// The symbol of this form; nil if its parts are not valid in a symbol.
    package var symbol: Symbol? {
        let text =
            switch self {
            case .listing(let ticker, nil): ticker
            case .listing(let ticker, let market?): "\(ticker):\(market)"
            case .currencies(let base, let quote), .crypto(let base, let quote): "\(base)/\(quote)"
            case .index(let name): "^\(name)"
            case .future(let root): root + Self.futureSuffix
            }
        guard let symbol = Symbol(text), SymbolKind(symbol) == self else { return nil }
        return symbol
    }

    // MARK: Parts

    private static let futureSuffix = "=F"

    private static func halves(of text: String, at separator: Character) -> (Substring, Substring)? {
        let parts = text.split(separator: separator, omittingEmptySubsequences: false)
        return parts.count == 2 ? (parts[0], parts[1]) : nil
    }

    /// Letters, digits and `&`; a dot only between them.
    private static func ticker(_ text: Substring) -> String? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.allSatisfy { name($0.filter { $0 != "&" }[...]) != nil } ? String(text) : nil
    }

    private static func name(_ text: Substring) -> String? {
        let isName = !text.isEmpty && text.utf8.allSatisfy { isCapital($0) || isDigit($0) || isSmall($0) }
        return isName ? String(text) : nil
    }

    private static func code(_ text: Substring) -> String? {
        let isCode = !text.isEmpty && text.utf8.allSatisfy { isCapital($0) || isDigit($0) }
        return isCode ? String(text) : nil
    }

    private static func isCapital(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) }
    private static func isSmall(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
