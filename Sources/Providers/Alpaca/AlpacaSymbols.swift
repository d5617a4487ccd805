package import Brokerage
import Upstream

/// The conversion between Portico's and Alpaca's symbols.
///
/// Shares, share classes (`BRK.B`) and options have the same symbols as in Portico, and so have coins
/// (`BTC/USD`) in orders and market data; in positions, coins have no slash. Alpaca has no currencies, no
/// indices and no other exchanges.
package struct AlpacaSymbols: SymbolMapping {
    package init() {}

    package func providerSymbol(for symbol: Symbol) -> String? {
        symbol.isAlpacaShare || symbol.isAlpacaOption || Self.isCoinPair(symbol) ? symbol.text : nil
    }

    package func symbol(for spelling: String) -> Symbol? {
        guard let symbol = Symbol(spelling) else { return nil }
        if let pair = Self.coinPair(joined: spelling) { return pair }
        return self.providerSymbol(for: symbol) == nil ? nil : symbol
    }

    /// The symbol of an instrument whose asset class is known; only the place of the slash is inferred.
    static func symbol(_ symbol: Symbol, ofClass assetClass: String?) -> Symbol {
        switch assetClass {
        case "crypto": coinPair(joined: symbol.text) ?? symbol
        case .some: symbol
        case nil: AlpacaSymbols().symbol(for: symbol.text) ?? symbol
        }
    }

    private static func isCoinPair(_ symbol: Symbol) -> Bool {
        let parts = symbol.text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, coinQuotes.contains(String(parts[1])) else { return false }
        return isCoin(parts[0])
    }

    /// `BTC/USD` for `BTCUSD`; six letters at least, as shares have five at most.
    private static func coinPair(joined text: String) -> Symbol? {
        guard text.utf8.count >= 6, let quote = coinQuotes.first(where: { text.hasSuffix($0) }) else {
            return nil
        }
        let base = text.dropLast(quote.utf8.count)
        return isCoin(base) ? Symbol(base + "/" + quote) : nil
    }

    private static func isCoin(_ base: Substring) -> Bool {
        (2...10).contains(base.utf8.count) && !FiatCurrency.isCode(base)
            && base.utf8.allSatisfy { Symbol.isCapital($0) || Symbol.isDigit($0) }
    }

    /// The quote currencies of coins; none is the end of another.
    private static let coinQuotes = ["USD", "USDT", "USDC", "BTC"]
}

extension Symbol {
    /// Whether Alpaca could have a share of this name: up to eight capitals, and up to three more behind a dot for a
    /// class, warrants or the like (`BRK.B`).
    ///
    /// It is strict, because Alpaca refuses a whole list for one malformed symbol, and others may wait for the rest of
    /// it. Options, currencies and coins have other names, and other endpoints.
    var isAlpacaShare: Bool {
        // Each read of quotes asks for each symbol, so no part is copied.
        let root = text.utf8.prefix(while: Self.isCapital)
        let rest = text.utf8[root.endIndex...]
        guard (1...8).contains(root.count) else { return false }
        guard let dot = rest.first else { return true }
        let suffix = rest.dropFirst()
        return dot == UInt8(ascii: ".") && (1...3).contains(suffix.count) && suffix.allSatisfy(Self.isCapital)
    }

    /// Whether it is an option contract by the OCC's symbology: root, `yymmdd`, `C` or `P`, the strike in eight digits.
    var isAlpacaOption: Bool {
        let bytes = Array(text.utf8)
        guard (16...21).contains(bytes.count) else { return false }
        let (root, contract) = (bytes.dropLast(15), bytes.suffix(15))
        let side = contract[contract.startIndex + 6]
        return root.allSatisfy { Self.isCapital($0) || Self.isDigit($0) }
            && root.first.map(Self.isCapital) == true
            && contract.prefix(6).allSatisfy(Self.isDigit) && contract.suffix(8).allSatisfy(Self.isDigit)
            && (side == UInt8(ascii: "C") || side == UInt8(ascii: "P"))
    }

    fileprivate static func isCapital(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    }

    fileprivate static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}

/// The symbols of one request, all of which Alpaca refuses if it considers one of them malformed.
///
/// The refused symbol is removed, and the others are requested again. Each refusal costs a call, so the
/// number of refusals is limited.
struct AlpacaSymbolList {
    private(set) var symbols: [Symbol]
    private var rejections = 0

    private static let maximumRejections = 4

    init(_ symbols: [Symbol]) {
        self.symbols = symbols
    }

    /// The list for the URL's query; nil if no symbol is left.
    func list() throws(ProviderFailure) -> String? {
        if symbols.isEmpty { return nil }
        guard rejections < Self.maximumRejections else { throw ProviderFailure(.alpaca, .unsupported) }
        return symbols.map(\.text).joined(separator: ",")
    }

    /// Removes the symbol that a response refuses; false if it refuses none of these.
    mutating func remove(rejectedIn response: HTTPClientResponse) -> Bool {
        guard let refused = AlpacaErrorBody.rejectedSymbol(in: response), symbols.contains(refused) else {
            return false
        }
        symbols.removeAll { $0 == refused }
        rejections += 1
        return true
    }
}
