import Brokerage
import GraphQL
import Storage
import Upstream

/// A watchlist, stored by Portico or by a broker.
struct Watchlist: Sendable {
    let origin: Origin
    let name: String
    let items: [WatchlistItem]
    /// The errors of other items.
    let failures: [FieldError]
    let createdAt: Instant?
    let updatedAt: Instant?

    /// The store of the watchlist, and its id there.
    enum Origin: Sendable {
        case portico(id: String)
        case broker(BrokerConnection, id: String)
    }

    init(_ stored: StoredWatchlist) {
        origin = .portico(id: stored.id)
        name = stored.name
        items = stored.items.map {
            WatchlistItem(list: stored.id, symbol: $0.symbol, addedAt: $0.addedAt, knownName: nil)
        }
        failures = []
        createdAt = stored.createdAt
        updatedAt = stored.updatedAt
    }

    init(_ list: BrokerWatchlist, of connection: BrokerConnection) {
        origin = .broker(connection, id: list.id)
        name = list.name
        let listID = "\(connection.id):\(list.id)"
        items = list.items.map {
            WatchlistItem(list: listID, symbol: $0.symbol, addedAt: nil, knownName: $0.name)
        }
        failures = list.unreadable.map { .unreadable("an item of a watchlist", $0, of: connection.provider) }
        createdAt = list.createdAt
        updatedAt = list.updatedAt
    }

    /// The `id` that the schema gives it.
    ///
    /// Portico's own ids have no colon, so none is taken for that of a connection.
    var globalID: String {
        switch origin {
        case .portico(let id): "Watchlist:\(id)"
        case .broker(let connection, let id): connection.globalID(ofWatchlist: id)
        }
    }

    var provider: ProviderID? {
        switch origin {
        case .portico: nil
        case .broker(let connection, _): connection.provider
        }
    }

    /// Whether the watchlist cannot be changed through Portico.
    var isReadOnly: Bool {
        switch origin {
        case .portico: false
        case .broker(let connection, _): connection.watchlistEditor == nil
        }
    }
}

/// An entry of a list.
struct WatchlistItem: Sendable {
    /// The `localID` of the list's ``NodeID``.
    fileprivate let list: String
    let symbol: Symbol
    /// Nil for a list of a broker, which does not report it.
    let addedAt: Instant?
    /// The name, if the broker returns it with the list.
    let knownName: String?

    var nodeID: NodeID { NodeID(.watchlistItem, "\(symbol)@\(list)") }

    /// The id of the list that contains the item with an id; nil for a text that is no id of an item.
    static func watchlistID(of item: NodeID) -> String? {
        // No symbol contains an "@".
        let parts = item.localID.split(separator: "@", maxSplits: 1)
        return parts.count == 2 ? NodeID(.watchlist, String(parts[1])).text : nil
    }
}

extension BrokerConnection {
    /// The `id` that the schema gives one of its lists.
    func globalID(ofWatchlist list: String) -> String {
        "Watchlist:\(id):\(list)"
    }

    /// The editor of the broker's lists; nil if the broker has none.
    var watchlistEditor: (any WatchlistEditing)? {
        watchlists as? any WatchlistEditing
    }
}

extension Watchlist: GraphQLObject {
    static let graphQL = ObjectType<Watchlist>("Watchlist") {
        Field("id") { $0.globalID }
        Field("name", \.name)
        Field("items") { list -> BatchResults<WatchlistItem> in
            list.items.map { .success($0) } + list.failures.map { .failure($0) }
        }
        Field("createdAt", \.createdAt)
        Field("updatedAt", \.updatedAt)
        Field("provider") { $0.provider }
        Field("readOnly") { $0.isReadOnly }
    }
}

extension WatchlistItem: GraphQLObject {
    typealias Context = RequestScope

    static let graphQL = ObjectType<WatchlistItem>("WatchlistItem") {
        Field("id") { $0.nodeID.text }
        Field("symbol", \.symbol)
        Field("name", load: { items, scope in WatchlistService(scope).names(of: items) })
        Field(
            "instrument",
            load: { items, scope in InstrumentService(scope).instruments(for: items.map(\.symbol)) })
        Field("addedAt", \.addedAt)
        Field(
            "quote", ProviderArguments.self,
            load: { items, arguments, scope in
                QuoteService(scope).quotes(
                    for: items.map(\.symbol), from: arguments.provider, as: Optional.some)
            })
        Field(
            "chart", ChartArguments.self,
            load: { items, arguments, scope in
                ChartService(scope).charts(for: items.map(\.symbol), arguments, as: Optional.some)
            })
    }
}

/// `WatchlistPayload` of the schema: the list as it is now.
struct WatchlistPayload: Sendable {
    let watchlist: Watchlist
}

extension WatchlistPayload: GraphQLObject {
    typealias Context = RequestScope

    static let graphQL = ObjectType<WatchlistPayload>("WatchlistPayload") {
        Field("watchlist", \.watchlist)
        Field("watchlists", once: { scope in try WatchlistService(scope).watchlists() })
    }
}
