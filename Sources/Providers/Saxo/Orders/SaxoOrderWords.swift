import Brokerage

extension OrderType {
    /// Saxo's type of an order; nil for one that Portico has no name for.
    init?(saxo name: String) {
        switch name {
        case "Market": self = .market
        case "Limit": self = .limit
        case "Stop", "StopIfTraded", "StopIfBid", "StopIfOffered": self = .stop
        case "StopLimit": self = .stopLimit
        case "TrailingStop", "TrailingStopIfTraded", "TrailingStopIfBid", "TrailingStopIfOffered":
            self = .trailingStop
        default: return nil
        }
    }
}

extension TimeInForce {
    /// Saxo's `DurationType`; nil for one that Portico has no name for.
    init?(saxo name: String) {
        switch name {
        case "DayOrder": self = .day
        case "GoodTillCancel": self = .goodTillCanceled
        case "GoodTillDate": self = .goodTillDate
        case "ImmediateOrCancel": self = .immediateOrCancel
        case "FillOrKill": self = .fillOrKill
        case "AtTheOpening": self = .opening
        case "AtTheClose": self = .closing
        default: return nil
        }
    }

    var saxo: String {
        switch self {
        case .day: "DayOrder"
        case .goodTillCanceled: "GoodTillCancel"
        case .goodTillDate: "GoodTillDate"
        case .immediateOrCancel: "ImmediateOrCancel"
        case .fillOrKill: "FillOrKill"
        case .opening: "AtTheOpening"
        case .closing: "AtTheClose"
        }
    }
}

extension OrderSide {
    var saxo: String {
        switch self {
        case .buy: "Buy"
        case .sell: "Sell"
        }
    }
}

extension OrderState {
    /// Saxo's `Status` of an open order.
    ///
    /// All that it lists are with it, so a word that is not known is `accepted` at least.
    init(saxo status: String, isPartlyFilled: Bool) {
        switch status {
        case "Working": self = isPartlyFilled ? .partiallyFilled : .open
        case "Filled": self = .filled
        case "WorkingLockedCancelPending", "NotWorkingLockedCancelPending": self = .pendingCancel
        case "WorkingLockedChangePending", "NotWorkingLockedChangePending": self = .pendingReplace
        default: self = .accepted
        }
    }
}
