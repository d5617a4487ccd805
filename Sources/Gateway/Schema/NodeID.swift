import Brokerage
import Upstream

/// An id of the schema: the type of the object, and its local id.
///
/// It is opaque to clients.
package struct NodeID: Hashable, Sendable {
    let kind: Kind
    /// The id among the objects of the type.
    let localID: String

    package enum Kind: String, Sendable, CaseIterable {
        case account = "Account"
        case activity = "Activity"
        case alert = "Alert"
        case alertFiring = "AlertFiring"
        case article = "Article"
        case chart = "Chart"
        case connection = "Connection"
        case fundamentals = "Fundamentals"
        case goal = "Goal"
        case goalsProgress = "GoalsProgress"
        case instrument = "Instrument"
        case marketClock = "MarketClock"
        case order = "Order"
        case portfolio = "Portfolio"
        case position = "Position"
        case providerStatus = "ProviderStatus"
        case quote = "Quote"
        case session = "Session"
        case user = "User"
        case watchlist = "Watchlist"
        case watchlistItem = "WatchlistItem"
        case webhook = "Webhook"
    }

    package init(_ kind: Kind, _ rest: String) {
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

    /// The id of the price of an instrument from a provider.
    init(quoteOf symbol: Symbol, from source: ProviderID) {
        self.init(.quote, "\(source.name.text):\(symbol.text)")
    }

    /// The id of an object of which a user has one in each currency.
    init(_ kind: Kind, of owner: OwnerID, in currency: String) {
        self.init(kind, "\(owner.text):\(currency)")
    }

    /// The currency of such an id; nil if the object belongs to another user.
    func currency(of owner: OwnerID) -> Currency? {
        let prefix = "\(owner.text):"
        guard localID.hasPrefix(prefix) else { return nil }
        let code = String(localID.dropFirst(prefix.count))
        return (try? Currency(code)).flatMap { $0.code == code ? $0 : nil }
    }

    /// As the schema gives it.
    package var text: String { "\(kind.rawValue):\(localID)" }
}
