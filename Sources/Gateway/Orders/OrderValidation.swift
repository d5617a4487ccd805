package import Brokerage
import Upstream

// Orders that the broker would reject are not sent: each error names the argument and the remedy.

extension OrderCapabilities {
    /// Checks an order against the order capabilities of its broker.
    package func check(_ ticket: OrderTicket, at provider: ProviderID) throws(FieldError) {
        try check(ticket.price.type, ticket.timeInForce, at: provider)
        switch ticket.size {
        case .notional where !acceptsNotional:
            throw .unsupported("input.size.notional", "\(provider.rawValue) takes a quantity only.", provider)
        case .quantity(let quantity) where !acceptsFractions && !quantity.isInteger:
            throw .unsupported(
                "input.size.quantity", "\(provider.rawValue) takes whole pieces only.", provider)
        case .quantity, .notional: break
        }
        if ticket.isExtendedHours, !acceptsExtendedHours {
            throw .unsupported(
                "input.extendedHours", "\(provider.rawValue) takes orders for its regular hours only.",
                provider)
        }
        try Self.check(ticket.timeInForce, until: ticket.expiresOn)
    }

    /// Checks a change of an order against the order capabilities of its broker.
    package func check(_ change: OrderReplacement, at provider: ProviderID) throws(FieldError) {
        guard replaces else {
            throw FieldError(
                .unsupported, "\(provider.rawValue) changes no orders: cancel it and place another.",
                provider: provider)
        }
        if change == OrderReplacement() {
            throw .argument("input", "It changes nothing.")
        }
        try check(change.price?.type, change.timeInForce, at: provider)
        if let timeInForce = change.timeInForce { try Self.check(timeInForce, until: change.expiresOn) }
        if let quantity = change.quantity, !acceptsFractions, !quantity.isInteger {
            throw .unsupported("input.quantity", "\(provider.rawValue) takes whole pieces only.", provider)
        }
    }

    private func check(
        _ type: OrderType?, _ timeInForce: TimeInForce?, at provider: ProviderID
    ) throws(FieldError) {
        if let type, !types.contains(type) {
            throw .unsupported(
                "input.price", "\(provider.rawValue) takes no order of the type \(type.rawValue).", provider)
        }
        if let timeInForce, !timesInForce.contains(timeInForce) {
            throw .unsupported(
                "input.timeInForce", "\(provider.rawValue) takes no order that is \(timeInForce.rawValue).",
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

extension Listing {
    /// Checks an order against the broker's properties of the instrument.
    package func check(_ ticket: OrderTicket, naming argument: String) throws(FieldError) {
        if isTradable == false {
            throw .unsupported(argument, "\(provider.rawValue) does not trade \(ticket.symbol).", provider)
        }
        if let orderTypes, !orderTypes.isEmpty, !orderTypes.contains(ticket.price.type) {
            throw .unsupported(
                "input.price",
                "\(provider.rawValue) takes no \(ticket.price.type.rawValue) order for \(ticket.symbol).",
                provider)
        }
        switch ticket.size {
        case .notional where isFractionable == false:
            throw .unsupported(
                "input.size.notional", "\(provider.rawValue) trades \(ticket.symbol) in whole pieces only.",
                provider)
        case .quantity(let quantity) where isFractionable == false && !quantity.isInteger:
            throw .unsupported(
                "input.size.quantity", "\(provider.rawValue) trades \(ticket.symbol) in whole pieces only.",
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
