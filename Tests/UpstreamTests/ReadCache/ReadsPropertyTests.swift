import Brokerage
import PorticoCore
import Synchronization
import TestSupport
import Testing
import Upstream

@Suite("Reads under random use")
struct ReadsPropertyTests {
    /// A value that knows whose it is and which call brought it.
    struct Figure: Hashable, Sendable {
        let owner: Int?
        let subject: Int
        let call: Int
        var isStale = false
    }

    /// When each call was begun, and when its value was dated.
    final class Chronicle: Sendable {
        private let state = Mutex(
            (begun: [ContinuousClock.Instant](), dated: [Int: ContinuousClock.Instant]()))

        func begin(at now: ContinuousClock.Instant) -> Int {
            state.withLock { state in
                state.begun.append(now)
                return state.begun.count - 1
            }
        }
        func date(_ call: Int, _ now: ContinuousClock.Instant) { state.withLock { $0.dated[call] = now } }
        func begun(_ call: Int) -> ContinuousClock.Instant { state.withLock { $0.begun[call] } }
        func dated(_ call: Int) -> ContinuousClock.Instant? { state.withLock { $0.dated[call] } }
    }

    /// One read, as chance has it.
    struct Ask: Sendable {
        let owner: Int?
        let subject: Int
        let yields: Int
        let outcome: Int
        let isDemanding: Bool
        let isCancelled: Bool
        let isInvalidating: Bool
    }

    private static let lifetime = CacheLifetime(
        fresh: .milliseconds(2_000), whileRevalidating: .milliseconds(1_500), ifError: .milliseconds(6_000))

    @Test(
        "no value is under another owner's key, lives beyond its bound, or is older than was demanded",
        arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
    func holds(seed: UInt64) async throws {
        let (clock, chronicle) = (ManualClock(), Chronicle())
        let reads = ReadCache<ExactText, Figure>(
            "figures", CacheBounds(entries: 6, bytes: 1 << 20),
            freshness: FreshnessPolicy(negativeTTL: .milliseconds(500), markStale: { Self.marked($0) }) {
                figure, _ in
                chronicle.date(figure.call, clock.now)
                return Self.lifetime
            }, time: clock.clock)
        let owners = try (0..<3).map { try #require(OwnerID("user \($0)")) }
        var random = SplitMix(seed: seed)
        for _ in 0..<60 {
            clock.advance(by: .milliseconds(Int.random(in: 0..<900, using: &random)))
            await withTaskGroup { group in
                for _ in 0..<12 {
                    let ask = Self.ask(&random)
                    group.addTask { await Self.verdict(ask, reads, owners, clock, chronicle) }
                }
                for await complaint in group { #expect(complaint == nil) }
            }
        }
    }

    private static func marked(_ figure: Figure) -> Figure {
        var marked = figure
        marked.isStale = true
        return marked
    }

    private static func ask(_ random: inout SplitMix) -> Ask {
        let owner = Int.random(in: 0..<4, using: &random)
        return Ask(
            owner: owner == 3 ? nil : owner, subject: Int.random(in: 0..<2, using: &random),
            yields: Int.random(in: 0..<6, using: &random), outcome: Int.random(in: 0..<8, using: &random),
            isDemanding: Int.random(in: 0..<5, using: &random) == 0,
            isCancelled: Int.random(in: 0..<9, using: &random) == 0,
            isInvalidating: Int.random(in: 0..<12, using: &random) == 0)
    }

    /// What is wrong with the answer to an ask; nil if nothing is.
    private static func verdict(
        _ ask: Ask, _ reads: ReadCache<ExactText, Figure>, _ owners: [OwnerID], _ clock: ManualClock,
        _ chronicle: Chronicle
    ) async -> String? {
        let key = ExactText("\(ask.subject)")
        let scope =
            ask.owner.map { CacheScope.connection("", of: owners[$0], at: .saxo) } ?? .shared(.saxo)
        let now = clock.now
        let context = CallContext(deadline: now + .seconds(60), notBefore: ask.isDemanding ? now : nil)
        let task = Task {
            try await reads.read(key, in: scope, for: context) { _ throws(ProviderFailure) in
                let call = chronicle.begin(at: clock.now)
                for _ in 0..<ask.yields { await Task.yield() }
                switch ask.outcome {
                case 0: throw ProviderFailure(.saxo, .unavailable)
                case 1: throw ProviderFailure(.saxo, .notFound)
                case 2: throw ProviderFailure(.saxo, .unauthorized)
                default: return Figure(owner: ask.owner, subject: ask.subject, call: call)
                }
            }
        }
        if ask.isCancelled { task.cancel() }
        if ask.isInvalidating, let owner = ask.owner {
            reads.invalidate(privateTo: owners[owner], at: .saxo)
        }
        guard case .success(let figure) = await task.result else { return nil }
        if figure.owner != ask.owner || figure.subject != ask.subject { return "\(figure) for \(ask)" }
        let age = chronicle.dated(figure.call).map { $0.duration(to: now) } ?? .zero
        let bound = lifetime.fresh + (figure.isStale ? lifetime.ifError : lifetime.whileRevalidating)
        if age >= bound { return "\(figure) is \(age) old" }
        if ask.isDemanding, !figure.isStale, chronicle.begun(figure.call) < now {
            return "\(figure) is too old"
        }
        return nil
    }

    @Test(
        "weights are added up and kept within the bound, unknown things included",
        arguments: [1, 2, 3] as [UInt64])
    func bounded(seed: UInt64) async throws {
        let clock = ManualClock()
        let reads = ReadCache<ExactText, Int>(
            "figures", CacheBounds(bytes: 10_000),
            freshness: FreshnessPolicy(markStale: { $0 }) { _, _ in CacheLifetime(fresh: .seconds(9)) },
            weight: { $0 }, time: clock.clock)
        var random = SplitMix(seed: seed)
        var latest: [CacheKey<ExactText>: Int] = [:]
        for number in 0..<400 {
            let key = CacheKey(ExactText("\(number)"), in: .shared(.saxo))
            let weight = Int.random(in: 0..<3_000, using: &random)
            let isUnknown = Bool.random(using: &random)
            _ = try? await reads.read(key.query, in: key.scope, for: Base.context(clock)) {
                _ throws(ProviderFailure) in
                if isUnknown { throw ProviderFailure(.saxo, .notFound) }
                return weight
            }
            if !isUnknown { latest[key] = weight }
            let kept = latest.keys.filter { reads.cached($0.query, in: $0.scope) != nil }
            #expect(kept.reduce(0) { $0 + (latest[$1] ?? 0) + $1.weight } <= 10_000)
            if !isUnknown { #expect(kept.contains(key)) }
        }
    }

    private typealias Base = ReadsAgeingTests
}
