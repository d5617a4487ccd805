import Brokerage
import PorticoCore
import Synchronization
import TestSupport
import Testing
import Upstream

@Suite("Reads")
struct ReadCacheTests {
    static func context(
        in time: Duration = .seconds(60), from now: ContinuousClock.Instant = .now,
        journal: Journal<CallRecord>? = nil
    ) -> CallContext {
        guard let journal else { return CallContext(deadline: now + time) }
        return CallContext(deadline: now + time) { journal.note($0) }
    }

    static let scope = CacheScope.shared(.alpaca)
    static let aapl = ExactText("AAPL")
    static let unavailable = ProviderFailure(.alpaca, .unavailable)

    /// Its time stands still unless the test turns a clock of its own, so nothing expires by chance.
    static func reads(_ clock: TimeSource = ManualClock().clock, entries: Int = 100, bytes: Int = 1 << 20)
        -> ReadCache<ExactText, Int>
    {
        ReadCache(
            "quotes", CacheBounds(entries: entries, bytes: bytes), freshness: .fixed(.seconds(2)), time: clock
        )
    }

    private static func waiters(in reads: ReadCache<ExactText, Int>) -> Int {
        reads.state.withLock { $0.inFlightReads.waiterCount(of: CacheKey(aapl, in: scope)) }
    }

    @Test("1,000 equal reads at once are one call")
    func singleFlight() async throws {
        let reads = Self.reads()
        let gate = Gate()
        let journal = Journal<CallRecord>()
        let context = Self.context(journal: journal)
        try await withThrowingTaskGroup { group in
            for _ in 0..<1_000 {
                group.addTask {
                    try await reads.read(Self.aapl, in: Self.scope, for: context) {
                        _ throws(ProviderFailure) in
                        await gate.pass()
                        return 42
                    }
                }
            }
            await gate.arrived(1)
            // Whoever is not yet waiting finds the flight or, later, the value: the call stays one.
            gate.open()
            for try await value in group { #expect(value == 42) }
        }
        #expect(gate.arrivals == 1)
        #expect(journal.entries.count == 999)
        #expect(journal.entries.allSatisfy { $0.outcome == .coalesced || $0.outcome == .cached })
    }

    @Test("a key does not match a key that is only canonically equivalent")
    func keys() async throws {
        let reads = Self.reads()
        let keys = ["search \u{E9}", "search e\u{301}", "search K", "search \u{212A}"].map {
            ExactText($0)
        }
        for (number, key) in keys.enumerated() {
            let value = try await reads.read(key, in: Self.scope, for: Self.context()) {
                _ throws(ProviderFailure) in
                number
            }
            #expect(value == number)
        }
        #expect(reads.cached(keys, in: Self.scope) == [0, 1, 2, 3])
    }

    @Test("expired values are removed when others are added")
    func expired() async throws {
        let clock = ManualClock()
        let reads = Self.reads(clock.clock)
        for number in 0..<50 {
            let key = ExactText("\(number)")
            _ = try await reads.read(key, in: Self.scope, for: Self.context()) { _ throws(ProviderFailure) in
                number
            }
            if number == 24 { clock.advance(by: .seconds(3)) }
        }
        #expect(reads.state.withLock { $0.entries.count } == 25)
    }

    @Test("a waiter that is cancelled leaves the others")
    func oneLeaves() async throws {
        let reads = Self.reads()
        let gate = Gate()
        let context = Self.context()
        let first = Task {
            try await reads.read(Self.aapl, in: Self.scope, for: context) { _ throws(ProviderFailure) in
                await gate.pass()
                return Task.isCancelled ? -1 : 42
            }
        }
        await gate.arrived(1)
        let joined = Self.context()
        let second = Task {
            try await reads.read(Self.aapl, in: Self.scope, for: joined) { _ throws(ProviderFailure) in 0 }
        }
        try await waitUntil { Self.waiters(in: reads) >= 2 }
        first.cancel()
        await #expect(throws: ProviderFailure(.alpaca, .cancelled)) { try await first.value }
        gate.open()
        #expect(try await second.value == 42)
        #expect(gate.arrivals == 1)
    }

    @Test("the call ends when the last waiter has gone, and the next reader begins a new one")
    func lastLeaves() async throws {
        let reads = Self.reads()
        let gate = Gate()
        let context = Self.context()
        let tasks = (0..<5).map { _ in
            Task {
                try await reads.read(Self.aapl, in: Self.scope, for: context) { _ throws(ProviderFailure) in
                    await gate.pass()
                    return 42
                }
            }
        }
        await gate.arrived(1)
        for task in tasks { task.cancel() }
        for task in tasks {
            await #expect(throws: ProviderFailure(.alpaca, .cancelled)) { try await task.value }
        }
        await gate.cancelled(1)
        #expect(
            try await reads.read(Self.aapl, in: Self.scope, for: context) { _ throws(ProviderFailure) in 7 }
                == 7)
    }

