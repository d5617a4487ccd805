import Brokerage
import Sandbox
import Storage
import Synchronization
import TestSupport
import Testing
import Upstream

@testable import Gateway

@Suite("A subscription whose source fails", .timeLimit(.minutes(2)))
struct LiveRecoveryTests {
    private let apple: Symbol
    private let coke: Symbol

    init() throws {
        apple = try #require(Symbol("AAPL"))
        coke = try #require(Symbol("KO"))
    }

    /// A feed whose provider knows some symbols, at 10 each.
    private func hub(knowing known: Set<Symbol>, symbols limit: Int = 100) -> QuoteFeed {
        var policy = QuoteFeedPolicy()
        policy.symbols = limit
        return QuoteFeed(.alpaca, stream: nil, policy: policy) { symbols, _ in
            var news: [Symbol: QuoteEvent] = [:]
            for symbol in symbols {
                var quote = Quote(
                    symbol: symbol, provenance: Provenance(source: .alpaca, fetchedAt: .earliest))
                quote.price = 10
                news[symbol] =
                    known.contains(symbol)
                    ? .success(quote) : .failure(ProviderFailure(.alpaca, .notFound))
            }
            return news
        }
    }

    /// The failures of the sources of `KO`, as a subscriber gets them.
    private func failure(_ causes: ProviderFailure.Cause...) -> LiveNews {
        .failure(FieldError(causes.map { ProviderFailure(.alpaca, $0) }, of: "symbol \"KO\""))
    }

    @Test("gets one error if a price feed is full, and prices when the feed has room again")
    func fullFeed() async throws {
        let hub = hub(knowing: [apple, coke], symbols: 1)
        var occupant: QuoteFeedSubscriber? = try hub.follow([apple], for: .user(alice)) {}
        let quotes = QuoteSubscription([coke: [0]], for: .user(bob)) { _ throws(ProviderFailure) in hub }
        var news = quotes.makeAsyncIterator()
        guard case .failure(let error) = await news.next()?[coke] else {
            Issue.record("There is no error.")
            return
        }
        #expect(error.code == .rateLimited)
        #expect(error.message == "The price feed of alpaca is full; Portico tries again.")
        occupant = nil
        #expect(occupant == nil)
        let price = try #require(await news.next()?[coke])
        #expect(try price.get().price == 10)
    }

    @Test(
        "reports once that its client has no call left, tries no other source, and gets prices later"
    )
    func budget() async throws {
        let hub = hub(knowing: [apple, coke])
        let refusal = CallRefusal.client(limit: 3, retryAt: .earliest)
        // Each attempt is refused until a time of its own; the third is allowed.
        let attempts = Mutex(0)
        let callBudget = OperationCallBudget(limit: 50) { _ in
            let attempt = attempts.withLock { attempts in
                defer { attempts += 1 }
                return attempts
            }
            return attempt < 2 ? .client(limit: 3, retryAt: .earliest + .nanoseconds(attempt)) : nil
        }
        let quotes = QuoteSubscription([coke: [0, 1]], for: .address(1), within: callBudget) {
            _ throws(ProviderFailure) in
            hub
        }
        var news = quotes.makeAsyncIterator()
        #expect(await news.next() == [coke: failure(.notAllowed(refusal))])
        #expect(hub.symbolCount == 0)
        let price = try #require(await news.next()?[coke])
        #expect(try price.get().price == 10)
    }

    @Test("ends when no source knows any of its symbols, after each was told as not found")
    func unknown() async throws {
        let hub = hub(knowing: [])
        let quotes = QuoteSubscription([coke: [0, 1]], for: .user(bob)) { _ throws(ProviderFailure) in hub }
        var news = quotes.makeAsyncIterator()
        #expect(await news.next() == [coke: failure(.notFound, .notFound)])
        #expect(await news.next() == nil)
        #expect(hub.symbolCount == 0)
    }

    @Test("ends with the code of the failure when the source is gone permanently")
    func gone() async throws {
        let quotes = QuoteSubscription([coke: [0]], for: .user(bob)) { _ throws(ProviderFailure) in
            throw ProviderFailure(.alpaca, .unauthorized)
        }
        var news = quotes.makeAsyncIterator()
        #expect(await news.next() == [coke: failure(.unauthorized)])
        #expect(await news.next() == nil)
    }

    private struct Lost: Error {}

    @Test("reads positions, accounts and goals with increasing pauses while reads fail")
    func pauses() async throws {
        let times = Mutex<[ContinuousClock.Instant]>([])
        var pace = PollingPolicy()
        pace.interval = .milliseconds(20)
        pace.minimumInterval = .milliseconds(1)
        let subscription = SharedSubscription<Int>(pace, .system) {
            times.withLock { $0.append(.now) }
            return .failure(Lost())
        }
        for await _ in subscription.values() where times.withLock(\.count) >= 7 { break }
        let instants = times.withLock { Array($0.prefix(7)) }
        let pauses = zip(instants, instants.dropFirst()).map { $0.duration(to: $1) }
        // Each pause is at least half of its full length, which doubles: 20, 40, 80, … ms.
        for (index, pause) in pauses.enumerated() {
            #expect(pause >= .milliseconds(10 << index), "pause \(index) of \(pauses)")
        }
    }

