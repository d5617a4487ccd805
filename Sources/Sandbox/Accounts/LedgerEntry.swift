import Brokerage

/// One entry of an account's ledger: an amount of cash, or shares, or both.
///
/// Numbers of shares and prices are those after later splits, as are the market's prices; the wire formats convert
/// them.
struct LedgerEntry: Sendable, Hashable {
    /// The position in the ledger, from 1; later entries do not change it.
    let number: Int
    let kind: Kind
    /// Seconds since 1970: the moment at which the account changes and the provider creates the row.
    let second: Int
    /// The day in New York to which the entry belongs.
    let date: CalendarDate
    /// Nil for an entry without an instrument.
    let instrument: FakeInstrument?
    /// Shares that are traded, delivered or entitled to a dividend: negative for a sale, zero for cash alone.
    let quantity: Decimal
    /// The price of a share, or its dividend, in ``currency``.
    let price: Decimal?
    /// The cash in ``currency``; negative for a payment by the account.
    let amount: Decimal
    /// The currency of the instrument, or the account's.
    let currency: String
    /// The price of a unit of ``currency`` in the account's.
    let rate: Decimal
    /// The cash in the account's currency.
    let cash: Decimal
    /// The number of the entry that caused it: the same for all entries of one event.
    let event: Int
    /// True for a sale of shares that the account did not hold.
    let opensShort: Bool

    enum Kind: String, Sendable, Hashable {
        case deposit
        case withdrawal
        case trade
        case dividend
        case withholdingTax
        case interest
        /// The fee of the SEC for the value of sales (section 31).
        case regulatoryFee
        /// FINRA's fee for shares sold.
        case tradingActivityFee
        case commission
        case custodyFee
        /// Old shares are replaced by new ones; ``quantity`` is the number of new ones.
        case split
        /// New shares without payment.
        case spinOff
    }

    /// The shares by which the holding changes; zero for a split, since ``quantity`` is in new shares.
    var change: Decimal {
        switch kind {
        case .trade, .spinOff: quantity
        case .deposit, .withdrawal, .dividend, .withholdingTax, .interest, .regulatoryFee,
            .tradingActivityFee,
            .commission, .custodyFee, .split:
            .zero
        }
    }

    /// True if it is a payment between the account and its owner.
    var isExternalFlow: Bool { kind == .deposit || kind == .withdrawal }

    var time: Instant { Instant(secondsSince1970: Int64(second)) ?? .latest }
}
