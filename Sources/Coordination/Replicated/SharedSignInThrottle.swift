package import Brokerage
import Storage

/// The attempts of all processes that use a PostgreSQL database.
package struct SharedSignInThrottle: Attempts {
    private let store: AttemptStore

    private typealias Target = SignInThrottle.Target
    private typealias Record = SignInThrottle.Record
    /// The time for which an address stays a known client.
    private static let knownTime = Duration.seconds(90 * 86_400)

    package init(_ store: AttemptStore) { self.store = store }

    package func begin(
        user: String, from address: ClientOrigin, session: String?, now: Instant
    ) async throws -> SignInThrottle.Attempt {
        let known = Self.known(address, user)
        let client: SignInThrottle.Client = session.map { .session($0) } ?? .address(address)
        let all = SignInThrottle.Attempt(user: user, client: client, isKnown: false).subjects.map(\.0)
        let result = try await store.update(
            all.map(\.text) + [known], keptFor: SignInThrottle.memory, now: now
        ) {
            records -> Result<SignInThrottle.Attempt, SignInThrottle.RetryLater> in
            let attempt = SignInThrottle.Attempt(
                user: user, client: client, isKnown: session != nil || records[known] != nil)
            let refusal = Self.change(all, &records) { SignInThrottle.count(attempt, in: &$0, now) }
            return refusal.map { .failure($0) } ?? .success(attempt)
        }
        return try result.get()
    }

    package func withdraw(_ attempt: SignInThrottle.Attempt, now: Instant) async {
        let targets = attempt.subjects.map(\.0)
        _ = try? await store.update(targets.map(\.text), keptFor: SignInThrottle.memory, now: now) {
            records in
            Self.change(targets, &records) {
                for target in targets { SignInThrottle.revert(target, in: &$0) }
            }
        }
    }

    package func succeeded(_ attempt: SignInThrottle.Attempt, now: Instant) async {
        let targets = attempt.subjects.map(\.0)
        let own = Target.userAtClient(attempt.user, attempt.client)
        _ = try? await store.update(targets.map(\.text), keptFor: SignInThrottle.memory, now: now) {
            records in
            Self.change(targets, &records) {
                for target in targets { SignInThrottle.revert(target, in: &$0) }
                $0[own] = nil
            }
        }
        if case .address(let address) = attempt.client { await know(address, of: attempt.user, now: now) }
    }

    package func know(_ address: ClientOrigin, of user: String, now: Instant) async {
        guard address != .unknown else { return }
        let known = Self.known(address, user)
        _ = try? await store.update([known], keptFor: Self.knownTime, now: now) {
            $0[known] = Record(last: now)
        }
    }

    package func consume(
        _ name: String, from address: ClientOrigin, _ rate: CallRate, total: CallRate, now: Instant
    ) async throws {
        typealias Refusal = CallRateLimiter<ClientOrigin>.Refusal
        let (own, all) = ("\(name) \(address.number)", name)
        let longest = max(rate.interval * rate.burst, total.interval * total.burst)
        let refusal = try await store.update([own, all], keptFor: longest, now: now) { records -> Refusal? in
            let fullAt = [own, all].map { max(records[$0]?.blockedUntil ?? now, now) }
            func delay(_ rate: CallRate, _ fullAt: Instant) -> Duration? {
                let delay = fullAt.duration(since: now) + rate.interval * (1 - rate.burst)
                return delay > .zero ? delay : nil
            }
            if let wait = delay(rate, fullAt[0]) { return .client(retryAfter: wait) }
            if let wait = delay(total, fullAt[1]) { return .total(retryAfter: wait) }
            records[own] = Record(last: now, blockedUntil: fullAt[0] + rate.interval)
            records[all] = Record(last: now, blockedUntil: fullAt[1] + total.interval)
            return nil
        }
        if let refusal { throw refusal }
    }

    package func refund(
        _ name: String, from address: ClientOrigin, _ rate: CallRate, total: CallRate, now: Instant
    ) async {
        let intervals = ["\(name) \(address.number)": rate.interval, name: total.interval]
        let longest = max(rate.interval * rate.burst, total.interval * total.burst)
        _ = try? await store.update(Array(intervals.keys), keptFor: longest, now: now) { records in
            for (key, interval) in intervals {
                if let fullAt = records[key]?.blockedUntil {
                    records[key]?.blockedUntil = fullAt + (.zero - interval)
                }
            }
        }
    }

    private static func known(_ address: ClientOrigin, _ user: String) -> String {
        "known \(address.number) \(user)"
    }

    /// Changes records by their targets.
    private static func change<Value>(
        _ targets: [Target], _ records: inout [String: Record], _ body: (inout [Target: Record]) -> Value
    ) -> Value {
        var byTarget = Dictionary(
            targets.compactMap { target in records[target.text].map { (target, $0) } },
            uniquingKeysWith: { first, _ in first })
        defer { for target in targets { records[target.text] = byTarget[target] } }
        return body(&byTarget)
    }
}

extension SignInThrottle.Target {
    /// A text that no other target has: a name is at its end.
    fileprivate var text: String {
        switch self {
        case .userAtClient(let user, .address(let address)): "user at address \(address.number) \(user)"
        case .userAtClient(let user, .session(let id)): "user at session \(id) \(user)"
        case .address(let address): "address \(address.number)"
        case .user(let user): "user \(user)"
        }
    }
}
