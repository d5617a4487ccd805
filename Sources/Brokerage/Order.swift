/// An order, as a broker reports it.
package struct Order: Hashable, Sendable {
    /// The broker's own id.
    package var id: String
    /// The broker's account id; nil if the credential opens one account only.
    package var accountID: String?
    /// The id that the one who placed it gave it.
    package var clientOrderID: String?
    package var symbol: Symbol
    package var side: OrderSide
    /// Nil for a kind that Portico has no name for; it can be read and cancelled.
    package var type: OrderType?
    package var timeInForce: TimeInForce?
    package var isExtendedHours: Bool?
    /// Nil for an order by notional until the broker knows it.
    package var quantity: Decimal?
    /// Money to spend.
    package var notional: Decimal?
    package var limitPrice: Decimal?
    package var stopPrice: Decimal?
    package var trailPercent: Decimal?
    package var trailAmount: Decimal?
    /// Nil if the broker does not report it.
    package var filledQuantity: Decimal?
    package var averageFillPrice: Decimal?
    package var state: OrderState
    /// The state, as the broker names it.
    package var providerState: String?
    /// The reason, for the state `rejected`.
    package var rejection: OrderRejection?
    /// The broker's id of the order that this one took the place of, and of the one that took its own.
    package var replaces: String?
    package var replacedBy: String?
    /// The broker's id of the order that this one is a leg of; nil also if the broker does not report it.
    package var parentID: String?
    /// When the order was submitted that this one is a leg of; nil if the broker does not report it with the leg.
    package var parentSubmittedAt: Instant?
    /// Take-profit, stop-loss and other orders tied to this one.
    package var legs: [Order]
    /// The error of each leg that could not be read, with its place in the broker's response and without a value.
    package var unreadableLegs: [String] = []
    package var submittedAt: Instant?
    package var updatedAt: Instant?
    package var filledAt: Instant?
    package var canceledAt: Instant?
    package var expiresAt: Instant?
    package var provenance: Provenance

    package init(id: String, symbol: Symbol, side: OrderSide, state: OrderState, provenance: Provenance) {
        self.id = id
        self.symbol = symbol
        self.side = side
        self.state = state
        self.provenance = provenance
        legs = []
    }

    /// The time by which lists are sorted: of the submission, or of the last change if the broker does not report it.
    ///
    /// A leg has the time of the order that it belongs to, also after it was replaced, so that pages of a list have both.
    package var listTime: Instant? { parentSubmittedAt ?? submittedAt ?? updatedAt }

    /// The order as items of a list: behind an order that has ended, its legs are items themselves.
    ///
    /// Whether a leg is an item does not depend on what a list selects. The legs of an order that was replaced are those of the
    /// order that replaced it.
    package var listItems: [Order] { state.hasEnded && replacedBy == nil ? [self] + legs : [self] }

    /// Whether the state or the prices and quantities differ from those of another report of the order.
    package func differs(from other: Order) -> Bool {
        (state, filledQuantity, quantity, limitPrice, stopPrice)
            != (other.state, other.filledQuantity, other.quantity, other.limitPrice, other.stopPrice)
    }
}

/// Which way.
package enum OrderSide: String, Sendable, CaseIterable {
    case buy = "BUY"
    case sell = "SELL"

    package var opposite: OrderSide {
        switch self {
        case .buy: .sell
        case .sell: .buy
        }
    }
}

/// What makes an order execute.
package enum OrderType: String, Sendable, CaseIterable {
    case market = "MARKET"
    case limit = "LIMIT"
    case stop = "STOP"
    case stopLimit = "STOP_LIMIT"
    case trailingStop = "TRAILING_STOP"
}

/// How long an order stays in force.
package enum TimeInForce: String, Sendable, CaseIterable {
    case day = "DAY"
    case goodTillCanceled = "GTC"
    case goodTillDate = "GTD"
    case immediateOrCancel = "IOC"
    case fillOrKill = "FOK"
    case opening = "OPENING"
    case closing = "CLOSING"
}

/// The state of an order, see ``isFinal`` and ``hasEnded``.
package enum OrderState: String, Sendable, CaseIterable {
    /// Journalled by Portico, not yet known to the broker.
    case pending = "PENDING"
    /// The request was sent, and its response was lost.
    case unconfirmed = "UNCONFIRMED"
    /// With the broker, not yet in the market: queued for the opening, or held behind another leg.
    case accepted = "ACCEPTED"
    case open = "OPEN"
    case partiallyFilled = "PARTIALLY_FILLED"
    case filled = "FILLED"
    case pendingCancel = "PENDING_CANCEL"
    case canceled = "CANCELED"
    case pendingReplace = "PENDING_REPLACE"
    case replaced = "REPLACED"
    case rejected = "REJECTED"
    case expired = "EXPIRED"
    /// The broker no longer lists it as open, and does not report how it ended.
    case unknown = "UNKNOWN"

    /// Whether the state of the order can no longer change.
    package var isFinal: Bool {
        switch self {
        case .filled, .canceled, .rejected, .expired, .replaced: true
        case .pending, .unconfirmed, .accepted, .open, .partiallyFilled, .pendingCancel, .pendingReplace,
            .unknown:
            false
        }
    }

    /// Whether the order is an ended one: its state is final, or it has ended in an unknown way.
    package var hasEnded: Bool { isFinal || self == .unknown }
}

