import Brokerage

extension RejectionReason {
    /// What a client does about it, in Markdown.
    var remedy: String {
        switch self {
        case .insufficientFunds: "Show `Account.buyingPower`, and offer a smaller order."
        case .insufficientQuantity: "Show `Position.quantity`, less what open orders already sell."
        case .price: "Show the current `Quote` and `Listing.tickSize`, and let the user correct the price."
        case .quantity: "Show `Listing.minimumQuantity` and `Listing.quantityIncrement`."
        case .marketClosed: "Show `marketClock { nextOpen }`, or offer another `timeInForce`."
        case .notTradable: "Do not offer the order: `Listing` says what the broker trades, and how."
        case .tradingBlocked: "Lead the user to the broker: only they can lift it together."
        case .tooLate: "Read the order anew: it is filled, cancelled or expired."
        case .other: "Show `message`, the broker's own words."
        }
    }
}
