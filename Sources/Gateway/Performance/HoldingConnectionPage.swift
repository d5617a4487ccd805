import Brokerage
import GraphQL

extension Holding: ConnectionNode {
    typealias Cursor = HoldingCursor
    /// The failures of the connections whose positions could not be read.
    typealias Details = [any Error]

    static let connectionType = ObjectType<ConnectionPage<Holding>>("HoldingConnection") {
        Field("edges") { $0.entries }
        Field("nodes") { $0.entries.map { $0.map(\.node) } }
        Field("pageInfo") { $0.pageInfo }
    }
    static let edgeType = ConnectionEdge<Holding>.type("HoldingEdge")
}

extension ConnectionPage<Holding> {
    /// Some holdings of a portfolio, the largest value first.
    ///
    /// - Throws: `FieldError` for invalid arguments.
    init(of portfolio: Portfolio, _ arguments: PageArguments) throws {
        let list = portfolio.currency.code
        let start = try arguments.start(HoldingCursor.self, atMost: 200)
        try start?.check(isOf: list)
        let rest = try Holding.all(of: portfolio).drop { holding in
            start.map { holding.sortKey <= $0.sortKey } ?? false
        }
        self.init(
            rest.lazy.map { ConnectionEdge(node: $0, place: HoldingCursor($0.sortKey, in: list)) },
            first: arguments.first, hasPrevious: start != nil,
            details: portfolio.holdings.positionFailures.map(\.failure))
    }

    /// Behind the holdings a failure for each connection that could not be read.
    fileprivate var entries: BatchResults<ConnectionEdge<Holding>> {
        edges.map { .success($0) } + details.map { .failure($0) }
    }
}

/// A place in a list of holdings.
struct HoldingCursor: ListCursor {
    let sortKey: HoldingSortKey
    /// The currency of the portfolio, in which the values are.
    let list: String?

    /// The beginning of the text.
    private static let header = "holding"

    init(_ sortKey: HoldingSortKey, in list: String) {
        (self.sortKey, self.list) = (sortKey, list)
    }

    init?(plain: String) {
        // No symbol and no code of a currency contains a space. Cursors of earlier versions have no list.
        let parts = plain.split(separator: " ", omittingEmptySubsequences: false)
        guard [4, 5].contains(parts.count), parts[0] == Self.header, let symbol = Symbol(String(parts[2]))
        else { return nil }
        let value: Brokerage.Decimal? = .init(parts[1])
        guard value != nil || parts[1].isEmpty else { return nil }
        sortKey = HoldingSortKey(value: value, symbol: symbol.text, currency: String(parts[3]))
        list = parts.count == 5 ? String(parts[4]) : nil
    }

    var plain: String {
        let key = [Self.header, sortKey.value?.description ?? "", sortKey.symbol, sortKey.currency]
        return (key + [list].compactMap(\.self)).joined(separator: " ")
    }
}
