import Brokerage
import PorticoCore
import ProviderTestSupport
import Saxo
import Testing
import Upstream

import struct Sandbox.Fault

@Suite("The stream of orders of Saxo's sandbox", .timeLimit(.minutes(20)))
struct SandboxOrderStreamTests {
    private static let account = "uQ7xN3c-5m1Y8aFz2LQw4A=="
    private static let subscription = "POST /ens/v1/activities/subscriptions"

    /// The events of a stream that runs while a test reads them.
    private struct Followed {
        var events: AsyncStream<StreamEvent<Order>>.Iterator
        let fixture: RunningSandbox
        /// The number of `connected` so far.
        private(set) var connections = 0

        init(_ events: AsyncStream<StreamEvent<Order>>, _ fixture: RunningSandbox) {
            self.events = events.makeAsyncIterator()
            self.fixture = fixture
        }

        struct Ended: Error {}

        /// The next event, while the time passes.
        private mutating func next() async throws -> StreamEvent<Order> {
            let wall = fixture.time.wall
            let time = Task {
                while !Task.isCancelled {
                    wall.advance(by: .seconds(1))
                    // Slowly: a subscription without a message for 30 s begins again.
                    try? await Task.sleep(for: .milliseconds(250))
                }
            }
            defer { time.cancel() }
            guard let event = await events.next(isolation: #isolation) else { throw Ended() }
            if case .connected = event { connections += 1 }
            return event
        }

        /// Waits for the next `connected`.
        mutating func connected() async throws {
            while true { if case .connected = try await next() { return } }
        }

        /// The next order.
        mutating func order() async throws -> Order {
            while true { if case .value(let order) = try await next() { return order } }
        }
    }

    private func following(
        _ saxo: SaxoClient, at fixture: RunningSandbox, _ body: (inout Followed) async throws -> Void
    ) async throws -> ProviderFailure? {
        let (events, deliver) = AsyncStream.makeStream(of: StreamEvent<Order>.self)
        let run = Task { () -> ProviderFailure? in
            defer { deliver.finish() }
            do throws(ProviderFailure) {
                try await saxo.run { deliver.yield($0) }
                return nil
            } catch {
                return error
            }
        }
        var followed = Followed(events, fixture)
        let result = await Result.of { try await body(&followed) }
        run.cancel()
        let end = await run.value
        try result.get()
        return end
    }

    private func place(
        _ price: OrderPricing, _ id: String, by saxo: SaxoClient, exits: OrderExits? = nil
    ) async throws -> Order {
        var ticket = OrderTicket(
            clientOrderID: id, accountID: Self.account, symbol: try symbol("AAPL"), side: .buy,
            size: .quantity(2), price: price)
        ticket.timeInForce = price == .market ? .day : .goodTillCanceled
        ticket.exits = exits
        let result = try await saxo.place(ticket, in: CallContext(deadline: .distant))
        guard case .accepted(let order) = result else {
            Issue.record("not accepted: \(result)")
            throw Followed.Ended()
        }
        return order
    }

    @Test("reports what happens to an order, once, over the WebSocket of the prices")
    func life() async throws {
        try await RunningSandbox.run { fixture in
            let saxo = try fixture.client()
            let (wanted, want) = AsyncStream.makeStream(of: Set<Symbol>.self)
            want.yield([try symbol("EUR/USD")])
            let prices = Task { try? await saxo.run(wanted) { _ in } }
            let end = try await following(saxo, at: fixture) { stream in
                try await stream.connected()
                let limit = OrderPricing.limit(150)
                let placed = try await place(limit, "portico-1", by: saxo)
                let first = try await stream.order()
                #expect(first.id == placed.id && first.state == .open && first.limitPrice == 150)
                #expect(first.clientOrderID == "portico-1" && first.accountID == Self.account)
                #expect(first.symbol.text == "AAPL" && first.submittedAt != nil)
                _ = try await saxo.replace(
                    placed, by: OrderReplacement(quantity: 3), clientOrderID: "portico-2",
                    in: CallContext(deadline: .distant))
                let changed = try await stream.order()
                #expect(changed.id == placed.id && changed.quantity == 3 && changed.state == .open)
                _ = try await saxo.cancel(changed, in: CallContext(deadline: .distant))
                let cancelled = try await stream.order()
                #expect(cancelled.id == placed.id && cancelled.state == .canceled)
                let bought = try await place(.market, "portico-3", by: saxo)
                #expect(try await stream.order().state == .open)
                let filled = try await stream.order()
                #expect(filled.id == bought.id && filled.state == .filled && filled.filledQuantity == 2)
                #expect(filled.averageFillPrice != nil && filled.filledAt != nil)
                #expect(stream.connections == 1)
                #expect(fixture.calls("GET /connect") == 1)
            }
            #expect(end?.cause == .cancelled)
            try await fixture.time.wait {
                fixture.calls("DELETE /ens/v1/activities/subscriptions/{context_id}/{reference_id}") == 1
            }
            // The prices continue over it.
            #expect(fixture.sandbox.streams[.saxo, "GET /connect"] == 1)
            prices.cancel()
            _ = await prices.value
            try await fixture.time.wait { fixture.sandbox.streams[.saxo, "GET /connect"] == 0 }
        }
    }

