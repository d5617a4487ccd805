import Brokerage
import Foundation
import GraphQL

/// Some holdings of a portfolio, the largest value first.
struct HoldingConnectionPage: Sendable {
    let edges: [HoldingEdge]
    let hasNext: Bool
    let hasPrevious: Bool

    /// A holding and its place in the list.
    struct HoldingEdge: Sendable {
        let holding: Holding

        var cursor: String { HoldingCursor(holding.order).text }
    }

    /// - Throws: `FieldError` for invalid arguments, or the failure of an account.
    init(of portfolio: Portfolio, _ arguments: HoldingsArguments) throws {
        let start = try arguments.checkedStart()
        let rest = try Holding.all(of: portfolio).drop { holding in
            start.map { holding.order <= $0.order } ?? false
        }
        edges = rest.prefix(arguments.first).map(HoldingEdge.init)
        hasNext = rest.count > arguments.first
        hasPrevious = start != nil
    }
}

struct HoldingsArguments: GraphQLArguments {
    let first: Int
    private let after: String?

    private static let maximum = 200

    init(_ arguments: ArgumentReader) throws {
        first = try arguments["first"]
        after = try (arguments["after"] as CursorText?)?.text
    }

    /// Checks the arguments.
    ///
    /// - Returns: The place after which the page begins; nil for the beginning.
    fileprivate func checkedStart() throws(FieldError) -> HoldingCursor? {
        try FieldError.check(first, of: "first", in: 1...Self.maximum)
        guard let after else { return nil }
        return try HoldingCursor(after)
    }
}

/// A place in a list of holdings, as a text for clients.
private struct HoldingCursor {
    let order: HoldingOrder

    /// The beginning of the text.
    private static let header = "holding"

    init(_ order: HoldingOrder) {
        self.order = order
    }

    /// - Throws: `FieldError` for a text that is no cursor of a page.
    init(_ text: String) throws(FieldError) {
        guard let data = Data(base64Encoded: text), let plain = String(data: data, encoding: .utf8) else {
            throw .noHoldingCursor(text)
        }
        let parts = plain.split(separator: " ", omittingEmptySubsequences: false)
        // No symbol and no code of a currency contains a space.
        guard parts.count == 4, parts[0] == Self.header, let symbol = Symbol(String(parts[2])) else {
            throw .noHoldingCursor(text)
        }
        let value: Brokerage.Decimal? = .init(parts[1])
        guard value != nil || parts[1].isEmpty else { throw .noHoldingCursor(text) }
        order = HoldingOrder(value: value, symbol: symbol.text, currency: String(parts[3]))
    }

    var text: String {
        let parts = [Self.header, order.value?.description ?? "", order.symbol, order.currency]
        return Data(parts.joined(separator: " ").utf8).base64EncodedString()
    }
}

extension FieldError {
    fileprivate static func noHoldingCursor(_ text: String) -> FieldError {
        .argument(
            "after",
            "\"\(text.beginning(40))\" is not a cursor. Use the `endCursor` of the page before as `after`.")
    }
}

extension HoldingConnectionPage: GraphQLObject {
    typealias Context = GatewayContext

    static let graphQL = ObjectType<HoldingConnectionPage>("HoldingConnection") {
        Field("edges", \.edges)
        Field("nodes") { $0.edges.map(\.holding) }
        Field("pageInfo") { page in
            PageInfo(
                hasNextPage: page.hasNext, hasPreviousPage: page.hasPrevious,
                startCursor: page.edges.first?.cursor, endCursor: page.edges.last?.cursor)
        }
    }
}

extension HoldingConnectionPage.HoldingEdge: GraphQLObject {
    typealias Context = GatewayContext

    static let graphQL = ObjectType<HoldingConnectionPage.HoldingEdge>("HoldingEdge") {
        Field("cursor") { $0.cursor }
        Field("node", \.holding)
    }
}
