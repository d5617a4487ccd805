import Brokerage
import Foundation
import GraphQL
import PorticoCore
import Upstream

/// Some of the positions of an account that were closed lately, newest first.
struct ClosedPositionConnection: Sendable {
    let edges: [Edge]
    let hasNext: Bool
    let hasPrevious: Bool

    /// A closed position and its place in the list.
    struct Edge: Sendable {
        let node: ConnectedClosedPosition
        var cursor: String { ClosedPositionCursor(node.position).text }
    }

    init(
        _ positions: [ClosedPosition], of account: ConnectedAccount, after start: ClosedPositionCursor?,
        first: Int
    ) {
        let rest = positions.filter { position in
            start.map { $0.precedes(ClosedPositionCursor(position)) } ?? true
        }
        edges = rest.prefix(first).map {
            Edge(node: ConnectedClosedPosition(position: $0, account: account))
        }
        hasNext = rest.count > first
        hasPrevious = rest.count < positions.count
    }
}

/// A closed position, and the account that held it.
struct ConnectedClosedPosition: Sendable {
    let position: ClosedPosition
    let account: ConnectedAccount
}

struct ClosedPositionsArguments: GraphQLArguments {
    let symbols: [Symbol]?
    let first: Int
    let after: String?

    private static let maximumPositions = 500

    init(_ arguments: ArgumentReader) throws {
        symbols = try (arguments["symbols"] as BoundedList<Symbol>?)?.elements
        first = try arguments["first"]
        after = try (arguments["after"] as CursorText?)?.text
    }

    /// Checks the arguments.
    ///
    /// - Returns: The position after which the page begins; nil for the newest.
    func checkedStart() throws(FieldError) -> ClosedPositionCursor? {
        try FieldError.check(first, of: "first", in: 1...Self.maximumPositions)
        guard let after else { return nil }
        return try ClosedPositionCursor(after)
    }
}

/// A place in the closed positions of an account, which clients get as an opaque text.
struct ClosedPositionCursor: Hashable, Sendable {
    private let closedAt: Instant
    private let id: String

    /// The prefix of the text, so that a cursor of another list is not accepted.
    private static let header = "closed"

    init(_ position: ClosedPosition) {
        // One without a time comes first.
        closedAt = position.closedAt ?? .latest
        id = position.id
    }

    /// - Throws: `FieldError` for a text that no page of closed positions has given.
    init(_ text: String) throws(FieldError) {
        guard let data = Data(base64Encoded: text), let plain = String(data: data, encoding: .utf8) else {
            throw Self.invalid(text)
        }
        let parts = plain.split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == Self.header, let time = Instant(String(parts[1])) else {
            throw Self.invalid(text)
        }
        closedAt = time
        id = String(parts[2])
    }

    var text: String {
        Data("\(Self.header)\n\(closedAt)\n\(id)".utf8).base64EncodedString()
    }

    /// Whether another place is behind this one: earlier positions are behind later ones.
    func precedes(_ other: ClosedPositionCursor) -> Bool {
        closedAt == other.closedAt ? id < other.id : closedAt > other.closedAt
    }

    private static func invalid(_ text: String) -> FieldError {
        .argument(
            "after",
            "\"\(text.beginning(40))\" is not a cursor. Use the `endCursor` of the page before as `after`.")
    }
}

extension GatewayContext {
    /// A page of the positions of an account that were closed since the broker's last netting.
    func closedPositions(
        of account: ConnectedAccount, _ arguments: ClosedPositionsArguments
    ) throws -> MaybeAsync<ClosedPositionConnection?> {
        let start = try arguments.checkedStart()
        let provider = account.connection.provider
        guard account.connection.accounts is any ClosedPositionSource else {
            throw FieldError(
                .unsupported, "\(provider.rawValue) reports no closed positions.", provider: provider)
        }
        let id = account.who.id
        return readFromAccountSource(
            ExactText(id), account.connection, in: services.reads.closedPositions
        ) { source, call throws(ProviderFailure) in
            guard let source = source as? any ClosedPositionSource else {
                throw ProviderFailure(provider, .unsupported)
            }
            return try await source.closedPositions(of: id, in: call)
        }.map { positions in
            let wanted = positions.filter { arguments.symbols?.contains($0.symbol) ?? true }
            return ClosedPositionConnection(wanted, of: account, after: start, first: arguments.first)
        }
    }

    /// The broker's own rates from the currencies of the positions of an account to the account's; null if the
    /// broker does not report any.
    func conversionRates(of account: ConnectedAccount) -> MaybeAsync<[ExchangeRate]?> {
        positions(of: account, symbols: nil).map { positions in
            guard let positions, let to = try? Currency(account.who.currency) else { return nil }
            var rates: [Currency: ExchangeRate] = [:]
            for linked in positions {
                let position = linked.position
                guard let rate = position.conversionRate, let from = try? Currency(position.currency),
                    from != to
                else { continue }
                rates[from] = ExchangeRate(from: from, to: to, rate: rate, provenance: position.provenance)
            }
            let isReported = positions.isEmpty || positions.contains { $0.position.conversionRate != nil }
            return isReported ? rates.values.sorted { $0.from.code < $1.from.code } : nil
        }
    }
}

extension ClosedPositionConnection: GraphQLObject {
    typealias Context = GatewayContext

    static let graphQL = ObjectType<ClosedPositionConnection>("ClosedPositionConnection") {
        Field("edges", \.edges)
        Field("nodes") { $0.edges.map(\.node) }
        Field("pageInfo") { page in
            PageInfo(
                hasNextPage: page.hasNext, hasPreviousPage: page.hasPrevious,
                startCursor: page.edges.first?.cursor, endCursor: page.edges.last?.cursor)
        }
    }
}

extension ClosedPositionConnection.Edge: GraphQLObject {
    typealias Context = GatewayContext

    static let graphQL = ObjectType<ClosedPositionConnection.Edge>("ClosedPositionEdge") {
        Field("cursor") { $0.cursor }
        Field("node", \.node)
    }
}

extension ConnectedClosedPosition: GraphQLObject {
    typealias Context = GatewayContext

    static let graphQL = ObjectType<ConnectedClosedPosition>("ClosedPosition") {
        Field("providerPositionId", \.position.id)
        Field("account", \.account)
        Field("symbol", \.position.symbol)
        Field(
            "instrument",
            load: { positions, context in context.instruments(for: positions.map(\.position.symbol)) })
        Field("side", \.position.side)
        Field("quantity", \.position.quantity)
        Field("openPrice", \.position.openPrice)
        Field("closePrice", \.position.closePrice)
        Field("openedAt", \.position.openedAt)
        Field("closedAt", \.position.closedAt)
        Field("currency", \.position.currency)
        Field("profitLoss", \.position.profitLoss)
        Field("costs", \.position.costs)
        Field("conversionFinal", \.position.isConversionFinal)
        Field("fetchedAt", \.position.provenance.fetchedAt)
        Field("source", \.position.provenance.source)
        Field("stale", \.position.provenance.isStale)
    }
}
