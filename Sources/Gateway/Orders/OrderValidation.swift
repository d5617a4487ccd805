package import Brokerage
import Upstream

// Orders that the broker would reject are not sent: each error names the argument and the remedy.

extension OrderCapabilities {
    /// Checks an order against the order capabilities of its broker.
    package func check(_ ticket: OrderTicket, at provider: ProviderID) throws(FieldError) {
        try check(ticket.price.type, ticket.timeInForce, at: provider)
        if case .crypto? = SymbolKind(ticket.symbol), let accepted = cryptoTimesInForce,
            !accepted.contains(ticket.timeInForce)
        {
            throw .unsupported(
                "input.timeInForce",
                "\(provider.name.text) takes an order for a cryptocurrency only if it is "
                    + "\(accepted.map(\.rawValue).sorted().joined(separator: " or ")).", provider)
        }
        switch ticket.size {
        case .notional where !acceptsNotional:
            throw .unsupported(
                "input.size.notional", "\(provider.name.text) takes a quantity only.", provider)
        case .quantity(let quantity) where !acceptsFractions && !quantity.isInteger:
            throw .unsupported(
                "input.size.quantity", "\(provider.name.text) takes whole pieces only.", provider)
        case .quantity, .notional: break
        }
        if ticket.isExtendedHours, !acceptsExtendedHours {
            throw .unsupported(
                "input.extendedHours", "\(provider.name.text) takes orders for its regular hours only.",
                provider)
        }
        try Self.check(ticket.timeInForce, until: ticket.expiresOn)
        if case .trailingStop(.percent) = ticket.price { try checkPercentTrail(at: provider) }
        if let exits = ticket.exits { try check(exits, of: ticket, at: provider) }
    }

    /// Checks whether the broker takes an amount of money for an instrument of this class.
    package func checkSize(
        of ticket: OrderTicket, _ assetClass: AssetClass, at provider: ProviderID
    ) throws(FieldError) {
        guard case .notional = ticket.size, let notionalClasses, !notionalClasses.contains(assetClass) else {
            return
        }
        let names = notionalClasses.map(\.rawValue).sorted().joined(separator: ", ")
        throw .unsupported(
            "input.size.notional",
            "\(provider.name.text) takes an amount of money only for instruments of the class \(names): use `quantity`.",
            provider)
    }

    /// Checks the exits of an order: first whether the broker takes such an order, then their prices.
    private func check(
        _ exits: OrderExits, of ticket: OrderTicket, at provider: ProviderID
    ) throws(FieldError) {
        guard let accepted = self.exits else {
            throw .unsupported(
                "input.exits", "\(provider.name.text) takes no order with a take profit or a stop loss.",
                provider)
        }
        switch ticket.size {
        case .notional:
            throw .unsupported("input.size.notional", "An order with exits needs a quantity.", provider)
        case .quantity(let quantity) where !accepted.acceptsFractions && !quantity.isInteger:
            throw .unsupported(
                "input.size.quantity",
                "\(provider.name.text) takes whole pieces only in an order with exits.",
                provider)
        case .quantity: break
        }
        guard accepted.timesInForce.contains(ticket.timeInForce) else {
            throw .unsupported(
                "input.timeInForce",
                "\(provider.name.text) takes no order with exits that is \(ticket.timeInForce.rawValue).",
                provider)
        }
        if ticket.isExtendedHours {
            throw .unsupported(
                "input.extendedHours", "An order with exits is for the regular hours only.", provider)
        }
        if case .trailingStop = ticket.price {
            throw .unsupported("input.price.trail", "A trailing stop cannot have exits.", provider)
        }
        try exits.checkPrices(of: ticket)
    }

    private func checkPercentTrail(at provider: ProviderID) throws(FieldError) {
        guard acceptsPercentTrails else {
            throw .unsupported(
                "input.price.trail.percentage",
                "\(provider.name.text) takes the distance of a trailing stop as an amount only: use `amount`.",
                provider)
        }
    }

