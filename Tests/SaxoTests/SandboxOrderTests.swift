import Brokerage
import ProviderTestSupport
import Saxo
import TestSupport
import Testing
import Upstream

import struct Sandbox.Fault

@Suite("Orders in Saxo's sandbox")
struct SandboxOrderTests {
    /// A Saturday: exchanges keep orders for their next day.
    private static let closed = "2026-11-21T12:00:00Z"
    private static let account = "uQ7xN3c-5m1Y8aFz2LQw4A=="

    private func ticket(
        _ text: String = "AAPL", _ amount: Brokerage.Decimal = 1, _ price: OrderPricing = .market,
        id: String = "portico-1"
    ) throws -> OrderTicket {
        OrderTicket(
            clientOrderID: id, accountID: Self.account, symbol: try symbol(text), side: .buy,
            size: .quantity(amount), price: price)
    }

    private func taken(_ answer: OrderResult) throws -> Order {
        guard case .accepted(let order) = answer else {
            Issue.record("not taken: \(answer)")
            throw NotTaken()
        }
        return order
    }

    private struct NotTaken: Error {}

    @Test("go from market to limit and back to market in their place, and are filled when it opens")
    func life() async throws {
        try await RunningSandbox.run(at: Self.closed) { fixture in
            let saxo = try fixture.client()
            let aapl = try symbol("AAPL")
            let quote = try #require(try await saxo.quotes(for: [aapl], in: .patient)[aapl])
            let limit = try #require(quote.price) - 10
            let placed = try taken(try await saxo.place(try ticket(), in: .patient))
            #expect(placed.state == .accepted)
            #expect(placed.clientOrderID == "portico-1")

            let limited = try taken(
                try await saxo.replace(
                    placed, by: OrderReplacement(price: .limit(limit)), clientOrderID: "portico-2",
                    in: .patient))
            #expect(limited.id == placed.id)
            var open = try await saxo.order(placed.id, of: Self.account, in: .patient)
            #expect(open.type == .limit)
            #expect(open.limitPrice == limit)
            #expect(open.clientOrderID == "portico-1")
            #expect(open.timeInForce == .day)

            let back = try taken(
                try await saxo.replace(
                    limited, by: OrderReplacement(quantity: 2, price: .market), clientOrderID: "portico-3",
                    in: .patient))
            #expect(back.limitPrice == nil)
            open = try await saxo.order(placed.id, of: Self.account, in: .patient)
            #expect(open.type == .market)
            #expect(open.quantity == 2)
            #expect(fixture.calls("POST /trade/v2/orders") == 1)
            #expect(fixture.calls("PATCH /trade/v2/orders") == 2)

            // Monday, 10:00 in New York.
            fixture.time.wall.set(try #require(Instant("2026-11-23T15:00:00Z")))
            let filled = try await saxo.order(
                placed.id, of: Self.account, in: CallContext(deadline: .distant))
            #expect(filled.state == .filled && filled.filledQuantity == 2 && filled.averageFillPrice != nil)
            #expect(filled.clientOrderID == "portico-1" && filled.timeInForce == .day)
            let ended = try await saxo.orders(OrderQuery(isOpen: false), in: CallContext(deadline: .distant))
            #expect(ended.orders.map(\.id) == [placed.id] && !ended.hasMore)
            let outcomes = try await saxo.outcomes(
                of: [placed, back], in: CallContext(deadline: .distant))
            #expect(outcomes.map(\.state) == [.filled])
            let held = try await fixture.client().positions(in: CallContext(deadline: .distant)).first {
                $0.symbol == aapl && $0.accountID == Self.account
            }
            #expect(held?.quantity == 42)
        }
    }

    @Test("are one order, however often the same is sent")
    func duplicate() async throws {
        try await RunningSandbox.run(at: Self.closed) { fixture in
            let saxo = try fixture.client()
            let first = try taken(try await saxo.place(try ticket(), in: .patient))
            let second = try taken(try await saxo.place(try ticket(), in: .patient))
            #expect(second.id == first.id)
            #expect(fixture.calls("POST /trade/v2/orders") == 2)
            let orders = try await saxo.orders(OrderQuery(symbols: [try symbol("AAPL")]), in: .patient).orders
            #expect(orders.map(\.id) == [first.id])
        }
    }

    @Test("whose answer is lost are sent once, and found by their client's id")
    func lostAnswer() async throws {
        try await RunningSandbox.run(at: Self.closed) { fixture in
            let saxo = try fixture.client()
            let endpoint = "POST /trade/v2/orders"
            #expect(
                fixture.sandbox.faults.add(
                    Fault(.truncatedBody, provider: .saxo, endpoint: endpoint, remaining: 1)))
            await #expect(throws: ProviderFailure.self) { try await saxo.place(try ticket(), in: .patient) }
            #expect(fixture.calls(endpoint) == 1)
            let found = try #require(try await Self.sentOrder(of: saxo))
            #expect(found.symbol.text == "AAPL")
            // That neither the open orders nor the log have it is no proof.
            let other = try await saxo.order(clientID: "portico-9", of: Self.account, in: .patient)
            #expect(other == .unknown)
        }
    }

