import Brokerage

/// A user's state at Alpaca since the start or reset of the sandbox: orders, fills, watchlists.
///
/// The file is longer than 350 lines, because all methods change the orders of one account.
struct FakeAlpacaAccount: Sendable {
    let user: SandboxUser
    private let random: SeededRandom
    /// The maximum number of shares of an order that the market fills in a second; nil for no limit.
    private let sharesPerSecond: Int?
    /// In the order of submission.
    private(set) var orders: [FakeAlpacaOrder] = []
    /// The index of an order by the client's identifier.
    private var clientIDs: [String: Int] = [:]
    private var ids: [String: Int] = [:]
    private(set) var executions: [FakeAlpacaExecution] = []
    /// The sum of the fills, by symbol.
    private var traded: [String: Decimal] = [:]
    var watchlists: [FakeAlpacaWatchlist] = []
    var configuration = FakeAlpacaConfiguration()
    /// Events not yet sent to listeners.
    private(set) var events: [FakeAlpacaTradeUpdate] = []
    /// The market's second until which orders are simulated.
    private var settled: Int?
    private var issued = 0

    static let maximumOrders = 10_000

    init(_ user: SandboxUser, seed: UInt64, _ sharesPerSecond: Int?) {
        self.user = user
        self.sharesPerSecond = sharesPerSecond
        random = SeededRandom(seed: seed).branch("alpaca").branch(user.name)
    }

    mutating func nextID() -> String {
        issued += 1
        return UUIDFormat.version8(random.bits(2 * issued), random.bits(2 * issued + 1))
    }

    mutating func drainEvents() -> [FakeAlpacaTradeUpdate] {
        defer { events = [] }
        return events
    }

    func order(id: String) -> FakeAlpacaOrder? { ids[id].map { orders[$0] } }

    func order(clientID: String) -> FakeAlpacaOrder? { clientIDs[clientID].map { orders[$0] } }

    /// Returns the account's money and shares, fills included, for the current day.
    ///
    /// From ``Ledger/funded`` on, it needs no ledger. The first week also contains days before it.
    func book(_ view: MarketView) throws -> FakePortfolio {
        guard view.now >= Int(user.ledger.funded.secondsSince1970) + 7 * 86_400 else {
            return try wholeBook(view)
        }
        return try FakePortfolio(user.ledger, view.market, fills: executions.map(\.fill))
    }

    /// Returns the account's money and shares since its opening.
    func wholeBook(_ view: MarketView) throws -> FakePortfolio {
        try FakePortfolio(
            user.ledger, view.market, fills: executions.map(\.fill), history: history(view))
    }

    /// Returns the ledger without the fills of orders.
    func history(_ view: MarketView) throws -> AccountHistory {
        try view.market.histories.history(of: user.ledger.plan, in: view.market, through: view.now)
    }

    /// Returns the legs of an order.
    func legs(of order: FakeAlpacaOrder) -> [FakeAlpacaOrder] {
        order.legIDs.compactMap { self.order(id: $0) }
    }

    /// Returns the open orders of one side that reserve shares or money: without legs that wait for their
    /// parent, and without a stop loss whose shares the take profit reserves.
    func open(_ side: FakeAlpacaOrderTicket.Side, of instrument: FakeInstrument? = nil) -> [FakeAlpacaOrder] {
        orders.filter {
            $0.status.isOpen && !$0.isWaiting && !$0.isAlternative && $0.ticket.side == side
                && (instrument == nil || $0.ticket.instrument == instrument)
        }
    }

    /// Stores a validated order with new identifiers.
    mutating func add(_ order: FakeAlpacaOrder) {
        ids[order.id] = orders.count
        clientIDs[order.clientOrderID] = orders.count
        orders.append(order)
        events.append(FakeAlpacaTradeUpdate(kind: .new, order: order, time: order.createdAt))
    }