/// Why a broker refused an order.
package struct OrderRejection: Error, Hashable, Sendable {
    package var reason: RejectionReason
    /// The broker's message, for users.
    package var message: String?
    /// The disclaimers that the user must accept first; empty if the broker has not named them now.
    ///
    /// They are not stored with the order: each check of an order names others.
    package var disclaimers: [OrderDisclaimer.Reference] = []

    package init(_ reason: RejectionReason, message: String?) {
        self.reason = reason
        self.message = message
    }
}

/// Why a broker refuses; `price` and `quantity`: outside of its bounds or steps.
package enum RejectionReason: String, Sendable, CaseIterable {
    case insufficientFunds = "INSUFFICIENT_FUNDS"
    case insufficientQuantity = "INSUFFICIENT_QUANTITY"
    case price = "PRICE"
    case quantity = "QUANTITY"
    case marketClosed = "MARKET_CLOSED"
    case notTradable = "NOT_TRADABLE"
    case tradingBlocked = "TRADING_BLOCKED"
    case tooLate = "TOO_LATE"
    /// The user must accept disclaimers first. The broker has not accepted the order.
    case disclaimers = "DISCLAIMERS"
    case other = "OTHER"
}

/// An order to be placed.
package struct OrderTicket: Hashable, Sendable {
    /// Identifies the order in the account, so that the broker accepts it once.
    package var clientOrderID: String
    /// The broker's own id of the account.
    package var accountID: String
    package var symbol: Symbol
    package var side: OrderSide
    package var size: OrderSize
    package var price: OrderPricing
    package var timeInForce: TimeInForce
    /// With `goodTillDate`.
    package var expiresOn: CalendarDate?
    package var isExtendedHours: Bool
    /// The orders that close the position; nil for a simple order.
    package var exits: OrderExits?

    package init(
        clientOrderID: String, accountID: String, symbol: Symbol, side: OrderSide, size: OrderSize,
        price: OrderPricing, timeInForce: TimeInForce = .day, expiresOn: CalendarDate? = nil,
        isExtendedHours: Bool = false, exits: OrderExits? = nil
    ) {
        self.clientOrderID = clientOrderID
        self.accountID = accountID
        self.symbol = symbol
        self.side = side
        self.size = size
        self.price = price
        self.timeInForce = timeInForce
        self.expiresOn = expiresOn
        self.isExtendedHours = isExtendedHours
        self.exits = exits
    }

    /// The side of the orders that close the position.
    package var exitSide: OrderSide { exits?.closesExistingPosition == true ? side : side.opposite }
}

/// The orders that close a position: at a profit, at a loss, or both, of which one cancels the other.
package struct OrderExits: Hashable, Sendable {
    /// The limit price of the take profit.
    package var takeProfit: Decimal?
    package var stopLoss: StopLoss?
    /// Whether the position exists, so that the exits are placed without an entry.
    ///
    /// The ticket itself is then the take profit, and the stop loss its leg (OCO). Otherwise the exits start when the
    /// ticket is filled (bracket, OTO).
    package var closesExistingPosition: Bool

    package struct StopLoss: Hashable, Sendable {
        package var stop: Decimal
        /// The limit price after the stop; nil for the best price.
        package var limit: Decimal?

        package init(stop: Decimal, limit: Decimal? = nil) {
            self.stop = stop
            self.limit = limit
        }

        package var price: OrderPricing { limit.map { .stopLimit(stop: stop, limit: $0) } ?? .stop(stop) }
    }

    package init(takeProfit: Decimal?, stopLoss: StopLoss?, closesExistingPosition: Bool = false) {
        self.takeProfit = takeProfit
        self.stopLoss = stopLoss
        self.closesExistingPosition = closesExistingPosition
    }

    /// The prices of the legs: of the take profit first, unless the ticket is the take profit.
    package var legs: [OrderPricing] {
        let profit = closesExistingPosition ? nil : takeProfit.map { OrderPricing.limit($0) }
        return [profit, stopLoss?.price].compactMap(\.self)
    }
}

/// Pieces, or money to spend.
package enum OrderSize: Hashable, Sendable {
    case quantity(Decimal)
    case notional(Decimal)
}

/// An order's type, with just the prices that it takes.
package enum OrderPricing: Hashable, Sendable {
    case market
    case limit(Decimal)
    case stop(Decimal)
    case stopLimit(stop: Decimal, limit: Decimal)
    case trailingStop(Trail)

    package var type: OrderType {
        switch self {
        case .market: .market
        case .limit: .limit
        case .stop: .stop
        case .stopLimit: .stopLimit
        case .trailingStop: .trailingStop
        }
    }
}

/// The distance between the stop price and the best price.
package enum Trail: Hashable, Sendable {
    case percent(Decimal)
    case amount(Decimal)
}

/// Changes of an order; nil does not change a value.
package struct OrderReplacement: Hashable, Sendable {
    package var quantity: Decimal?
    package var price: OrderPricing?
    package var timeInForce: TimeInForce?
    package var expiresOn: CalendarDate?

    package init(
        quantity: Decimal? = nil, price: OrderPricing? = nil, timeInForce: TimeInForce? = nil,
        expiresOn: CalendarDate? = nil
    ) {
        self.quantity = quantity
        self.price = price
        self.timeInForce = timeInForce
        self.expiresOn = expiresOn
    }
}
