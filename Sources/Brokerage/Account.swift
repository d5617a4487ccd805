/// A broker account: who it is, and its figures at one moment.
///
/// Amounts are in `currency`.
package struct Account: Hashable, Sendable {
    /// The broker's own id of the account.
    package var id: String
    package var number: String
    /// The name that the user or the broker gave it.
    package var name: String?
    /// ISO 4217.
    package var currency: String
    /// The status, as the broker names it.
    package var status: String?
    /// False if the broker blocks trading; nil if it does not report it.
    package var canTrade: Bool?
    /// All that it is worth: cash and positions.
    package var equity: Decimal?
    /// Equity at the previous close.
    package var lastEquity: Decimal?
    /// Booked cash, below zero where borrowed.
    package var cash: Decimal?
    /// Cash that can buy now without borrowing.
    package var availableCash: Decimal?
    /// Cash of settled trades.
    package var settledCash: Decimal?
    /// Cash of trades that are not booked yet.
    package var unsettledCash: Decimal?
    /// Cash held back by the broker.
    package var blockedCash: Decimal?
    /// The amount that can be bought with margin.
    package var buyingPower: Decimal?
    /// Margin left, above zero.
    package var marginAvailable: Decimal?
    /// Margin in use, above zero.
    package var marginUsed: Decimal?
    /// Margin in use, in per cent of what there is, as the broker counts it.
    package var marginUtilization: Decimal?
    package var provenance: Provenance

    package init(id: String, number: String, currency: String, provenance: Provenance) {
        self.id = id
        self.number = number
        self.currency = currency
        self.provenance = provenance
    }
}

extension Account {
    /// Equity less equity at the previous close; nil without either.
    package var dayChange: Decimal? {
        guard let equity, let lastEquity else { return nil }
        return (try? equity - lastEquity)?.rounded(in: currency)
    }
}

/// The stored fields of an account, without its figures.
package struct StoredAccount: Hashable, Sendable {
    /// The broker's own id of the account.
    package let id: String
    package let number: String
    package let name: String?
    /// ISO 4217.
    package let currency: String

    package init(id: String, number: String, name: String?, currency: String) {
        self.id = id
        self.number = number
        self.name = name
        self.currency = currency
    }

    package init(_ account: Account) {
        self.init(id: account.id, number: account.number, name: account.name, currency: account.currency)
    }
}
