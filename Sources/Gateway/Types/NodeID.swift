/// An id of the schema: what kind of thing it is of, and which.
///
/// To clients it means nothing but itself.
struct NodeID: Hashable, Sendable {
    let kind: Kind
    /// What tells things of this kind apart.
    let localID: String

    enum Kind: String, Sendable, CaseIterable {
        case account = "Account"
        case article = "Article"
        case connection = "Connection"
        case goal = "Goal"
        case instrument = "Instrument"
        case order = "Order"
        case position = "Position"
        case session = "Session"
        case user = "User"
        case watchlist = "Watchlist"
    }

    init(_ kind: Kind, _ rest: String) {
        self.kind = kind
        self.localID = rest
    }

    /// Nil for a text that is no id of a kind that `node` finds.
    init?(_ text: String) {
        // Ids are ASCII. A text that is canonically equivalent to an id must not match it.
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let kind = Kind(rawValue: String(parts[0])), !parts[1].isEmpty else {
            return nil
        }
        self.init(kind, String(parts[1]))
    }

    /// As the schema gives it.
    var text: String { "\(kind.rawValue):\(localID)" }
}
