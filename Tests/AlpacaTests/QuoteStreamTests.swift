import Alpaca
import Brokerage
import ProviderTestSupport
import Sandbox
import Synchronization
import Testing
import Upstream

@Suite("The data stream", .timeLimit(.minutes(10)))
struct QuoteStreamTests {
    private static let endpoint = "GET /v2/{feed}"

    /// Why a connection ends that nobody changes the symbols of.
    private func end(
        of alpaca: AlpacaClient, _ symbols: Set<Symbol> = []
    ) async -> ProviderFailure? {
        do throws(ProviderFailure) {
            try await alpaca.run(Wanted(symbols).changes) { _ in }
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "tells of trades, quotes and the day of what is followed, and is as right as a snapshot, also among odd lots",
        arguments: ["AAPL", "KO"], [false, true])
    func changes(name: String, hasOddLots: Bool) async throws {
        try await withSandbox({ $0.alpaca.streamsOddLots = hasOddLots }) { rest, _, session in
            let alpaca = try session.client(SandboxSession.keys)
            let apple = try symbol(name)
            let wanted = Wanted([apple, try symbol("EUR/USD")])
            let told = ReceivedEvents<QuoteUpdate>()
            let running = Task { try await alpaca.run(wanted.changes, deliver: told.deliver) }
            var events = told.events.makeAsyncIterator()
            await events.connected()
            session.clock.advance(by: .seconds(60))
            var merged = QuoteUpdate(symbol: apple)
            // The day is the last to be told of in the minute's last second, behind its trade and its quote.
            while merged.open == nil {
                let change = try await events.value()
                #expect(change.symbol == apple)
                merged.price = change.price ?? merged.price
                merged.asOf = change.asOf ?? merged.asOf
                merged.bid = change.bid ?? merged.bid
                merged.ask = change.ask ?? merged.ask
                merged.open = change.open ?? merged.open
                merged.high = change.high ?? merged.high
            }
            let quotes = try await rest.quotes(for: [apple], in: .patient).found
            let quote = try #require(quotes[apple])
            #expect(merged.price == quote.price)
            #expect(merged.asOf == quote.provenance.asOf)
            #expect(merged.open == quote.open && merged.high == quote.high)
            running.cancel()
            await #expect(throws: ProviderFailure(.alpaca, .cancelled)) { try await running.value }
        }
    }

    @Test("follows what is wanted as that changes")
    func wanted() async throws {
        try await withSandbox { _, _, session in
            let alpaca = try session.client(SandboxSession.keys)
            let (apple, cola) = (try symbol("AAPL"), try symbol("KO"))
            let wanted = Wanted()
            let told = ReceivedEvents<QuoteUpdate>()
            let running = Task { try await alpaca.run(wanted.changes, deliver: told.deliver) }
            var events = told.events.makeAsyncIterator()
            // Nothing is wanted yet, and it stands all the same.
            await events.connected()
            wanted.set([apple])
            try await whileTimePasses(session.clock) {
                while try await events.value().symbol != apple {}
            }
            wanted.set([cola])
            try await whileTimePasses(session.clock) {
                while try await events.value().symbol != cola {}
            }
            // What was given up before the other was taken up is silent now.
            session.clock.advance(by: .seconds(1))
            for _ in 0..<2 { #expect(try await events.value().symbol == cola) }
            running.cancel()
            _ = await running.result
        }
    }

    @Test("follows the others if Alpaca refuses a request for one symbol, which is left to polls")
    func refusedSymbol() async throws {
        try await withSandbox({ $0.alpaca.malformedOnStream = ["BAD"] }) { _, _, session in
            let alpaca = try session.client(SandboxSession.keys)
            let (apple, bad, cola) = (try symbol("AAPL"), try symbol("BAD"), try symbol("KO"))
            let wanted = Wanted([apple, bad, cola])
            let told = ReceivedEvents<QuoteUpdate>()
            let running = Task { try await alpaca.run(wanted.changes, deliver: told.deliver) }
            var events = told.events.makeAsyncIterator()
            func carried() async throws -> Set<Symbol> {
                while let event = await events.next(isolation: #isolation) {
                    if case .carrying(let symbols) = event { return symbols }
                }
                throw NotThere(text: "carried symbols")
            }
            await events.connected()
            #expect(try await carried() == [apple, cola])
            var followed: Set<Symbol> = []
            try await whileTimePasses(session.clock) {
                while followed != [apple, cola] { followed.insert(try await events.value().symbol) }
            }
            wanted.set([bad, cola])
            #expect(try await carried() == [cola])
            wanted.set([cola, try symbol("MSFT")])
            #expect(try await carried() == [cola, try symbol("MSFT")])
            running.cancel()
            await #expect(throws: ProviderFailure(.alpaca, .cancelled)) { try await running.value }
        }
    }

    @Test(
        "has another address for the overnight feeds", arguments: [AlpacaFeed.boats, .overnight, .delayedSIP])
    func night(feed: AlpacaFeed) async throws {
        try await withSandbox { _, sandbox, session in
            let alpaca = try session.client(SandboxSession.keys, feed: feed)
            let told = ReceivedEvents<QuoteUpdate>()
            let running = Task { [apple = try symbol("AAPL")] in
                try await alpaca.run(Wanted([apple]).changes, deliver: told.deliver)
            }
            var events = told.events.makeAsyncIterator()
            await events.connected()
            #expect(sandbox.calls[.alpaca, Self.endpoint] == (feed == .delayedSIP ? 1 : 0))
            #expect(sandbox.calls[.alpaca, "GET /v1beta1/{feed}"] == (feed == .delayedSIP ? 0 : 1))
            running.cancel()
            _ = await running.result
        }
    }

    @Test("ends when the network goes away in the middle")
    func cut() async throws {
        try await withSandbox { _, sandbox, session in
            let alpaca = try session.client(SandboxSession.keys)
            let wanted = Wanted([try symbol("AAPL")])
            let told = ReceivedEvents<QuoteUpdate>()
            let running = Task { try await alpaca.run(wanted.changes, deliver: told.deliver) }
            var events = told.events.makeAsyncIterator()
            await events.connected()
            #expect(sandbox.streams.disconnect(.alpaca, Self.endpoint) == 1)
            await #expect(throws: ProviderFailure(.alpaca, .unavailable)) { try await running.value }
        }
    }

    @Test("is connected to again after it broke, and followed on, by who keeps it")
    func again() async throws {
        try await withSandbox { rest, sandbox, session in
            let alpaca = try session.client(SandboxSession.keys)
            let apple = try symbol("AAPL")
            var policy = QuoteFeedPolicy()
            policy.pollInterval = .seconds(3_600)
            policy.retry.pause = .milliseconds(1)
            policy.snapshotTimeout = .seconds(300)
            let hub = QuoteFeed(.alpaca, stream: alpaca, policy: policy, clock: session.callClock()) {
                symbols, context in
                let quotes = try? await rest.quotes(for: symbols, in: context).found
                return quotes?.mapValues { .success($0) } ?? [:]
            }
            let (rings, ring) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            let follower = try hub.follow([apple], for: .address(1)) { ring.yield() }
            var untold = rings.makeAsyncIterator()
            var prices: Set<Decimal> = []
            func follow(until count: Int) async throws {
                try await whileTimePasses(session.clock) {
                    while prices.count < count {
                        await untold.next(isolation: #isolation)
                        guard let quote = try follower.drainPending()?.events[apple]?.get() else { continue }
                        prices.insert(try #require(quote.price))
                    }
                }
            }
            try await follow(until: 3)
            #expect(sandbox.faults.add(Fault(.status(503), endpoint: Self.endpoint, remaining: 2)))
            #expect(sandbox.streams.disconnect(.alpaca) == 1)
            // The snapshot after the connection is one price, what the new connection tells are the others.
            try await follow(until: prices.count + 4)
            // More where the sandbox had not noticed yet that the old one is gone, and refused a second one.
            #expect(sandbox.calls[.alpaca, Self.endpoint] >= 4)
        }
    }

    @Test("refuses keys that are wrong, and is not there for tokens")
    func refused() async throws {
        try await withSandbox { token, sandbox, session in
            let stranger = try session.client(.keys(id: SandboxUser.demo.alpaca.keyID, secret: "guess"))
            #expect(await end(of: stranger) == ProviderFailure(.alpaca, .unauthorized))
            #expect(await end(of: token) == ProviderFailure(.alpaca, .unsupported))
            #expect(sandbox.calls[.alpaca, Self.endpoint] == 1)
        }
    }

    @Test("tells of the bounds of a plan: a connection, and symbols")
    func bounds() async throws {
        try await withSandbox({ $0.alpaca.streamedSymbolLimit = 2 }) { _, _, session in
            let alpaca = try session.client(SandboxSession.keys, streamSymbols: 2)
            #expect(alpaca.symbolLimit == 1)
            let symbols = Set(try ["AAPL", "KO"].map(symbol))
            #expect(await end(of: alpaca, symbols) == ProviderFailure(.alpaca, .notEntitled))
            let told = ReceivedEvents<QuoteUpdate>()
            let running = Task { [apple = try symbol("AAPL")] in
                try await alpaca.run(Wanted([apple]).changes, deliver: told.deliver)
            }
            var events = told.events.makeAsyncIterator()
            await events.connected()
            #expect(await end(of: alpaca) == ProviderFailure(.alpaca, .rateLimited(retryAt: nil)))
            running.cancel()
            _ = await running.result
        }
    }

    @Test(
        "fails as the handshake or a message fails",
        arguments: [
            (.status(503), "", .unavailable),
            (.status(429, retryAfter: nil), "", .rateLimited(retryAt: nil)),
            (.closedConnection, "", .unavailable), (.closedConnection, " message", .unavailable),
            (.status(500), " message", .unavailable), (.disconnect, "", .unavailable),
        ] as [(Fault.Effect, String, ProviderFailure.Cause)])
    func faults(effect: Fault.Effect, endpoint: String, cause: ProviderFailure.Cause) async throws {
        try await withSandbox { _, sandbox, session in
            let fault = Fault(
                effect, provider: .alpaca, endpoint: Self.endpoint + endpoint, remaining: 1)
            #expect(sandbox.faults.add(fault))
            let alpaca = try session.client(SandboxSession.keys)
            #expect(await end(of: alpaca) == ProviderFailure(.alpaca, cause))
        }
    }

    @Test("says where a message makes no sense")
    func malformed() async throws {
        try await withSandbox { _, sandbox, session in
            let fault = Fault(.malformedBody, endpoint: Self.endpoint + " message", remaining: 1)
            #expect(sandbox.faults.add(fault))
            let alpaca = try session.client(SandboxSession.keys)
            let failure = await end(of: alpaca)
            #expect(failure?.description.hasPrefix("alpaca: an invalid response: ") == true)
        }
    }

    @Test("does not wait for ever to be let in")
    func silence() async throws {
        try await withSandbox { _, sandbox, session in
            #expect(sandbox.faults.add(Fault(.hang, endpoint: Self.endpoint + " message")))
            // The ten seconds are over at once.
            let alpaca = try session.client(SandboxSession.keys, sleep: { _ in })
            #expect(await end(of: alpaca) == ProviderFailure(.alpaca, .timedOut))
        }
    }

    @Test("ends if a change of its symbols is not confirmed in time", arguments: [true, false])
    func unconfirmed(subscribes: Bool) async throws {
        try await withSandbox { _, sandbox, session in
            let isTimeOver = Atomic(false)
            let alpaca = try session.client(
                SandboxSession.keys,
                sleep: { end in
                    if isTimeOver.load(ordering: .relaxed) { return }
                    try await ContinuousClock().sleep(until: end)
                })
            let apple = try symbol("AAPL")
            let wanted = Wanted(subscribes ? [] : [apple])
            let told = ReceivedEvents<QuoteUpdate>()
            let running = Task { try await alpaca.run(wanted.changes, deliver: told.deliver) }
            var events = told.events.makeAsyncIterator()
            await events.connected()
            #expect(sandbox.faults.add(Fault(.hang, endpoint: Self.endpoint + " message")))
            isTimeOver.store(true, ordering: .relaxed)
            wanted.set(subscribes ? [apple] : [])
            await #expect(throws: ProviderFailure(.alpaca, .timedOut)) { try await running.value }
        }
    }
}
