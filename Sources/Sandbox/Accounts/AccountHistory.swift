import Brokerage
import Synchronization

/// What determines the ledger of an account, together with the market: the actions of its owner.
struct AccountPlan: Sendable, Hashable {
    let id: String
    let broker: Broker
    let currency: String
    /// The moment of ``deposit``.
    let funded: Instant
    /// The cash of the account at ``funded``, after a deposit.
    let deposit: Decimal
    let trades: [Ledger.Trade]
    /// The years before ``funded``; nil if the account was opened then.
    let earlier: Ledger.EarlierYears?

    /// The broker, whose rules of fees and rounding apply.
    enum Broker: Sendable, Hashable {
        case alpaca
        case saxo
    }
}

/// The ledger of an account: every entry from its opening, as a pure function of the plan and the market.
///
/// Before ``AccountPlan/funded``, income and fees change the cash. From then on, the owner is paid the income of
/// each event at once, and pays fees at once, so that only deposits and trades of the plan determine the cash.
struct AccountHistory: Sendable {
    /// In the order of their moments.
    let entries: [LedgerEntry]
    /// The changes of cash and shares without those whose sum is zero at their moment, for the sum at any moment.
    let movements: [LedgerEntry]
    /// The moment until which all entries are known.
    let horizon: Int

    /// Returns the ledger, at least until a moment.
    init(_ plan: AccountPlan, in market: Market, through second: Int) throws {
        var builder = try AccountHistoryBuilder(plan, market, through: second)
        try builder.run()
        let entries = builder.entries
        self.entries = entries
        horizon = second
        var kept: [LedgerEntry] = []
        var start = entries.startIndex
        while start < entries.endIndex {
            let group = entries[start...].prefix { $0.second == entries[start].second }
            let cash = try group.reduce(Decimal.zero) { try $0 + $1.cash }
            if !cash.isZero || group.contains(where: { !$0.change.isZero }) { kept += group }
            start = group.endIndex
        }
        movements = kept
    }

    /// Returns the entries until a moment.
    func entries(through second: Int) -> ArraySlice<LedgerEntry> {
        entries.prefix { $0.second <= second }
    }
}

/// The ledgers of one market's accounts, each computed at its first use.
///
/// It uses a lock: requests of several clients need ledgers concurrently, and each is computed once.
final class AccountHistories: Sendable {
    private let state = Mutex<[AccountPlan: AccountHistory]>([:])
    /// The maximum number of stored ledgers; a sandbox has a few accounts.
    private static let maximum = 64

    /// Returns an account's ledger, with all entries until a moment and perhaps later ones.
    func history(of plan: AccountPlan, in market: Market, through second: Int) throws -> AccountHistory {
        try state.withLock { histories in
            if let known = histories[plan], second <= known.horizon { return known }
            // A month more, so that a running clock does not compute it at every request.
            let history = try AccountHistory(plan, in: market, through: second + 31 * 86_400)
            if histories.count >= Self.maximum { histories = [:] }
            histories[plan] = history
            return history
        }
    }
}
