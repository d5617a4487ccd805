package import Brokerage

/// The history of an account: the deposit, and shares bought and sold.
///
/// The ledger and the market determine all other figures.
package struct Ledger: Sendable {
    /// A UUID.
    package let accountID: String
    package let accountNumber: String
    package let opened: Instant
    /// The amount paid in when the account was opened, in dollars.
    package let deposit: Decimal
    package let trades: [Trade]

    package init(accountID: String, accountNumber: String, opened: Instant, deposit: Decimal, trades: [Trade])
    {
        self.accountID = accountID
        self.accountNumber = accountNumber
        self.opened = opened
        self.deposit = deposit
        self.trades = trades
    }

    /// Shares bought, or sold if `quantity` is negative, at the official close of a day.
    package struct Trade: Sendable, Hashable {
        /// A day without trading counts as the previous trading day.
        package let date: CalendarDate
        package let symbol: String
        package let quantity: Decimal

        package init(date: CalendarDate, symbol: String, quantity: Decimal) {
            self.date = date
            self.symbol = symbol
            self.quantity = quantity
        }
    }
}

extension Ledger {
    static let demo = Ledger(
        accountID: "6f1de4b1-7ad5-4d0e-9c57-0a6b2f0f8a31", accountNumber: "PA3SANDBOX1",
        opened: instant("2024-02-12T15:20:07.512644Z"), deposit: 120_000,
        trades: [
            trade("2024-02-20", "SPY", "20"),
            trade("2024-03-05", "AAPL", "40"),
            trade("2024-04-18", "BRK.B", "15"),
            trade("2024-06-10", "KO", "120"),
            trade("2024-09-04", "NVDA", "36.5"),
            trade("2024-11-12", "MSFT", "14"),
            trade("2025-02-26", "AAPL", "12.25"),
            trade("2025-04-09", "JPM", "18"),
            trade("2025-07-01", "TSLA", "-8"),
            trade("2025-08-21", "COST", "3.141592653"),
            trade("2025-11-07", "GOOGL", "22"),
            trade("2026-03-16", "VTI", "10"),
        ])

    static let second = Ledger(
        accountID: "b1f0a6de-2c43-4c0f-8d11-5b7a90c3e642", accountNumber: "PA3SANDBOX2",
        opened: instant("2025-01-06T14:02:51.081Z"), deposit: 25_000,
        trades: [
            trade("2025-01-15", "QQQ", "12"),
            trade("2025-05-20", "DIS", "30"),
            trade("2026-01-20", "AAPL", "7.5"),
        ])

    // The texts above are constants of this file; a test parses each of them.

    private static func instant(_ text: String) -> Instant {
        Instant(text) ?? .earliest
    }

    private static func trade(_ date: String, _ symbol: String, _ quantity: String) -> Trade {
        Trade(
            date: CalendarDate(date) ?? .earliest, symbol: symbol, quantity: Decimal(quantity) ?? .zero)
    }
}