    @Test("are cancelled, and cannot be twice")
    func cancel() async throws {
        try await RunningSandbox.run(at: Self.closed) { fixture in
            let saxo = try fixture.client()
            let order = try await saxo.order("5014824029", of: nil, in: .patient)
            #expect(order.symbol.text == "EUR/DKK")
            #expect(order.limitPrice?.description == "7.1")
            #expect(order.timeInForce == .goodTillCanceled)
            let cancelled = try taken(try await saxo.cancel(order, in: .patient))
            #expect(cancelled.state == .pendingCancel)
            let again = try await saxo.cancel(order, in: .patient)
            #expect(again == .rejected(OrderRejection(.tooLate, message: "Order not found")))
        }
    }

    @Test("that trail the market begin at their distance from it, follow it by steps and never go back")
    func trailing() async throws {
        try await RunningSandbox.run { fixture in
            let saxo = try fixture.client()
            let aapl = try symbol("AAPL")
            let distance = try decimal("2.5")
            let bid = try #require(try await saxo.quotes(for: [aapl], in: .patient)[aapl]?.bid)
            var ticket = try ticket("AAPL", 10, .trailingStop(.amount(decimal("2.50"))))
            ticket.side = .sell
            ticket.timeInForce = .goodTillCanceled
            let placed = try taken(try await saxo.place(ticket, in: .patient))
            #expect(placed.type == .trailingStop)
            #expect(placed.trailAmount == distance)
            #expect(try placed.stopPrice == bid - distance)
            var open = try await saxo.order(placed.id, of: Self.account, in: .patient)
            #expect(open.type == .trailingStop)
            #expect(open.providerState == "Working")
            #expect(open.trailAmount == distance)
            #expect(open.stopPrice == placed.stopPrice)

            // Another amount leaves the stop where it has come to; another distance begins anew.
            let smaller = try taken(
                try await saxo.replace(
                    open, by: OrderReplacement(quantity: 5), clientOrderID: "portico-2", in: .patient))
            #expect(smaller.stopPrice == open.stopPrice)
            // An order waited for the second after the one before, and the price went on.
            let later = try #require(try await saxo.quotes(for: [aapl], in: .distant)[aapl]?.bid)
            let wider = try taken(
                try await saxo.replace(
                    smaller, by: OrderReplacement(price: .trailingStop(.amount(20))),
                    clientOrderID: "portico-3",
                    in: .patient))
            #expect(wider.trailAmount == 20)
            #expect(try wider.stopPrice == later - 20)

            var best = try #require(wider.stopPrice)
            for _ in 0..<12 {
                fixture.time.wall.advance(by: .seconds(900))
                open = try await saxo.order(placed.id, of: Self.account, in: .distant)
                let now = try #require(try await saxo.quotes(for: [aapl], in: .distant)[aapl]?.bid)
                let stop = try #require(open.stopPrice)
                #expect(stop >= best)
                #expect(try stop >= now - 20)
                best = stop
            }
            #expect(try best > later - 20)
        }
    }

    @Test("that trail by percent, or where nobody tells a price, are refused before Saxo is asked")
    func untrailable() async throws {
        try await RunningSandbox.run({ $0.includesExchangePrices = false }) { fixture in
            let saxo = try fixture.client()
            let cases: [(Trail, String)] = [
                (
                    .percent(5),
                    "Saxo's trailing stops keep a distance in money; give an amount instead of a percentage."
                ),
                (
                    .amount(5),
                    "Saxo tells no price or price step of the instrument, so a trailing stop has nowhere to begin."
                ),
            ]
            for (trail, message) in cases {
                let answer = try await saxo.place(try ticket("AAPL", 1, .trailingStop(trail)), in: .patient)
                #expect(answer == .rejected(OrderRejection(.other, message: message)))
            }
            #expect(fixture.calls("POST /trade/v2/orders") == 0)
        }
    }

    /// A bracket far below the market.
    private func bracket(_ saxo: SaxoClient) async throws -> Order {
        let aapl = try symbol("AAPL")
        let price = try #require(try await saxo.quotes(for: [aapl], in: .patient)[aapl]?.price)
        var ticket = try ticket("AAPL", 1, .limit(price - 10))
        ticket.timeInForce = .goodTillCanceled
        ticket.exits = OrderExits(takeProfit: try price + 10, stopLoss: .init(stop: try price - 20))
        return try taken(try await saxo.place(ticket, in: .patient))
    }