    /// Ends an open order without a fill.
    mutating func end(
        _ id: String, as kind: FakeAlpacaTradeUpdate.Kind, at time: Instant, replacedBy: String? = nil
    ) {
        guard let index = ids[id] else { return }
        orders[index].updatedAt = time
        switch kind {
        case .canceled:
            orders[index].status = .canceled
            orders[index].canceledAt = time
        case .expired:
            orders[index].status = .expired
            orders[index].expiredAt = time
        case .replaced:
            orders[index].status = .replaced
            orders[index].replacedAt = time
            orders[index].replacedBy = replacedBy
        case .new, .fill, .partialFill: return
        }
        events.append(FakeAlpacaTradeUpdate(kind: kind, order: orders[index], time: time))
        if kind != .replaced { endGroup(of: orders[index], at: time) }
    }

    /// Cancels the other open orders of a group, of which one has ended.
    private mutating func endGroup(of order: FakeAlpacaOrder, at time: Instant) {
        let parent = order.parentID.flatMap { self.order(id: $0) } ?? order
        for id in [parent.id] + parent.legIDs where self.order(id: id)?.status.isOpen ?? false {
            end(id, as: .canceled, at: time)
        }
    }

    /// Simulates all open orders up to the market's current second.
    mutating func settle(_ view: MarketView, at now: Instant) throws {
        if let settled, view.now < settled {
            // The script has moved the market back: orders are simulated from its current second on.
            for index in orders.indices where orders[index].status.isOpen {
                orders[index].workingFrom = min(orders[index].workingFrom, view.now)
            }
        }
        settled = view.now
        for index in orders.indices where orders[index].status.isOpen && !orders[index].isWaiting {
            if let other = alternative(to: index) {
                try work([index, other], view, now)
            } else {
                try work([index], view, now)
            }
        }
    }

    /// Returns the index of the order that sells the same shares; nil if there is none.
    private func alternative(to index: Int) -> Int? {
        let order = orders[index]
        let siblings = order.parentID.flatMap { self.order(id: $0) }?.legIDs ?? []
        let candidates =
            order.ticket.orderClass == .oneCancelsOther
            ? order.legIDs + [order.parentID].compactMap(\.self) : siblings
        return candidates.lazy.filter { $0 != order.id }.compactMap { ids[$0] }
            .first { orders[$0].status.isOpen && !orders[$0].isWaiting }
    }

    /// Simulates an order, or two of which one cancels the other: the one that the market reaches first is filled.
    private mutating func work(_ rivals: [Int], _ view: MarketView, _ now: Instant) throws {
        guard let first = rivals.first else { return }
        let end = min(view.now + 1, orders[first].expiresAt)
        var start = rivals.map { orders[$0].workingFrom }.max() ?? end
        let isImmediate = [.immediateOrCancel, .fillOrKill].contains(orders[first].ticket.timeInForce)
        while start < end, rivals.allSatisfy({ orders[$0].status.isOpen }) {
            let range = start..<(isImmediate ? min(orders[first].workingFrom + 1, end) : end)
            var (matched, match) = (first, (second: Int, price: Decimal)?.none)
            for index in rivals where !range.isEmpty {
                var run = OrderSimulation(order: orders[index], view: view)
                let found = run.next(in: range)
                orders[index].isTriggered = run.order.isTriggered
                orders[index].highWaterMark = run.order.highWaterMark
                if let found, match.map({ found.second < $0.second }) ?? true {
                    (matched, match) = (index, found)
                }
            }
            guard let match, try fill(matched, match, view, now) else { break }
            for index in rivals where index != matched && orders[matched].status.isOpen {
                orders[index].ticket.quantity = try orders[matched].remaining(at: match.price)
            }
            // A filled entry starts its exits; a filled exit ends the other one.
            if rivals.count > 1, !orders[matched].status.isOpen {
                endGroup(of: orders[matched], at: orders[matched].updatedAt)
            }
            start = match.second + 1
        }
        for index in rivals { orders[index].workingFrom = max(orders[index].workingFrom, end) }
        guard rivals.allSatisfy({ orders[$0].status.isOpen }) else { return }
        if isImmediate {
            self.end(orders[first].id, as: .canceled, at: now)
        } else if view.now >= orders[first].expiresAt {
            for index in rivals where orders[index].status.isOpen {
                self.end(orders[index].id, as: .expired, at: time(of: orders[index].expiresAt, now))
            }
        }
    }

