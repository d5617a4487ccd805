import Brokerage
import ProviderTestSupport
import Testing
import Upstream

import struct Sandbox.Fault

@testable import Saxo

@Suite("The stream of Saxo's sandbox", .timeLimit(.minutes(20)))
struct SandboxStreamTests {
    private typealias Event = StreamEvent<QuoteUpdate>

    /// Follows symbols while `body` looks at what is told.
    private func following(
        _ texts: [String], at fixture: RunningSandbox, access: SaxoCredential? = nil,
        _ body: (AsyncStream<Event>.Iterator, AsyncStream<Set<Symbol>>.Continuation) async throws -> Void
    ) async throws -> ProviderFailure? {
        let saxo = try fixture.client(access)
        let (wanted, want) = AsyncStream.makeStream(of: Set<Symbol>.self)
        let (events, tell) = AsyncStream.makeStream(of: Event.self)
        want.yield(Set(try texts.map(symbol)))
        let run = Task { () -> ProviderFailure? in
            defer { tell.finish() }
            do throws(ProviderFailure) {
                try await saxo.run(wanted) { tell.yield($0) }
                return nil
            } catch {
                return error
            }
        }
        do {
            try await body(events.makeAsyncIterator(), want)
        } catch {
            run.cancel()
            _ = await run.value
            throw error
        }
        run.cancel()
        return await run.value
    }

    /// The next change that fits, time passing meanwhile if need be.
    private func next(
        _ events: inout AsyncStream<Event>.Iterator, in fixture: RunningSandbox, isTicking: Bool = true,
        where fits: (QuoteUpdate) -> Bool
    ) async throws -> QuoteUpdate {
        let time = Task {
            while isTicking, !Task.isCancelled {
                fixture.time.wall.advance(by: .seconds(1))
                // Slowly: a list without a message for 30 s begins again.
                try? await Task.sleep(for: .milliseconds(250))
            }
        }
        defer { time.cancel() }
        while let event = await events.next(isolation: #isolation) {
            if case .value(let change) = event, fits(change) { return change }
        }
        throw Ended()
    }

    private struct Ended: Error {}

    private func isConnected(_ event: Event?) -> Bool {
        guard case .connected = event else { return false }
        return true
    }

    @Test(
        "tells the prices in full, then what changes in them, over one connection and one list each AssetType"
    )
    func prices() async throws {
        try await RunningSandbox.run { fixture in
            let end = try await following(["EUR/USD", "AAPL", "MSFT", "NOSUCH"], at: fixture) { events, _ in
                var events = events
                let first = await events.next(isolation: #isolation)
                #expect(isConnected(first))
                var known: [Symbol: QuoteUpdate] = [:]
                while known.count < 3 {
                    let change = try await next(&events, in: fixture, isTicking: false) { _ in true }
                    #expect(change.previousClose != nil)
                    known[change.symbol] = change
                }
                #expect(Set(known.keys.map(\.text)) == ["EUR/USD", "AAPL", "MSFT"])
                let pair = try symbol("EUR/USD")
                var (bid, ask) = (known[pair]?.bid ?? nil, known[pair]?.ask ?? nil)
                for _ in 0..<5 {
                    let change = try await next(&events, in: fixture) { $0.symbol == pair && $0.price != nil }
                    bid = change.bid ?? bid
                    ask = change.ask ?? ask
                    #expect(change.price == Decimal.middle(try #require(bid), try #require(ask)))
                    #expect(change.previousClose == nil)
                }
            }
            #expect(end?.cause == .cancelled)
            #expect(fixture.calls("GET /connect") == 1)
            #expect(fixture.calls("POST /trade/v1/infoprices/subscriptions") == 2)
        }
    }

    @Test("follows what is wanted as it changes")
    func wishes() async throws {
        try await RunningSandbox.run { fixture in
            _ = try await following(["EUR/USD"], at: fixture) { events, want in
                var events = events
                _ = try await next(&events, in: fixture, isTicking: false) { $0.symbol.text == "EUR/USD" }
                want.yield([try symbol("EUR/DKK"), try symbol("EUR/USD")])
                _ = try await next(&events, in: fixture, isTicking: false) { $0.symbol.text == "EUR/DKK" }
                want.yield([try symbol("AAPL")])
                _ = try await next(&events, in: fixture, isTicking: false) { $0.symbol.text == "AAPL" }
            }
            #expect(fixture.calls("POST /trade/v1/infoprices/subscriptions") == 3)
            #expect(
                fixture.calls("DELETE /trade/v1/infoprices/subscriptions/{context_id}/{reference_id}") == 1)
        }
    }

