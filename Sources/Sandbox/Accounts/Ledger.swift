package import Brokerage

/// What the owner of an account did: deposits, withdrawals, and shares bought and sold.
///
/// The ledger and the market determine all other figures; ``AccountHistory`` has every entry.
package struct Ledger: Sendable {
    /// A UUID.
    package let accountID: String
    package let accountNumber: String
    /// The moment from which the cash is ``deposit`` less the cost of ``trades``.
    package let funded: Instant
    /// The cash at ``funded``, in dollars; the amount paid in if the account was opened then.
    package let deposit: Decimal
    package let trades: [Trade]
    /// The years before ``funded``; nil if the account was opened then.
    package let earlier: EarlierYears?

    package init(
        accountID: String, accountNumber: String, opened: Instant, deposit: Decimal, trades: [Trade],
        earlier: EarlierYears? = nil
    ) {
        self.accountID = accountID
        self.accountNumber = accountNumber
        funded = opened
        self.deposit = deposit
        self.trades = trades
        self.earlier = earlier
    }

    /// The moment of the first deposit.
    package var opened: Instant { earlier?.opened ?? funded }

    /// The amount paid in when the account was opened, in dollars.
    package var openingDeposit: Decimal { earlier?.deposit ?? deposit }

    var plan: AccountPlan {
        AccountPlan(
            id: accountID, broker: .alpaca, currency: "USD", funded: funded, deposit: deposit, trades: trades,
            earlier: earlier)
    }

    /// The first years of an account: savings, and trades that are all closed at the end.
    package struct EarlierYears: Sendable, Hashable {
        package let opened: Instant
        /// The amount paid in at ``opened``.
        package let deposit: Decimal
        /// The amount paid in on the first trading day of each month.
        package let monthlyDeposit: Decimal
        package let withdrawals: [Withdrawal]
        package let trades: [Trade]

        package init(
            opened: Instant, deposit: Decimal, monthlyDeposit: Decimal, withdrawals: [Withdrawal],
            trades: [Trade]
        ) {
            self.opened = opened
            self.deposit = deposit
            self.monthlyDeposit = monthlyDeposit
            self.withdrawals = withdrawals
            self.trades = trades
        }
    }

    /// An amount paid out on a day.
    package struct Withdrawal: Sendable, Hashable {
        package let date: CalendarDate
        package let amount: Decimal

        package init(date: CalendarDate, amount: Decimal) {
            self.date = date
            self.amount = amount
        }
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
        ],
        earlier: EarlierYears(
            opened: instant("2021-11-08T15:20:07.512644Z"), deposit: 20_000, monthlyDeposit: 500,
            withdrawals: [Withdrawal(date: CalendarDate("2023-03-15") ?? .earliest, amount: 2_500)],
            trades: [
                trade("2021-11-15", "T", "200"),
                trade("2021-12-06", "XOM", "40"),
                trade("2022-01-18", "PFE", "150"),
                trade("2022-03-08", "NKE", "20"),
                trade("2022-06-14", "WBD", "-20"),
                trade("2022-08-09", "XOM", "-15"),
                trade("2022-10-12", "META", "8"),
                trade("2023-02-14", "V", "12"),
                trade("2023-05-10", "NKE", "-20"),
                trade("2023-07-19", "PEP", "20"),
                trade("2023-10-17", "META", "-3"),
                trade("2024-01-17", "T", "-200"),
                trade("2024-01-17", "XOM", "-25"),
                trade("2024-01-24", "PFE", "-150"),
                trade("2024-01-24", "META", "-5"),
                trade("2024-02-05", "V", "-12"),
                trade("2024-02-05", "PEP", "-20"),
            ]))

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
