package import Brokerage
package import Upstream

extension SaxoClient {
    /// Returns an order's type and prices in Saxo's form, in the unit of the instrument's price.
    ///
    /// - Parameters:
    ///   - price: The type and prices of the order.
    ///   - side: Buy or sell.
    ///   - stop: The current stop price of a trailing stop; nil for a new one, which starts at its distance
    ///     from the market.
    ///   - isExit: Whether it is a leg of an order: the stop of a leg is triggered by trades, except for
    ///     currencies.
    ///   - current: The open order that is changed; nil for a new one. A stop keeps its trigger, because Saxo changes no exit to
    ///     another one (error code `IllegalOrderTypeChange`), and a trailing stop its step.
    ///   - listing: The instrument.
    ///   - context: The user and the deadline.
    /// - Returns: The terms, or the reason why Saxo does not accept the order: also prices whose unit is unknown, because the
    ///   order could be at a hundred times its price.
    /// - Throws: `ProviderFailure`, with the cause `unsupported` for prices with too many digits.
    package func terms(
        _ price: OrderPricing, _ side: OrderSide, from stop: Decimal? = nil, isExit: Bool = false,
        keeping current: SaxoOpenOrder? = nil, of listing: SaxoListing, in context: CallContext
    ) async throws(ProviderFailure) -> Result<SaxoOrderRequestBody.Terms, OrderRejection> {
        let kept = current.flatMap { OrderType(saxo: $0.type) == price.type ? $0 : nil }
        let hasPrice = if case .market = price { false } else { true }
        let listing = try await hasPrice ? withPriceUnit(listing, in: context) : listing
        guard !hasPrice || listing.priceUnit != nil else { return .failure(.unknownPriceUnit) }
        switch price {
        case .market: return .success(SaxoOrderRequestBody.Terms(type: "Market"))
        case .limit(let limit):
            return .success(
                SaxoOrderRequestBody.Terms(type: "Limit", price: try Self.minor(limit, of: listing)))
        case .stop(let stop):
            let isTraded = isExit && !SaxoSymbols.pairTypes.contains(listing.key.assetType)
            let (first, second) = isTraded ? ("StopIfTraded", "Stop") : ("Stop", "StopIfTraded")
            let type: String =
                if let kept {
                    kept.type
                } else { try await self.type(first, or: second, of: listing, in: context) }
            return .success(SaxoOrderRequestBody.Terms(type: type, price: try Self.minor(stop, of: listing)))
        case .stopLimit(let stop, let limit):
            return .success(
                SaxoOrderRequestBody.Terms(
                    type: "StopLimit", price: try Self.minor(stop, of: listing),
                    stopLimitPrice: try Self.minor(limit, of: listing)))
        case .trailingStop(.percent): return .failure(.percentTrail)
        case .trailingStop(.amount(let distance)):
            return try await trailing(distance, side, from: stop, keeping: kept, of: listing, in: context)
        }
    }

    /// Returns a trailing stop: Saxo requires its start and the steps by which it moves.
    ///
    /// A new step is the tick size, so that the stop follows the market as closely as possible.
    private func trailing(
        _ distance: Decimal, _ side: OrderSide, from stop: Decimal?, keeping kept: SaxoOpenOrder?,
        of listing: SaxoListing, in context: CallContext
    ) async throws(ProviderFailure) -> Result<SaxoOrderRequestBody.Terms, OrderRejection> {
        let type: String =
            if let kept {
                kept.type
            } else {
                try await self.type("TrailingStop", or: "TrailingStopIfTraded", of: listing, in: context)
            }
        let about = try await details(of: listing.key, in: context).about
        let distance = try Self.minor(distance, of: listing)
        let start: Decimal
        if let stop {
            start = try Self.minor(stop, of: listing)
        } else {
            guard let market = try await marketPrice(of: listing, for: side, in: context) else {
                return .failure(.noStart)
            }
            let behind = try? (side == .sell ? market - distance : market + distance)
            guard let behind, behind > .zero,
                let onTick = about.tick(at: behind).flatMap({ behind.onTick($0, up: side == .buy) }),
                onTick > .zero
            else { return .failure(.noStart) }
            start = onTick
        }
        guard let step = kept?.terms.trailingStep ?? about.tick(at: start) else { return .failure(.noStart) }
        return .success(
            SaxoOrderRequestBody.Terms(
                type: type, price: start, trailingDistance: distance, trailingStep: step))
    }

    /// The price at which an order of that side executes now, in Saxo's units; nil if Saxo returns none.
    private func marketPrice(
        of listing: SaxoListing, for side: OrderSide, in context: CallContext
    ) async throws(ProviderFailure) -> Decimal? {
        let batch = try await quotes(for: [listing.symbol], in: context)
        if let failure = batch.failures[listing.symbol] { throw failure }
        let quote = batch[listing.symbol]
        guard let price = (side == .sell ? quote?.bid : quote?.ask) ?? quote?.price else { return nil }
        return try Self.minor(price, of: listing)
    }

