import Brokerage

extension FakeAlpacaAccount {
    /// Checks an order against the account, and takes it; throws ``FakeAlpacaError`` where Alpaca refuses.
    mutating func submit(
        _ ticket: FakeAlpacaOrderTicket, replacing old: FakeAlpacaOrder? = nil, _ view: MarketView,
        at now: Instant
    ) throws -> FakeAlpacaOrder {
        guard orders.count < Self.maximumOrders else {
            throw FakeAlpacaError.tooMany(
                "the sandbox keeps \(Self.maximumOrders) orders of a user; reset it")
        }
        let id = nextID()
        let clientID = ticket.clientOrderID.flatMap { $0.isEmpty ? nil : $0 } ?? nextID()
        guard order(clientID: clientID) == nil else { throw FakeAlpacaError.duplicateClientOrderID }
        try checkFunds(ticket, without: old, view)
        // Two orders of one moment must not bear the same time: lists are paged by it.
        let created = now + .nanoseconds(orders.count)
        var order = FakeAlpacaOrder(
            id: id, clientOrderID: clientID, ticket: ticket, createdAt: created, updatedAt: created,
            status: isWorked(ticket, view) ? .new : .accepted, workingFrom: view.now,
            expiresAt: Self.end(of: ticket, view))
        order.replaces = old?.id
        if let old { end(old.id, as: .replaced, at: created, replacedBy: id) }
        add(order)
        return order
    }

    private func isWorked(_ ticket: FakeAlpacaOrderTicket, _ view: MarketView) -> Bool {
        ticket.extendedHours ? view.phase != nil : view.phase == .regular
    }

    /// The end of the session in which it is worked first; of an order without a day's end, 90 days later.
    private static func end(of ticket: FakeAlpacaOrderTicket, _ view: MarketView) -> Int {
        func end(_ session: TradingSession) -> Int {
            ticket.extendedHours ? session.postMarketClose : session.close
        }
        let today = view.instant.inNewYork.date
        var session = TradingCalendar.session(on: today) ?? TradingCalendar.session(after: today)
        if let running = session,
            end(running) <= view.now || ticket.timeInForce == .opening && running.open <= view.now
        {
            session = TradingCalendar.session(after: running.date)
        }
        guard let session else { return view.now + 86_400 }
        guard ticket.timeInForce == .goodTillCanceled, let last = session.date.adding(days: 90) else {
            return end(session)
        }
        return TradingCalendar.session(onOrBefore: last).map(end) ?? end(session)
    }

    private func checkFunds(
        _ ticket: FakeAlpacaOrderTicket, without old: FakeAlpacaOrder?, _ view: MarketView
    ) throws {
        let price =
            ticket.limitPrice ?? ticket.stopPrice ?? Decimal(cents: view.price(ticket.instrument.symbol) ?? 0)
        let held =
            try book(view.market).holdings(at: view.now).first { $0.instrument == ticket.instrument }?
            .quantity
            ?? .zero
        var quantity = ticket.quantity ?? .zero
        if let notional = ticket.notional {
            quantity = price.isZero ? .zero : try notional.divided(by: price, to: 9, .towardZero)
        }
        if ticket.side == .sell, held > .zero {
            let committed = try open(.sell, of: ticket.instrument).filter { $0.id != old?.id }
                .reduce(Decimal.zero) { try $0 + $1.remaining(at: price) }
            let available = try max(.zero, held - committed)
            guard quantity <= available else {
                throw FakeAlpacaError.insufficientQuantity(
                    symbol: ticket.instrument.symbol, requested: quantity, existing: held,
                    available: available)
            }
            return
        }
        // To buy back what was sold short frees money, as far as it goes.
        let opening = ticket.side == .buy ? try max(.zero, quantity + min(.zero, held)) : quantity
        if ticket.side == .sell, opening.withoutTrailingZeros.scale > 0 {
            throw FakeAlpacaError.unprocessable("fractional orders cannot be sold short")
        }
        let cost = try opening * price
        let available = try FakeAlpacaFunds(self, view, without: old?.id).buyingPower
        guard cost <= available else {
            throw FakeAlpacaError.insufficientBuyingPower(
                available: available.rounded(to: 2, .halfUp), cost: cost.rounded(to: 2, .halfUp))
        }
    }

    /// Of a holding, the shares that open orders are to sell; of one sold short, with its sign, those that they are
    /// to buy back.
    func heldForOrders(_ holding: Holding) throws -> Decimal {
        let isShort = holding.quantity.isNegative
        let held = try open(isShort ? .buy : .sell, of: holding.instrument)
            .reduce(Decimal.zero) { sum, order in
                guard let quantity = order.ticket.quantity else { return sum }
                return try sum + quantity - order.filledQuantity
            }
        let bound = try min(held, holding.quantity.magnitude)
        return isShort ? try bound.negated : bound
    }
}
