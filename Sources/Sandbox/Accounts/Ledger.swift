package import Brokerage

/// What has happened to an account: money paid in, shares bought and sold.
///
/// All else follows from it and the market.
package struct Ledger: Sendable {
    /// A UUID.
    package let accountID: String
    package let accountNumber: String
    package let opened: Instant
    /// Paid in when the account was opened, in dollars.
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

    /// Shares bought, or sold where `quantity` is below zero, at the official close of a day.
    package struct Trade: Sendable, Hashable {
        /// A day without trading counts as the trading day before it.
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
