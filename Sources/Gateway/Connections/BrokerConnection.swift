package import Brokerage
package import Upstream

/// A user's connection to a broker: its owner and its clients.
///
/// Many positions and orders refer to it, and it does not change, so it is a class.
package final class BrokerConnection: Sendable {
    /// The id in keys and ids; it never changes during the life of the connection.
    package let id: String
    /// The owner.
    ///
    /// Data that is read through the connection is never returned to another user.
    package let owner: OwnerID
    package let provider: ProviderID
    package let environment: Environment
    package let accounts: any AccountSource
    /// The source that reads accounts one by one; nil if one call returns all accounts with their figures.
    let directory: (any AccountDirectory)?
    /// The source of activities; nil if the broker reports none.
    var activities: (any ActivitySource)? { accounts as? any ActivitySource }
    /// The client of orders; nil if the broker executes none.
    package let orders: (any TradingAPI)?
    /// The client of watchlists at the broker; nil if it has none.
    package let watchlists: (any WatchlistSource)?
    /// Market data with the user's own credential; nil if there is none, or if the server's own key serves
    /// the provider.
    package let market: MarketDataSource?
    /// The scope in which its values are cached.
    let scope: CacheScope

    package init(
        id: String, owner: OwnerID, provider: ProviderID, environment: Environment,
        accounts: any AccountSource,
        orders: (any TradingAPI)? = nil, watchlists: (any WatchlistSource)? = nil,
        market: MarketDataSource? = nil
    ) {
        self.id = id
        self.owner = owner
        self.provider = provider
        self.environment = environment
        self.accounts = accounts
        directory = accounts as? any AccountDirectory
        self.orders = orders
        self.watchlists = watchlists
        self.market = market
        scope = .connection(id, of: owner, at: provider)
    }

    /// The `id` that the schema gives one of its accounts.
    func globalID(ofAccount account: String) -> String {
        "Account:\(id):\(account)"
    }

    /// The `id` of a position in the schema: an account has at most one position in an instrument.
    ///
    /// It contains the account if a connection may have several.
    func globalID(ofPosition position: Position) -> String {
        guard let account = position.accountID else { return idPrefixOfPositions + position.symbol.text }
        return "\(idPrefixOfPositions)\(account):\(position.symbol.text)"
    }

    /// The prefix of the ids of all of its positions.
    var idPrefixOfPositions: String { "Position:\(id):" }
}
