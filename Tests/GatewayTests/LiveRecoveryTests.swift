import Brokerage
import Synchronization
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
    private func hub(knowing known: Set<Symbol>, symbols limit: Int = 100) -> QuoteHub {
        var policy = QuoteHubPolicy()
        policy.symbols = limit
        return QuoteHub(.alpaca, stream: nil, policy: policy) { symbols, _ in
            var news: [Symbol: QuoteNews] = [:]
            for symbol in symbols {
                var quote = Quote(symbol: symbol, reading: Reading(source: .alpaca, fetchedAt: .earliest))
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
        var occupant: QuoteFollower? = try hub.follow([apple], for: .user(alice)) {}
        let quotes = LiveQuotes([coke: [0]], for: .user(bob)) { _ throws(ProviderFailure) in hub }
        var news = quotes.makeAsyncIterator()
        guard case .failure(let error) = await news.next()?[coke] else {
            Issue.record("There is no error.")
            return
        }
        #expect(error.code == .rateLimited)
        #expect(error.message == "The price feed of ALPACA is full; Portico tries again.")
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
        let allowance = CallAllowance(limit: 50) { _ in
            let attempt = attempts.withLock { attempts in
                defer { attempts += 1 }
                return attempts
            }
            return attempt < 2 ? .client(limit: 3, retryAt: .earliest + .nanoseconds(attempt)) : nil
        }
        let quotes = LiveQuotes([coke: [0, 1]], for: .address(1), within: allowance) {
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
        let quotes = LiveQuotes([coke: [0, 1]], for: .user(bob)) { _ throws(ProviderFailure) in hub }
        var news = quotes.makeAsyncIterator()
        #expect(await news.next() == [coke: failure(.notFound, .notFound)])
        #expect(await news.next() == nil)
        #expect(hub.symbolCount == 0)
    }

    @Test("ends with the code of the failure when the source is gone permanently")
    func gone() async throws {
        let quotes = LiveQuotes([coke: [0]], for: .user(bob)) { _ throws(ProviderFailure) in
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
        var pace = WatchPace()
        pace.interval = .milliseconds(20)
        pace.rest = .milliseconds(1)
        let watch = Watch<Int>(pace, .system) {
            times.withLock { $0.append(.now) }
            return .failure(Lost())
        }
        for await _ in watch.values() where times.withLock(\.count) >= 7 { break }
        let instants = times.withLock { Array($0.prefix(7)) }
        let pauses = zip(instants, instants.dropFirst()).map { $0.duration(to: $1) }
        // Each pause is at least half of its full length, which doubles: 20, 40, 80, … ms.
        for (index, pause) in pauses.enumerated() {
            #expect(pause >= .milliseconds(10 << index), "pause \(index) of \(pauses)")
        }
    }
}