    private static func minor(
        _ price: Decimal, of listing: SaxoListing
    ) throws(ProviderFailure) -> Decimal {
        guard let price = listing.priceUnit?.minor(price) else { throw ProviderFailure(.saxo, .unsupported) }
        return price
    }

    /// The type of a new stop, which is triggered by a quote or by a trade: `second` if the instrument takes only this one of
    /// the two, otherwise `first`.
    ///
    /// Saxo checks it itself: the known types may have been read for another client.
    private func type(
        _ first: String, or second: String, of listing: SaxoListing, in context: CallContext
    ) async throws(ProviderFailure) -> String {
        let known = try await details(of: listing.key, in: context).about.orderTypes ?? []
        return known.contains(second) && !known.contains(first) ? second : first
    }
}

extension Decimal {
    /// The nearest multiple of a tick that is not above this price, or with `up` not below it; nil if there
    /// is none.
    fileprivate func onTick(_ tick: Decimal, up: Bool) -> Decimal? {
        guard let ticks = try? divided(by: tick, to: 0, .towardZero), let below = try? ticks * tick else {
            return nil
        }
        guard up, below < self else { return below }
        return try? below + tick
    }
}

extension OrderRejection {
    static let notOpen = OrderRejection(.tooLate, message: "Saxo does not list the order as open.")
    fileprivate static let unknownPriceUnit = OrderRejection(
        .other,
        message: "Saxo does not report whether the instrument's prices are in hundredths of its currency.")
    fileprivate static let percentTrail = OrderRejection(
        .other,
        message: "Saxo's trailing stops keep a distance in money; give an amount instead of a percentage.")
    fileprivate static let noStart = OrderRejection(
        .other,
        message:
            "Saxo tells no price or price step of the instrument, so a trailing stop has nowhere to begin.")
}

extension Order {
    /// The pricing in Portico's form; nil for a type without one.
    var price: OrderPricing? {
        switch type {
        case .market: .market
        case .limit: limitPrice.map { .limit($0) }
        case .stop: stopPrice.map { .stop($0) }
        case .stopLimit:
            stopPrice.flatMap { stop in limitPrice.map { .stopLimit(stop: stop, limit: $0) } }
        case .trailingStop: trailAmount.map { .trailingStop(.amount($0)) }
        case nil: nil
        }
    }

    /// Sets type and prices from the terms that were sent to Saxo.
    mutating func set(_ price: OrderPricing, _ terms: SaxoOrderRequestBody.Terms, of listing: SaxoListing) {
        type = price.type
        (limitPrice, stopPrice, trailAmount, trailPercent) = (nil, nil, nil, nil)
        switch price {
        case .market: break
        case .limit(let limit): limitPrice = limit
        case .stop(let stop): stopPrice = stop
        case .stopLimit(let stop, let limit): (stopPrice, limitPrice) = (stop, limit)
        case .trailingStop(.percent(let percent)): trailPercent = percent
        case .trailingStop(.amount(let amount)):
            (trailAmount, stopPrice) = (amount, listing.major(price: terms.price))
        }
    }
}

extension OrderReplacement {
    /// Whether a stop stays one, and is triggered by the same price as before.
    func keepsTrigger(of order: Order) -> Bool {
        switch price?.type ?? order.type {
        case .stop, .trailingStop: order.type == nil || price == nil || price?.type == order.type
        case .market, .limit, .stopLimit, nil: false
        }
    }

    /// The duration of the changed order.
    ///
    /// - Parameters:
    ///   - timeInForce: How long it stays in force.
    ///   - current: The duration of the open order, as Saxo lists it.
    /// - Returns: The current duration, unless it changes.
    func duration(_ timeInForce: TimeInForce, _ current: SaxoDuration?) -> SaxoDuration {
        if let current, expiresOn == nil, self.timeInForce == nil || timeInForce.saxo == current.type {
            return current
        }
        return SaxoDuration(timeInForce, until: expiresOn)
    }
}

