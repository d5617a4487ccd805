/// The expected effect of an order, before it is placed.
///
/// A value that is unknown is nil, never zero.
package struct OrderPreview: Hashable, Sendable {
    /// Whether Portico calculated it by the broker's rules and a quote; otherwise the broker did.
    package var isEstimate: Bool
    /// The price of the estimate, in ``currency``: the limit of a buyer; otherwise the larger of the order's own price
    /// and the market price, which is the ask for a purchase and the bid for a sale, if there is one.
    package var price: Decimal?
    /// The number of units.
    package var quantity: Decimal?
    /// `quantity` times `price`, in ``currency``; nil for an instrument whose price is not that of one unit.
    package var value: Decimal?
    /// The currency of the instrument's price, ISO 4217.
    package var currency: String?
    /// The costs of the trade, in ``currency``.
    package var costs = Costs()
    /// The same in ``accountCurrency``; all nil if the broker does not report them.
    package var accountCosts = Costs()
    /// ISO 4217.
    package var accountCurrency: String?
    /// The cash that the order needs in ``accountCurrency``.
    package var cashRequired: Decimal?
    /// The value of one unit of ``currency`` in ``accountCurrency``.
    package var conversionRate: Decimal?
    package var margin: MarginImpact?
    /// The rejections that the broker is expected to respond with.
    package var rejections: [ExpectedRejection] = []
    /// The disclaimers that the user must accept before the order is placed.
    package var disclaimers: [OrderDisclaimer.Reference] = []
    package var provenance: Provenance

    package init(isEstimate: Bool, provenance: Provenance) {
        self.isEstimate = isEstimate
        self.provenance = provenance
    }

    /// The costs of a trade, in one currency.
    package struct Costs: Hashable, Sendable {
        package var commission: Decimal?
        package var exchangeFee: Decimal?
        package var stampDuty: Decimal?
        /// All costs together; it can be known without its parts, and unknown with some of them.
        package var total: Decimal?

        package init() {}
    }

    /// The effect on the margin of an account, in one currency.
    package struct MarginImpact: Hashable, Sendable {
        /// ISO 4217.
        package var currency: String?
        /// The margin that opening the position needs.
        package var initial: Decimal?
        /// The margin that keeping the position needs.
        package var maintenance: Decimal?
        /// The margin that can be used before the order, and after it.
        package var availableBefore: Decimal?
        package var availableAfter: Decimal?

        package init() {}
    }

    /// A rejection, and the part of the ticket that causes it.
    package struct ExpectedRejection: Hashable, Sendable {
        package var rejection: OrderRejection
        /// Nil if the rejection is not about one part.
        package var part: TicketPart?

        package init(_ rejection: OrderRejection, of part: TicketPart?) {
            self.rejection = rejection
            self.part = part
        }
    }

    /// The part of a ticket that a rejection is about.
    package enum TicketPart: Hashable, Sendable {
        case account
        case instrument
        case size
        case price
        case timeInForce
        case extendedHours
        case takeProfit
        case stopLoss
    }
}

extension OrderPreview.TicketPart {
    /// The part that a reason is about, if the broker does not name it.
    package init?(_ reason: RejectionReason) {
        switch reason {
        case .insufficientFunds, .insufficientQuantity, .quantity: self = .size
        case .price: self = .price
        case .marketClosed: self = .timeInForce
        case .notTradable: self = .instrument
        case .tradingBlocked: self = .account
        case .tooLate, .disclaimers, .other: return nil
        }
    }
}