    @Test("keeps its pause if a read fails by a limit of calls of this process")
    func overload() async throws {
        let overload = FieldError(ProviderFailure(.alpaca, .overloaded))
        // The pauses after each, in milliseconds: a failure of the provider takes half to all of the full length, which
        // doubles.
        let failures: [(error: any Error, pause: ClosedRange<Int>)] = [
            (overload, 20...20), (overload.of(argument: "id"), 20...20), (Lost(), 10...20),
            (overload, 10...20), (Lost(), 20...40), (overload, 20...40),
        ]
        var pace = PollingPolicy()
        (pace.interval, pace.minimumInterval) = (.milliseconds(20), .milliseconds(1))
        let start = ContinuousClock.now
        let reads = Mutex(0)
        let pauses = Mutex<[Duration]>([])
        // A clock that stands still, by which nobody waits.
        let clock = TimeSource(
            now: { start }, wallTime: { .earliest }, runningTime: TimeSource.system.runningTime,
            sleep: { [pause = pace.minimumInterval] end in
                let duration = start.duration(to: end)
                if duration != pause { pauses.withLock { $0.append(duration) } }
            })
        let errors = failures.map(\.error)
        let subscription = SharedSubscription<Int>(pace, clock) {
            let index = reads.withLock { count in
                defer { count += 1 }
                return count
            }
            return .failure(errors[min(index, errors.count - 1)])
        }
        for await _ in subscription.values() where pauses.withLock(\.count) >= errors.count { break }
        for (pause, failure) in zip(pauses.withLock(\.self), failures) {
            let expected = failure.pause
            #expect(
                (.milliseconds(expected.lowerBound) ... .milliseconds(expected.upperBound)).contains(pause),
                "\(failure.error)")
        }
    }

    /// A subscription, and the endpoint that it reads.
    struct Followed: Sendable, CustomTestStringConvertible {
        let field: String
        let selection: String
        let provider: ProviderID
        let endpoint: String

        var testDescription: String { field }

        static let all = [
            Followed(
                field: "positions", selection: "symbol", provider: .alpaca, endpoint: "GET /v2/positions"),
            Followed(field: "account", selection: "equity", provider: .alpaca, endpoint: "GET /v2/account"),
            Followed(
                field: "orders", selection: "id", provider: .saxo, endpoint: "GET /port/v1/orders/me"),
        ]
    }

    /// A clock that stands still, an hour from now: no deadline of a call passes.
    ///
    /// - Parameters:
    ///   - gateway: The gateway whose clock advances by an hour.
    ///   - sleep: Sleeps for a duration.
    /// - Returns: The clock.
    private func standingClock(
        of gateway: TestGateway, sleep: @escaping @Sendable (Duration) async throws -> Void
    ) -> TimeSource {
        gateway.clock.advance(by: .seconds(3_600))
        let clock = gateway.clock.calls
        return TimeSource(now: clock.now, wallTime: clock.wallTime) { end in
            try await sleep(clock.now().duration(to: end))
        }
    }

    @Test("gets one error while three readings fail, and the values of the fourth", arguments: Followed.all)
    func values(_ followed: Followed) async throws {
        try await withGateway { gateway in
            #expect(
                gateway.sandbox.faults.add(
                    Fault(
                        .status(503), provider: followed.provider, endpoint: followed.endpoint, remaining: 3))
            )
            let isTold = Event<Void>()
            defer { isTold.happen() }
            let reads: @Sendable () -> Int = { gateway.sandbox.calls[followed.provider, followed.endpoint] }
            // Pauses last until the error is received, those after the fourth reading until the end.
            let clock = standingClock(of: gateway) { _ in
                await isTold.wait()
                if reads() > 3 { try await Task.sleep(for: .seconds(3_600)) }
                await Task.yield()
            }
            let connection =
                followed.provider == .saxo
                ? try gateway.saxo(of: alice) : try gateway.connection("alpaca", of: alice)
            let backends = try gateway.backends([connection], clock: clock)
            var answers = try await gateway.subscribe(
                "subscription { \(followed.field) { \(followed.selection) } }", as: alice, backends)
            let failed = try #require(try await answers.next())
            #expect(
                failed.failures == [
                    FieldFailure(followed.field, "PROVIDER_UNAVAILABLE", followed.provider.name.text)
                ], "\(failed)")
            #expect(failed.nulls == [followed.field])
            #expect(reads() == 1)
            isTold.happen()
            let value = try #require(try await answers.next())
            #expect(value.failures.isEmpty, "\(value)")
            #expect(value["data"]?[followed.field]?[followed.selection]?.string != nil, "\(value)")
            #expect(reads() >= 4)
        }
    }

    @Test("reads orders with increasing pauses while reads fail")
    func pausesOfOrders() async throws {
        try await withGateway { gateway in
            #expect(gateway.sandbox.faults.add(Fault(.status(503), endpoint: "GET /port/v1/orders/me")))
            let pauses = Mutex<[Duration]>([])
            let (ends, end) = AsyncStream.makeStream(of: Void.self)
            let clock = standingClock(of: gateway) { duration in
                pauses.withLock { $0.append(duration) }
                for await _ in ends { return }
                throw CancellationError()
            }
            let (connection, backends) = (try gateway.saxo(of: alice), try gateway.backends([]))
            let subscription = SharedSubscription<[SubscribedOrder]> { subscription, turn in
                let follower = OrderTracker(connection: connection, clock: clock, queue: OrderUpdateQueue()) {
                    call in
                    RequestScope(
                        session: Session(owner: alice, scopes: [.read]), services: backends, call: call)
                }
                await follower.run(publishingTo: subscription, turn)
            }
            var failures = 0
            for await answer in subscription.values() {
                #expect(throws: FieldError.self) { try answer.get() }
                failures += 1
                if failures == 6 { break }
                end.yield()
            }
            // The first pause begins with the first reading, and the n-th of the others after n failures or one more.
            // Each is at least half of its full length, which doubles: 5, 10, 20, 40 s.
            let others = pauses.withLock { Array($0.prefix(5).dropFirst()) }
            #expect(others.count == 4)
            for (index, pause) in others.enumerated() {
                #expect(pause >= .milliseconds(2_500 << index), "pause \(index) of \(others)")
            }
        }
    }
}
