package import Brokerage

/// What Saxo knows of a user: a client with accounts, and the tokens that prove who asks.
package struct FakeSaxoClient: Sendable {
    package let id: String
    package let key: String
    package let name: String
    /// The currency in which figures over all accounts are told.
    package let currency: String
    /// The first is the default.
    package let accounts: [FakeSaxoAccount]
    package let credentials: Credentials

    package init(
        id: String, key: String, name: String, currency: String, accounts: [FakeSaxoAccount],
        credentials: Credentials
    ) {
        self.id = id
        self.key = key
        self.name = name
        self.currency = currency
        self.accounts = accounts
        self.credentials = credentials
    }

    /// The tokens with which a session begins that has not gone through a login.
    package struct Credentials: Sendable {
        /// See ``FakeSaxoSettings/developerTokenLifetime``.
        package let accessToken: String
        /// Good for one use, within ``FakeSaxoSettings/refreshTokenLifetime`` of the sandbox's start.
        package let refreshToken: String

        package init(accessToken: String, refreshToken: String) {
            self.accessToken = accessToken
            self.refreshToken = refreshToken
        }
    }
}

/// One account: a currency, money paid in, what was bought and sold, and orders that wait.
package struct FakeSaxoAccount: Sendable {
    package let id: String
    package let key: String
    package let currency: String
    package let opened: Instant
    /// Paid in when the account was opened, in its currency.
    package let deposit: Decimal
    /// Shares, or units of a pair's base, at the official close of a day; symbols as the market lists them.
    package let trades: [Ledger.Trade]
    /// Orders that wait since before the sandbox was started.
    package let limitOrders: [LimitOrder]

    /// An order with a price, good until it is cancelled.
    package struct LimitOrder: Sendable, Hashable {
        package let id: String
        package let symbol: String
        /// Below zero to sell.
        package let quantity: Decimal
        package let price: Decimal
        package let placed: Instant

        package init(id: String, symbol: String, quantity: Decimal, price: Decimal, placed: Instant) {
            self.id = id
            self.symbol = symbol
            self.quantity = quantity
            self.price = price
            self.placed = placed
        }
    }

    package init(
        id: String, key: String, currency: String, opened: Instant, deposit: Decimal, trades: [Ledger.Trade],
        limitOrders: [LimitOrder] = []
    ) {
        self.id = id
        self.key = key
        self.currency = currency
        self.opened = opened
        self.deposit = deposit
        self.trades = trades
        self.limitOrders = limitOrders
    }
}
