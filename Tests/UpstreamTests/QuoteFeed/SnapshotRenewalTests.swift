import Brokerage
import Testing
import Upstream

/// Alpaca's stream sends no previous close: it comes from snapshots, which a connected stream did not renew.
@Suite("The snapshots of a connected stream")
struct SnapshotRenewalTests {
    private let aapl: Symbol
    private let ko: Symbol
    private let clock = ManualClock()
    private let stream = ScriptedStream()
    private let snapshots = ScriptedSnapshots([:])

    init() throws {
        aapl = try #require(Symbol("AAPL"))
        ko = try #require(Symbol("KO"))
    }

    /// The time of a trade, for example `2026-11-23T20:59:00Z`.
    private func time(_ text: String) throws -> Instant { try #require(Instant(text)) }

    private func feed() -> QuoteFeed {
        var policy = QuoteFeedPolicy()
        policy.pollInterval = .seconds(100)
        policy.retry.jitter = { 1 }
        return QuoteFeed(
            .alpaca, stream: stream, policy: policy, clock: clock.clock, snapshot: snapshots.read)
    }

    /// Waits until the next poll is due, and lets it begin.
    private func poll() async {
        await clock.somebodySleeps(atMost: .seconds(100))
        clock.advance(by: .seconds(100))
    }

    @Test("are renewed every 15 minutes, in one call, unless the stream sends the previous close")
    func interval() async throws {
        snapshots.set(aapl, 200)
        snapshots.set(ko, 60)
        let follower = try feed().follow([aapl, ko])
        var news = follower.makeAsyncIterator()
        #expect(await news.next()?.count == 2)
        var connections = stream.connections.makeAsyncIterator()
        let connection = try #require(await connections.next())
        var calls = snapshots.calls.makeAsyncIterator()
        #expect(await calls.next() == [aapl, ko])
        connection.deliver(.connected)
        #expect(await calls.next() == [aapl, ko])
        // After 900 s and 1,800 s; the polls between them read nothing.
        for _ in 1...9 { await poll() }
        #expect(await calls.next() == [aapl, ko])
        #expect(snapshots.count(of: aapl) == 3)
        connection.tell(ko, price: 61, previousClose: 59)
        for _ in 1...9 { await poll() }
        #expect(await calls.next() == [aapl])
        #expect(snapshots.count(of: aapl) == 4 && snapshots.count(of: ko) == 3)
        withExtendedLifetime(follower) {}
    }

    /// A snapshot and a trade of the stream, and the quote afterwards.
    struct Renewal: Sendable {
        let name: String
        /// The time of the trade of the stream, with the price 231.
        let streamed: String
        /// The time of the trade of the snapshot, with the price 230 and the previous close 220.
        let read: String?
        let price: Decimal
        let changePercent: String
    }

    // 231 is 5 % above 220, and 230 is 10 / 220 = 4.5454… % above.
    private static let renewals = [
        Renewal(
            name: "an older trade", streamed: "2026-11-24T15:00:02Z", read: "2026-11-24T15:00:01Z",
            price: 231, changePercent: "5"),
        Renewal(
            name: "the same time", streamed: "2026-11-24T15:00:02Z", read: "2026-11-24T15:00:02Z",
            price: 230, changePercent: "4.5455"),
        Renewal(
            name: "a later trade", streamed: "2026-11-24T15:00:02Z", read: "2026-11-24T15:00:03Z",
            price: 230, changePercent: "4.5455"),
        Renewal(
            name: "a price without a time", streamed: "2026-11-24T15:00:02Z", read: nil, price: 231,
            changePercent: "5"),
    ]

    @Test("have the previous close of the day, and replace no later price of the stream", arguments: renewals)
    func merging(_ renewal: Renewal) async throws {
        snapshots.set(aapl, 229, previousClose: 210, asOf: try time("2026-11-24T14:59:00Z"))
        let follower = try feed().follow([aapl])
        var news = follower.makeAsyncIterator()
        _ = await news.next()
        var connections = stream.connections.makeAsyncIterator()
        let connection = try #require(await connections.next())
        var calls = snapshots.calls.makeAsyncIterator()
        _ = await calls.next()
        snapshots.set(aapl, 229, previousClose: 211, asOf: try time("2026-11-24T14:59:00Z"))
        connection.deliver(.connected)
        #expect(try await news.next()?[aapl]?.get().previousClose == 211)
        connection.tell(aapl, price: 231, asOf: try time(renewal.streamed))
        #expect(try await news.next()?[aapl]?.get().price == 231)
        snapshots.set(aapl, 230, previousClose: 220, asOf: try renewal.read.map { try time($0) })
        for _ in 1...9 { await poll() }
        let quote = try #require(try await news.next()?[aapl]?.get())
        #expect(quote.price == renewal.price, "\(renewal.name)")
        #expect(quote.previousClose == 220, "\(renewal.name)")
        #expect(quote.changePercent == Decimal(renewal.changePercent), "\(renewal.name)")
        withExtendedLifetime(follower) {}
    }

    @Test("are not replaced by a trade that is reported late, and neither is a price of the stream")
    func late() async throws {
        snapshots.set(aapl, 230, previousClose: 220, asOf: try time("2026-11-24T15:00:02Z"))
        let follower = try feed().follow([aapl])
        var news = follower.makeAsyncIterator()
        _ = await news.next()
        var connections = stream.connections.makeAsyncIterator()
        let connection = try #require(await connections.next())
        var calls = snapshots.calls.makeAsyncIterator()
        _ = await calls.next()
        connection.deliver(.connected)
        _ = await calls.next()
        /// The quote after a trade at 229 with a time, and a bid that shows that the message was read.
        func quote(afterTradeAt traded: String, bid: Decimal) async throws -> Quote {
            var change = QuoteUpdate(symbol: aapl)
            (change.price, change.asOf, change.bid) = (229, try time(traded), .some(bid))
            connection.deliver(.value(change))
            while true {
                let quote = try #require(try await news.next()?[aapl]?.get())
                if quote.bid == bid { return quote }
            }
        }
        let first = try await quote(afterTradeAt: "2026-11-24T15:00:01Z", bid: 1)
        let (shown, latest) = (try time("2026-11-24T15:00:02Z"), try time("2026-11-24T15:00:04Z"))
        #expect(first.price == 230 && first.provenance.asOf == shown)
        connection.tell(aapl, price: 231, asOf: latest)
        let second = try await quote(afterTradeAt: "2026-11-24T15:00:03Z", bid: 2)
        #expect(second.price == 231 && second.provenance.asOf == latest)
        let third = try await quote(afterTradeAt: "2026-11-24T15:00:04Z", bid: 3)
        #expect(third.price == 229)
        withExtendedLifetime(follower) {}
    }

    @Test("of which two are merged before they are delivered have the later price")
    func merged() throws {
        var (first, second) = (QuoteUpdate(symbol: aapl), QuoteUpdate(symbol: aapl))
        (first.price, first.asOf) = (231, try time("2026-11-24T15:00:04Z"))
        (second.price, second.asOf, second.bid) = (229, try time("2026-11-24T15:00:03Z"), .some(1))
        let merged = first.followed(by: second)
        #expect(merged.price == 231 && merged.asOf == first.asOf && merged.bid == .some(1))
    }

    @Test(
        "that fail leave the streamed price as it is, also if a cache returns an older value",
        arguments: [false, true])
    func failure(isCached: Bool) async throws {
        snapshots.set(aapl, 200)
        let feed = feed()
        let follower = try feed.follow([aapl])
        var news = follower.makeAsyncIterator()
        _ = await news.next()
        var connections = stream.connections.makeAsyncIterator()
        let connection = try #require(await connections.next())
        var calls = snapshots.calls.makeAsyncIterator()
        _ = await calls.next()
        connection.deliver(.connected)
        _ = await calls.next()
        if isCached {
            snapshots.set(aapl, 150)
            snapshots.setStale()
        } else {
            snapshots.fail(.quotaExhausted(retryAt: nil))
        }
        for _ in 1...9 { await poll() }
        #expect(await calls.next() == [aapl])
        // The failure was stored before the next pause.
        await clock.somebodySleeps(atMost: .seconds(100))
        var known = try feed.follow([aapl]).makeAsyncIterator()
        let quote = try #require(try await known.next()?[aapl]?.get())
        #expect(quote.price == 200 && !quote.provenance.isStale)
        withExtendedLifetime(follower) {}
    }

    // New York is five hours behind UTC in November.
    @Test(
        "lack the previous close of a price of a later day in New York, until they are read again",
        arguments: [
            // Monday 19:59:59 is on the day of the snapshot, Tuesday 04:00:01 is not.
            (traded: "2026-11-24T00:59:59Z", hasTime: true, isLater: false),
            (traded: "2026-11-24T09:00:01Z", hasTime: true, isLater: true),
            // Alpaca has no time of a trade that is older than the bar of the day.
            (traded: "2026-11-24T09:00:01Z", hasTime: false, isLater: true),
        ])
    func nextDay(traded: String, hasTime: Bool, isLater: Bool) async throws {
        // On Monday, 110 is 10 % above Friday's close.
        snapshots.set(
            aapl, 110, previousClose: 100, asOf: hasTime ? try time("2026-11-23T20:59:00Z") : nil)
        let follower = try feed().follow([aapl])
        var news = follower.makeAsyncIterator()
        #expect(try await news.next()?[aapl]?.get().changePercent == 10)
        var connections = stream.connections.makeAsyncIterator()
        let connection = try #require(await connections.next())
        var calls = snapshots.calls.makeAsyncIterator()
        _ = await calls.next()
        connection.deliver(.connected)
        _ = await calls.next()
        connection.tell(aapl, price: 111, asOf: try time(traded))
        let first = try #require(try await news.next()?[aapl]?.get())
        #expect(first.price == 111)
        #expect(first.previousClose == (isLater ? nil : 100))
        // On Tuesday, 111 is 1 / 110 = 0.90909… % above Monday's close.
        snapshots.set(aapl, 111, previousClose: 110, asOf: try time(traded))
        for _ in 1...(isLater ? 1 : 9) { await poll() }
        let second = try #require(try await news.next()?[aapl]?.get())
        #expect(second.changePercent == Decimal("0.9091"))
        #expect(snapshots.count(of: aapl) == 3)
        withExtendedLifetime(follower) {}
    }
}
