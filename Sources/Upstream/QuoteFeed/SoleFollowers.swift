import Brokerage
import PorticoCore

/// The symbols that one client alone follows in a full price feed, of which the client with the most makes room for others.
///
/// Users and anonymous clients have a table each, because a symbol of a user never makes room for an anonymous client.
struct SoleFollowers {
    private var users = SharedTable<QuoteClient, Symbol, Void>()
    private var others = SharedTable<QuoteClient, Symbol, Void>()

    /// Records the client that alone follows a symbol; nil if none or several do.
    mutating func set(_ client: QuoteClient?, of symbol: Symbol) {
        users.remove(symbol)
        others.remove(symbol)
        guard let client else { return }
        if client.isAuthenticated {
            users.insert((), for: symbol, of: client)
        } else {
            others.insert((), for: symbol, of: client)
        }
    }

    /// The oldest symbol of the client that follows the most symbols alone, if they are at least two more than those of the
    /// client that needs room: otherwise both would take each other's symbol in turn.
    func symbol(makingRoomFor client: QuoteClient) -> Symbol? {
        let table = client.isAuthenticated ? users : others
        return table.oldestKey(ofOwnersWithMoreThan: table.count(of: client) + 1)
    }
}
