package import Brokerage

/// Reads a user's watchlists at a broker.
package protocol WatchlistSource: Sendable {
    /// Returns all lists of the user with their items.
    func watchlists(in call: CallContext) async throws(ProviderFailure) -> BrokerWatchlists
}

/// A source whose watchlists can be changed.
///
/// The id of another user's list, and an id that is not in the broker's form, is `notFound`; the latter
/// without a call.
package protocol WatchlistEditing: WatchlistSource {
    /// One of the user's lists, with its entries.
    func watchlist(_ id: String, in call: CallContext) async throws(ProviderFailure) -> BrokerWatchlist

    /// Replaces the list's name and entries, in this order.
    func replaceWatchlist(
        _ id: String, name: String, symbols: [Symbol], in call: CallContext
    ) async throws(ProviderFailure) -> BrokerWatchlist

    func deleteWatchlist(_ id: String, in call: CallContext) async throws(ProviderFailure)
}
