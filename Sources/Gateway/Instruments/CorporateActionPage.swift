import Brokerage
import GraphQL

/// A dividend or a split in a list.
protocol ListedCorporateAction: ConnectionNode
where Cursor == CorporateActionCursor, Details == CorporateActionDetails {
    /// The name of the list in cursors.
    static var listName: String { get }
    var symbol: Symbol { get }
    var exDate: CalendarDate { get }
}

extension ListedCorporateAction {
    /// The list of an instrument in cursors.
    fileprivate static func list(of symbol: Symbol) -> String { "\(listName) \(symbol)" }
}

/// The source of a list of dividends or splits.
struct CorporateActionDetails: Sendable {
    let provenance: Provenance
    /// The errors of the actions that could not be read.
    let unreadable: [String]
}

extension ConnectionPage where Node: ListedCorporateAction {
    /// Some corporate actions of one instrument, the latest first.
    ///
    /// - Parameters:
    ///   - items: All actions, the latest first.
    ///   - arguments: The actions to list.
    ///   - start: The place after which the page begins; nil for the latest action.
    ///   - details: The source of the actions.
    init(
        _ items: [Node], _ arguments: CorporateActionArguments, after start: CorporateActionCursor?,
        _ details: CorporateActionDetails
    ) {
        let list = items.first.map { Node.list(of: $0.symbol) }
        var ordinals: [CalendarDate: Int] = [:]
        var rest: [ConnectionEdge<Node>] = []
        for item in items {
            // Several actions can have the same day.
            let place = CorporateActionCursor(
                list: list, day: item.exDate, ordinal: ordinals[item.exDate, default: 0])
            ordinals[item.exDate, default: 0] += 1
            guard arguments.from.map({ $0 <= item.exDate }) ?? true,
                arguments.to.map({ item.exDate <= $0 }) ?? true, start.map({ $0.precedes(place) }) ?? true
            else { continue }
            rest.append(ConnectionEdge(node: item, place: place))
        }
        self.init(rest, first: arguments.page.first, hasPrevious: start != nil, details: details)
    }

    /// The type of the schema with a name; `item` is what an action is in an error.
    fileprivate static func sourcedType(_ name: String, of item: String) -> ObjectType<ConnectionPage> {
        type(name) { details in
            details.unreadable.map { .unreadable(item, $0, of: details.provenance.source) }
        } details: {
            Field("asOf") { $0.details.provenance.asOf }
            Field("fetchedAt") { $0.details.provenance.fetchedAt }
            Field("source") { $0.details.provenance.source }
            Field("stale") { $0.details.provenance.isStale }
        }
    }
}

/// A dividend with its instrument and its source.
struct ReportedDividend: Sendable {
    let symbol: Symbol
    let dividend: Dividend
    let provenance: Provenance
}

extension ReportedDividend: ListedCorporateAction {
    typealias Context = RequestScope

    static var listName: String { "dividends" }
    var exDate: CalendarDate { dividend.exDate }

    static let connectionType = ConnectionPage<ReportedDividend>.sourcedType(
        "DividendConnection", of: "a dividend")
    static let edgeType = ConnectionEdge<ReportedDividend>.type("DividendEdge")

    static let graphQL = ObjectType<ReportedDividend>("Dividend") {
        Field("symbol", \.symbol)
        Field("amount", \.dividend.amount)
        Field("currency", \.dividend.currency)
        Field(
            "declaredOn",
            load: { dividends, scope in CorporateActionService(scope).declarations(of: dividends) })
        Field("exDate", \.dividend.exDate)
        Field("recordDate", \.dividend.recordDate)
        Field("payDate", \.dividend.payDate)
        Field("special", \.dividend.isSpecial)
    }
}

/// A split with its instrument.
struct ReportedSplit: Sendable {
    let symbol: Symbol
    let split: Split
}

extension ReportedSplit: ListedCorporateAction {
    typealias Context = RequestScope

    static var listName: String { "splits" }
    var exDate: CalendarDate { split.exDate }

    static let connectionType = ConnectionPage<ReportedSplit>.sourcedType("SplitConnection", of: "a split")
    static let edgeType = ConnectionEdge<ReportedSplit>.type("SplitEdge")

    static let graphQL = ObjectType<ReportedSplit>("Split") {
        Field("symbol", \.symbol)
        Field("newShares", \.split.newShares)
        Field("oldShares", \.split.oldShares)
        Field("declaredOn", \.split.declaredOn)
        Field("exDate", \.split.exDate)
        Field("recordDate", \.split.recordDate)
        Field("payDate", \.split.payDate)
    }
}

