package import Brokerage

/// A user's data at Saxo: a client with accounts, and tokens.
package struct FakeSaxoClient: Sendable {
    package let id: String
    package let key: String
    package let name: String
    /// The currency of totals over all accounts.
    package let currency: String
    /// The first is the default account.
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

    /// The tokens of a session without a login.
    package struct Credentials: Sendable {
        /// See ``FakeSaxoSettings/developerTokenLifetime``.
        package let accessToken: String
        /// Valid for one use, within ``FakeSaxoSettings/refreshTokenLifetime`` of the sandbox's start.
        package let refreshToken: String

        package init(accessToken: String, refreshToken: String) {
            self.accessToken = accessToken
            self.refreshToken = refreshToken
        }
    }
}

/// One account: a currency, the deposit, trades, and open orders.
package struct FakeSaxoAccount: Sendable {
    package let id: String
    package let key: String
    package let currency: String
    package let opened: Instant
    /// The amount paid in when the account was opened, in its currency.
    package let deposit: Decimal
    /// Shares, or units of a pair's base, at the official close of a day; symbols are the market's.
    package let trades: [Ledger.Trade]
    /// Orders placed before the start of the sandbox.
    package let limitOrders: [LimitOrder]

    /// A limit order, good till cancelled.
    package struct LimitOrder: Sendable, Hashable {
        package let id: String
        package let symbol: String
        /// Negative for a sale.
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
    /// The demonstration client: in euros, with US shares and two currency positions, one of them short, in
    /// two accounts.
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

    /// The second client: in kroner, with one account.
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

    // The texts above are constants of this file; a test parses each of them.

    private static func instant(_ text: String) -> Instant {
        Instant(text) ?? .earliest
    }

    private static func trade(_ date: String, _ symbol: String, _ quantity: String) -> Ledger.Trade {
        Ledger.Trade(
            date: CalendarDate(date) ?? .earliest, symbol: symbol, quantity: Decimal(quantity) ?? .zero)
    }
}
