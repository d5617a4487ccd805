package import Brokerage
package import Upstream

extension PolygonClient: CorporateActionSource {
    package var reportsDeclarations: Bool { true }

    /// `GET /stocks/v1/dividends`, with the amounts as they were declared.
    package func dividends(
        of symbols: [Symbol], in context: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, DividendHistory> {
        try await actions("dividends", "ex_dividend_date.desc", of: symbols, in: context) {
            symbol, list, fetchedAt in
            DividendHistory(
                symbol: symbol, dividends: list.results.compactMap(\PolygonDividend.dividend),
                provenance: Provenance(source: .polygon, fetchedAt: fetchedAt))
        }
    }

    /// `GET /stocks/v1/splits`.
    package func splits(
        of symbols: [Symbol], in context: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, SplitHistory> {
        try await actions("splits", "execution_date.desc", of: symbols, in: context) {
            symbol, list, fetchedAt in
            SplitHistory(
                symbol: symbol, splits: list.results.compactMap(\PolygonSplit.split),
                provenance: Provenance(source: .polygon, fetchedAt: fetchedAt))
        }
    }

    /// The most that Polygon returns at once; no instrument has as many.
    private static var limit: String { "5000" }

    /// Polygon returns the same empty response for an unknown ticker and for one without actions, so the reference data
    /// is read too if a response is empty.
    private func actions<Item, Value>(
        _ kind: String, _ order: String, of symbols: [Symbol], in context: CallContext,
        _ value: (Symbol, PolygonActionList<Item>, Instant) -> Value
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, Value> {
        var histories = KeyedResults<Symbol, Value>()
        for symbol in symbols {
            // Currencies, coins and indices have no corporate actions.
            guard case .listing? = SymbolKind(symbol) else { continue }
            let items = [
                ("ticker", try Optional(providerSymbol(for: symbol))), ("limit", Self.limit), ("sort", order),
            ]
            let list = try await get(
                kind, { $0.appending(path: "stocks", "v1", kind)?.appending(query: items) }, in: context
            ) { reader throws(JSONError) in try PolygonActionList<Item>(json: &reader) }
            if list.results.isEmpty, try await isUnknown(symbol, in: context) { continue }
            histories[symbol] = value(symbol, list, clock.wallTime())
        }
        return histories
    }
}

/// The response of `GET /stocks/v1/dividends` and `/splits`; without actions there may be no `results`.
struct PolygonActionList<Item: JSONDecodable>: JSONDecodable {
    var results: [Item] = []

    init(json reader: inout JSONReader) throws(JSONError) {
        var status: PolygonStatus?
        var results: [Item] = []
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "status": status = try reader.goodStatus()
            case "results":
                if try reader.null() { return }
                results = try reader.array(of: Item.self)
            default: try reader.skip()
            }
        }
        _ = try reader.required(status, "status")
        self.results = results
    }
}

/// An element of the dividends; Polygon guarantees hardly any of its fields.
struct PolygonDividend: JSONObjectDecodable, Hashable {
    var exDate: CalendarDate?
    var amount: Decimal?
    var currency: String?
    /// `recurring`, `special`, `supplemental`, `irregular` or `unknown`.
    var type: String?
    var declaredOn: CalendarDate?
    var recordDate: CalendarDate?
    var payDate: CalendarDate?

    static let json = JSONFields(Self()) {
        $0.optional("ex_dividend_date", \.exDate)
        $0.optional("cash_amount", \.amount)
        $0.optional("currency", \.currency)
        $0.optional("distribution_type", \.type)
        $0.optional("declaration_date", \.declaredOn)
        $0.optional("record_date", \.recordDate)
        $0.optional("pay_date", \.payDate)
    }

    /// Nil without an ex-date or an amount.
    var dividend: Dividend? {
        guard let exDate, let amount else { return nil }
        let code = currency.flatMap { $0.isEmpty ? nil : $0.uppercased() }
        var dividend = Dividend(exDate: exDate, amount: amount, currency: code)
        dividend.declaredOn = declaredOn
        dividend.recordDate = recordDate
        dividend.payDate = payDate
        dividend.isSpecial =
            switch type {
            case "recurring": false
            case "special", "supplemental", "irregular": true
            default: nil
            }
        return dividend
    }
}

/// An element of the splits, which include dividends in shares.
struct PolygonSplit: JSONObjectDecodable, Hashable {
    var exDate: CalendarDate?
    var oldShares: Decimal?
    var newShares: Decimal?

    static let json = JSONFields(Self()) {
        $0.optional("execution_date", \.exDate)
        $0.optional("split_from", \.oldShares)
        $0.optional("split_to", \.newShares)
    }

    /// Nil without a date or two numbers above zero.
    var split: Split? {
        guard let exDate, let newShares, let oldShares else { return nil }
        return Split(exDate: exDate, newShares: newShares, oldShares: oldShares)
    }
}
