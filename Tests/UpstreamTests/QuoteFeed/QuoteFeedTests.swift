import Brokerage
import Synchronization
import Testing
import Upstream

@Suite("A hub of prices")
struct QuoteFeedTests {
    private let aapl: Symbol
    private let ko: Symbol
    private let clock = ManualClock()

    init() throws {
        aapl = try #require(Symbol("AAPL"))
        ko = try #require(Symbol("KO"))
    }

    private func hub(
        _ stream: ScriptedStream?, _ snapshots: ScriptedSnapshots,
        _ adjust: (inout QuoteFeedPolicy) -> Void = { _ in }
    ) -> QuoteFeed {
        var policy = QuoteFeedPolicy()
        policy.pollInterval = .seconds(100)
        policy.retry.jitter = { 1 }
        adjust(&policy)
        return QuoteFeed(
            .alpaca, stream: stream, policy: policy, clock: clock.clock, snapshot: snapshots.read)
    }

    private func price(_ news: [Symbol: QuoteEvent]?, _ symbol: Symbol) -> Decimal? {
        try? news?[symbol]?.get().price
    }

    @Test("tells a snapshot first, then what the stream tells, laid over it")
    func changes() async throws {
        let (stream, snapshots) = (ScriptedStream(), ScriptedSnapshots([aapl: 200]))
        let follower = try hub(stream, snapshots).follow([aapl])
        var news = follower.makeAsyncIterator()
        #expect(price(await news.next(), aapl) == 200)
        var connections = stream.connections.makeAsyncIterator()
        let connection = try #require(await connections.next())
        connection.tell(aapl, price: 201)
        let changed = try #require(try await news.next()?[aapl]?.get())
        #expect(changed.price == 201)
        #expect(changed.previousClose == 1, "what the stream does not tell stays")
        #expect(changed.provenance.fetchedAt == clock.wallTime)
    }

    @Test("follows a symbol once, whoever asks; a second follower is told at once what is known")
    func shared() async throws {
        let (stream, snapshots) = (ScriptedStream(), ScriptedSnapshots([aapl: 200, ko: 60]))
        let hub = hub(stream, snapshots)
        let first = try hub.follow([aapl])
        var firstNews = first.makeAsyncIterator()
        _ = await firstNews.next()
        var connections = stream.connections.makeAsyncIterator()
        let connection = try #require(await connections.next())
        let second = try hub.follow([aapl, ko])
        var secondNews = second.makeAsyncIterator()
        #expect(price(await secondNews.next(), aapl) == 200)
        #expect(price(await secondNews.next(), ko) == 60)
        #expect(hub.symbolCount == 2)
        connection.tell(aapl, price: 202)
        #expect(price(await firstNews.next(), aapl) == 202)
        #expect(price(await secondNews.next(), aapl) == 202)
        #expect(snapshots.count(of: aapl) == 1)
        #expect(snapshots.count(of: ko) == 1)
        var wanted = connection.wanted.makeAsyncIterator()
        #expect(await wanted.next() == [aapl, ko], "the newest set stands for those before it")
    }

    @Test("tells one who is slow the latest of each symbol only")
    func slow() async throws {
        let (stream, snapshots) = (ScriptedStream(), ScriptedSnapshots([aapl: 200, ko: 60]))
        let follower = try hub(stream, snapshots).follow([aapl, ko])
        var news = follower.makeAsyncIterator()
        #expect(await news.next()?.count == 2)
        var connections = stream.connections.makeAsyncIterator()
        let connection = try #require(await connections.next())
        for cents in 1...1_000 {
            connection.tell(aapl, price: try Decimal(200) + Decimal(cents))
            connection.tell(ko, price: try Decimal(60) + Decimal(cents))
        }
        let latest = await news.next()
        #expect(price(latest, aapl) == 1_200)
        #expect(price(latest, ko) == 1_060)
        connection.tell(ko, price: 5)
        #expect(await news.next()?.keys.map(\.self) == [ko], "nothing of what lay between")
    }

