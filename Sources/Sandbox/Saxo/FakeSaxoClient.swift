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
    /// The moment from which the cash is ``deposit`` less the cost of ``trades``.
    package let funded: Instant
    /// The cash at ``funded``, in its currency; the amount paid in if the account was opened then.
    package let deposit: Decimal
    /// Shares, or units of a pair's base, at the official close of a day; symbols are the market's.
    package let trades: [Ledger.Trade]
    /// Orders placed before the start of the sandbox.
    package let limitOrders: [LimitOrder]
    /// The years before ``funded``; nil if the account was opened then.
    package let earlier: Ledger.EarlierYears?

    /// The moment of the first deposit.
    package var opened: Instant { earlier?.opened ?? funded }

    var plan: AccountPlan {
        AccountPlan(
            id: id, broker: .saxo, currency: currency, funded: funded, deposit: deposit, trades: trades,
            earlier: earlier)
    }

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
        limitOrders: [LimitOrder] = [], earlier: Ledger.EarlierYears? = nil
    ) {
        self.id = id
        self.key = key
        self.currency = currency
        funded = opened
        self.deposit = deposit
        self.trades = trades
        self.limitOrders = limitOrders
        self.earlier = earlier
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
                ],
                earlier: Ledger.EarlierYears(
                    opened: instant("2021-11-02T09:12:30Z"), deposit: 30_000, monthlyDeposit: 750,
                    withdrawals: [
                        Ledger.Withdrawal(date: CalendarDate("2023-06-20") ?? .earliest, amount: 4_000)
                    ],
                    trades: [
                        trade("2021-11-16", "T", "300"),
                        trade("2022-01-20", "PEP", "30"),
                        trade("2022-06-16", "WBD", "-30"),
                        trade("2022-11-10", "XOM", "40"),
                        trade("2023-04-18", "V", "25"),
                        trade("2023-09-14", "PEP", "-12"),
                        trade("2024-01-23", "T", "-300"),
                        trade("2024-01-23", "PEP", "-18"),
                        trade("2024-02-15", "XOM", "-40"),
                        trade("2024-02-15", "V", "-25"),
                    ])),
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
