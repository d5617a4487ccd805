package import Brokerage

/// Places, changes, cancels and reads orders.
///
/// A write is sent once. If it fails with a cause other than a rejection, its outcome is unknown: query it
/// with ``order(clientID:of:in:)``, and do not send it again.
package protocol TradingAPI: Sendable {
    /// Which types, durations and so on it takes.
    var orderCapabilities: OrderCapabilities { get }

    /// How the effect of an order is determined before it is placed.
    var previewMethod: OrderPreviewMethod { get }

    /// Returns orders of the credential's accounts, newest first.
    ///
    /// - Parameters:
    ///   - query: The selection of orders.
    ///   - call: The deadline and the recorder of the operation.
    /// - Returns: The orders, and whether there are older ones.
    /// - Throws: `ProviderFailure` if they could not be read.
    func orders(
        _ query: OrderQuery, in call: CallContext
    ) async throws(ProviderFailure) -> OrderPage

    /// An order by the broker's own id.
    ///
    /// - Throws: `ProviderFailure`, with the cause `notFound` for one that the broker does not know (any more).
    func order(_ id: String, of account: String?, in call: CallContext) async throws(ProviderFailure) -> Order

    /// Returns what became of orders that the broker's list of open orders does not contain.
    ///
    /// - Parameters:
    ///   - orders: Orders of the credential's accounts, as they were known last: with the broker's ids, the times of their
    ///     submission if they are known, and the times at which the broker reported them last.
    ///   - call: The deadline and the recorder of the operation.
    /// - Returns: The orders that the broker reports; one call is made for many orders, and the number of calls is
    ///   bounded. An order that is missing may still exist.
    /// - Throws: `ProviderFailure` if none could be read.
    func outcomes(of orders: [Order], in call: CallContext) async throws(ProviderFailure) -> [Order]

    /// Looks up an order by the client's id.
    ///
    /// - Throws: `ProviderFailure` if the broker could not be queried; this shows nothing about the order.
    func order(
        clientID: String, of account: String?, in call: CallContext
    ) async throws(ProviderFailure) -> OrderLookup

    func place(_ ticket: OrderTicket, in call: CallContext) async throws(ProviderFailure) -> OrderResult

    /// Changes an order; the returned order has a new id if the broker assigns one.
    func replace(
        _ order: Order, by change: OrderReplacement, clientOrderID: String, in call: CallContext
    ) async throws(ProviderFailure) -> OrderResult

    /// Requests the cancellation of an order; the order may still be filled.
    func cancel(_ order: Order, in call: CallContext) async throws(ProviderFailure) -> OrderResult

    /// Returns the texts of disclaimers; one that the broker does not know has no result.
    ///
    /// A broker without disclaimers knows none; it gets no call.
    ///
    /// - Throws: `ProviderFailure` if the broker cannot be read.
    func disclaimers(
        _ references: [OrderDisclaimer.Reference], in call: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<OrderDisclaimer.Reference, OrderDisclaimer>

    /// Records at the broker that the user accepts a disclaimer; it is sent once.
    ///
    /// A broker without disclaimers gets no call: no reference is of such a broker.
    ///
    /// - Parameters:
    ///   - disclaimer: A disclaimer that ``disclaimers(_:in:)`` returned.
    ///   - text: The text that the user typed; nil if the disclaimer requires none.
    ///   - call: The call.
    /// - Throws: `ProviderFailure` if the broker did not record it, or if that is unknown.
    func accept(
        _ disclaimer: OrderDisclaimer.Reference, typing text: String?, in call: CallContext
    ) async throws(ProviderFailure)
}

extension TradingAPI {
    package func disclaimers(
        _ references: [OrderDisclaimer.Reference], in call: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<OrderDisclaimer.Reference, OrderDisclaimer> { [:] }

    package func accept(
        _ disclaimer: OrderDisclaimer.Reference, typing text: String?, in call: CallContext
    ) async throws(ProviderFailure) {}
}

/// How the effect of an order is determined before it is placed.
package enum OrderPreviewMethod: Sendable {
    /// By a call of the broker, which places nothing.
    case broker(@Sendable (OrderTicket, CallContext) async throws(ProviderFailure) -> OrderPreview)
    /// By the broker's rules, from values that other fields read, too.
    case estimate(@Sendable (OrderTicket, OrderPreviewFacts) -> OrderPreview)
}

/// The values by which Portico estimates the effect of an order; nil for a value that could not be read.
package struct OrderPreviewFacts: Hashable, Sendable {
    package var account: Account?
    package var quote: Quote?
    package var instrument: Instrument?
    /// The account's position in the instrument, by its sign; zero if there is none.
    package var heldQuantity: Decimal?
    /// The part of the position that open orders do not reserve, with the sign of the position.
    package var availableQuantity: Decimal?
    /// The time at which they were read.
    package var readAt: Instant

    package init(readAt: Instant) {
        self.readAt = readAt
    }
}

/// The result of looking up an order at a broker.
package enum OrderLookup: Hashable, Sendable {
    case found(Order)
    /// The broker had no such order when it was queried, open or ended: it had not accepted one before.
    ///
    /// A write that is still in flight may arrive later; query again when that is no longer possible.
    case absent
    /// Unknown: the broker reports neither an open nor an ended order, which is no proof at this broker. It may have been
    /// filled or cancelled, or may never have arrived.
    case unknown
}

/// A broker's response to a write.
package enum OrderResult: Hashable, Sendable {
    /// The order, as far as the broker's response has it.
    case accepted(Order)
    /// The broker refused; nothing has changed.
    case rejected(OrderRejection)
}

/// Which orders.
package struct OrderQuery: Hashable, Sendable {
    /// Open ones, ended ones, or all.
    package var isOpen: Bool?
    package var symbols: [Symbol]?
    /// The maximum number of orders, 1 to 500.
    package var limit: Int
    /// Orders submitted before; nil for the newest.
    ///
    /// An order without a known time of submission has the time of its
    /// last change.
    package var before: Instant?

    package init(isOpen: Bool? = nil, symbols: [Symbol]? = nil, limit: Int = 50, before: Instant? = nil) {
        self.isOpen = isOpen
        self.symbols = symbols
        self.limit = limit
        self.before = before
    }
}

/// Some orders, newest first.
package struct OrderPage: Hashable, Sendable {
    package var orders: [Order]
    /// The error of each order that could not be read, with its place in the broker's response and without a value.
    package var unreadable: [String]
    /// Whether the broker may have older ones of the kind.
    package var hasMore: Bool

    package init(orders: [Order], unreadable: [String] = [], hasMore: Bool) {
        self.orders = orders
        self.unreadable = unreadable
        self.hasMore = hasMore
    }
}

/// The orders that a broker accepts.
package struct OrderCapabilities: Hashable, Sendable {
    package var types: Set<OrderType>
    package var timesInForce: Set<TimeInForce>
    /// Those that it accepts of a cryptocurrency; nil if they are the same.
    package var cryptoTimesInForce: Set<TimeInForce>?
    /// Those that it accepts of an option; nil if they are the same.
    package var optionTimesInForce: Set<TimeInForce>?
    package var acceptsFractions: Bool
    /// The orders for fractions of a share; nil if they are the same.
    package var fractions: Fractions?
    package var acceptsNotional: Bool
    /// The classes of instruments that can be bought for an amount of money; nil for all.
    package var notionalClasses: Set<AssetClass>?
    package var acceptsExtendedHours: Bool
    package var replaces: Bool
    /// Whether a change may give an order another type, or the distance of a trailing stop another unit.
    package var replacesTypes: Bool
    /// Whether an order of which a part is filled can be changed: the broker counts that part towards the quantity.
    ///
    /// Otherwise the order that replaces it begins with nothing filled, and the part could be filled a second time.
    package var replacesPartlyFilled: Bool
    /// The orders that have ended and can be read.
    package var endedOrders: EndedOrders
    /// Whether the distance of a trailing stop can be a percentage; otherwise only an amount.
    package var acceptsPercentTrails: Bool
    /// The orders with exits that it accepts; nil for none.
    package var exits: Exits?

    /// Whether orders that have ended can be read.
    package var hasEndedOrders: Bool { endedOrders != .none }

    /// The orders of a broker that have ended and can be read.
    package enum EndedOrders: Hashable, Sendable {
        case none
        /// Those that ended lately, by the time of their end: lists have no older ones, and no times of submission.
        case recent
        /// All, by the time of their submission.
        case all
    }

    /// The orders for fractions of a share that a broker accepts.
    package struct Fractions: Hashable, Sendable {
        package var types: Set<OrderType>
        package var timesInForce: Set<TimeInForce>

        package init(types: Set<OrderType>, timesInForce: Set<TimeInForce>) {
            self.types = types
            self.timesInForce = timesInForce
        }
    }

    /// The orders with a take profit or a stop loss that a broker accepts.
    package struct Exits: Hashable, Sendable {
        package var timesInForce: Set<TimeInForce>
        package var acceptsFractions: Bool

        package init(timesInForce: Set<TimeInForce>, acceptsFractions: Bool) {
            self.timesInForce = timesInForce
            self.acceptsFractions = acceptsFractions
        }
    }

    package init(
        types: Set<OrderType>, timesInForce: Set<TimeInForce>,
        cryptoTimesInForce: Set<TimeInForce>? = nil, optionTimesInForce: Set<TimeInForce>? = nil,
        acceptsFractions: Bool, fractions: Fractions? = nil, acceptsNotional: Bool,
        acceptsExtendedHours: Bool, replaces: Bool, replacesTypes: Bool = true,
        replacesPartlyFilled: Bool = false, endedOrders: EndedOrders,
        acceptsPercentTrails: Bool = false, notionalClasses: Set<AssetClass>? = nil, exits: Exits? = nil
    ) {
        self.types = types
        self.timesInForce = timesInForce
        self.cryptoTimesInForce = cryptoTimesInForce
        self.optionTimesInForce = optionTimesInForce
        self.fractions = fractions
        self.acceptsFractions = acceptsFractions
        self.acceptsNotional = acceptsNotional
        self.acceptsExtendedHours = acceptsExtendedHours
        self.replaces = replaces
        self.replacesTypes = replacesTypes
        self.replacesPartlyFilled = replacesPartlyFilled
        self.endedOrders = endedOrders
        self.acceptsPercentTrails = acceptsPercentTrails
        self.notionalClasses = notionalClasses
        self.exits = exits
    }
}