    @Test("connects again after a pause, reads all anew then, and polls in between")
    func reconnect() async throws {
        let (stream, snapshots) = (ScriptedStream(), ScriptedSnapshots([aapl: 200]))
        let follower = try hub(stream, snapshots) { $0.pollInterval = .milliseconds(700) }.follow([aapl])
        var news = follower.makeAsyncIterator()
        #expect(price(await news.next(), aapl) == 200)
        var connections = stream.connections.makeAsyncIterator()
        var endings = stream.endings.makeAsyncIterator()
        var calls = snapshots.calls.makeAsyncIterator()
        _ = await calls.next()
        let first = try #require(await connections.next())
        snapshots.set(aapl, 205)
        first.deliver(.connected)
        #expect(price(await news.next(), aapl) == 205, "what happened before is not known")
        _ = await calls.next()
        first.fail(.unavailable)
        #expect(await endings.next() == .unavailable)
        await clock.somebodySleeps(atMost: .milliseconds(700))
        snapshots.set(aapl, 206)
        clock.advance(by: .milliseconds(700))
        #expect(price(await news.next(), aapl) == 206, "polled")
        clock.advance(by: .milliseconds(300))
        let second = try #require(await connections.next())
        snapshots.set(aapl, 207)
        second.deliver(.connected)
        #expect(price(await news.next(), aapl) == 207)
        second.tell(aapl, price: 208)
        #expect(price(await news.next(), aapl) == 208)
    }

    @Test("polls where there is no stream, or none for this credential", arguments: [false, true])
    func polling(hasStream: Bool) async throws {
        let stream = hasStream ? ScriptedStream() : nil
        let snapshots = ScriptedSnapshots([aapl: 200])
        let follower = try hub(stream, snapshots).follow([aapl])
        var news = follower.makeAsyncIterator()
        #expect(price(await news.next(), aapl) == 200)
        if let stream {
            var connections = stream.connections.makeAsyncIterator()
            try #require(await connections.next()).fail(.unsupported)
            var endings = stream.endings.makeAsyncIterator()
            #expect(await endings.next() == .unsupported)
        }
        for price in [201, 202, 203] as [Decimal] {
            snapshots.set(aapl, price)
            await clock.somebodySleeps(atMost: .seconds(100))
            clock.advance(by: .seconds(100))
            #expect(self.price(await news.next(), aapl) == price)
        }
    }

    @Test("says why there is no quote, and that one is stale which cannot be read again")
    func failures() async throws {
        let snapshots = ScriptedSnapshots([aapl: 200])
        let follower = try hub(nil, snapshots).follow([aapl, ko])
        var news = follower.makeAsyncIterator()
        let first = await news.next()
        #expect(first?[ko] == .failure(ProviderFailure(.alpaca, .notFound)))
        #expect(price(first, aapl) == 200)
        snapshots.fail(.quotaExhausted(retryAt: nil))
        await clock.somebodySleeps(atMost: .seconds(100))
        clock.advance(by: .seconds(100))
        let second = await news.next()
        let stale = try #require(try second?[aapl]?.get())
        #expect(stale.provenance.isStale && stale.price == 200)
        #expect(second?[ko] == nil, "it is no longer followed")
    }

    @Test("symbols that a shared stream does not carry are polled, and all of them while it carries none")
    func carried() async throws {
        let (stream, snapshots) = (ScriptedStream(), ScriptedSnapshots([aapl: 200, ko: 60]))
        let follower = try hub(stream, snapshots).follow([aapl, ko])
        var news = follower.makeAsyncIterator()
        _ = await news.next()
        var connections = stream.connections.makeAsyncIterator()
        let connection = try #require(await connections.next())
        var calls = snapshots.calls.makeAsyncIterator()
        #expect(await calls.next() == [aapl, ko])
        connection.deliver(.connected)
        #expect(await calls.next() == [aapl, ko])
        for (carried, polled): (Set<Symbol>, Set<Symbol>) in [
            ([aapl], [ko]), ([], [aapl, ko]), ([ko], [aapl]),
        ] {
            connection.deliver(.carrying(carried))
            await clock.somebodySleeps(atMost: .seconds(100))
            clock.advance(by: .seconds(100))
            #expect(await calls.next() == polled)
        }
    }

