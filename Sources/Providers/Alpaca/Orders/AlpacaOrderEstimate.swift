import Brokerage
import Upstream

/// Portico's estimate of an order by Alpaca's rules, because Alpaca has no call for it.
///
/// Alpaca charges no commission for listed US shares. Its regulatory fees (`REG`, `TAF`, `CAT`) are not part
/// of the API, so the total of the costs is unknown.
struct AlpacaOrderEstimate {
    private let ticket: OrderTicket
    private let facts: OrderPreviewFacts

    init(_ ticket: OrderTicket, _ facts: OrderPreviewFacts) {
        self.ticket = ticket
        self.facts = facts
    }

    var preview: OrderPreview {
        var preview = OrderPreview(
            isEstimate: true,
            provenance: facts.quote?.provenance ?? Provenance(source: .alpaca, fetchedAt: facts.readAt))
        preview.currency = facts.instrument?.currency ?? facts.quote?.currency
        preview.accountCurrency = facts.account?.currency
        preview.estimate(ticket, by: facts.quote, facts.instrument?.assetClass)
        if isShare { preview.costs.commission = .zero }
        if let currency = preview.currency, currency == preview.accountCurrency {
            preview.conversionRate = 1
            preview.accountCosts.commission = preview.costs.commission
            preview.cashRequired = openingValue(of: preview)
            preview.margin = margin(in: currency, of: preview)
        }
        preview.rejections = rejections(of: preview)
        return preview
    }

    private var isShare: Bool { [.equity, .etf].contains(facts.instrument?.assetClass) }

    // MARK: Amounts

    /// The value of what opens a position or makes one larger, zero if the order only closes one; nil if it is unknown.
    private func openingValue(of preview: OrderPreview) -> Decimal? {
        guard let held = facts.heldQuantity else { return nil }
        if ticket.side == .sell { return held > .zero ? .zero : preview.value }
        guard held.isNegative else { return preview.value }
        // A purchase closes the short position first.
        guard let quantity = preview.quantity, let opening = try? quantity + held else { return nil }
        if opening <= .zero { return .zero }
        guard preview.value != nil, let price = preview.price, let value = try? opening * price else {
            return nil
        }
        return preview.currency.map(value.rounded(in:)) ?? value
    }

    private func margin(in currency: String, of preview: OrderPreview) -> OrderPreview.MarginImpact? {
        guard let available = facts.account?.buyingPower else { return nil }
        var margin = OrderPreview.MarginImpact()
        margin.currency = currency
        margin.availableBefore = available
        // What the close of a position adds depends on the prices of all positions.
        if let opening = openingValue(of: preview), opening == preview.value {
            margin.availableAfter = try? available - opening
        }
        return margin
    }

    // MARK: Rejections

    private func rejections(of preview: OrderPreview) -> [OrderPreview.ExpectedRejection] {
        var found: [OrderPreview.ExpectedRejection] = []
        func reject(_ reason: RejectionReason, _ part: OrderPreview.TicketPart, _ message: String) {
            found.append(.init(OrderRejection(reason, message: message), of: part))
        }
        if facts.account?.canTrade == false {
            reject(.tradingBlocked, .account, "Alpaca has blocked trading in this account.")
        }
        for (price, part) in prices where isShare && !price.isAlpacaIncrement {
            reject(
                .price, part,
                "\(price) has too many digits: Alpaca takes prices from 1 with 2 digits after the point, and lower ones with 4."
            )
        }
        if case .trailingStop(.percent(let percent)) = ticket.price, percent >= 100 {
            reject(.price, .price, "The distance is \(percent) %: Alpaca takes less than 100 %.")
        }
        if ticket.price.type == .trailingStop, ![.day, .goodTillCanceled].contains(ticket.timeInForce) {
            reject(.other, .timeInForce, "Alpaca takes a TRAILING_STOP order only if it is DAY or GTC.")
        }
        found += AlpacaOrderRules(ticket, facts.instrument?.assetClass).rejections(value: preview.value)
        if ticket.isExtendedHours,
            ticket.price.type != .limit || ![.day, .goodTillCanceled].contains(ticket.timeInForce)
        {
            reject(
                .other, .extendedHours,
                "Outside of the regular hours Alpaca takes only a LIMIT order that is DAY or GTC.")
        }
        if let funds = fundsRejection(of: preview) { found.append(funds) }
        return found + exitRejections
    }

