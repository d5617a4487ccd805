import Brokerage
import Foundation
import GraphQL

/// A dividend or a split in a list, with its GraphQL types.
protocol ListedCorporateAction: Sendable {
    var exDate: CalendarDate { get }
    static var connectionType: ObjectType<CorporateActionPage<Self>> { get }
    static var edgeType: ObjectType<CorporateActionPage<Self>.Edge> { get }
}

/// Some corporate actions of one instrument, the latest first.
struct CorporateActionPage<Item: ListedCorporateAction>: Sendable {
    let edges: [Edge]
    let hasNext: Bool
    let hasPrevious: Bool
    let provenance: Provenance

    /// An action and its place in the list.
    struct Edge: Sendable {
        let item: Item
        let cursor: String
    }

    /// - Parameters:
    ///   - items: All actions, the latest first.
    ///   - arguments: The actions to list.
    ///   - start: The place after which the page begins; nil for the latest action.
    ///   - provenance: The source of the actions.
    init(
        _ items: [Item], _ arguments: CorporateActionArguments, after start: CorporateActionCursor?,
        _ provenance: Provenance
    ) {
        var ordinals: [CalendarDate: Int] = [:]
        var rest: [(Item, CorporateActionCursor)] = []
        for item in items {
            // Several actions can have the same day.
            let cursor = CorporateActionCursor(day: item.exDate, ordinal: ordinals[item.exDate, default: 0])
            ordinals[item.exDate, default: 0] += 1
            guard arguments.from.map({ $0 <= item.exDate }) ?? true,
                arguments.to.map({ item.exDate <= $0 }) ?? true, start.map({ $0.precedes(cursor) }) ?? true
            else { continue }
            rest.append((item, cursor))
        }
        edges = rest.prefix(arguments.first).map { Edge(item: $0, cursor: $1.text) }
        hasNext = rest.count > edges.count
        hasPrevious = start != nil
        self.provenance = provenance
    }
}

extension CorporateActionPage: GraphQLObject {
    typealias Context = GatewayContext

    static var graphQL: ObjectType<CorporateActionPage<Item>> { Item.connectionType }

    /// The fields of a connection.
    fileprivate static func type(_ name: String) -> ObjectType<CorporateActionPage<Item>>
    where Item: GraphQLObject, Item.Context == GatewayContext {
        ObjectType(name) {
            Field("edges") { $0.edges }
            Field("nodes") { $0.edges.map(\.item) }
            Field("pageInfo") { page in
                PageInfo(
                    hasNextPage: page.hasNext, hasPreviousPage: page.hasPrevious,
                    startCursor: page.edges.first?.cursor, endCursor: page.edges.last?.cursor)
            }
            Field("asOf") { $0.provenance.asOf }
            Field("fetchedAt") { $0.provenance.fetchedAt }
            Field("source") { $0.provenance.source }
            Field("sourceName") { $0.provenance.source.rawValue }
            Field("stale") { $0.provenance.isStale }
        }
    }
}

extension CorporateActionPage.Edge: GraphQLObject {
    typealias Context = GatewayContext

    static var graphQL: ObjectType<CorporateActionPage<Item>.Edge> { Item.edgeType }

    /// The fields of an edge.
    fileprivate static func type(_ name: String) -> ObjectType<CorporateActionPage<Item>.Edge>
    where Item: GraphQLObject, Item.Context == GatewayContext {
        ObjectType(name) {
            Field("cursor") { $0.cursor }
            Field("node") { $0.item }
        }
    }
}

/// A dividend with its instrument and its source.
struct ReportedDividend: Sendable {
    let symbol: Symbol
    let dividend: Dividend
    let provenance: Provenance
}

extension ReportedDividend: ListedCorporateAction, GraphQLObject {
    typealias Context = GatewayContext

    var exDate: CalendarDate { dividend.exDate }

    static let connectionType = CorporateActionPage<ReportedDividend>.type("DividendConnection")
    static let edgeType = CorporateActionPage<ReportedDividend>.Edge.type("DividendEdge")

