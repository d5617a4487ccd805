package import Brokerage

/// Knows the lists of instruments that a user keeps with a broker.
package protocol WatchlistSource: Sendable {
    /// All of the user's lists, with what is in them.
    func watchlists(in call: CallContext) async throws(ProviderFailure) -> [BrokerWatchlist]
}

/// Lets them be changed.
package protocol WatchlistDesk: WatchlistSource {
    func createWatchlist(
        named name: String, of symbols: [Symbol], in call: CallContext
    ) async throws(ProviderFailure) -> BrokerWatchlist

    /// Replaces the list's name and entries, in this order.
    func replaceWatchlist(
        _ id: String, name: String, symbols: [Symbol], in call: CallContext
    ) async throws(ProviderFailure) -> BrokerWatchlist

    func deleteWatchlist(_ id: String, in call: CallContext) async throws(ProviderFailure)
}
