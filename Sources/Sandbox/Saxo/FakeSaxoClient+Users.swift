import Brokerage

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
