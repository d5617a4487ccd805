import Alpaca
import Brokerage
import ProviderTestSupport
import Sandbox
import Testing
import Upstream

@Suite("The stream of an account's orders")
struct OrderStreamTests {
    private static let endpoint = "GET /stream"

    private func place(_ alpaca: AlpacaClient, _ price: OrderPricing = .limit(1)) async throws -> Order {
        let ticket = OrderTicket(
            clientOrderID: "one", accountID: "any", symbol: try symbol("AMD"), side: .buy, size: .quantity(2),
            price: price)
        guard case .accepted(let order) = try await alpaca.place(ticket, in: .patient) else {
            throw NotThere(text: "order")
        }
        return order
    }

    private func end(of alpaca: AlpacaClient) async -> ProviderFailure? {
        do throws(ProviderFailure) {
            try await alpaca.run { _ in }
            return nil
        } catch {
            return error
        }
    }

    /// A connection of a client's, for as long as `body` runs.
    private func listening(
        _ alpaca: AlpacaClient,
        _ body: (inout AsyncStream<StreamEvent<Order>>.Iterator, Task<Void, any Error>) async throws -> Void
    ) async throws {
        let told = ReceivedEvents<Order>()
        let running = Task { try await alpaca.run(deliver: told.deliver) }
        var events = told.events.makeAsyncIterator()
        await events.connected()
        try await body(&events, running)
        running.cancel()
        _ = await running.result
    }

    @Test("tells an order's story, to keys and tokens alike", arguments: [true, false])
    func story(byToken: Bool) async throws {
        try await withSandbox({ $0.alpaca.sharesPerSecond = 1 }) { token, _, session in
            let alpaca = byToken ? token : try session.client(SandboxSession.keys)
            try await listening(alpaca) { events, _ in
                let placed = try await place(alpaca, .market)
                #expect(try await events.value().state == .open)
                session.clock.advance(by: .seconds(1))
                let first = try await events.value()
                #expect(first.state == .partiallyFilled && first.filledQuantity == 1)
                let last = try await events.value()
                #expect(last.state == .filled && last.id == placed.id)
                var read = try await alpaca.order(placed.id, of: nil, in: .patient)
                read.provenance = last.provenance
                #expect(last == read)
            }
        }
    }

    @Test("tells of an order that is replaced and of the one in its place")
    func replaced() async throws {
        try await withSandbox { alpaca, _, _ in
            try await listening(alpaca) { events, _ in
                let placed = try await place(alpaca)
                #expect(try await events.value().id == placed.id)
                let change = OrderReplacement(quantity: 3)
                _ = try await alpaca.replace(placed, by: change, clientOrderID: "two", in: .patient)
                let old = try await events.value()
                let new = try await events.value()
                #expect(old.state == .replaced && old.replacedBy == new.id)
                #expect(new.quantity == 3 && new.replaces == old.id)
            }
        }
    }

    @Test("stays connected after an order that cannot be read, and tells that changes are unknown")
    func unreadable() async throws {
        try await withSandbox { alpaca, sandbox, _ in
            try await listening(alpaca) { events, _ in
                let fault = Fault(.unreadableRow, endpoint: Self.endpoint + " message", remaining: 1)
                #expect(sandbox.faults.add(fault))
                let placed = try await place(alpaca)
                // The message of the new order: all orders must be read.
                await events.connected()
                _ = try await alpaca.cancel(placed, in: .patient)
                let change = try await events.value()
                #expect(change.id == placed.id && change.state == .canceled)
                #expect(sandbox.calls[.alpaca, Self.endpoint] == 1)
            }
        }
    }

    @Test("refuses who it does not know")
    func refused() async throws {
        try await withSandbox { _, _, session in
            let strangers = [
                try AlpacaCredential.token("stranger"),
                try .keys(id: SandboxUser.demo.alpaca.keyID, secret: "guess"),
            ]
            for credential in strangers {
                let stranger = try session.client(credential)
                #expect(await end(of: stranger) == ProviderFailure(.alpaca, .unauthorized))
            }
        }
    }

    @Test("ends when the network goes away in the middle")
    func cut() async throws {
        try await withSandbox { alpaca, sandbox, _ in
            try await listening(alpaca) { _, running in
                #expect(sandbox.streams.disconnect(.alpaca, Self.endpoint) == 1)
                await #expect(throws: ProviderFailure(.alpaca, .unavailable)) { try await running.value }
            }
        }
    }

    @Test("is connected again when the network goes away, and goes on telling")
    func followed() async throws {
        try await withSandbox { alpaca, sandbox, _ in
            let told = ReceivedEvents<Order>()
            var retry = RetryPolicy.streams
            retry.pause = .zero
            let policy = retry
            let following = Task { try await alpaca.follow(retry: policy, deliver: told.deliver) }
            var events = told.events.makeAsyncIterator()
            await events.connected()
            #expect(sandbox.streams.disconnect(.alpaca, Self.endpoint) == 1)
            await events.connected()
            let placed = try await place(alpaca)
            #expect(try await events.value().id == placed.id)
            following.cancel()
            try await following.value
        }
    }

    @Test("says where a message makes no sense, and does not wait for ever to be let in")
    func faults() async throws {
        try await withSandbox { alpaca, sandbox, session in
            let messages = Self.endpoint + " message"
            #expect(sandbox.faults.add(Fault(.malformedBody, endpoint: messages, remaining: 1)))
            let failure = await end(of: alpaca)
            #expect(failure?.description.hasPrefix("alpaca: an invalid response: ") == true)
            #expect(sandbox.faults.add(Fault(.hang, endpoint: messages)))
            let hasty = try session.client(SandboxSession.keys, sleep: { _ in })
            #expect(await end(of: hasty) == ProviderFailure(.alpaca, .timedOut))
        }
    }
}
