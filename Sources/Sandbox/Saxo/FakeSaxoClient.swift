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

extension FakeSaxoClient {
    /// Thinks in euros, holds US shares and two positions in currencies, one of them short, over two accounts.
    package static let demo = FakeSaxoClient(
        id: "17304452", key: "b2Zf|0kq9bXc2-7hTTa1Vg==", name: "Sandbox Demo", currency: "EUR",
        accounts: [
            FakeSaxoAccount(
                id: "17304452", key: "uQ7xN3c-5m1Y8aFz2LQw4A==", currency: "EUR",
                opened: instant("2024-03-02T10:47:42.313Z"), deposit: 150_000,
                trades: [
                    trade("2024-03-14", "AAPL", "40"),
                    trade("2024-07-22", "MSFT", "25"),
                    trade("2025-01-16", "SPY", "30"),
                    trade("2025-05-28", "EUR/USD", "100000"),
                    trade("2025-10-09", "BRK.B", "12"),
                    trade("2026-02-11", "USD/JPY", "-50000"),
                ],
                limitOrders: [
                    FakeSaxoAccount.LimitOrder(
                        id: "5014824029", symbol: "EUR/DKK", quantity: 100_000,
                        price: Decimal("7.1") ?? .zero, placed: instant("2026-10-20T14:54:17.423333Z"))
                ]),
            FakeSaxoAccount(
                id: "17304453", key: "Zt0_k4Wd|9sP1bRm6YhUxA==", currency: "DKK",
                opened: instant("2025-02-10T08:15:03.118Z"), deposit: 400_000,
                trades: [
                    trade("2025-02-27", "AAPL", "10"),
                    trade("2025-06-19", "NVDA", "60"),
                    trade("2026-01-08", "EUR/DKK", "200000"),
                ]),
        ],
        credentials: Credentials(
            accessToken: "sandbox-saxo-demo-access", refreshToken: "sandbox-saxo-demo-refresh"))

    /// Thinks in kroner, and has one account.
    package static let second = FakeSaxoClient(
        id: "20918377", key: "h8Qd-Lw3|pVn5_sKzTe0Cg==", name: "Sandbox Second", currency: "DKK",
        accounts: [
            FakeSaxoAccount(
                id: "20918377", key: "Rk2|v7Bn-0xEo_4JqWfHaw==", currency: "DKK",
                opened: instant("2025-08-18T12:30:55.204Z"), deposit: 250_000,
                trades: [trade("2025-09-03", "AAPL", "5"), trade("2026-03-19", "USD/DKK", "20000")])
        ],
        credentials: Credentials(
            accessToken: "sandbox-saxo-second-access", refreshToken: "sandbox-saxo-second-refresh"))

    // The texts above are constants of this file; a test reads every one of them back.

    private static func instant(_ text: String) -> Instant {
        Instant(text) ?? .earliest
    }

    private static func trade(_ date: String, _ symbol: String, _ quantity: String) -> Ledger.Trade {
        Ledger.Trade(
            date: CalendarDate(date) ?? .earliest, symbol: symbol, quantity: Decimal(quantity) ?? .zero)
    }
}