    /// The prices of the ticket, and the distance of a trailing stop.
    private var prices: [(price: Decimal, part: OrderPreview.TicketPart)] {
        let own: [Decimal] =
            switch ticket.price {
            case .market, .trailingStop(.percent): []
            case .limit(let price), .stop(let price), .trailingStop(.amount(let price)): [price]
            case .stopLimit(let stop, let limit): [stop, limit]
            }
        let stops = [ticket.exits?.stopLoss?.stop, ticket.exits?.stopLoss?.limit].compactMap(\.self)
        return (ticket.exits?.closesExistingPosition == true ? [] : own.map { ($0, .price) })
            + [ticket.exits?.takeProfit].compactMap(\.self).map { ($0, .takeProfit) }
            + stops.map { ($0, .stopLoss) }
    }

    /// The rejection for lack of money or of shares.
    private func fundsRejection(of preview: OrderPreview) -> OrderPreview.ExpectedRejection? {
        guard let held = facts.heldQuantity else { return nil }
        if ticket.side == .sell, held > .zero {
            guard let quantity = preview.quantity, let available = facts.availableQuantity,
                quantity > available
            else { return nil }
            return .init(
                OrderRejection(
                    .insufficientQuantity,
                    message: "The order sells \(quantity), and \(available) of \(held) are available."),
                of: .size)
        }
        if ticket.side == .sell, held.isZero {
            if facts.instrument?.listing?.isShortable == false || ticket.size.isFractional {
                return .init(
                    OrderRejection(
                        .notTradable, message: "The account holds none, and they cannot be sold short."),
                    of: .size)
            }
        }
        guard let value = openingValue(of: preview), let power = facts.account?.buyingPower, value > power
        else {
            return nil
        }
        return .init(
            OrderRejection(
                .insufficientFunds, message: "The order needs \(value), and the buying power is \(power)."),
            of: .size)
    }

    /// Rejections of exits that are too close to their base price: the limit of the entry, or the market.
    private var exitRejections: [OrderPreview.ExpectedRejection] {
        guard let exits = ticket.exits, let distance = Decimal(coefficient: 1, scale: 2) else { return [] }
        let isSale = ticket.exitSide == .sell
        var limit: Decimal?
        if case .limit(let price) = ticket.price { limit = price }
        let market = isSale ? facts.quote?.bid ?? facts.quote?.price : facts.quote?.ask ?? facts.quote?.price
        func isBeyond(_ price: Decimal, _ base: Decimal?, above: Bool) -> Bool {
            guard let base, let bound = try? above ? base + distance : base - distance else { return true }
            return above ? price >= bound : price <= bound
        }
        var found: [OrderPreview.ExpectedRejection] = []
        if let profit = exits.takeProfit, !exits.closesExistingPosition,
            !isBeyond(profit, limit ?? market, above: isSale)
        {
            found.append(
                .init(
                    OrderRejection(
                        .price,
                        message:
                            "The take profit must be at least 0.01 \(isSale ? "above" : "below") the entry."),
                    of: .takeProfit))
        }
        if let stop = exits.stopLoss?.stop,
            ![limit, market].allSatisfy({ isBeyond(stop, $0, above: !isSale) })
        {
            found.append(
                .init(
                    OrderRejection(
                        .price,
                        message:
                            "The stop loss must be at least 0.01 \(isSale ? "below" : "above") the entry and the market."
                    ),
                    of: .stopLoss))
        }
        return found
    }
}

extension Decimal {
    /// Whether Alpaca takes it as the price of a share: two digits after the point from 1, four below.
    fileprivate var isAlpacaIncrement: Bool { withoutTrailingZeros.scale <= (self < 1 ? 4 : 2) }
}
