package import Brokerage
package import Upstream

extension AlphaVantageClient: CorporateActionSource {
    package var reportsDeclarations: Bool { true }

    /// `DIVIDENDS`, which has no currency: that of the exchange if it has only one, otherwise none.
    ///
    /// Dividends of an exchange with prices in hundredths of the currency are `unsupported`: the response does not tell
    /// which of both an amount is in.
    package func dividends(
        of symbols: [Symbol], in context: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, DividendHistory> {
        let known = symbols.filter(symbolMapping.isDividendUnitKnown(of:))
        var histories = try await actions("dividends", "DIVIDENDS", of: known, in: context) {
            symbol, rows, fetchedAt in
            let currency = symbolMapping.unit(of: symbol)?.currency
            return DividendHistory(
                symbol: symbol,
                dividends: rows.elements.map { (item: AlphaVantageDividend) in item.dividend(in: currency) },
                unreadable: rows.unreadable(in: "data"),
                provenance: Provenance(source: .alphaVantage, fetchedAt: fetchedAt))
        }
        histories.fail(Set(symbols).subtracting(known), ProviderFailure(.alphaVantage, .unsupported))
        return histories
    }

    /// `SPLITS`.
    package func splits(
        of symbols: [Symbol], in context: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, SplitHistory> {
        try await actions("splits", "SPLITS", of: symbols, in: context) { symbol, rows, fetchedAt in
            SplitHistory(
                symbol: symbol, splits: rows.elements.map(\AlphaVantageSplit.split),
                unreadable: rows.unreadable(in: "data"),
                provenance: Provenance(source: .alphaVantage, fetchedAt: fetchedAt))
        }
    }

    private func actions<Item: JSONDecodable & Sendable, Value>(
        _ operation: String, _ function: String, of symbols: [Symbol], in context: CallContext,
        _ value: (Symbol, JSONRows<Item>, Instant) -> Value
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, Value> {
        var histories = KeyedResults<Symbol, Value>()
        for symbol in symbols {
            let items = [("symbol", try Optional(providerSymbol(for: symbol)))]
            let list = try await get(operation, function, items, in: context) { reader throws(JSONError) in
                try AlphaVantageActionList<Item>(json: &reader)
            }
            guard let rows = list.rows else { continue }
            histories[symbol] = value(symbol, rows, clock.wallTime())
        }
        return histories
    }
}

/// The response of `DIVIDENDS` and `SPLITS`.
struct AlphaVantageActionList<Item: JSONDecodable & Sendable>: JSONDecodable {
    /// Nil for an empty object, which Alpha Vantage returns for an unknown symbol.
    let rows: JSONRows<Item>?

    init(json reader: inout JSONReader) throws(JSONError) {
        var (isEmpty, rows) = (true, JSONRows<Item>?.none)
        try reader.object { key, reader throws(JSONError) in
            isEmpty = false
            switch key {
            case "data": rows = try reader.rows()
            default: try reader.skip()
            }
        }
        self.rows = isEmpty ? nil : try reader.required(rows, "data")
    }
}

/// An element of the dividends: missing dates are `None`.
struct AlphaVantageDividend: JSONObjectDecodable, Hashable {
    var exDate = CalendarDate.earliest
    var amount = Decimal.zero
    var declaredOn: CalendarDate?
    var recordDate: CalendarDate?
    var payDate: CalendarDate?

    static let json = JSONFields(Self()) {
        $0.required("ex_dividend_date", \.exDate)
        $0.required("amount", \.amount, JSONReader.figure)
        $0.optional("declaration_date", \.declaredOn, JSONReader.meaningfulDate)
        $0.optional("record_date", \.recordDate, JSONReader.meaningfulDate)
        $0.optional("payment_date", \.payDate, JSONReader.meaningfulDate)
    }

    func dividend(in currency: String?) -> Dividend {
        var dividend = Dividend(exDate: exDate, amount: amount, currency: currency)
        dividend.declaredOn = declaredOn
        dividend.recordDate = recordDate
        dividend.payDate = payDate
        return dividend
    }
}

/// An element of the splits.
struct AlphaVantageSplit: JSONDecodable {
    let split: Split

    init(json reader: inout JSONReader) throws(JSONError) {
        let fields = try Fields(json: &reader)
        split = try reader.required(
            Split(exDate: fields.exDate, newShares: fields.factor, oldShares: 1), "split_factor above zero")
    }

    private struct Fields: JSONObjectDecodable {
        var exDate = CalendarDate.earliest
        /// The new shares for one old share.
        var factor = Decimal.zero

        static let json = JSONFields(Self()) {
            $0.required("effective_date", \.exDate)
            $0.required("split_factor", \.factor, JSONReader.figure)
        }
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