    /// Fills up to the shares that the market provides in a second; returns false if nothing was filled or
    /// the fill is not allowed.
    private mutating func fill(
        _ index: Int, _ match: (second: Int, price: Decimal), _ view: MarketView, _ now: Instant
    ) throws -> Bool {
        let order = orders[index]
        let wanted = try order.remaining(at: match.price)
        let quantity = min(wanted, sharesPerSecond.map { Decimal($0) } ?? wanted)
        guard quantity > .zero, order.ticket.timeInForce != .fillOrKill || quantity == wanted else {
            return false
        }
        let signed = order.ticket.side == .buy ? quantity : try quantity.negated
        let fill = Fill(
            instrument: order.ticket.instrument, quantity: signed, price: match.price, second: match.second)
        traded[order.ticket.instrument.symbol, default: .zero] =
            try traded[order.ticket.instrument.symbol, default: .zero] + signed
        let time = max(time(of: match.second, now), order.updatedAt)
        orders[index].filledQuantity = try order.filledQuantity + quantity
        orders[index].filledValue = try order.filledValue + quantity * match.price
        orders[index].status = quantity == wanted ? .filled : .partiallyFilled
        orders[index].updatedAt = time
        orders[index].filledAt = quantity == wanted ? time : nil
        if quantity == wanted { activateLegs(of: index, from: match.second + 1, view, time) }
        let position = try position(in: order.ticket.instrument, at: match.second, view)
        let id = nextID()
        executions.append(
            FakeAlpacaExecution(
                id: id, orderID: order.id, time: time, fill: fill, cumulative: orders[index].filledQuantity,
                remaining: try wanted - quantity, isShort: position.isNegative))
        events.append(
            FakeAlpacaTradeUpdate(
                kind: quantity == wanted ? .fill : .partialFill, order: orders[index], time: time,
                execution: FakeAlpacaTradeUpdate.Execution(
                    id: id, price: match.price, quantity: quantity, position: position)))
        return true
    }

    /// Makes the legs of a filled order active; a stop loss next to a take profit keeps the status `held`.
    private mutating func activateLegs(of parent: Int, from second: Int, _ view: MarketView, _ time: Instant)
    {
        for index in orders[parent].legIDs.compactMap({ ids[$0] }) where orders[index].isWaiting {
            orders[index].isWaiting = false
            orders[index].workingFrom = second
            orders[index].updatedAt = time
            if !orders[index].isAlternative {
                orders[index].status = isWorked(orders[index].ticket, view) ? .new : .accepted
            }
            events.append(FakeAlpacaTradeUpdate(kind: .new, order: orders[index], time: time))
        }
    }

    /// Returns the position from the ledger and all fills.
    private func position(in instrument: FakeInstrument, at second: Int, _ view: MarketView) throws -> Decimal
    {
        let held = try FakePortfolio(user.ledger, view.market).holdings(at: second).first {
            $0.instrument == instrument
        }
        return try (held?.quantity ?? .zero) + traded[instrument.symbol, default: .zero]
    }

    /// Returns the sandbox clock's time of an event; never in the future, which the market script may show.
    private func time(of second: Int, _ now: Instant) -> Instant {
        min(Instant(secondsSince1970: Int64(second)) ?? now, now)
    }
}

/// A fill of an order, with what activities report of it.
struct FakeAlpacaExecution: Sendable {
    /// A UUID.
    let id: String
    let orderID: String
    /// The time of the sandbox's clock.
    let time: Instant
    let fill: Fill
    /// The filled shares of the order after it.
    let cumulative: Decimal
    /// The shares of the order that are not filled after it.
    let remaining: Decimal
    /// True if the position is short after it.
    let isShort: Bool
}