    static let graphQL = ObjectType<ReportedDividend>("Dividend") {
        Field("symbol", \.symbol)
        Field("amount", \.dividend.amount)
        Field("currency", \.dividend.currency)
        Field("declaredOn", load: { dividends, context in context.declarations(of: dividends) })
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

extension ReportedSplit: ListedCorporateAction, GraphQLObject {
    typealias Context = GatewayContext

    var exDate: CalendarDate { split.exDate }

    static let connectionType = CorporateActionPage<ReportedSplit>.type("SplitConnection")
    static let edgeType = CorporateActionPage<ReportedSplit>.Edge.type("SplitEdge")

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

extension GatewayContext {
    /// A page of the dividends of each instrument; nil for an instrument that is not a share or fund.
    func dividendPages(
        of symbols: [Symbol], _ arguments: CorporateActionArguments
    ) throws -> MaybeAsync<BatchResults<CorporateActionPage<ReportedDividend>?>> {
        let start = try arguments.checkedStart()
        return pages(of: symbols, dividends(of: symbols.shares, from: arguments.provider)) { history in
            CorporateActionPage(
                history.dividends.map {
                    ReportedDividend(symbol: history.symbol, dividend: $0, provenance: history.provenance)
                }, arguments, after: start, history.provenance)
        }
    }

    /// A page of the splits of each instrument; nil for an instrument that is not a share or fund.
    func splitPages(
        of symbols: [Symbol], _ arguments: CorporateActionArguments
    ) throws -> MaybeAsync<BatchResults<CorporateActionPage<ReportedSplit>?>> {
        let start = try arguments.checkedStart()
        return pages(of: symbols, splits(of: symbols.shares, from: arguments.provider)) { history in
            CorporateActionPage(
                history.splits.map { ReportedSplit(symbol: history.symbol, split: $0) }, arguments,
                after: start, history.provenance)
        }
    }

    /// A page for each instrument, made of the histories of the shares among them.
    private func pages<History, Item>(
        of symbols: [Symbol], _ histories: MaybeAsync<BatchResults<History>>,
        _ page: @escaping @Sendable (History) -> CorporateActionPage<Item>
    ) -> MaybeAsync<BatchResults<CorporateActionPage<Item>?>> {
        histories.map { histories in
            var rest = histories.makeIterator()
            return symbols.map { symbol in
                guard symbol.isShareOrFund else { return .success(nil) }
                return rest.next().map { $0.map(page) } ?? .failure(FieldError.internalError)
            }
        }
    }
}

extension [Symbol] {
    /// The symbols of shares and funds.
    fileprivate var shares: [Symbol] { filter(\.isShareOrFund) }
}

/// Which dividends or splits of an instrument, by their ex-dates.
struct CorporateActionArguments: GraphQLArguments {
    let from: CalendarDate?
    let to: CalendarDate?
    let first: Int
    private let after: String?
    let provider: ProviderID?

    private static let maximumActions = 500

    init(_ arguments: ArgumentReader) throws {
        from = try arguments["from"]
        to = try arguments["to"]
        first = try arguments["first"]
        after = try (arguments["after"] as CursorText?)?.text
        provider = try arguments.provider()
    }

    /// Checks the arguments.
    ///
    /// - Returns: The place after which the page begins; nil for the latest action.
    func checkedStart() throws(FieldError) -> CorporateActionCursor? {
        try FieldError.check(first, of: "first", in: 1...Self.maximumActions)
        if let from, let to, from > to {
            throw .argument("from", "It is \(from), which is after `to`, \(to).")
        }
        guard let after else { return nil }
        return try CorporateActionCursor(after)
    }
}

/// A place in the dividends or splits of an instrument, the latest first: clients get it as an opaque text.
struct CorporateActionCursor: Hashable, Sendable {
    let day: CalendarDate
    /// The number of actions of the day before it.
    let ordinal: Int

    /// The most actions of one day; a text of a client has no larger number.
    private static let maximumOrdinal = 10_000
    private static let maximumLength = 64

    init(day: CalendarDate, ordinal: Int) {
        self.day = day
        self.ordinal = ordinal
    }

    /// - Throws: `FieldError` for a text that no page has given.
    init(_ text: String) throws(FieldError) {
        guard text.utf8.count <= Self.maximumLength, let data = Data(base64Encoded: text),
            let plain = String(data: data, encoding: .utf8)
        else { throw .noActionCursor(text) }
        let parts = plain.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2, let day = CalendarDate(parts[0]), let ordinal = Int(parts[1]),
            (0...Self.maximumOrdinal).contains(ordinal)
        else { throw .noActionCursor(text) }
        self.init(day: day, ordinal: ordinal)
    }

    var text: String { Data("\(day) \(ordinal)".utf8).base64EncodedString() }

    /// Whether an action at another place is listed after this one.
    func precedes(_ other: CorporateActionCursor) -> Bool {
        other.day < day || other.day == day && ordinal < other.ordinal
    }
}

extension FieldError {
    fileprivate static func noActionCursor(_ text: String) -> FieldError {
        .argument(
            "after",
            "\"\(text.beginning(40))\" is not a cursor. Use the `endCursor` of the page before as `after`.")
    }
}