extension CorporateActionService {
    /// A page of the dividends of each instrument; nil for an instrument that is not a share or fund.
    func dividendPages(
        of symbols: [Symbol], _ arguments: CorporateActionArguments
    ) throws -> MaybeAsync<BatchResults<ConnectionPage<ReportedDividend>?>> {
        let start = try arguments.checkedStart()
        let shares = checked(symbols, for: ReportedDividend.self, after: start)
        let histories = shares.loadValid { dividends(of: $0, from: arguments.provider) }
        return pages(of: symbols, histories) { history in
            ConnectionPage(
                history.dividends.map {
                    ReportedDividend(symbol: history.symbol, dividend: $0, provenance: history.provenance)
                }, arguments, after: start,
                CorporateActionDetails(provenance: history.provenance, unreadable: history.unreadable))
        }
    }

    /// A page of the splits of each instrument; nil for an instrument that is not a share or fund.
    func splitPages(
        of symbols: [Symbol], _ arguments: CorporateActionArguments
    ) throws -> MaybeAsync<BatchResults<ConnectionPage<ReportedSplit>?>> {
        let start = try arguments.checkedStart()
        let shares = checked(symbols, for: ReportedSplit.self, after: start)
        let histories = shares.loadValid { splits(of: $0, from: arguments.provider) }
        return pages(of: symbols, histories) { history in
            ConnectionPage(
                history.splits.map { ReportedSplit(symbol: history.symbol, split: $0) }, arguments,
                after: start,
                CorporateActionDetails(provenance: history.provenance, unreadable: history.unreadable))
        }
    }

    /// The shares among some instruments, with an error for each whose list did not give the cursor.
    private func checked<Item: ListedCorporateAction>(
        _ symbols: [Symbol], for type: Item.Type, after start: CorporateActionCursor?
    ) -> [Result<Symbol, FieldError>] {
        symbols.filter(\.isShareOrFund).map { symbol in
            do throws(FieldError) {
                try start?.check(isOf: Item.list(of: symbol))
                return .success(symbol)
            } catch {
                return .failure(error)
            }
        }
    }

    /// A page for each instrument, made of the histories of the shares among them.
    private func pages<History, Item>(
        of symbols: [Symbol], _ histories: MaybeAsync<BatchResults<History>>,
        _ page: @escaping @Sendable (History) -> ConnectionPage<Item>
    ) -> MaybeAsync<BatchResults<ConnectionPage<Item>?>> {
        histories.map { histories in
            var rest = histories.makeIterator()
            return symbols.map { symbol in
                guard symbol.isShareOrFund else { return .success(nil) }
                return rest.next().map { $0.map(page) } ?? .failure(FieldError.internalError)
            }
        }
    }
}

/// Which dividends or splits of an instrument, by their ex-dates.
struct CorporateActionArguments: GraphQLArguments {
    let from: CalendarDate?
    let to: CalendarDate?
    let page: PageArguments
    let provider: ProviderID?

    init(_ arguments: ArgumentReader) throws {
        from = try arguments["from"]
        to = try arguments["to"]
        page = try PageArguments(arguments)
        provider = try arguments["provider"]
    }

    /// Checks the arguments.
    ///
    /// - Returns: The place after which the page begins; nil for the latest action.
    func checkedStart() throws(FieldError) -> CorporateActionCursor? {
        let start = try page.start(CorporateActionCursor.self, atMost: 500)
        if let from, let to, from > to {
            throw .argument("from", "It is \(from), which is after `to`, \(to).")
        }
        return start
    }
}

/// A place in the dividends or splits of an instrument, the latest first.
struct CorporateActionCursor: ListCursor {
    let list: String?
    let day: CalendarDate
    /// The number of actions of the day before it.
    let ordinal: Int

    /// The most actions of one day; a text of a client has no larger number.
    private static let maximumOrdinal = 10_000
    static let maximumLength = 128

    init(list: String?, day: CalendarDate, ordinal: Int) {
        self.list = list
        self.day = day
        self.ordinal = ordinal
    }

    init?(plain: String) {
        // No symbol contains a space. Cursors of earlier versions have no list.
        let parts = plain.split(separator: " ", omittingEmptySubsequences: false)
        guard [2, 4].contains(parts.count), let day = CalendarDate(parts[parts.count - 2]),
            let ordinal = Int(parts[parts.count - 1]), (0...Self.maximumOrdinal).contains(ordinal)
        else { return nil }
        let list = parts.count == 4 ? parts.prefix(2).joined(separator: " ") : nil
        self.init(list: list, day: day, ordinal: ordinal)
    }

    var plain: String { (list.map { "\($0) " } ?? "") + "\(day) \(ordinal)" }

    /// Whether an action at another place is listed after this one.
    func precedes(_ other: CorporateActionCursor) -> Bool {
        other.day < day || other.day == day && ordinal < other.ordinal
    }
}
