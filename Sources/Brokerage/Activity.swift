/// An event of an account, as its broker has booked it: a trade, a payment, or a change of the holdings.
///
/// A value that the broker does not report is nil, never zero. Amounts and quantities are changes of the
/// account: negative for money and units that leave it.
package struct Activity: Hashable, Sendable {
    /// The broker's own id, unique in the account.
    package var id: String
    package var kind: ActivityKind
    /// The broker's own term for the kind: `DIV/CDIV`, `Corporate Actions - Cash Dividends`.
    package var providerKind: String
    /// The day of the trade or of the booking, by the broker's calendar.
    package var date: CalendarDate
    /// The time of the execution; nil for a booking.
    package var time: Instant?
    /// The place among the activities of this time; nil if the broker reports none.
    package var sequence: BrokerSequence?
    package var settlementDate: CalendarDate?
    /// The time by which the broker selects activities: when it recorded this one.
    package var recordedAt: Instant?
    package var symbol: Symbol?
    /// For a trade.
    package var side: OrderSide?
    /// The change of the number of units held.
    package var quantity: Decimal?
    /// The price of a unit; of a dividend, the amount of a unit.
    package var price: Decimal?
    /// The change of the cash, without fees and taxes that are activities of their own.
    package var amount: Decimal?
    /// ISO 4217, of `amount` and `price`.
    package var currency: String?
    /// The amount in the currency of the account, as the broker booked it.
    package var accountAmount: Decimal?
    /// ISO 4217, of `accountAmount`.
    package var accountCurrency: String?
    /// The rate by which the broker converted `amount` to `accountAmount`.
    package var conversionRate: Decimal?
    /// The broker's id of the order that caused the activity.
    package var orderID: String?
    /// The broker's id of the event to which several activities belong: a dividend and its tax, the rows of a split.
    package var groupID: String?
    /// The broker's text about it.
    package var about: String?

    package init(id: String, kind: ActivityKind, providerKind: String, date: CalendarDate) {
        self.id = id
        self.kind = kind
        self.providerKind = providerKind
        self.date = date
    }
}

/// The kind of an activity.
package enum ActivityKind: String, Sendable, CaseIterable {
    case trade = "TRADE"
    case dividend = "DIVIDEND"
    case interest = "INTEREST"
    case fee = "FEE"
    case tax = "TAX"
    case deposit = "DEPOSIT"
    case withdrawal = "WITHDRAWAL"
    /// Cash or securities between accounts.
    case transfer = "TRANSFER"
    case split = "SPLIT"
    case spinOff = "SPIN_OFF"
    case merger = "MERGER"
    case symbolChange = "SYMBOL_CHANGE"
    /// A kind that only the broker's own term describes.
    case other = "OTHER"
}
