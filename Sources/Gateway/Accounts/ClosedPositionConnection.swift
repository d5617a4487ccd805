import Brokerage
import GraphQL
import PorticoCore
import Upstream

extension ConnectionPage<ConnectedClosedPosition> {
    /// Some of the positions of an account that were closed lately, newest first.
    init(
        _ positions: ReadableList<ClosedPosition>, _ arguments: ClosedPositionsArguments,
        of account: ConnectedAccount, after start: ClosedPositionCursor?
    ) {
        let wanted = positions.filter { arguments.symbols?.contains($0.symbol) ?? true }
        let rest = wanted.filter { position in
            start.map { $0.precedes(ClosedPositionCursor(position, in: account.globalID)) } ?? true
        }
        self.init(
            rest.lazy.map {
                ConnectionEdge(
                    node: ConnectedClosedPosition(position: $0, account: account),
                    place: ClosedPositionCursor($0, in: account.globalID))
            }, first: arguments.page.first, hasPrevious: rest.count < wanted.count,
            details: positions.unreadable.map {
                .unreadable("a closed position", $0, of: account.connection.provider)
            })
    }
}

/// A closed position, and the account that held it.
struct ConnectedClosedPosition: Sendable {
    let position: ClosedPosition
    let account: ConnectedAccount
}

struct ClosedPositionsArguments: GraphQLArguments {
    let symbols: [Symbol]?
    let page: PageArguments

    init(_ arguments: ArgumentReader) throws {
        symbols = try (arguments["symbols"] as BoundedList<Symbol>?)?.elements
        page = try PageArguments(arguments)
    }
}

/// A place in the closed positions of an account.
struct ClosedPositionCursor: ListCursor {
    /// The schema's id of the account.
    let list: String?
    private let closedAt: Instant
    private let id: String

    /// The prefix of the text.
    private static let header = "closed"

    init(_ position: ClosedPosition, in list: String) {
        self.list = list
        // One without a time comes first.
        closedAt = position.closedAt ?? .latest
        id = position.id
    }

    init?(plain: String) {
        // Cursors of earlier versions have no account.
        let parts = plain.split(separator: "\n", maxSplits: 3, omittingEmptySubsequences: false)
        guard [3, 4].contains(parts.count), parts[0] == Self.header,
            let time = Instant(String(parts[parts.count - 2])), let id = parts.last
        else { return nil }
        list = parts.count == 4 ? String(parts[1]) : nil
        closedAt = time
        self.id = String(id)
    }

    var plain: String {
        ([Self.header] + [list].compactMap(\.self) + ["\(closedAt)", id]).joined(separator: "\n")
    }

    /// Whether another place is behind this one: earlier positions are behind later ones.
    func precedes(_ other: ClosedPositionCursor) -> Bool {
        closedAt == other.closedAt ? id < other.id : closedAt > other.closedAt
    }
}

extension AccountService {
    /// A page of the positions of an account that were closed since the broker's last netting.
    func closedPositions(
        of account: ConnectedAccount, _ arguments: ClosedPositionsArguments
    ) throws -> MaybeAsync<ConnectionPage<ConnectedClosedPosition>?> {
        let start = try arguments.page.start(ClosedPositionCursor.self, atMost: 500)
        try start?.check(isOf: account.globalID)
        let provider = account.connection.provider
        guard account.connection.accounts is any ClosedPositionSource else {
            throw FieldError(
                .unsupported, "\(provider.name.text) reports no closed positions.", provider: provider)
        }
        let id = account.stored.id
        return reads.readFromAccountSource(
            ExactText(id), account.connection, in: caches.closedPositions
        ) { source, call throws(ProviderFailure) in
            guard let source = source as? any ClosedPositionSource else {
                throw ProviderFailure(provider, .unsupported)
            }
            return try await source.closedPositions(of: id, in: call)
        }.map { ConnectionPage($0, arguments, of: account, after: start) }
    }

    /// The broker's own rates from the currencies of the positions of an account to the account's; null if the
    /// broker does not report any.
    func conversionRates(of account: ConnectedAccount) throws -> MaybeAsync<[ExchangeRate]?> {
        try positions(of: account, symbols: nil).map { positions in
            // A position that could not be read has no rate.
            guard let positions = positions?.compactMap({ try? $0.get() }) else { return nil }
            let to = try Currency(account.stored.currency)
            var rates: [Currency: ExchangeRate] = [:]
            for connected in positions {
                let position = connected.position
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

extension ConnectedClosedPosition: ConnectionNode {
    typealias Context = RequestScope
    typealias Cursor = ClosedPositionCursor
    /// The errors of the positions that could not be read.
    typealias Details = [FieldError]

    static let connectionType = ConnectionPage<ConnectedClosedPosition>.type(
        "ClosedPositionConnection", failures: { $0 })
    static let edgeType = ConnectionEdge<ConnectedClosedPosition>.type("ClosedPositionEdge")

    static let graphQL = ObjectType<ConnectedClosedPosition>("ClosedPosition") {
        Field("providerPositionId", \.position.id)
        Field("account", \.account)
        Field("symbol", \.position.symbol)
        Field(
            "instrument",
            load: { positions, scope in
                InstrumentService(scope).instruments(for: positions.map(\.position.symbol))
            })
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
