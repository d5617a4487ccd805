package import Brokerage
package import Upstream

/// A user's link to a broker: whose it is, and what it can be asked.
///
/// Every position and every order of an answer points to its own, which nothing changes: so it is shared, not copied.
package final class BrokerConnection: Sendable {
    /// Tells connections apart, in keys and ids; it never changes while the connection lives.
    package let id: String
    /// Whose it is.
    ///
    /// Nothing that is read through the connection is ever shown to anybody else.
    package let owner: OwnerID
    package let provider: ProviderID
    package let environment: Environment
    package let accounts: any AccountSource
    /// The source that reads accounts one by one; nil if one call returns all accounts with their figures.
    let directory: (any AccountDirectory)?
    /// What takes the account's orders; nil where it takes none.
    package let orders: (any TradingAPI)?
    /// The lists of instruments that the user keeps with the broker; nil where it keeps none.
    package let watchlists: (any WatchlistSource)?
    /// Market data by the user's own credential; nil where there is none, or the server's own key serves the provider.
    package let market: MarketDataSource?

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
    }

    /// The `id` that the schema gives one of its accounts.
    func globalID(ofAccount account: String) -> String {
        "Account:\(id):\(account)"
    }

    /// The `id` that the schema gives one of its positions: an account holds an instrument once.
    ///
    /// The account stands in it where a connection may have several.
    func globalID(ofPosition position: Position) -> String {
        guard let account = position.accountID else { return idPrefixOfPositions + position.symbol.text }
        return "\(idPrefixOfPositions)\(account):\(position.symbol.text)"
    }

    /// The prefix of the ids of all of its positions.
    var idPrefixOfPositions: String { "Position:\(id):" }
}
