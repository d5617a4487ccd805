package import Brokerage
package import Upstream

extension AlphaVantageClient: CorporateActionSource {
    package var reportsDeclarations: Bool { true }

    /// `DIVIDENDS`, which has no currency: that of the exchange if it has only one, otherwise none.
    package func dividends(
        of symbols: [Symbol], in context: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, DividendHistory> {
        try await actions("dividends", "DIVIDENDS", of: symbols, in: context) {
            symbol, items, fetchedAt in
            let currency = symbolMapping.unit(of: symbol)?.currency
            return DividendHistory(
                symbol: symbol,
                dividends: items.compactMap { (item: AlphaVantageDividend) in
                    item.dividend(in: currency)
                }, provenance: Provenance(source: .alphaVantage, fetchedAt: fetchedAt))
        }
    }

    /// `SPLITS`.
    package func splits(
        of symbols: [Symbol], in context: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, SplitHistory> {
        try await actions("splits", "SPLITS", of: symbols, in: context) { symbol, items, fetchedAt in
            SplitHistory(
                symbol: symbol, splits: items.compactMap(\AlphaVantageSplit.split),
                provenance: Provenance(source: .alphaVantage, fetchedAt: fetchedAt))
        }
    }

    private func actions<Item: JSONDecodable, Value>(
        _ operation: String, _ function: String, of symbols: [Symbol], in context: CallContext,
        _ value: (Symbol, [Item], Instant) -> Value
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, Value> {
        var histories = KeyedResults<Symbol, Value>()
        for symbol in symbols {
            let items = [("symbol", try Optional(providerSymbol(for: symbol)))]
            let list = try await get(operation, function, items, in: context) { reader throws(JSONError) in
                try AlphaVantageActionList<Item>(json: &reader)
            }
            guard let items = list.items else { continue }
            histories[symbol] = value(symbol, items, clock.wallTime())
        }
        return histories
    }
}

/// The response of `DIVIDENDS` and `SPLITS`.
struct AlphaVantageActionList<Item: JSONDecodable>: JSONDecodable {
    /// Nil for an empty object, which Alpha Vantage returns for an unknown symbol.
    var items: [Item]?

    init(json reader: inout JSONReader) throws(JSONError) {
        var (isEmpty, items) = (true, [Item]?.none)
        try reader.object { key, reader throws(JSONError) in
            isEmpty = false
            switch key {
            case "data": items = try reader.array(of: Item.self)
            default: try reader.skip()
            }
        }
        self.items = isEmpty ? nil : try reader.required(items, "data")
    }
}

/// An element of the dividends: missing dates are `None`.
struct AlphaVantageDividend: JSONObjectDecodable, Hashable {
    var exDate = CalendarDate.earliest
    var amount: Decimal?
    var declaredOn: CalendarDate?
    var recordDate: CalendarDate?
    var payDate: CalendarDate?

    static let json = JSONFields(Self()) {
        $0.required("ex_dividend_date", \.exDate)
        $0.optional("amount", \.amount, JSONReader.figure)
        $0.optional("declaration_date", \.declaredOn, JSONReader.meaningfulDate)
        $0.optional("record_date", \.recordDate, JSONReader.meaningfulDate)
        $0.optional("payment_date", \.payDate, JSONReader.meaningfulDate)
    }

    /// Nil without an amount.
    func dividend(in currency: String?) -> Dividend? {
        guard let amount else { return nil }
        var dividend = Dividend(exDate: exDate, amount: amount, currency: currency)
        dividend.declaredOn = declaredOn
        dividend.recordDate = recordDate
        dividend.payDate = payDate
        return dividend
    }
}

/// An element of the splits.
struct AlphaVantageSplit: JSONObjectDecodable, Hashable {
    var exDate = CalendarDate.earliest
    /// The new shares for one old share.
    var factor: Decimal?

    static let json = JSONFields(Self()) {
        $0.required("effective_date", \.exDate)
        $0.optional("split_factor", \.factor, JSONReader.figure)
    }

    /// Nil without a factor above zero.
    var split: Split? {
        factor.flatMap { Split(exDate: exDate, newShares: $0, oldShares: 1) }
    }
}

extension JSONReader {
    /// Reads a date; nil for texts that mean a missing one.
    fileprivate static func meaningfulDate(_ reader: inout JSONReader) throws(JSONError) -> CalendarDate? {
        try reader.token(oneOf: "dates like 2026-11-20, None and -") { (word) -> CalendarDate?? in
            switch word {
            case "None", "-", "": .some(nil)
            default: CalendarDate(word.string).map { .some($0) }
            }
        }
    }
}