    @Test("a waiter leaves at its own deadline")
    func ownDeadline() async throws {
        let clock = ManualClock()
        let reads = Self.reads(clock.clock)
        let gate = Gate()
        let long = Self.context(in: .seconds(60), from: clock.now)
        let first = Task {
            try await reads.read(Self.aapl, in: Self.scope, for: long) { _ throws(ProviderFailure) in
                await gate.pass()
                return 42
            }
        }
        await gate.arrived(1)
        let short = Self.context(in: .seconds(1), from: clock.now)
        let second = Task {
            try await reads.read(Self.aapl, in: Self.scope, for: short) { _ throws(ProviderFailure) in 0 }
        }
        await clock.somebodySleeps()
        clock.advance(by: .seconds(1))
        await #expect(throws: ProviderFailure(.alpaca, .timedOut)) { try await second.value }
        gate.open()
        #expect(try await first.value == 42)
    }

    @Test("who has more time asks again when a call ran out of somebody else's")
    func asksAgain() async throws {
        let clock = ManualClock()
        let reads = Self.reads(clock.clock)
        let gate = Gate()
        let short = Self.context(in: .seconds(1), from: clock.now)
        let first = Task {
            try await reads.read(Self.aapl, in: Self.scope, for: short) { _ throws(ProviderFailure) in
                await gate.pass()
                throw ProviderFailure(.alpaca, .timedOut)
            }
        }
        await gate.arrived(1)
        let long = Self.context(in: .seconds(60), from: clock.now)
        let second = Task {
            try await reads.read(Self.aapl, in: Self.scope, for: long) { _ throws(ProviderFailure) in 42 }
        }
        try await waitUntil { Self.waiters(in: reads) >= 2 }
        clock.advance(by: .seconds(1))
        gate.open()
        await #expect(throws: ProviderFailure(.alpaca, .timedOut)) { try await first.value }
        #expect(try await second.value == 42)
    }