    @Test("polls what the stream has no room for")
    func symbolLimit() async throws {
        let (stream, snapshots) = (ScriptedStream(symbolLimit: 1), ScriptedSnapshots([aapl: 200, ko: 60]))
        let follower = try hub(stream, snapshots).follow([aapl, ko])
        var news = follower.makeAsyncIterator()
        _ = await news.next()
        var connections = stream.connections.makeAsyncIterator()
        let connection = try #require(await connections.next())
        var wanted = connection.wanted.makeAsyncIterator()
        #expect(await wanted.next() == [aapl])
        var calls = snapshots.calls.makeAsyncIterator()
        #expect(await calls.next() == [aapl, ko])
        connection.deliver(.connected)
        #expect(await calls.next() == [aapl, ko])
        await clock.somebodySleeps(atMost: .seconds(100))
        clock.advance(by: .seconds(100))
        #expect(await calls.next() == [ko])
    }

    @Test("puts its connection down when the last has gone, and makes a new one for the next")
    func idle() async throws {
        let (stream, snapshots) = (ScriptedStream(), ScriptedSnapshots([aapl: 200]))
        let hub = hub(stream, snapshots)
        var connections = stream.connections.makeAsyncIterator()
        var endings = stream.endings.makeAsyncIterator()
        for round in 1...3 {
            var follower: FollowedNews? = try hub.follow([aapl])
            #expect(await follower?.first { _ in true }?.count == 1)
            let connection = try #require(await connections.next())
            connection.deliver(.connected)
            follower = nil
            #expect(await endings.next() == .some(nil), "nobody wants it any more")
            #expect(hub.symbolCount == 0)
            // What a connection still says that was put down is heard by nobody.
            connection.deliver(.connected)
            connection.tell(aapl, price: 1)
            #expect(snapshots.count(of: aapl) >= round)
        }
    }

    @Test("tells nothing where a poll has read the same again")
    func unchanged() async throws {
        let snapshots = ScriptedSnapshots([aapl: 200])
        let follower = try hub(nil, snapshots).follow([aapl])
        var news = follower.makeAsyncIterator()
        var calls = snapshots.calls.makeAsyncIterator()
        let first = try #require(try await news.next()?[aapl]?.get())
        _ = await calls.next()
        for _ in 1...3 {
            await clock.somebodySleeps()
            clock.advance(by: .seconds(100))
            _ = await calls.next()
        }
        snapshots.set(aapl, 201)
        await clock.somebodySleeps()
        clock.advance(by: .seconds(100))
        let second = try #require(try await news.next()?[aapl]?.get())
        #expect(second.price == 201 && second.provenance.fetchedAt > first.provenance.fetchedAt)
    }

    @Test("that is closed ends its stream and all who follow, and takes nobody in")
    func closed() async throws {
        let (stream, snapshots) = (ScriptedStream(), ScriptedSnapshots([aapl: 200]))
        let hub = hub(stream, snapshots)
        let follower = try hub.follow([aapl])
        var news = follower.makeAsyncIterator()
        #expect(price(await news.next(), aapl) == 200)
        var connections = stream.connections.makeAsyncIterator()
        let connection = try #require(await connections.next())
        hub.close()
        #expect(await news.next() == nil)
        var endings = stream.endings.makeAsyncIterator()
        #expect(await endings.next() == .some(nil))
        connection.tell(aapl, price: 1)
        #expect(try await hub.follow([aapl]).first { _ in true } == nil)
        #expect(hub.symbolCount == 0 && snapshots.count(of: aapl) == 1)
    }

