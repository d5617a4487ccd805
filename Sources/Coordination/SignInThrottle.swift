package import Brokerage
package import PorticoCore
package import Storage

/// Delays sign-ins after failures, and limits new users over all processes.
///
/// A known client is an address that has signed in before as the user with the present password, or a session of that user. Its
/// failures count for the user at this client alone, so that attempts of other clients cannot lock it out. A failure of any other
/// client counts three times: for the name at the address, for the address with any name, and for the name from any address.
/// Names of users that do not exist count like names of users that do. Failures count by names and known addresses by users,
/// so that another user with the name of a deleted one has no known addresses.
package struct SignInThrottle: Sendable {
    private let attempts: any Attempts

    package init(_ attempts: any Attempts = LocalAttempts()) {
        self.attempts = attempts
    }

    /// The number of failures without a wait, and the longest wait in seconds.
    fileprivate struct Rule {
        let free: Int
        let maximumWait: Int
    }

    /// An attempt that was counted.
    package struct Attempt: Sendable {
        package let user: String
        let address: ClientOrigin
        /// The id of the user's session that made it; nil if an address did.
        let session: String?
        /// The record of its address as a known client.
        fileprivate let known: AttemptSubject
        /// Whether a known client made the attempt.
        package let isKnown: Bool

        /// The user at the client.
        fileprivate var own: AttemptSubject {
            session.map { .userInSession(user, $0) } ?? .userAtAddress(user, address)
        }

        fileprivate var rules: [(subject: AttemptSubject, rule: Rule)] {
            // Short waits of known clients: others may have a copy of the token, or share the address. As many attempts are
            // free as for others: more would show that the name exists.
            if session != nil || isKnown { return [(own, Rule(free: 5, maximumWait: 30))] }
            return [
                (own, Rule(free: 5, maximumWait: 900)),
                (.address(address), Rule(free: 30, maximumWait: 900)),
                (.user(user), Rule(free: 50, maximumWait: 30)),
            ]
        }

        fileprivate var subjects: [AttemptSubject] { rules.map(\.subject) }
    }

    /// The time without a failure after which a subject starts anew.
    private static let memory = Duration.seconds(3_600)
    /// The time for which an address stays a known client.
    private static let knownTime = Duration.seconds(90 * 86_400)

    /// It is too early for another attempt.
    package struct RetryLater: Error {
        package let retryAt: Instant
    }

    /// Begins an attempt to sign in.
    ///
    /// It counts as failed until it succeeds, so that concurrent attempts all count.
    ///
    /// - Parameters:
    ///   - user: The name in the form in which names are compared.
    ///   - registered: The user with this name; nil if there is none.
    ///   - address: The client.
    ///   - session: The request's session if it belongs to the user.
    ///   - now: The current time.
    /// - Returns: The attempt.
    /// - Throws: ``RetryLater``, or the error of the database.
    package func begin(
        user: String, registered: UserStore.Registered? = nil, from address: ClientOrigin,
        session: String? = nil, now: Instant
    ) async throws -> Attempt {
        // Also without a user: as many records are read.
        let known =
            registered.map { Self.known(address, of: $0) } ?? .knownAddress(address, of: user, with: "")
        @Sendable func attempt(isKnown: Bool) -> Attempt {
            Attempt(user: user, address: address, session: session, known: known, isKnown: isKnown)
        }
        let result = try await attempts.update(
            attempt(isKnown: false).subjects + [known], keptFor: Self.memory, now: now
        ) {
            records, now -> Result<Attempt, RetryLater> in
            let attempt = attempt(isKnown: session != nil || records[known] != nil)
            let blocked = attempt.subjects.compactMap { records[$0]?.blockedUntil }.filter { $0 > now }.max()
            if let blocked { return .failure(RetryLater(retryAt: blocked)) }
            for (subject, rule) in attempt.rules { Self.count(&records[subject], rule, now) }
            return .success(attempt)
        }
        return try result.get()
    }

    /// Removes an attempt for which no password was compared; if that cannot be stored, it counts.
    package func withdraw(_ attempt: Attempt, now: Instant) async {
        await change(attempt, now) { _ in }
    }

    /// Records a success: the failures of the user at this client are reset, and the attempt does not count for the other
    /// subjects; if that cannot be stored, the attempt counts.
    package func succeeded(_ attempt: Attempt, now: Instant) async {
        await change(attempt, now) { $0[attempt.own] = nil }
        if attempt.session == nil { await know(attempt.known, at: attempt.address, now: now) }
    }

    /// Records an address as a known client of a user who has signed up or set a password from it.
    package func know(_ address: ClientOrigin, of user: UserStore.Registered, now: Instant) async {
        await know(Self.known(address, of: user), at: address, now: now)
    }

    private static func known(_ address: ClientOrigin, of user: UserStore.Registered) -> AttemptSubject {
        .knownAddress(address, of: user.user.id.text, with: user.hash.passwordID)
    }

    private func know(_ known: AttemptSubject, at address: ClientOrigin, now: Instant) async {
        // It would represent all requests whose address is unknown.
        guard address != .unknown else { return }
        _ = try? await attempts.update([known], keptFor: Self.knownTime, now: now) { records, now in
            records[known] = AttemptRecord(last: now)
        }
    }

    /// Removes an attempt, and changes the records of its subjects.
    private func change(
        _ attempt: Attempt, _ now: Instant,
        _ body: @escaping @Sendable (inout [AttemptSubject: AttemptRecord]) -> Void
    ) async {
        _ = try? await attempts.update(attempt.subjects, keptFor: Self.memory, now: now) { records, _ in
            for subject in attempt.subjects {
                guard var record = records[subject] else { continue }
                record.failures -= 1
                // The subject was not blocked, or the attempt would not have begun: this attempt has blocked it.
                record.blockedUntil = nil
                // Withdrawn attempts with invented names leave nothing.
                records[subject] = record.failures > 0 ? record : nil
            }
            body(&records)
        }
    }

    private static func count(_ known: inout AttemptRecord?, _ rule: Rule, _ now: Instant) {
        var record = known ?? AttemptRecord(last: now)
        if record.last + memory < now { record = AttemptRecord(last: now) }
        record.failures += 1
        record.last = now
        if record.failures >= rule.free {
            // 1 s, 2 s, 4 s, … after each failure.
            let exponent = min(record.failures - rule.free, 20)
            record.blockedUntil = now + .seconds(min(1 << exponent, rule.maximumWait))
        }
        known = record
    }

    // MARK: New users

    /// Counts a call against the rates of its client and of all clients at all processes; the limiters of this process
    /// (``CallRateLimiter``) have counted it before.
    ///
    /// - Parameters:
    ///   - name: The name of the calls.
    ///   - address: The client.
    ///   - rate: The rate of each client.
    ///   - total: The rate of all clients together.
    ///   - now: The current time.
    /// - Throws: `CallRateLimiter.Refusal`, or the error of the database.
    package func consume(
        _ name: String, from address: ClientOrigin, _ rate: CallRate, total: CallRate, now: Instant
    ) async throws {
        let refusal = try await changeBuckets(name, address, rate, total, now) { own, all in
            CallRateLimiter<ClientOrigin>.Refusal.take(rate, from: &own, total: total, from: &all)
        }
        if let refusal = refusal ?? nil { throw refusal }
    }

    /// Removes a call that had no effect from the counts of ``consume(_:from:_:total:now:)``; if that cannot be stored, it
    /// counts.
    package func refund(
        _ name: String, from address: ClientOrigin, _ rate: CallRate, total: CallRate, now: Instant
    ) async {
        _ = try? await changeBuckets(name, address, rate, total, now) { own, all in
            own = TokenBucket(untilFull: own.untilFull - rate.interval)
            all = TokenBucket(untilFull: all.untilFull - total.interval)
        }
    }

    /// Changes the token buckets of a client and of all clients; nil without other processes.
    private func changeBuckets<Value: Sendable>(
        _ name: String, _ address: ClientOrigin, _ rate: CallRate, _ total: CallRate, _ now: Instant,
        _ body: @escaping @Sendable (inout TokenBucket, inout TokenBucket) -> Value
    ) async throws -> Value? {
        guard attempts.isShared else { return nil }
        let (own, all) = (AttemptSubject.calls(name, of: address), AttemptSubject.calls(name, of: nil))
        let longest = max(rate.capacity, total.capacity)
        return try await attempts.update([own, all], keptFor: longest, now: now) { records, now in
            var (ownBucket, allBucket) = (TokenBucket(records[own], now), TokenBucket(records[all], now))
            let value = body(&ownBucket, &allBucket)
            for (subject, bucket) in [(own, ownBucket), (all, allBucket)]
            where bucket != TokenBucket(records[subject], now) {
                records[subject] = AttemptRecord(last: now, blockedUntil: now + bucket.untilFull)
            }
            return value
        }
    }
}

extension TokenBucket {
    /// The bucket that a record has stored; a full one without a record.
    fileprivate init(_ record: AttemptRecord?, _ now: Instant) {
        self.init(untilFull: record?.blockedUntil?.duration(since: now) ?? .zero)
    }
}
