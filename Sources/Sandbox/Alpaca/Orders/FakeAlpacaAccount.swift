import Brokerage

/// What a user has done at Alpaca since the sandbox started or was reset: orders, fills, watchlists.
struct FakeAlpacaAccount: Sendable {
    let user: SandboxUser
    private let random: SeededRandom
    /// The most shares of an order that the market takes in a second; nil for any number.
    private let sharesPerSecond: Int?
    /// In the order in which they were submitted.
    private(set) var orders: [FakeAlpacaOrder] = []
    /// By the identifier that the user gave.
    private var clientIDs: [String: Int] = [:]
    private var ids: [String: Int] = [:]
    private(set) var fills: [Fill] = []
    /// What the fills come to, by symbol.
    private var traded: [String: Decimal] = [:]
    var watchlists: [FakeAlpacaWatchlist] = []
    /// What is yet to be told to listeners.
    private(set) var events: [FakeAlpacaTradeEvent] = []
    /// Up to when orders have been worked, by the market's time.
    private var settled: Int?
    private var issued = 0

    /// The most orders that are kept.
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

    mutating func drainEvents() -> [FakeAlpacaTradeEvent] {
        defer { events = [] }
        return events
    }

    func order(id: String) -> FakeAlpacaOrder? { ids[id].map { orders[$0] } }

    func order(clientID: String) -> FakeAlpacaOrder? { clientIDs[clientID].map { orders[$0] } }

    /// The account's money and shares, fills included.
    func book(_ market: Market) throws -> AccountBook {
        try AccountBook(user.ledger, market, fills: fills)
    }

    /// The open orders of one side.
    func open(_ side: FakeAlpacaOrderTicket.Side, of instrument: FakeInstrument? = nil) -> [FakeAlpacaOrder] {
        orders.filter {
            $0.status.isOpen && $0.ticket.side == side
                && (instrument == nil || $0.ticket.instrument == instrument)
        }
    }

    /// Takes an order that has been checked; its identifiers are new.
    mutating func add(_ order: FakeAlpacaOrder) {
        ids[order.id] = orders.count
        clientIDs[order.clientOrderID] = orders.count
        orders.append(order)
        events.append(FakeAlpacaTradeEvent(kind: .new, order: order, time: order.createdAt))
    }

    /// Ends an open order without a fill.
    mutating func end(
        _ id: String, as kind: FakeAlpacaTradeEvent.Kind, at time: Instant, replacedBy: String? = nil
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
        events.append(FakeAlpacaTradeEvent(kind: kind, order: orders[index], time: time))
    }

    /// Works all open orders up to the market's moment.
    mutating func settle(_ view: MarketView, at now: Instant) throws {
        if let settled, view.now < settled {
            // The script has set the market back: orders are worked from its moment on.
            for index in orders.indices where orders[index].status.isOpen {
                orders[index].workingFrom = min(orders[index].workingFrom, view.now)
            }
        }
        settled = view.now
        for index in orders.indices where orders[index].status.isOpen { try work(index, view, now) }
    }

    private mutating func work(_ index: Int, _ view: MarketView, _ now: Instant) throws {
        let end = min(view.now + 1, orders[index].expiresAt)
        var start = orders[index].workingFrom
        let mustFillNow = [.immediateOrCancel, .fillOrKill].contains(orders[index].ticket.timeInForce)
        while start < end, orders[index].status.isOpen {
            let run = OrderSimulation(order: orders[index], view: view)
            let range = start..<(mustFillNow ? min(orders[index].workingFrom + 1, end) : end)
            var isTriggered = orders[index].isTriggered
            let match = range.isEmpty ? nil : run.next(in: range, isTriggered: &isTriggered)
            orders[index].isTriggered = isTriggered
            guard let match else { break }
            guard try fill(index, match, view, now) else { break }
            start = match.second + 1
        }
        orders[index].workingFrom = max(orders[index].workingFrom, end)
        guard orders[index].status.isOpen else { return }
        if mustFillNow {
            self.end(orders[index].id, as: .canceled, at: now)
        } else if view.now >= orders[index].expiresAt {
            self.end(orders[index].id, as: .expired, at: time(of: orders[index].expiresAt, now))
        }
    }

    /// Fills as much as the market gives in a second; false where that is not allowed or nothing.
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
        fills.append(
            Fill(
                instrument: order.ticket.instrument, quantity: signed, price: match.price,
                second: match.second))
        traded[order.ticket.instrument.symbol, default: .zero] =
            try traded[order.ticket.instrument.symbol, default: .zero] + signed
        let time = max(time(of: match.second, now), order.updatedAt)
        orders[index].filledQuantity = try order.filledQuantity + quantity
        orders[index].filledValue = try order.filledValue + quantity * match.price
        orders[index].status = quantity == wanted ? .filled : .partiallyFilled
        orders[index].updatedAt = time
        orders[index].filledAt = quantity == wanted ? time : nil
        let position = try position(in: order.ticket.instrument, at: match.second, view.market)
        events.append(
            FakeAlpacaTradeEvent(
                kind: quantity == wanted ? .fill : .partialFill, order: orders[index], time: time,
                execution: FakeAlpacaTradeEvent.Execution(
                    id: nextID(), price: match.price, quantity: quantity, position: position)))
        return true
    }

    /// What the ledger and all fills come to.
    private func position(in instrument: FakeInstrument, at second: Int, _ market: Market) throws -> Decimal {
        let held = try AccountBook(user.ledger, market).holdings(at: second).first {
            $0.instrument == instrument
        }
        return try (held?.quantity ?? .zero) + traded[instrument.symbol, default: .zero]
    }

    /// When something happened, by the sandbox's clock: never in the future, which the market's script may show.
    private func time(of second: Int, _ now: Instant) -> Instant {
        min(Instant(secondsSince1970: Int64(second)) ?? now, now)
    }
}