    @Test("keeps a value for its time to live, and no failure")
    func timeToLive() async throws {
        let clock = ManualClock()
        let reads = Self.reads(clock.clock)
        let context = Self.context(from: clock.now)
        await #expect(throws: Self.unavailable) {
            try await reads.read(Self.aapl, in: Self.scope, for: context) { _ throws(ProviderFailure) in
                throw Self.unavailable
            }
        }
        #expect(reads.cached(Self.aapl, in: Self.scope) == nil)
        #expect(
            try await reads.read(Self.aapl, in: Self.scope, for: context) { _ throws(ProviderFailure) in 1 }
                == 1)
        clock.advance(by: .milliseconds(1_999))
        #expect(reads.cached(Self.aapl, in: Self.scope) == 1)
        #expect(
            try await reads.read(Self.aapl, in: Self.scope, for: context) { _ throws(ProviderFailure) in 2 }
                == 1)
        clock.advance(by: .milliseconds(1))
        #expect(reads.cached(Self.aapl, in: Self.scope) == nil)
        #expect(
            try await reads.read(Self.aapl, in: Self.scope, for: context) { _ throws(ProviderFailure) in 2 }
                == 2)
    }

    @Test("private keys of two owners never meet")
    func owners() async throws {
        let reads = Self.reads()
        let context = Self.context()
        let (ann, bob) = (try #require(OwnerID("ann")), try #require(OwnerID("bob")))
        let keys = [
            CacheKey(ExactText("account"), in: .connection("1", of: ann, at: .alpaca)),
            CacheKey(ExactText("account"), in: .connection("1", of: bob, at: .alpaca)),
            CacheKey(ExactText("account"), in: .shared(.alpaca)),
            CacheKey(ExactText("account"), in: .connection("1", of: ann, at: .saxo)),
            CacheKey(ExactText("positions"), in: .connection("1", of: ann, at: .alpaca)),
            CacheKey(ExactText("account"), in: .connection("2", of: ann, at: .alpaca)),
        ]
        #expect(Set(keys).count == keys.count)
        #expect(keys.map(\.scope.isPrivate) == [true, true, false, true, true, true])
        #expect(OwnerID("") == nil)
        let gate = Gate()
        try await withThrowingTaskGroup { group in
            for (number, key) in keys.enumerated() {
                group.addTask {
                    let value = try await reads.read(key.query, in: key.scope, for: context) {
                        _ throws(ProviderFailure) in
                        await gate.pass()
                        return number
                    }
                    return (number, value)
                }
            }
            await gate.arrived(keys.count)
            gate.open()
            for try await (number, value) in group { #expect(number == value) }
        }
        for (number, key) in keys.enumerated() { #expect(reads.cached(key.query, in: key.scope) == number) }
    }

    @Test("an answer that brings more than was asked for is not kept under another key")
    func surplus() async throws {
        let reads = Self.reads()
        let other = ExactText("MSFT")
        _ = await reads.read([Self.aapl], in: Self.scope, for: Self.context()) { _, _ in
            [Self.aapl: 1, other: 2]
        }
        #expect(reads.cached(Self.aapl, in: Self.scope) == 1)
        #expect(reads.cached(other, in: Self.scope) == nil)
    }

    @Test("asks for what is missing only, in as few calls as the provider allows")
    func batches() async throws {
        let reads = Self.reads()
        let journal = Journal<[String]>()
        let keys = (0..<10).map { ExactText("S\($0)") }
        let fetch: ReadCache<ExactText, Int>.Load = { keys, _ throws(ProviderFailure) in
            journal.note(keys.map(\.text))
            return KeyedResults(
                Dictionary(
                    uniqueKeysWithValues: keys.compactMap { key in
                        Int(key.text.dropFirst()).map { (key, $0) }
                    }))
        }
        _ = await reads.read(
            [keys[2], keys[5], keys[2]], in: Self.scope, for: Self.context(), load: fetch)
        #expect(journal.entries == [["S2", "S5"]])
        let results = await reads.read(keys, in: Self.scope, batchSize: 3, for: Self.context(), load: fetch)
        #expect(journal.entries.dropFirst().map(\.count).sorted() == [2, 3, 3])
        #expect(try results.map { try $0.get() } == Array(0..<10))
        #expect(reads.cached(keys, in: Self.scope) == Array(0..<10))
        #expect(reads.cached(keys + [Self.aapl], in: Self.scope) == nil)
    }

    @Test("what the provider does not know is not found; what fails, fails for its call alone")
    func partial() async throws {
        let reads = Self.reads()
        let keys = (0..<4).map { ExactText("S\($0)") }
        let results = await reads.read(keys, in: Self.scope, batchSize: 2, for: Self.context()) {
            keys, _ throws(ProviderFailure) in
            if keys.contains(ExactText("S3")) { throw Self.unavailable }
            return [keys[0]: 0]
        }
        #expect(try results[0].get() == 0)
        #expect(results[1] == .failure(ProviderFailure(.alpaca, .notFound)))
        #expect(results[2] == .failure(Self.unavailable))
        #expect(results[3] == .failure(Self.unavailable))
    }

    @Test("one of a call may fail alone: the others are kept, and it is asked for again")
    func failsAlone() async throws {
        let reads = Self.reads()
        let asked = Journal<[String]>()
        let keys = (0..<4).map { ExactText("S\($0)") }
        let fetch: ReadCache<ExactText, Int>.Load = { keys, _ throws(ProviderFailure) in
            asked.note(keys.map(\.text))
            var batch = KeyedResults<ExactText, Int>()
            for key in keys {
                switch key.text {
                case "S1": batch.failures[key] = Self.unavailable
                case "S2": batch.failures[key] = ProviderFailure(.alpaca, .notEntitled)
                case "S3": break
                default: batch[key] = 0
                }
            }
            return batch
        }
        for _ in 0..<2 {
            let results = await reads.read(keys, in: Self.scope, for: Self.context(), load: fetch)
            #expect(
                results == [
                    .success(0), .failure(Self.unavailable),
                    .failure(ProviderFailure(.alpaca, .notEntitled)),
                    .failure(ProviderFailure(.alpaca, .notFound)),
                ])
        }
        #expect(asked.entries == [["S0", "S1", "S2", "S3"], ["S1", "S2", "S3"]])
    }

    @Test("overlapping batches share the keys in flight")
    func overlapping() async throws {
        let reads = Self.reads()
        let gate = Gate()
        let asked = Journal<[String]>()
        let keys = ["A", "B", "C"].map { ExactText($0) }
        let fetch: ReadCache<ExactText, Int>.Load = { keys, _ throws(ProviderFailure) in
            asked.note(keys.map(\.text))
            await gate.pass()
            return KeyedResults(Dictionary(uniqueKeysWithValues: keys.map { ($0, $0.text.count) }))
        }
        let first = Task {
            await reads.read([keys[0], keys[1]], in: Self.scope, for: Self.context(), load: fetch)
        }
        await gate.arrived(1)
        let second = Task { await reads.read(keys, in: Self.scope, for: Self.context(), load: fetch) }
        await gate.arrived(2)
        gate.open()
        #expect(await first.value.count == 2)
        #expect(await second.value.count == 3)
        #expect(asked.entries == [["A", "B"], ["C"]])
    }

    @Test("invalidating forgets, and keeps what is in flight from later readers")
    func invalidates() async throws {
        let reads = Self.reads()
        let context = Self.context()
        _ = try await reads.read(Self.aapl, in: Self.scope, for: context) { _ throws(ProviderFailure) in 1 }
        reads.invalidate(Self.aapl, in: Self.scope)
        #expect(reads.cached(Self.aapl, in: Self.scope) == nil)
        let gate = Gate()
        let before = Task {
            try await reads.read(Self.aapl, in: Self.scope, for: context) { _ throws(ProviderFailure) in
                await gate.pass()
                return 2
            }
        }
        await gate.arrived(1)
        reads.invalidate(Self.aapl, in: Self.scope)
        #expect(
            try await reads.read(Self.aapl, in: Self.scope, for: context) { _ throws(ProviderFailure) in 3 }
                == 3)
        gate.open()
        #expect(try await before.value == 2)
        #expect(reads.cached(Self.aapl, in: Self.scope) == 3)
    }

    @Test("stays within its bounds")
    func bounded() async throws {
        let reads = Self.reads(entries: 3)
        for number in 0..<5 {
            let key = ExactText("S\(number)")
            _ = try await reads.read(key, in: Self.scope, for: Self.context()) { _ throws(ProviderFailure) in
                number
            }
            _ = reads.cached(ExactText("S0"), in: Self.scope)
        }
        let kept = (0..<5).filter { reads.cached(ExactText("S\($0)"), in: Self.scope) != nil }
        #expect(kept == [0, 3, 4])
    }

    @Test("tells what was spared")
    func records() async throws {
        let clock = ManualClock()
        let reads = Self.reads(clock.clock)
        let journal = Journal<CallRecord>()
        let context = Self.context(journal: journal)
        _ = try await reads.read(Self.aapl, in: Self.scope, for: context) { _ throws(ProviderFailure) in 1 }
        _ = try await reads.read(Self.aapl, in: Self.scope, for: context) { _ throws(ProviderFailure) in 1 }
        _ = reads.cached(Self.aapl, in: Self.scope, for: context)
        let spared = CallRecord(
            provider: .alpaca, operation: "quotes", outcome: .cached, start: clock.now)
        #expect(journal.entries == [spared, spared])
    }

    @Test(
        "random joins, leaves and invalidations never mix owners up or leave anybody waiting",
        arguments: [1, 2, 3, 4] as [UInt64])
    func interleavings(seed: UInt64) async throws {
        let reads = Self.reads(entries: 4)
        let owners = try (0..<4).map { try #require(OwnerID("user \($0)")) }
        await withTaskGroup { group in
            var random = SplitMix(seed: seed)
            for _ in 0..<400 {
                let owner = Int.random(in: 0..<4, using: &random)
                let subject = Int.random(in: 0..<3, using: &random)
                let yields = Int.random(in: 0..<6, using: &random)
                let isCancelled = Int.random(in: 0..<5, using: &random) == 0
                let isInvalidating = Int.random(in: 0..<10, using: &random) == 0
                group.addTask {
                    let query = ExactText("\(subject)")
                    let scope = CacheScope.connection("", of: owners[owner], at: .alpaca)
                    let task = Task {
                        try await reads.read(query, in: scope, for: Self.context()) {
                            _ throws(ProviderFailure) in
                            for _ in 0..<yields { await Task.yield() }
                            return owner * 10 + subject
                        }
                    }
                    for _ in 0..<(yields / 2) { await Task.yield() }
                    if isCancelled { task.cancel() }
                    if isInvalidating { reads.invalidate(query, in: scope) }
                    switch await task.result {
                    case .success(let value): return value == owner * 10 + subject
                    case .failure(let error):
                        return isCancelled
                            && error as? ProviderFailure == ProviderFailure(.alpaca, .cancelled)
                    }
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}
