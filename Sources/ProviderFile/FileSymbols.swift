package import Brokerage
import Upstream

/// The mapping of symbols by the forms of a provider file.
package struct FileSymbols: SymbolMapping {
    /// The form of the symbols of one kind of instrument.
    struct Form: Sendable {
        let kind: Kind
        let text: Template
        /// The market of ``Kind/market``.
        let market: String?
        /// ISO 4217; nil if it is unknown, or in the symbol.
        let currency: String?
        let days: CandleCalendar.Days

        /// The number of characters that are no placeholders: a form with more is tried first.
        var literalCount: Int {
            text.parts.reduce(0) { count, part in
                if case .text(let text) = part { return count + text.count }
                return count
            }
        }
    }

    enum Kind: String, Sendable, CaseIterable {
        case listing = "LISTING"
        case market = "MARKET"
        case currencies = "FX"
        case crypto = "CRYPTO"
        case index = "INDEX"

        var placeholders: [String] {
            switch self {
            case .listing, .market: ["ticker"]
            case .currencies, .crypto: ["base", "quote"]
            case .index: ["name"]
            }
        }
    }

    private let forms: [Form]

    init(_ forms: [Form]) {
        self.forms = forms.sorted { $0.literalCount > $1.literalCount }
    }

    package func providerSymbol(for symbol: Symbol) -> String? {
        guard let kind = SymbolKind(symbol), let form = form(of: kind) else { return nil }
        switch kind {
        case .listing(let ticker, _): return form.text.filled(["ticker": ticker])
        case .currencies(let base, let quote), .crypto(let base, let quote):
            // Without a separator, only a currency at the end can be distinguished from the coin before it.
            guard !form.isJoined || FiatCurrency.isCode(quote) else { return nil }
            return form.text.filled(["base": base, "quote": quote])
        case .index(let name): return form.text.filled(["name": name])
        // No kind of form has futures.
        case .future: return nil
        }
    }

    package func symbol(for spelling: String) -> Symbol? {
        for form in forms {
            if let kind = form.kind(of: spelling), let symbol = kind.symbol { return symbol }
        }
        return nil
    }

    /// The form of a symbol; nil for a kind that the provider does not have.
    func form(of symbol: Symbol) -> Form? {
        SymbolKind(symbol).flatMap(form)
    }

    private func form(of kind: SymbolKind) -> Form? {
        forms.first { form in
            switch (kind, form.kind) {
            case (.listing(_, market: nil), .listing), (.currencies, .currencies), (.crypto, .crypto),
                (.index, .index):
                true
            case (.listing(_, let market?), .market): market == form.market
            default: false
            }
        }
    }

    /// ISO 4217, of an instrument's prices; nil if it is unknown.
    func currency(of symbol: Symbol) -> String? {
        switch SymbolKind(symbol) {
        case .currencies(_, let quote), .crypto(_, let quote): quote
        case .listing, .index, .future, nil: form(of: symbol)?.currency
        }
    }
}

extension FileSymbols.Form {
    /// Whether nothing separates the two codes of a pair.
    fileprivate var isJoined: Bool {
        zip(text.parts, text.parts.dropFirst()).contains { one, next in
            if case .placeholder = one, case .placeholder = next { return true }
            return false
        }
    }

    /// The instrument with a provider's symbol; nil if the symbol has another form.
    fileprivate func kind(of spelling: String) -> SymbolKind? {
        guard let values = values(in: spelling) else { return nil }
        switch kind {
        case .listing: return values["ticker"].map { .listing(ticker: $0, market: nil) }
        case .market: return values["ticker"].map { .listing(ticker: $0, market: market) }
        case .index: return values["name"].map { .index($0) }
        case .currencies, .crypto:
            guard let base = values["base"], let quote = values["quote"] else { return nil }
            let pair = SymbolKind.pair(base, quote)
            switch (pair, kind) {
            case (.currencies, .currencies), (.crypto, .crypto): return pair
            default: return nil
            }
        }
    }

    /// The values of the placeholders.
    private func values(in spelling: String) -> [String: String]? {
        var values: [String: String] = [:]
        var rest = spelling[...]
        for (index, part) in text.parts.enumerated() {
            switch part {
            case .text(let literal):
                guard rest.hasPrefix(literal) else { return nil }
                rest = rest.dropFirst(literal.count)
            case .placeholder(let name):
                let next = index + 1 < text.parts.count ? text.parts[index + 1] : nil
                let value: Substring
                switch next {
                case nil: value = rest
                case .placeholder?:
                    // The second of two codes without a separator has three letters.
                    guard rest.count > 3, FiatCurrency.isCode(rest.suffix(3)) else { return nil }
                    value = rest.dropLast(3)
                case .text(let literal)?:
                    guard let range = rest.range(of: literal, after: rest.startIndex) else { return nil }
                    value = rest[..<range]
                }
                guard !value.isEmpty else { return nil }
                values[name] = String(value)
                rest = rest.dropFirst(value.count)
            }
        }
        return rest.isEmpty ? values : nil
    }
}

extension Substring {
    /// The start of the last occurrence of a text: a ticker may contain the separator itself (`BRK.B.US`).
    fileprivate func range(of text: String, after start: Index) -> Index? {
        var found: Index?
        var index = start
        while index < endIndex {
            if self[index...].hasPrefix(text) { found = index }
            index = self.index(after: index)
        }
        return found
    }
}