    /// Checks a change of an order: in a group of orders, only the price can change, and not its type.
    ///
    /// A changed size or duration of one part would leave the others behind, and a stop loss that becomes a limit order
    /// sells at once.
    package func check(
        _ change: OrderReplacement, of order: Order? = nil, inGroup isInGroup: Bool, at provider: ProviderID
    ) throws(FieldError) {
        try check(change, at: provider)
        if isInGroup || !replacesTypes, let new = change.price?.type, let old = order?.type, new != old {
            throw .unsupported(
                "input.price",
                "It is \(new.rawValue), and the order is \(old.rawValue), which cannot change: cancel the order and place another.",
                provider)
        }
        if !replacesTypes, case .trailingStop(let trail) = change.price, let order {
            try Self.check(trail, of: order, at: provider)
        }
        guard isInGroup else { return }
        let parts: [(argument: String, isChanged: Bool)] = [
            ("input.quantity", change.quantity != nil), ("input.timeInForce", change.timeInForce != nil),
            ("input.expiresOn", change.expiresOn != nil),
        ]
        for (argument, isChanged) in parts where isChanged {
            throw .unsupported(
                argument,
                "It cannot change in an order with a take profit or a stop loss: cancel the order and place another.",
                provider)
        }
    }

    private static func check(
        _ trail: Trail, of order: Order, at provider: ProviderID
    ) throws(FieldError) {
        let (other, unit): (Decimal?, String) =
            switch trail {
            case .percent: (order.trailAmount, "amount")
            case .amount: (order.trailPercent, "percentage")
            }
        guard other == nil else {
            throw .unsupported(
                "input.price.trail",
                "\(provider.name.text) keeps the unit of the distance: use `\(unit)`.", provider)
        }
    }

    /// Checks a change of an order against the order capabilities of its broker.
    package func check(_ change: OrderReplacement, at provider: ProviderID) throws(FieldError) {
        guard replaces else {
            throw FieldError(
                .unsupported, "\(provider.name.text) changes no orders: cancel it and place another.",
                provider: provider)
        }
        if change == OrderReplacement() {
            throw .argument("input", "It changes nothing.")
        }
        try check(change.price?.type, change.timeInForce, at: provider)
        if case .trailingStop(.percent) = change.price { try checkPercentTrail(at: provider) }
        if let timeInForce = change.timeInForce { try Self.check(timeInForce, until: change.expiresOn) }
        if let quantity = change.quantity, !acceptsFractions, !quantity.isInteger {
            throw .unsupported("input.quantity", "\(provider.name.text) takes whole pieces only.", provider)
        }
    }

    /// The reason why an order cannot be changed because a part of it is filled, or may be; nil if it can.
    func rejection(ofChanging order: Order) -> OrderRejection? {
        guard !replacesPartlyFilled else { return nil }
        if let filled = order.filledQuantity, filled.isZero { return nil }
        let filled = order.filledQuantity.map { "\($0)" } ?? "unknown"
        let reason =
            "Its filled quantity is \(filled), and the order that replaces it begins with nothing filled: "
        return OrderRejection(.other, message: reason + "cancel it and place the rest.")
    }

    private func check(
        _ type: OrderType?, _ timeInForce: TimeInForce?, at provider: ProviderID
    ) throws(FieldError) {
        if let type, !types.contains(type) {
            throw .unsupported(
                "input.price", "\(provider.name.text) takes no order of the type \(type.rawValue).", provider)
        }
        if let timeInForce, !timesInForce.contains(timeInForce) {
            throw .unsupported(
                "input.timeInForce", "\(provider.name.text) takes no order that is \(timeInForce.rawValue).",
                provider)
        }
    }

    private static func check(
        _ timeInForce: TimeInForce, until date: CalendarDate?
    ) throws(FieldError) {
        switch (timeInForce, date) {
        case (.goodTillDate, nil):
            throw .argument("input.expiresOn", "An order that is GTD needs the last day.")
        case (.goodTillDate, .some): break
        case (_, .some):
            throw .argument(
                "input.expiresOn",
                "Only an order that is GTD has a last day; this one is \(timeInForce.rawValue).")
        case (_, nil): break
        }
    }
}

