import Brokerage

/// How far an order has come in Alpaca's words, all of which its specification lists.
enum AlpacaOrderStatus: String, CaseIterable {
    case new
    case partiallyFilled = "partially_filled"
    case filled
    case doneForDay = "done_for_day"
    case canceled
    case expired
    case replaced
    case pendingCancel = "pending_cancel"
    case pendingReplace = "pending_replace"
    case accepted
    case pendingNew = "pending_new"
    case acceptedForBidding = "accepted_for_bidding"
    case stopped
    case rejected
    case suspended
    case calculated
    case held

    /// The same in Portico's words.
    ///
    /// - Parameters:
    ///   - isFilled: Whether all of it has been filled.
    ///   - isBegun: Whether some of it has been filled.
    /// - Returns: the state.
    func state(isFilled: Bool, hasFills: Bool) -> OrderState {
        switch self {
        case .new, .acceptedForBidding: .open
        // A trade is guaranteed, but has not occurred.
        case .stopped: hasFills ? .partiallyFilled : .open
        case .partiallyFilled: .partiallyFilled
        case .filled: .filled
        // Over for today; one that is good till cancelled goes on tomorrow.
        case .doneForDay: hasFills ? .partiallyFilled : .accepted
        // Filled or done for the day; only its settlement is still to be computed.
        case .calculated: isFilled ? .filled : hasFills ? .partiallyFilled : .accepted
        case .canceled: .canceled
        case .expired: .expired
        case .replaced: .replaced
        case .pendingCancel: .pendingCancel
        case .pendingReplace: .pendingReplace
        case .accepted, .pendingNew, .suspended, .held: hasFills ? .partiallyFilled : .accepted
        case .rejected: .rejected
        }
    }
}

extension OrderType {
    /// Nil for a kind that Portico has no name for: Alpaca's legs of option spreads have none.
    init?(alpaca name: String) {
        guard let type = OrderType.allCases.first(where: { $0.alpacaName == name }) else { return nil }
        self = type
    }

    var alpacaName: String {
        switch self {
        case .market: "market"
        case .limit: "limit"
        case .stop: "stop"
        case .stopLimit: "stop_limit"
        case .trailingStop: "trailing_stop"
        }
    }
}

extension TimeInForce {
    init?(alpaca name: String) {
        guard let time = TimeInForce.allCases.first(where: { $0.alpacaName == name }) else { return nil }
        self = time
    }

    /// Nil for what Alpaca does not have.
    var alpacaName: String? {
        switch self {
        case .day: "day"
        case .goodTillCanceled: "gtc"
        case .goodTillDate: nil
        case .immediateOrCancel: "ioc"
        case .fillOrKill: "fok"
        case .opening: "opg"
        case .closing: "cls"
        }
    }
}

extension OrderSide {
    var alpacaName: String {
        switch self {
        case .buy: "buy"
        case .sell: "sell"
        }
    }
}