    @Test("rings once for all that is untold, and again for what comes after that was taken")
    func bell() async throws {
        let (stream, snapshots) = (ScriptedStream(), ScriptedSnapshots([aapl: 200, ko: 60]))
        let hub = hub(stream, snapshots)
        var news = try hub.follow([aapl, ko]).makeAsyncIterator()
        #expect(await news.next()?.count == 2)
        var connections = stream.connections.makeAsyncIterator()
        let connection = try #require(await connections.next())
        let rings = Mutex(0)
        let (rung, ring) = AsyncStream.makeStream(of: Void.self)
        let follower = try hub.follow([aapl, ko], for: .address(1)) {
            rings.withLock { $0 += 1 }
            ring.yield()
        }
        // Who has just come looks without being told.
        let first = follower.drainPending()?.events
        #expect(price(first, aapl) == 200 && price(first, ko) == 60)
        #expect(follower.drainPending()?.events.isEmpty == true)
        for cents in 1...3 {
            connection.tell(aapl, price: try Decimal(201) + Decimal(cents))
            connection.tell(ko, price: try Decimal(60) + Decimal(cents))
        }
        var bells = rung.makeAsyncIterator()
        await bells.next(isolation: #isolation)
        let second = follower.drainPending()?.events
        #expect(price(second, aapl) == 204 && price(second, ko) == 63)
        follower.unsubscribe([ko])
        connection.tell(ko, price: 1)
        connection.tell(aapl, price: 1)
        await bells.next(isolation: #isolation)
        #expect(follower.drainPending()?.events.keys.map(\.self) == [aapl])
        #expect(rings.withLock(\.self) == 2)
        follower.unsubscribe([aapl])
        #expect(follower.drainPending() == nil)
    }

    @Test("removes a symbol that its provider does not know, after it has reported this")
    func unknown() async throws {
        let snapshots = ScriptedSnapshots([aapl: 200])
        let hub = hub(nil, snapshots) { $0.symbols = 2 }
        var news = try hub.follow([aapl, ko]).makeAsyncIterator()
        let first = await news.next()
        #expect(first?[ko] == .failure(ProviderFailure(.alpaca, .notFound)))
        #expect(price(first, aapl) == 200)
        #expect(hub.symbolCount == 1)
        // The known symbol continues, and the other one is not requested again.
        snapshots.set(aapl, 201)
        await clock.somebodySleeps(atMost: .seconds(100))
        clock.advance(by: .seconds(100))
        #expect(price(await news.next(), aapl) == 201)
        #expect(snapshots.count(of: ko) == 1)
    }

    private func full(of client: Int? = nil) -> QuoteEvent {
        .failure(ProviderFailure(.alpaca, .feedFull(symbolsPerClient: client)))
    }

    @Test("refuses symbols and followers above its limits with an error, and accepts them when there is room")
    func bounds() async throws {
        let hub = hub(nil, ScriptedSnapshots([aapl: 200, ko: 60])) {
            $0.symbols = 1
            $0.followers = 2
        }
        var first: FollowedNews? = try hub.follow([aapl])
        let second = try hub.follow([aapl, ko])
        var news = second.makeAsyncIterator()
        #expect(await news.next()?[ko] == full())
        #expect(hub.symbolCount == 1)
        #expect(throws: ProviderFailure(.alpaca, .feedFull(symbolsPerClient: nil))) { try hub.follow([aapl]) }
        first = nil
        #expect(first == nil)
        withExtendedLifetime((second, try hub.follow([aapl]))) {}
    }

    @Test("limits the symbols of one client over all its subscriptions, without effect on others")
    func share() async throws {
        let spy = try #require(Symbol("SPY"))
        let hub = hub(nil, ScriptedSnapshots([aapl: 200, ko: 60, spy: 500])) { $0.symbolsPerClient = 2 }
        for client in [QuoteClient.address(7), .user(try #require(OwnerID("ann")))] {
            var first: FollowedNews? = try hub.follow([aapl, ko], for: client)
            let again = try hub.follow([aapl, ko], for: client)
            let more = try hub.follow([spy], for: client)
            var refused = more.makeAsyncIterator()
            #expect(await refused.next() == [spy: full(of: 2)])
            var other = try hub.follow([spy], for: .address(8)).makeAsyncIterator()
            #expect(price(await other.next(), spy) == 500)
            // Still followed by the second subscription.
            first = nil
            #expect(first == nil)
            var still = try hub.follow([spy], for: client).makeAsyncIterator()
            #expect(await still.next() == [spy: full(of: 2)])
            withExtendedLifetime(again) {}
        }
        #expect(hub.symbolCount == 0, "a released follower does not count")
    }

    @Test(
        "takes a call of its follower for each call that reads symbols that no client follows yet",
        arguments: [
            // Symbols already followed, by one call; requested symbols; calls left; refused symbols.
            (followed: 0, wanted: 4, left: 2, refused: 0), (followed: 0, wanted: 5, left: 2, refused: 1),
            (followed: 0, wanted: 3, left: 0, refused: 3), (followed: 2, wanted: 4, left: 1, refused: 0),
            (followed: 4, wanted: 4, left: 0, refused: 0),
        ])
    func calls(followed: Int, wanted: Int, left: Int, refused: Int) async throws {
        let symbols = (0..<wanted).compactMap { Symbol("S\($0)") }
        let prices = Dictionary(symbols.map { ($0, Decimal(1)) }) { first, _ in first }
        let hub = hub(nil, ScriptedSnapshots(prices)) { $0.symbolsPerCall = 2 }
        let others = followed > 0 ? try hub.follow(Set(symbols.prefix(followed)), for: .address(2)) : nil
        let rest = Mutex(left)
        let refusal = CallRefusal.client(limit: 9, retryAt: .latest)
        let callBudget = OperationCallBudget(limit: 50) { _ in
            rest.withLock { rest in
                if rest == 0 { return refusal }
                rest -= 1
                return nil
            }
        }
        let follower = try hub.follow(Set(symbols), for: .address(1), within: callBudget) {}
        #expect(rest.withLock(\.self) == 0)
        #expect(hub.symbolCount == wanted - refused)
        let update = try #require(follower.drainPending())
        #expect(update.ended.count == refused)
        for symbol in update.ended {
            #expect(update.events[symbol] == .failure(ProviderFailure(.alpaca, .notAllowed(refusal))))
        }
        withExtendedLifetime((others, follower)) {}
    }

    @Test("lets symbols of authenticated users take the places of those that only anonymous clients follow")
    func priority() async throws {
        let (stream, ann) = (ScriptedStream(symbolLimit: 1), try #require(OwnerID("ann")))
        let spy = try #require(Symbol("SPY"))
        let hub = hub(stream, ScriptedSnapshots([aapl: 200, ko: 60, spy: 500])) { $0.symbols = 2 }
        let anonymous = try hub.follow([aapl, ko], for: .address(7))
        var anonymousNews = anonymous.makeAsyncIterator()
        #expect(await anonymousNews.next()?.count == 2)
        var connections = stream.connections.makeAsyncIterator()
        var wanted = try #require(await connections.next()).wanted.makeAsyncIterator()
        #expect(await wanted.next() == [aapl], "the first by name")
        // Both follow it, so it stays.
        let both = try hub.follow([ko], for: .user(ann))
        #expect(await wanted.next() == [ko], "the user's is streamed first")
        let user = try hub.follow([spy], for: .user(ann))
        var userNews = user.makeAsyncIterator()
        #expect(price(await userNews.next(), spy) == 500)
        #expect(await anonymousNews.next() == [aapl: full()])
        #expect(hub.symbolCount == 2)
        // No symbol is removed for an anonymous client, and no removable symbol is left for a user.
        for client in [QuoteClient.address(9), .user(ann)] {
            var late = try hub.follow([aapl], for: client).makeAsyncIterator()
            #expect(await late.next() == [aapl: full()])
        }
        withExtendedLifetime((anonymous, both, user)) {}
    }

    /// Two users, and two anonymous clients.
    private static let pairs: [[QuoteClient]] = [
        [OwnerID("ann"), OwnerID("bob")].compactMap { $0.map { .user($0) } }, [.address(7), .address(8)],
    ]

    @Test("lets the client that follows the most symbols make room for another one", arguments: pairs)
    func fullFeed(_ clients: [QuoteClient]) async throws {
        let symbols = try (0..<7).map { try #require(Symbol("S\($0)")) }
        let hub = hub(nil, ScriptedSnapshots(Dictionary(symbols.map { ($0, 1) }) { $1 })) { $0.symbols = 4 }
        let (first, second) = (clients[0], clients[1])
        let followers = try symbols[..<4].map { try hub.follow([$0], for: first) }
        // Its oldest symbols, until both have as many.
        let others = try symbols[4..<6].map { try hub.follow([$0], for: second) }
        for (index, follower) in (followers + others).enumerated() {
            var news = follower.makeAsyncIterator()
            let event = try #require(await news.next()?[symbols[index]])
            #expect((event == full()) == (index < 2), "\(index): \(event)")
        }
        for client in clients {
            var late = try hub.follow([symbols[6]], for: client).makeAsyncIterator()
            #expect(await late.next() == [symbols[6]: full()])
        }
        #expect(hub.symbolCount == 4)
        // A symbol that both follow makes no room.
        let shared = try hub.follow([symbols[2], symbols[3]], for: second)
        var third = try hub.follow([symbols[6]], for: first).makeAsyncIterator()
        #expect(price(await third.next(), symbols[6]) == 1)
        #expect(hub.symbolCount == 4)
        withExtendedLifetime((followers, others, shared)) {}
    }
}