extension FakeAlpacaAccount {
    /// Checks an order against the account, and stores it; throws ``FakeAlpacaError`` if it is rejected.
    mutating func submit(
        _ ticket: FakeAlpacaOrderTicket, replacing old: FakeAlpacaOrder? = nil, _ view: MarketView,
        at now: Instant
    ) throws -> FakeAlpacaOrder {
        guard orders.count < Self.maximumOrders else {
            throw FakeAlpacaError.tooMany(
                "the sandbox keeps \(Self.maximumOrders) orders of a user; reset it")
        }
        guard !configuration.suspendsTrading else {
            throw FakeAlpacaError.notAllowed("new orders are rejected by user request")
        }
        let id = nextID()
        let clientID = ticket.clientOrderID.flatMap { $0.isEmpty ? nil : $0 } ?? nextID()
        guard order(clientID: clientID) == nil else { throw FakeAlpacaError.duplicateClientOrderID }
        // The shares of a leg are those of its parent.
        if old?.parentID == nil { try checkFunds(ticket, without: old, view) }
        try checkExits(ticket, view)
        // Orders of one moment need distinct times, since lists are paged by time.
        let created = now + .nanoseconds(orders.count)
        var order = FakeAlpacaOrder(
            id: id, clientOrderID: clientID, ticket: ticket, createdAt: created, updatedAt: created,
            status: isWorked(ticket, view) ? .new : .accepted, workingFrom: view.now,
            expiresAt: Self.end(of: ticket, view))
        order.replaces = old?.id
        if ticket.type == .trailingStop {
            order.highWaterMark =
                old?.highWaterMark ?? view.price(ticket.instrument.symbol).map { Decimal(cents: $0) }
        }
        if let old {
            end(old.id, as: .replaced, at: created, replacedBy: id)
            take(&order, thePlaceOf: old)
        }
        add(order)
        if old == nil { try addLegs(of: order, at: now) }
        return self.order(id: id) ?? order
    }

    /// Puts an order into the group of the one that it replaces.
    private mutating func take(_ order: inout FakeAlpacaOrder, thePlaceOf old: FakeAlpacaOrder) {
        (order.parentID, order.legIDs) = (old.parentID, old.legIDs)
        (order.isWaiting, order.isAlternative) = (old.isWaiting, old.isAlternative)
        if old.status == .held { order.status = .held }
        for leg in old.legIDs.compactMap({ ids[$0] }) { orders[leg].parentID = order.id }
        guard let parent = old.parentID.flatMap({ ids[$0] }) else { return }
        orders[parent].legIDs = orders[parent].legIDs.map { $0 == old.id ? order.id : $0 }
    }

    /// Stores the legs of a new order.
    ///
    /// Those of an entry wait for its fill.
    private mutating func addLegs(of parent: FakeAlpacaOrder, at now: Instant) throws {
        let ticket = parent.ticket
        let closesPosition = ticket.orderClass == .oneCancelsOther
        let profit =
            closesPosition
            ? nil
            : ticket.takeProfit.map {
                (FakeAlpacaOrderTicket.OrderKind.limit, Decimal?.none, Decimal?.some($0))
            }
        let loss = ticket.stopLoss.map {
            ($0.limit == nil ? .stop : .stopLimit, Decimal?.some($0.stop), $0.limit)
                as (FakeAlpacaOrderTicket.OrderKind, Decimal?, Decimal?)
        }
        for (type, stop, limit) in [profit, loss].compactMap(\.self) {
            var leg = FakeAlpacaOrderTicket(
                instrument: ticket.instrument, side: closesPosition ? ticket.side : ticket.side.opposite,
                type: type, timeInForce: ticket.timeInForce)
            (leg.quantity, leg.stopPrice, leg.limitPrice) = (ticket.quantity, stop, limit)
            leg.orderClass = ticket.orderClass
            let created = now + .nanoseconds(orders.count)
            var order = FakeAlpacaOrder(
                id: nextID(), clientOrderID: nextID(), ticket: leg, createdAt: created, updatedAt: created,
                status: .held, workingFrom: parent.workingFrom, expiresAt: parent.expiresAt)
            order.parentID = parent.id
            order.isWaiting = !closesPosition
            order.isAlternative = stop != nil && ticket.takeProfit != nil
            add(order)
            if let index = ids[parent.id] { orders[index].legIDs.append(order.id) }
        }
    }