/// The bodies of `POST` and `PATCH` of `/trade/v2/orders`.
package enum SaxoOrderRequestBody {
    /// Saxo's type of an order, and its prices.
    package struct Terms: Hashable {
        var type: String
        package var price: Decimal?
        var stopLimitPrice: Decimal?
        /// The distance of a trailing stop from the market, and the steps by which it follows.
        var trailingDistance: Decimal?
        var trailingStep: Decimal?
        /// `ToOpenClose`, which an order for an option must have.
        var positionEffect: PositionEffect?
        /// `ExecuteAtTradingSession`; nil for the regular session.
        var tradingSession: String?
    }

    /// Whether an order opens or increases a position, or closes or decreases one.
    package enum PositionEffect: String, Sendable {
        case open = "ToOpen"
        case close = "ToClose"
    }

    /// The body of an order, or of its precheck.
    ///
    /// - Parameters:
    ///   - ticket: The order.
    ///   - terms: The terms of the order itself.
    ///   - exits: The terms of its legs. They become related orders, or the second order of a pair of which
    ///     one cancels the other.
    ///   - key: The instrument.
    ///   - fieldGroups: The parts of the response of a precheck; nil for an order.
    /// - Returns: The body.
    package static func placing(
        _ ticket: OrderTicket, _ terms: Terms, exits: [Terms] = [], of key: SaxoInstrumentKey,
        fieldGroups: [String]? = nil
    ) -> [UInt8] {
        let closesPosition = ticket.exits?.closesExistingPosition ?? false
        var text = JSONObjectText()
        if closesPosition {
            let pair = ([terms] + exits).enumerated().map { index, terms in
                var order = instrument(of: ticket, key)
                addOrder(ticket, ticket.side, terms, reference(of: ticket, leg: index), to: &order)
                return order
            }
            text.add("Orders", pair)
        } else {
            text = instrument(of: ticket, key)
            addOrder(ticket, ticket.side, terms, ticket.clientOrderID, to: &text)
            if !exits.isEmpty {
                let legs = exits.enumerated().map { index, terms in
                    var leg = JSONObjectText()
                    addOrder(ticket, ticket.exitSide, terms, reference(of: ticket, leg: index + 1), to: &leg)
                    return leg
                }
                text.add("Orders", legs)
            }
        }
        if let fieldGroups { text.add("FieldGroups", fieldGroups) }
        return text.bytes
    }

    /// The reference of a leg by its number, from 1; of the order itself for 0.
    ///
    /// The legs of an entry have a reference of their own form: one that is listed without its entry shows
    /// that the entry was filled.
    static func reference(of ticket: OrderTicket, leg: Int) -> String {
        if leg == 0 { return ticket.clientOrderID }
        let mark = ticket.exits?.closesExistingPosition == true ? "oco" : String(leg)
        return "\(legPrefix(of: ticket.clientOrderID))\(mark)"
    }

    /// The duration of an order, or of one of its legs.
    ///
    /// A market order with exits is for the day; only its exits can stay in force for longer.
    static func timeInForce(of ticket: OrderTicket, _ terms: Terms) -> TimeInForce {
        terms.type == "Market" && ticket.exits != nil ? .day : ticket.timeInForce
    }

    static func legPrefix(of clientOrderID: String) -> String { clientOrderID + "." }

    private static func instrument(of ticket: OrderTicket, _ key: SaxoInstrumentKey) -> JSONObjectText {
        var text = JSONObjectText()
        text.add("AccountKey", ticket.accountID)
        text.add("Uic", key.uic)
        text.add("AssetType", key.assetType)
        return text
    }

    private static func addOrder(
        _ ticket: OrderTicket, _ side: OrderSide, _ terms: Terms, _ reference: String,
        to text: inout JSONObjectText
    ) {
        text.add("BuySell", side.saxo)
        switch ticket.size {
        case .quantity(let amount):
            text.add("Amount", amount)
            text.add("AmountType", "Quantity")
        case .notional(let amount):
            text.add("Amount", amount)
            text.add("AmountType", "CashAmount")
        }
        add(terms, to: &text)
        let duration = SaxoDuration(timeInForce(of: ticket, terms), until: ticket.expiresOn)
        text.add("OrderDuration", duration.request)
        // Required; the order is requested by a person, because Portico places none by itself.
        text.add("ManualOrder", true)
        text.add("ExternalReference", reference)
        text.add("ToOpenClose", terms.positionEffect?.rawValue)
        text.add("ExecuteAtTradingSession", terms.tradingSession)
    }

    static func changing(
        _ order: Order, to amount: Decimal, isCash: Bool, _ terms: Terms, _ duration: SaxoDuration,
        of key: SaxoInstrumentKey, account: String
    ) -> [UInt8] {
        var text = JSONObjectText()
        text.add("AccountKey", account)
        text.add("OrderId", order.id)
        text.add("AssetType", key.assetType)
        text.add("Amount", amount)
        text.add("AmountType", isCash ? "CashAmount" : "Quantity")
        add(terms, to: &text)
        text.add("OrderDuration", duration.request)
        text.add("ManualOrder", true)
        text.add("ExecuteAtTradingSession", terms.tradingSession)
        return text.bytes
    }

    private static func add(_ terms: Terms, to text: inout JSONObjectText) {
        text.add("OrderType", terms.type)
        text.add("OrderPrice", terms.price)
        text.add("StopLimitPrice", terms.stopLimitPrice)
        text.add("TrailingStopDistanceToMarket", terms.trailingDistance)
        text.add("TrailingStopStep", terms.trailingStep)
    }
}

extension JSONObjectText {
    mutating func add(_ name: StaticString, _ value: Decimal?) {
        if let value { add(name, json: value.description.utf8) }
    }
}
