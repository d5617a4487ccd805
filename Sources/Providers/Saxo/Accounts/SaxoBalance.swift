import Brokerage
import Upstream

/// The answer of `GET /port/v1/balances` for one account, in the account's currency.
struct SaxoBalance: JSONDecodable, Hashable {
    var currency: String?
    var totalValue: Decimal?
    var cash: Decimal?
    var availableCash: Decimal?
    var blockedCash: Decimal?
    var notBooked: Decimal?
    var marginAvailable: Decimal?
    /// Below zero, as Saxo counts what is used.
    var marginUsed: Decimal?
    /// In per cent already.
    var marginUtilization: Decimal?

    init(json reader: inout JSONReader) throws(JSONError) {
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "Currency": currency = try reader.stringOrNil()
            case "TotalValue": totalValue = try reader.decimalOrNil()
            case "CashBalance": cash = try reader.decimalOrNil()
            case "CashAvailableForTrading": availableCash = try reader.decimalOrNil()
            case "CashBlocked": blockedCash = try reader.decimalOrNil()
            case "TransactionsNotBooked": notBooked = try reader.decimalOrNil()
            case "MarginAvailableForTrading": marginAvailable = try reader.decimalOrNil()
            case "MarginUsedByCurrentPositions": marginUsed = try reader.decimalOrNil()
            case "MarginUtilizationPct": marginUtilization = try reader.decimalOrNil()
            default: try reader.skip()
            }
        }
    }
}

extension SaxoAccount {
    /// The account's stored fields in Portico's terms.
    var known: StoredAccount {
        StoredAccount(id: key, number: id, name: name, currency: currency)
    }

    /// The account's name; nil for an empty one.
    private var name: String? { displayName.flatMap { $0.isEmpty ? nil : $0 } }

    /// The account with its figures in Portico's terms.
    ///
    /// Figures are in the currency of the balance, which is the account's if the balance was requested with
    /// the account's key. Saxo does not return the buying power with margin, as it depends on the instrument,
    /// nor yesterday's value of the account.
    func account(_ balance: SaxoBalance, fetchedAt: Instant) -> Account {
        var account = Account(
            id: key, number: id, currency: balance.currency ?? currency,
            provenance: Provenance(source: .saxo, fetchedAt: fetchedAt))
        account.name = name
        // An active account may still be blocked in part.
        account.canTrade = isActive == false ? false : nil
        account.equity = balance.totalValue
        account.cash = balance.cash
        account.availableCash = balance.availableCash
        account.settledCash = balance.cash
        account.unsettledCash = balance.notBooked
        account.blockedCash = balance.blockedCash
        account.marginAvailable = balance.marginAvailable.map { max($0, .zero) }
        account.marginUsed = balance.marginUsed.flatMap { try? $0.magnitude }
        account.marginUtilization = balance.marginUtilization
        return account
    }
}