    @Test("that are exits move, and keep the trigger that Saxo requires of them")
    func movedExit() async throws {
        try await RunningSandbox.run(at: Self.closed) { fixture in
            let saxo = try fixture.client()
            let entry = try await bracket(saxo)
            let stop = try #require(entry.legs.last)
            let price = try #require(stop.stopPrice) + 1
            let moved = try taken(
                try await saxo.replace(
                    stop, by: OrderReplacement(price: .stop(price)), clientOrderID: "portico-2", in: .patient)
            )
            #expect(moved.id == stop.id && moved.stopPrice == price)
            let rows = try await fixture.document("/port/v1/orders/me?Status=All")["Data"]?.elements
            let row = rows?.first { $0["OrderId"]?.string == stop.id }
            #expect(row?["OpenOrderType"] == "StopIfTraded", "\(rows ?? [])")
        }
    }

    @Test("that are a bracket are cancelled together, although Saxo names errors of the exits")
    func cancelledBracket() async throws {
        try await RunningSandbox.run(at: Self.closed) { fixture in
            let saxo = try fixture.client()
            let entry = try await bracket(saxo)
            let cancelled = try taken(try await saxo.cancel(entry, in: .patient))
            #expect(
                ([cancelled] + cancelled.legs).map(\.state) == [
                    .pendingCancel, .pendingCancel, .pendingCancel,
                ])
            for order in [entry] + entry.legs {
                let ended = try await saxo.order(order.id, of: Self.account, in: .patient)
                #expect(ended.state == .canceled)
            }
        }
    }

    /// The order that a test sent, as Saxo has it; nil if Saxo does not have it.
    private static func sentOrder(of saxo: SaxoClient) async throws -> Order? {
        guard
            case .found(let order) = try await saxo.order(clientID: "portico-1", of: account, in: .patient)
        else { return nil }
        return order
    }

    @Test("whose result comes later are sent once, and found by their client's id")
    func notCompleted() async throws {
        try await RunningSandbox.run(at: Self.closed, { $0.ordersAreNotCompleted = true }) { fixture in
            let saxo = try fixture.client()
            await #expect(throws: ProviderFailure(.saxo, .invalidResponse(nil))) {
                try await saxo.place(try ticket(), in: .patient)
            }
            let found = try #require(try await Self.sentOrder(of: saxo))
            #expect(found.symbol.text == "AAPL" && found.state == .open)
            #expect(fixture.calls("POST /trade/v2/orders") == 1)
        }
    }

    @Test("until a day keep it in a change, and are of their account when they have ended")
    func lastDay() async throws {
        try await RunningSandbox.run(at: Self.closed) { fixture in
            let saxo = try fixture.client()
            let accounts = try await saxo.knownAccounts(in: .patient).map(\.id)
            let other = try #require(accounts.first { $0 != Self.account })
            var ticket = try ticket("EUR/DKK", 1_000, .limit(7))
            (ticket.accountID, ticket.timeInForce) = (other, .goodTillDate)
            ticket.expiresOn = CalendarDate(year: 2026, month: 12, day: 24)
            let placed = try taken(try await saxo.place(ticket, in: .patient))
            var order = try await saxo.order(placed.id, of: other, in: .patient)
            #expect(order.expiresAt?.description == "2026-12-24T23:59:59Z")
            order = try taken(
                try await saxo.replace(
                    order, by: OrderReplacement(quantity: 2_000), clientOrderID: "portico-2", in: .patient))
            #expect(order.expiresAt?.description == "2026-12-24T23:59:59Z")
            _ = try taken(try await saxo.cancel(order, in: .patient))
            let ended = try await saxo.order(placed.id, of: other, in: .patient)
            #expect(ended.state == .canceled && ended.accountID == other && ended.quantity == 2_000)
            #expect(ended.expiresAt?.description == "2026-12-24T23:59:59Z")
            await #expect(throws: ProviderFailure(.saxo, .notFound)) {
                try await saxo.order(placed.id, of: Self.account, in: .patient)
            }
        }
    }

    @Test(
        "are refused for reasons that can be told apart, whatever the status",
        arguments: [true, false])
    func refusals(withOK: Bool) async throws {
        try await RunningSandbox.run({ $0.rejectsOrdersWithOK = withOK }) { fixture in
            let saxo = try fixture.client()
            let cases: [(OrderTicket, RejectionReason)] = [
                (try ticket("EUR/DKK", 10, id: "a"), .quantity),
                (try ticket("EUR/DKK", 1_500, id: "b"), .quantity),
                (try ticket("AAPL", 1_000_000, id: "c"), .insufficientFunds),
                (try ticket("AAPL", 1, .limit(1), id: "d"), .price),
                (try ticket("EUR/DKK", 1_000, .limit(decimal("8")), id: "e"), .price),
            ]
            for (ticket, reason) in cases {
                guard case .rejected(let rejection) = try await saxo.place(ticket, in: .patient) else {
                    Issue.record("\(ticket.clientOrderID) was taken")
                    continue
                }
                #expect(rejection.reason == reason)
                #expect(rejection.message != nil)
            }
        }
    }
}

extension CallContext {
    /// For calls after a test has moved its clock.
    static var distant: CallContext { CallContext(deadline: .distant) }
}

extension ContinuousClock.Instant {
    /// Later than any clock of a test shows.
    static var distant: Self { .now + .seconds(86_400 * 365) }
}
