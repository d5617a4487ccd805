package import Brokerage
import Synchronization

/// The failed sign-ins of one process, in memory.
package final class SignInThrottle: Sendable {
    // A lock, because requests come on any thread.
    private let state = Mutex(State())
    private let capacity: Int

    typealias Record = AttemptStore.Record

    private struct State {
        var records: [Target: Record] = [:]
        var known: [String: KnownAddresses] = [:]
    }

    /// The last addresses that have signed in as a user, the latest at the end.
    private struct KnownAddresses {
        var addresses: [ClientOrigin] = []
        var last: Instant

        static let maximumCount = 8
    }

    /// - Parameter capacity: The number of subjects that are stored. Above it, the subjects whose last
    ///   failure is oldest are removed. Known addresses are stored for the same number of users.
    package init(capacity: Int = 20_000) {
        self.capacity = max(1, capacity)
    }

    /// The origin of an attempt.
    enum Client: Hashable, Sendable {
        case address(ClientOrigin)
        /// A session of the user, by its id.
        case session(String)
    }

    /// The subject for which a failure counts.
    enum Target: Hashable {
        case userAtClient(String, Client)
        case address(ClientOrigin)
        case user(String)
    }

    /// The number of failures without a wait, and the longest wait in seconds.
    struct Rule {
        let free: Int
        let maximumWait: Int
    }

    /// An attempt that was counted.
    package struct Attempt: Sendable {
        package let user: String
        let client: Client
        /// Whether a known client made the attempt.
        package let isKnown: Bool

        var subjects: [(Target, Rule)] {
            let own = Target.userAtClient(user, client)
            switch client {
            // Short waits of known clients: others may have a copy of the token, or share the address.
            case .session: return [(own, Rule(free: 5, maximumWait: 30))]
            case .address where isKnown: return [(own, Rule(free: 10, maximumWait: 30))]
            case .address(let address):
                return [
                    (own, Rule(free: 5, maximumWait: 900)),
                    (.address(address), Rule(free: 30, maximumWait: 900)),
                    (.user(user), Rule(free: 50, maximumWait: 30)),
                ]
            }
        }
    }

    /// The time without a failure after which a subject starts anew.
    static let memory = Duration.seconds(3_600)

    /// It is too early for another attempt.
    package struct RetryLater: Error {
        package let retryAt: Instant
    }

    package func begin(
        user: String, from address: ClientOrigin, session: String? = nil, now: Instant
    ) throws(RetryLater) -> Attempt {
        let result: Result<Attempt, RetryLater> = state.withLock { state in
            let isKnown =
                session != nil || state.known[user]?.addresses.contains(address) == true
            let attempt = Attempt(
                user: user, client: session.map { .session($0) } ?? .address(address), isKnown: isKnown)
            if let blocked = Self.count(attempt, in: &state.records, now) { return .failure(blocked) }
            if state.records.count > capacity {
                state.records = Self.latest(capacity / 2, of: state.records) { $0.last }
            }
            return .success(attempt)
        }
        return try result.get()
    }

    /// Removes an attempt for which no password was compared.
    package func withdraw(_ attempt: Attempt) {
        state.withLock { state in
            for (subject, _) in attempt.subjects { Self.revert(subject, in: &state.records) }
        }
    }

    package func succeeded(_ attempt: Attempt, now: Instant) {
        withdraw(attempt)
        state.withLock { $0.records[.userAtClient(attempt.user, attempt.client)] = nil }
        if case .address(let address) = attempt.client { know(address, of: attempt.user, now: now) }
    }

    package func know(_ address: ClientOrigin, of user: String, now: Instant) {
        // It would represent all requests whose address is unknown.
        guard address != .unknown else { return }
        state.withLock { state in
            var known = state.known[user] ?? KnownAddresses(last: now)
            known.addresses.removeAll { $0 == address }
            known.addresses = known.addresses.suffix(KnownAddresses.maximumCount - 1) + [address]
            known.last = now
            state.known[user] = known
            if state.known.count > capacity {
                state.known = Self.latest(capacity / 2, of: state.known) { $0.last }
            }
        }
    }

    /// Counts an attempt for its subjects, unless one of them is blocked.
    static func count(
        _ attempt: Attempt, in records: inout [Target: Record], _ now: Instant
    ) -> RetryLater? {
        let blocked = attempt.subjects.compactMap { records[$0.0]?.blockedUntil }.filter { $0 > now }.max()
        if let blocked { return RetryLater(retryAt: blocked) }
        for (subject, rule) in attempt.subjects { count(subject, rule, in: &records, now) }
        return nil
    }

    static func revert(_ subject: Target, in records: inout [Target: Record]) {
        guard let record = records[subject] else { return }
        records[subject]?.failures = max(0, record.failures - 1)
        // The subject was not blocked, or the attempt would not have begun: this attempt has blocked it.
        records[subject]?.blockedUntil = nil
    }

    private static func count(
        _ subject: Target, _ rule: Rule, in records: inout [Target: Record], _ now: Instant
    ) {
        var record = records[subject] ?? Record(last: now)
        if record.last + memory < now { record = Record(last: now) }
        record.failures += 1
        record.last = now
        if record.failures >= rule.free {
            // 1 s, 2 s, 4 s, … after each failure.
            let exponent = min(record.failures - rule.free, 20)
            record.blockedUntil = now + .seconds(min(1 << exponent, rule.maximumWait))
        }
        records[subject] = record
    }

    private static func latest<Key: Hashable, Value>(
        _ count: Int, of entries: [Key: Value], _ last: (Value) -> Instant
    ) -> [Key: Value] {
        let newest = entries.sorted { last($0.value) > last($1.value) }.prefix(count)
        return Dictionary(uniqueKeysWithValues: newest.map { ($0.key, $0.value) })
    }
}

extension SignInThrottle: Attempts {
    package func withdraw(_ attempt: Attempt, now: Instant) { withdraw(attempt) }

    /// There are no other processes.
    package func consume(
        _ name: String, from address: ClientOrigin, _ rate: CallRate, total: CallRate, now: Instant
    ) {}

    package func refund(
        _ name: String, from address: ClientOrigin, _ rate: CallRate, total: CallRate, now: Instant
    ) {}
}
