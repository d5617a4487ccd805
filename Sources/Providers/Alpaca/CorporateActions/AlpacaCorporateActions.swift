package import Brokerage
package import Upstream

extension AlpacaClient: CombinedCorporateActionSource {
    package var actionScope: CacheScope { .shared(.alpaca) }
    package var corporateActionsPerCall: Int { 50 }
    package var reportsDeclarations: Bool { false }
    package var reportsSpinOffs: Bool { true }
    package var identityFieldsOfDividends: Set<IdentityField> { [.isin] }
    package func mayHaveActions(_ symbol: Symbol) -> Bool { symbol.isAlpacaShare }

    /// Spin-offs, by a separate call without a read of assets.
    package func spinOffs(
        of symbols: [Symbol], in context: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, SpinOffHistory> {
        let shares = symbols.filter(\.isAlpacaShare)
        let read = shares.isEmpty ? nil : try await pages(of: shares, "spin_off", in: context)
        let provenance = Provenance(source: .alpaca, fetchedAt: clock.wallTime())
        var found = KeyedResults<Symbol, SpinOffHistory>()
        for symbol in symbols {
            if let error = read?.spinOffFailure(of: symbol) {
                found.failures[symbol] = ProviderFailure(.alpaca, .invalidResponse(error))
            } else {
                found[symbol] = SpinOffHistory(
                    symbol: symbol, spinOffs: read?.spinOffs(of: symbol) ?? [], provenance: provenance)
            }
        }
        return found
    }

    /// The most pages of one batch: fifty shares with four dividends a year since 1900 have 26.
    private static var maximumPages: Int { 30 }
    /// How far ahead announced actions are requested, in days.
    private static var notice: Int { 366 }

    /// `GET /v1/corporate-actions`, page by page: cash dividends; forward and reverse splits, and dividends in shares.
    ///
    /// Alpaca returns nothing for unknown symbols and for shares without actions, so the assets of the latter are read
    /// too.
    package func corporateActions(
        of shares: [Symbol], in context: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, CorporateActionHistory> {
        let read = try await pages(
            of: shares, "cash_dividend,stock_dividend,forward_split,reverse_split", in: context)
        let fetchedAt = clock.wallTime()
        var found = read.bySymbol
        let silent = shares.filter { found[$0] == nil }
        let assets = silent.isEmpty ? [:] : try await instruments(silent, in: context)
        for share in silent where assets[share] != nil { found[share] = AlpacaActionList() }
        return KeyedResults(
            Dictionary(
                uniqueKeysWithValues: found.map { ($0, $1.history(of: $0, fetchedAt: fetchedAt)) }),
            failures: assets.failures)
    }

    private func pages(
        of shares: [Symbol], _ types: String, in context: CallContext
    ) async throws(ProviderFailure) -> AlpacaCorporateActions {
        var wanted = AlpacaSymbolList(shares)
        var read = AlpacaCorporateActions(of: Set(shares))
        let end = clock.wallTime().inNewYork.date.adding(days: Self.notice)
        for _ in 0..<Self.maximumPages {
            guard let list = try wanted.list() else { return read }
            let items: [(name: String, value: String?)] = [
                ("symbols", list), ("types", types), ("start", "1900-01-01"), ("end", end?.description),
                ("limit", "1000"), ("sort", "asc"),
                ("page_token", read.nextPage),
            ]
            let isRead = try await get(
                "corporate actions", from: .data,
                { $0.appending(path: "v1", "corporate-actions")?.appending(query: items) }, in: context
            ) { response throws(JSONError) in
                if wanted.remove(rejectedIn: response) { return false }
                try read.append(response.body)
                return true
            }
            if isRead, read.nextPage == nil { return read }
        }
        throw ProviderFailure(.alpaca, .tooMany(.pagesOfCorporateActions, limit: Self.maximumPages))
    }
}

/// The actions of one share, as they were read.
struct AlpacaActionList: Sendable {
    var dividends: [Dividend] = []
    var splits: [Split] = []
    /// The errors of the dividends and splits that could not be read.
    var unreadable: (dividends: [JSONError], splits: [JSONError]) = ([], [])
    var isin: String?

    func history(of symbol: Symbol, fetchedAt: Instant) -> CorporateActionHistory {
        let provenance = Provenance(source: .alpaca, fetchedAt: fetchedAt)
        var dividends = DividendHistory(
            symbol: symbol, dividends: dividends, unreadable: unreadable.dividends.map(\.description),
            provenance: provenance)
        dividends.isin = isin
        return CorporateActionHistory(
            dividends,
            SplitHistory(
                symbol: symbol, splits: splits, unreadable: unreadable.splits.map(\.description),
                provenance: provenance))
    }
}

/// Pages of `GET /v1/corporate-actions`: a map from the kind of action to a list.
package struct AlpacaCorporateActions {
    private(set) var bySymbol: [Symbol: AlpacaActionList] = [:]
    private var spinOffs: [SpinOff] = []
    /// The errors of the spin-offs that could not be read.
    private var spinOffFailures: [(symbols: Set<Symbol>, error: JSONError)] = []
    private var failureCount = 0
    /// The token of the next page; nil at the end.
    private(set) var nextPage: String?
    private let shares: Set<Symbol>

    /// - Parameter shares: The requested shares; actions of others are ignored.
    package init(of shares: Set<Symbol>) {
        self.shares = shares
    }

    /// The dividends and splits that were read of a share; nil if there are none.
    package func actions(of share: Symbol) -> (dividends: [Dividend], splits: [Split], isin: String?)? {
        bySymbol[share].map { ($0.dividends, $0.splits, $0.isin) }
    }

    /// The errors of the actions of a share that could not be read, those without a readable symbol included.
    package func failures(of share: Symbol) -> [JSONError] {
        (bySymbol[share].map { $0.unreadable.dividends + $0.unreadable.splits } ?? [])
            + [spinOffFailure(of: share)].compactMap(\.self)
    }

    /// The error of a spin-off that may be one of the share.
    func spinOffFailure(of share: Symbol) -> JSONError? {
        spinOffFailures.first { $0.symbols.isEmpty || $0.symbols.contains(share) }?.error
    }

    /// The spin-offs that were read of a share, as the parent or as the new company.
    package func spinOffs(of share: Symbol) -> [SpinOff] {
        spinOffs.filter { $0.parent == share || $0.child == share }
    }

    /// Reads one more page.
    package mutating func append(_ body: [UInt8]) throws(JSONError) {
        // No page comes after one that cannot be read.
        nextPage = nil
        nextPage = try JSONReader.page(body, of: "corporate_actions") { reader throws(JSONError) in
            try append(json: &reader)
        }
    }

    private mutating func append(json reader: inout JSONReader) throws(JSONError) {
        try reader.object { key, reader throws(JSONError) in
            let name = key.string
            if name == "spin_offs" {
                try rows(of: name, in: &reader) { actions, reader throws(JSONError) in
                    actions.spinOffs.append(try AlpacaSpinOff(json: &reader).spinOff)
                } otherwise: { actions, symbols, error in
                    actions.spinOffFailures.append((symbols, error))
                }
                return
            }
            guard let kind = AlpacaAction.Kind(rawValue: name) else { return try reader.skip() }
            try rows(of: name, in: &reader) { actions, reader throws(JSONError) in
                try actions.append(kind, try AlpacaAction(json: &reader), reader)
            } otherwise: { actions, symbols, error in
                // Without a readable symbol it may be an action of each share.
                for share in symbols.isEmpty ? actions.shares : symbols.intersection(actions.shares) {
                    actions.fail(share, kind, error)
                }
            }
        }
    }

    private mutating func append(
        _ kind: AlpacaAction.Kind, _ action: AlpacaAction, _ reader: borrowing JSONReader
    ) throws(JSONError) {
        guard shares.contains(action.symbol) else { return }
        switch kind {
        case .cashDividends:
            let dividend = try reader.required(action.dividend, "rate")
            bySymbol[action.symbol, default: AlpacaActionList()].dividends.append(dividend)
        case .stockDividends, .forwardSplits, .reverseSplits:
            let split = try reader.required(action.split(kind), "rates above zero")
            bySymbol[action.symbol, default: AlpacaActionList()].splits.append(split)
        }
        // The latest action has the present number: lists are sorted by date.
        if let isin = action.isin { bySymbol[action.symbol]?.isin = isin }
    }

    private mutating func fail(_ share: Symbol, _ kind: AlpacaAction.Kind, _ error: JSONError) {
        switch kind {
        case .cashDividends:
            bySymbol[share, default: AlpacaActionList()].unreadable.dividends.append(error)
        case .stockDividends, .forwardSplits, .reverseSplits:
            bySymbol[share, default: AlpacaActionList()].unreadable.splits.append(error)
        }
    }

    /// Reads a list of actions.
    ///
    /// - Parameters:
    ///   - name: The name of the list.
    ///   - reader: The reader, at the list or at null.
    ///   - read: Reads a row.
    ///   - fail: Takes the symbols of a row that could not be read, empty if they could not be read either, and the error.
    /// - Throws: The error of a list that is not an array.
    private mutating func rows(
        of name: String, in reader: inout JSONReader,
        read: (inout AlpacaCorporateActions, inout JSONReader) throws(JSONError) -> Void,
        otherwise fail: (inout AlpacaCorporateActions, Set<Symbol>, JSONError) -> Void
    ) throws(JSONError) {
        guard try !reader.null() else { return }
        var index = 0
        try reader.array { reader throws(JSONError) in
            try reader.row { reader throws(JSONError) in
                try read(&self, &reader)
            } otherwise: { error, reader throws(JSONError) in
                guard failureCount < JSONRows<Symbol>.maximumFailures else { throw error }
                failureCount += 1
                let symbols = try reader.row(AlpacaActionSymbols.init(json:))
                let place = error.inside(.index(index)).inside(.key(name)).inside(.key("corporate_actions"))
                fail(&self, (try? symbols.get().symbols) ?? [], place)
            }
            index &+= 1
        }
    }
}

/// The symbols of an action, whatever else of it can be read.
private struct AlpacaActionSymbols: JSONObjectDecodable, Sendable {
    private var symbol: Symbol?
    private var parent: Symbol?
    private var child: Symbol?

    static let json = JSONFields(Self()) {
        $0.optional("symbol", \.symbol, JSONReader.symbol)
        $0.optional("source_symbol", \.parent, JSONReader.symbol)
        $0.optional("new_symbol", \.child, JSONReader.symbol)
    }

    var symbols: Set<Symbol> { Set([symbol, parent, child].compactMap(\.self)) }
}

/// An element of a list of corporate actions, with the fields that Portico uses.
private struct AlpacaAction: JSONObjectDecodable {
    enum Kind: String {
        case cashDividends = "cash_dividends"
        case stockDividends = "stock_dividends"
        case forwardSplits = "forward_splits"
        case reverseSplits = "reverse_splits"
    }

    var symbol = Symbol.example
    var exDate = CalendarDate.earliest
    var recordDate: CalendarDate?
    var payDate: CalendarDate?
    /// Of a dividend: the amount, or the shares for each share.
    var rate: Decimal?
    var currency: String?
    var isSpecial: Bool?
    /// Of a split.
    var newRate: Decimal?
    var oldRate: Decimal?
    var isin: String?

    static let json = JSONFields(Self()) {
        $0.required("symbol", \.symbol, JSONReader.symbol)
        $0.required("ex_date", \.exDate)
        $0.optional("record_date", \.recordDate)
        $0.optional("payable_date", \.payDate)
        $0.optional("rate", \.rate)
        $0.optional("currency", \.currency, JSONReader.nonemptyString)
        $0.optional("special", \.isSpecial)
        $0.optional("new_rate", \.newRate)
        $0.optional("old_rate", \.oldRate)
        $0.optional("isin", \.isin, JSONReader.nonemptyString)
        $0.optional("new_isin", \.isin, JSONReader.nonemptyString)
    }

    var dividend: Dividend? {
        guard let rate else { return nil }
        var dividend = Dividend(exDate: exDate, amount: rate, currency: currency)
        dividend.recordDate = recordDate
        dividend.payDate = payDate
        dividend.isSpecial = isSpecial
        return dividend
    }

    /// Nil without rates above zero.
    func split(_ kind: Kind) -> Split? {
        let (new, old): (Decimal?, Decimal?) =
            switch kind {
            // The holder of one share receives `rate` shares in addition.
            case .stockDividends: (rate.flatMap { try? $0 + 1 }, 1)
            case .cashDividends, .forwardSplits, .reverseSplits: (newRate, oldRate)
            }
        guard let new, let old, var split = Split(exDate: exDate, newShares: new, oldShares: old) else {
            return nil
        }
        split.recordDate = recordDate
        split.payDate = payDate
        return split
    }
}

/// An element of the list of spin-offs, with the fields that Portico uses.
private struct AlpacaSpinOff: JSONObjectDecodable {
    private var parent = Symbol.example
    private var child = Symbol.example
    private var exDate = CalendarDate.earliest

    static let json = JSONFields(Self()) {
        $0.required("source_symbol", \.parent, JSONReader.symbol)
        $0.required("new_symbol", \.child, JSONReader.symbol)
        $0.required("ex_date", \.exDate)
    }

    var spinOff: SpinOff { SpinOff(parent: parent, child: child, exDate: exDate) }
}