    /// Requires exits that are at least a cent beyond their base price: the limit of the entry or of the take
    /// profit, and for the stop also the market.
    private func checkExits(_ ticket: FakeAlpacaOrderTicket, _ view: MarketView) throws {
        let market = view.price(ticket.instrument.symbol).map { Decimal(cents: $0) }
        let closesPosition = ticket.orderClass == .oneCancelsOther
        let isSale = closesPosition == (ticket.side == .sell)
        func check(_ name: String, _ price: Decimal, isAbove: Bool, _ base: Decimal?) throws {
            guard let base else { return }
            let bound = try isAbove ? base + Decimal(cents: 1) : base - Decimal(cents: 1)
            guard isAbove ? price >= bound : price <= bound else {
                throw FakeAlpacaError.beyondBasePrice(
                    "\(name) must be \(isAbove ? ">= base_price + 0.01" : "<= base_price - 0.01")", base)
            }
        }
        if let profit = ticket.takeProfit, !closesPosition {
            try check("take_profit.limit_price", profit, isAbove: isSale, ticket.limitPrice ?? market)
        }
        if let stop = ticket.stopLoss?.stop {
            for base in [ticket.limitPrice, market] {
                try check("stop_loss.stop_price", stop, isAbove: !isSale, base)
            }
        }
    }

    private func isWorked(_ ticket: FakeAlpacaOrderTicket, _ view: MarketView) -> Bool {
        ticket.extendedHours ? view.phase != nil : view.phase == .regular
    }

    /// Returns the end of the order's first session; for an order that is not a day order, 90 days later.
    private static func end(of ticket: FakeAlpacaOrderTicket, _ view: MarketView) -> Int {
        func end(_ session: TradingSession) -> Int {
            ticket.extendedHours ? session.postMarketClose : session.close
        }
        let today = view.instant.inNewYork.date
        var session = view.market.exchanges.session(on: today) ?? view.market.exchanges.session(after: today)
        if let running = session,
            end(running) <= view.now || ticket.timeInForce == .opening && running.open <= view.now
        {
            session = view.market.exchanges.session(after: running.date)
        }
        guard let session else { return view.now + 86_400 }
        guard ticket.timeInForce == .goodTillCanceled, let last = session.date.adding(days: 90) else {
            return end(session)
        }
        return view.market.exchanges.session(onOrBefore: last).map(end) ?? end(session)
    }

    private func checkFunds(
        _ ticket: FakeAlpacaOrderTicket, without old: FakeAlpacaOrder?, _ view: MarketView
    ) throws {
        let last = Decimal(cents: view.price(ticket.instrument.symbol) ?? 0)
        // A limit is the highest price of a purchase, but the lowest of a sale; a stop may have been passed.
        let bound = ticket.side == .buy ? ticket.limitPrice : nil
        let price = bound ?? max(ticket.limitPrice ?? .zero, ticket.stopPrice ?? .zero, last)
        let held =
            try book(view).holdings(at: view.now).first { $0.instrument == ticket.instrument }?
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
        guard ticket.side == .buy || !configuration.isLongOnly else {
            throw FakeAlpacaError.notAllowed("account is not allowed to short")
        }
        // Buying back a short position releases money up to the size of that position.
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
}
