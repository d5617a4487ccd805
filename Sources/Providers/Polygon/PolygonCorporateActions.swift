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
                symbol: symbol, dividends: list.rows.elements.map(\PolygonDividend.dividend),
                unreadable: list.unreadable, provenance: Provenance(source: .polygon, fetchedAt: fetchedAt))
        }
    }

    /// `GET /stocks/v1/splits`.
    package func splits(
        of symbols: [Symbol], in context: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, SplitHistory> {
        try await actions("splits", "execution_date.desc", of: symbols, in: context) {
            symbol, list, fetchedAt in
            SplitHistory(
                symbol: symbol, splits: list.rows.elements.map(\PolygonSplit.split),
                unreadable: list.unreadable, provenance: Provenance(source: .polygon, fetchedAt: fetchedAt))
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
            if list.isEmpty, try await isUnknown(symbol, in: context) { continue }
            histories[symbol] = value(symbol, list, clock.wallTime())
        }
        return histories
    }
}

/// The response of `GET /stocks/v1/dividends` and `/splits`; without actions there may be no `results`.
struct PolygonActionList<Item: JSONDecodable & Sendable>: JSONDecodable {
    private(set) var rows = JSONRows<Item>()

    var isEmpty: Bool { rows.elements.isEmpty && rows.failures.isEmpty }
    var unreadable: [String] { rows.unreadable(in: "results") }

    init(json reader: inout JSONReader) throws(JSONError) {
        var status: PolygonStatus?
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "status": status = try reader.goodStatus()
            case "results":
                if try reader.null() { return }
                rows = try reader.rows()
            default: try reader.skip()
            }
        }
        _ = try reader.required(status, "status")
    }
}

/// An element of the dividends; Polygon guarantees hardly any of its fields, but one without a day or an amount is none.
struct PolygonDividend: JSONObjectDecodable, Hashable {
    var exDate = CalendarDate.earliest
    var amount = Decimal.zero
    var currency: String?
    /// `recurring`, `special`, `supplemental`, `irregular` or `unknown`.
    var type: String?
    var declaredOn: CalendarDate?
    var recordDate: CalendarDate?
    var payDate: CalendarDate?

    static let json = JSONFields(Self()) {
        $0.required("ex_dividend_date", \.exDate)
        $0.required("cash_amount", \.amount)
        $0.optional("currency", \.currency)
        $0.optional("distribution_type", \.type)
        $0.optional("declaration_date", \.declaredOn)
        $0.optional("record_date", \.recordDate)
        $0.optional("pay_date", \.payDate)
    }

    var dividend: Dividend {
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
struct PolygonSplit: JSONDecodable {
    let split: Split

    init(json reader: inout JSONReader) throws(JSONError) {
        let fields = try Fields(json: &reader)
        split = try reader.required(
            Split(exDate: fields.exDate, newShares: fields.newShares, oldShares: fields.oldShares),
            "split_from and split_to above zero")
    }

    private struct Fields: JSONObjectDecodable {
        var exDate = CalendarDate.earliest
        var oldShares = Decimal.zero
        var newShares = Decimal.zero

        static let json = JSONFields(Self()) {
            $0.required("execution_date", \.exDate)
            $0.required("split_from", \.oldShares)
            $0.required("split_to", \.newShares)
        }
    }
}