    @Test("begins lists anew that Saxo resets")
    func reset() async throws {
        try await RunningSandbox.run { fixture in
            _ = try await following(["EUR/USD"], at: fixture) { events, _ in
                var events = events
                _ = try await next(&events, in: fixture, isTicking: false) { _ in true }
                fixture.sandbox.saxoStreams.demandReset()
                // Only a snapshot tells the previous close.
                _ = try await next(&events, in: fixture) { $0.previousClose != nil }
                _ = try await next(&events, in: fixture) { $0.previousClose == nil && $0.price != nil }
            }
            #expect(fixture.calls("POST /trade/v1/infoprices/subscriptions") == 2)
            #expect(fixture.calls("GET /connect") == 1)
        }
    }

    @Test("goes on behind the last message where the connection breaks, and nobody is told")
    func reconnection() async throws {
        try await RunningSandbox.run { fixture in
            // Cut after its first message.
            #expect(
                fixture.sandbox.faults.add(
                    Fault(.disconnect, provider: .saxo, endpoint: "GET /connect", remaining: 1)))
            _ = try await following(["EUR/USD"], at: fixture) { events, _ in
                var events = events
                let first = await events.next(isolation: #isolation)
                #expect(isConnected(first))
                for _ in 0..<6 {
                    _ = try await next(&events, in: fixture) { $0.price != nil }
                }
                // No second `connected`, and no second snapshot.
                #expect(fixture.calls("GET /connect") == 2)
                #expect(fixture.calls("POST /trade/v1/infoprices/subscriptions") == 1)
            }
        }
    }

    @Test("ends where Saxo ends the session of a token that nobody renews")
    func disconnect() async throws {
        try await RunningSandbox.run { fixture in
            let end = try await following(["EUR/USD"], at: fixture) { events, _ in
                var events = events
                _ = try await next(&events, in: fixture, isTicking: false) { _ in true }
                fixture.sandbox.saxoStreams.demandDisconnect()
                do {
                    _ = try await next(&events, in: fixture) { _ in false }
                    Issue.record("nothing ended")
                } catch is Ended {}
            }
            #expect(end == ProviderFailure(.saxo, .unauthorized))
            #expect(fixture.calls("GET /connect") == 1)
        }
    }

    @Test("goes on with a token that was renewed, of which Saxo is told before the old one ends")
    func renewal() async throws {
        try await RunningSandbox.run({ $0.developerTokenLifetime = .seconds(100) }) { fixture in
            let now = fixture.time.wall.now
            let tokens = SaxoTokenPair(
                access: try SaxoToken(RunningSandbox.demoToken), accessEndsAt: now + .seconds(100),
                renewAt: now + .seconds(40), refresh: "sandbox-saxo-demo-refresh",
                refreshEndsAt: now + .seconds(3_600))
            let store = MemoryStore(tokens.stored)
            let authorization = SaxoOAuthSession(
                of: try fixture.app(), storedIn: store, over: fixture.channel)
            _ = try await following(["EUR/USD"], at: fixture, access: .authorization(authorization)) {
                events, _ in
                var events = events
                _ = try await next(&events, in: fixture, isTicking: false) { _ in true }
                // The client looks after its token every ten seconds.
                try await fixture.time.wait { fixture.time.sleeps.count(of: .seconds(10)) == 1 }
                fixture.time.wall.advance(by: .seconds(45))
                try await fixture.time.wait {
                    store.replacements == 1 && fixture.time.sleeps.count(of: .seconds(10)) == 2
                }
                fixture.time.wall.advance(by: .seconds(11))
                try await fixture.time.wait { fixture.calls("PUT /authorize") == 1 }
                // Past the end of the first token.
                fixture.time.wall.advance(by: .seconds(60))
                _ = try await next(&events, in: fixture) { $0.price != nil }
                #expect(fixture.calls("GET /connect") == 1)
            }
            #expect(fixture.calls("POST /token") == 1)
        }
    }

    @Test("is none without an address of the streaming host, or with a token that is refused")
    func refusals() async throws {
        try await RunningSandbox.run { fixture in
            let (wanted, want) = AsyncStream.makeStream(of: Set<Symbol>.self)
            defer { want.finish() }
            await #expect(throws: ProviderFailure(.saxo, .unauthorized)) {
                try await fixture.client(token: "nobody").run(wanted) { _ in }
            }
        }
        try await withSaxo([:]) { saxo, _ in
            let (wanted, want) = AsyncStream.makeStream(of: Set<Symbol>.self)
            defer { want.finish() }
            await #expect(throws: ProviderFailure(.saxo, .unsupported)) {
                try await saxo.run(wanted) { _ in }
            }
        }
    }
}