extension TradingAPI {
    /// The same for the order as the broker has it now.
    ///
    /// If fills matter, the order is read again, immediately before the change. A fill between this read and the change remains
    /// possible.
    func rejection(
        ofChanging order: Order, in call: CallContext
    ) async throws(ProviderFailure) -> OrderRejection? {
        guard !orderCapabilities.replacesPartlyFilled else { return nil }
        let now = try await self.order(order.id, of: order.accountID, in: call)
        if now.state.isFinal { return .ended(in: now.state) }
        return orderCapabilities.rejection(ofChanging: now)
    }
}

extension CalendarDate {
    /// Checks that this last day of an order has not passed.
    ///
    /// Yesterday in UTC is accepted, because it is today in the time zones of some exchanges.
    func checkAsLastDay(at now: Instant) throws(FieldError) {
        let today = now.dateInUTC
        guard let yesterday = today.adding(days: -1), self < yesterday else { return }
        throw .argument("input.expiresOn", "It is \(self), which has passed; use \(today) or a later day.")
    }
}

extension OrderExits {
    /// Checks the prices of the exits against each other and against the entry.
    ///
    /// The exits of a purchase are sales: the take profit is above the entry, and the stop loss below it.
    fileprivate func checkPrices(of ticket: OrderTicket) throws(FieldError) {
        let isSale = ticket.exitSide == .sell
        func check(
            _ price: Decimal, isAbove: Bool, _ base: Decimal, _ argument: String, _ name: String
        ) throws(FieldError) {
            guard isAbove ? price > base : price < base else {
                throw .argument(
                    argument, "It is \(price); it must be \(isAbove ? "above" : "below") \(name), \(base).")
            }
        }
        if !closesExistingPosition, let entry = ticket.price.entry {
            if let takeProfit {
                try check(
                    takeProfit, isAbove: isSale, entry, "input.exits.takeProfit.limit",
                    "the price of the entry")
            }
            if let stopLoss {
                try check(
                    stopLoss.stop, isAbove: !isSale, entry, "input.exits.stopLoss.stop",
                    "the price of the entry")
            }
        }
        guard let stopLoss else { return }
        if let takeProfit {
            try check(
                stopLoss.stop, isAbove: !isSale, takeProfit, "input.exits.stopLoss.stop",
                "the limit of the take profit")
        }
        if let limit = stopLoss.limit, limit != stopLoss.stop {
            try check(
                limit, isAbove: !isSale, stopLoss.stop, "input.exits.stopLoss.limit",
                "the stop of the stop loss")
        }
    }
}

extension OrderPricing {
    /// The price at which the order is filled, as far as it is known: the limit, else the stop price.
    fileprivate var entry: Decimal? {
        switch self {
        case .limit(let price), .stop(let price), .stopLimit(_, let price): price
        case .market, .trailingStop: nil
        }
    }
}

extension Listing {
    /// Checks an order against the broker's properties of the instrument.
    package func check(_ ticket: OrderTicket, naming argument: String) throws(FieldError) {
        if isTradable == false {
            throw .unsupported(argument, "\(provider.name.text) does not trade \(ticket.symbol).", provider)
        }
        if let orderTypes, !orderTypes.isEmpty, !orderTypes.contains(ticket.price.type) {
            throw .unsupported(
                "input.price",
                "\(provider.name.text) takes no \(ticket.price.type.rawValue) order for \(ticket.symbol).",
                provider)
        }
        switch ticket.size {
        case .notional where isFractionable == false:
            throw .unsupported(
                "input.size.notional", "\(provider.name.text) trades \(ticket.symbol) in whole pieces only.",
                provider)
        case .quantity(let quantity) where isFractionable == false && !quantity.isInteger:
            throw .unsupported(
                "input.size.quantity", "\(provider.name.text) trades \(ticket.symbol) in whole pieces only.",
                provider)
        case .quantity, .notional: break
        }
    }
}

extension Decimal {
    /// Whether it has no fraction.
    fileprivate var isInteger: Bool { withoutTrailingZeros.scale <= 0 }
}

extension FieldError {
    /// The provider does not support the value of an argument.
    fileprivate static func unsupported(
        _ argument: String, _ reason: String, _ provider: ProviderID
    ) -> FieldError {
        .argument(argument, code: .unsupported, reason, provider: provider)
    }
}