    @Test(
        "loses and repeats no event when Saxo resets the subscription, also without the number of the last one"
    )
    func reset() async throws {
        try await RunningSandbox.run { fixture in
            let saxo = try fixture.client()
            _ = try await following(saxo, at: fixture) { stream in
                try await stream.connected()
                var states: [OrderState] = []
                for (index, isForgotten) in [false, true].enumerated() {
                    let placed = try await place(.limit(150), "portico-\(index)", by: saxo)
                    states.append(try await stream.order().state)
                    if isForgotten {
                        // As Saxo responds to a number that it no longer has.
                        #expect(
                            fixture.sandbox.faults.add(
                                Fault(
                                    .status(400), provider: .saxo, endpoint: Self.subscription, remaining: 1))
                        )
                    }
                    fixture.sandbox.saxoStreams.demandReset()
                    // A subscription that was reset does not report this.
                    _ = try await saxo.cancel(placed, in: CallContext(deadline: .distant))
                    try await stream.connected()
                    let cancelled = try await stream.order()
                    #expect(cancelled.id == placed.id)
                    states.append(cancelled.state)
                }
                #expect(states == [.open, .canceled, .open, .canceled])
            }
            #expect(fixture.calls("GET /connect") == 1)
            #expect(fixture.calls(Self.subscription) == 4)
        }
    }

    @Test("reports the fill of an order that happened while there was no stream")
    func gap() async throws {
        try await RunningSandbox.run { fixture in
            let saxo = try fixture.client()
            _ = try await following(saxo, at: fixture) { stream in
                try await stream.connected()
                _ = try await place(.limit(150), "portico-1", by: saxo)
                #expect(try await stream.order().state == .open)
            }
            let bought = try await place(.market, "portico-2", by: saxo)
            _ = try await following(saxo, at: fixture) { stream in
                try await stream.connected()
                let events = [try await stream.order(), try await stream.order()]
                #expect(events.map(\.id) == [bought.id, bought.id])
                #expect(events.map(\.state) == [.open, .filled])
            }
        }
    }

    @Test("reports the entry of an order with exits, and its exits once they have happened")
    func exits() async throws {
        try await RunningSandbox.run { fixture in
            let saxo = try fixture.client()
            _ = try await following(saxo, at: fixture) { stream in
                try await stream.connected()
                let exits = OrderExits(takeProfit: 300, stopLoss: .init(stop: 150))
                let entry = try await place(.market, "portico-1", by: saxo, exits: exits)
                let first = [try await stream.order(), try await stream.order()]
                #expect(first.map(\.id) == [entry.id, entry.id] && first.map(\.state) == [.open, .filled])
                _ = try await saxo.cancel(try #require(entry.legs.first), in: CallContext(deadline: .distant))
                let leg = try await stream.order()
                #expect(leg.id == entry.legs.first?.id && leg.state == .canceled && leg.side == .sell)
            }
        }
    }

    @Test("ends alone if Saxo refuses its subscription; the prices continue")
    func refused() async throws {
        try await RunningSandbox.run { fixture in
            let saxo = try fixture.client()
            let (wanted, want) = AsyncStream.makeStream(of: Set<Symbol>.self)
            want.yield([try symbol("EUR/USD")])
            let (changes, deliver) = AsyncStream.makeStream(of: StreamEvent<QuoteUpdate>.self)
            let prices = Task { try? await saxo.run(wanted) { deliver.yield($0) } }
            var iterator = changes.makeAsyncIterator()
            // The price stream stands.
            _ = await iterator.next(isolation: #isolation)
            #expect(
                fixture.sandbox.faults.add(
                    Fault(.status(403), provider: .saxo, endpoint: Self.subscription, remaining: 1)))
            await #expect(throws: ProviderFailure(.saxo, .notEntitled)) { try await saxo.run { _ in } }
            fixture.time.wall.advance(by: .seconds(1))
            let next = await iterator.next(isolation: #isolation)
            #expect(next != nil && fixture.sandbox.streams[.saxo, "GET /connect"] == 1)
            prices.cancel()
            _ = await prices.value
        }
    }

    @Test("is none without an address of the streaming host")
    func unsupported() async throws {
        try await withSaxo([:]) { saxo, _ in
            await #expect(throws: ProviderFailure(.saxo, .unsupported)) { try await saxo.run { _ in } }
        }
    }
}
