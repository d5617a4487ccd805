/// A type of the schema to which other services may add fields, by its name.
enum EntityType: String, CaseIterable {
    case account = "Account"
    case goal = "Goal"
    case instrument = "Instrument"
    case order = "Order"
    case position = "Position"
    case quote = "Quote"
    case viewer = "Viewer"
    case watchlist = "Watchlist"

    /// The kind of the objects' ids.
    var kind: NodeID.Kind {
        switch self {
        case .account: .account
        case .goal: .goal
        case .instrument: .instrument
        case .order: .order
        case .position: .position
        case .quote: .quote
        case .viewer: .user
        case .watchlist: .watchlist
        }
    }

    /// The sets of fields each of which identifies an object.
    var keys: [[String]] {
        switch self {
        case .instrument: [["id"], ["symbol"]]
        case .quote: [["id"], ["symbol", "source"]]
        case .account, .goal, .order, .position, .viewer, .watchlist: [["id"]]
        }
    }

    /// The directives that declare the keys.
    var keyDirectives: String {
        keys.map { "@key(fields: \"\($0.joined(separator: " "))\")" }.joined(separator: " ")
    }
}
