import Synchronization

/// The rates of requests that are expensive for the server or for providers: for one client, and for all
/// together.
package struct CallLimits: Sendable {
    /// Guests and new users, by address.
    package var arrivals = CallRate(perHour: 60)
    package var totalArrivals = CallRate(burst: 2_000, every: .milliseconds(500))
    /// Attempts to sign in, including successful ones: by user at all known clients, otherwise by address.
    ///
    /// The slots of the password hasher limit all attempts together.
    package var signIns = CallRate(burst: 200, every: .seconds(1))
    /// Tests of credentials and, counted separately, started authorizations: by user and by address.
    package var connects = CallRate(perHour: 60)
    package var connectsOfAddress = CallRate(perHour: 180)
    package var totalConnects = CallRate(burst: 1_000, every: .milliseconds(250))
    /// Test messages to webhooks: by user, and by the address of the host, which may not want them.
    package var webhookTests = CallRate(perHour: 30)
    package var webhookTestsOfHost = CallRate(burst: 20, every: .seconds(3))
    /// Exports, by user.
    package var exports = CallRate(perHour: 20)
    package var totalExports = CallRate(burst: 100, every: .milliseconds(500))
    /// The number of concurrent exports, so that other reads have two of the file's four readers.
    package var exportsAtOnce = 2

    package init() {}
}

/// A rate: `burst` requests at once, and after that one in each `interval`.
package struct CallRate: Hashable, Sendable {
    package let burst: Int
    let interval: Duration

    package init(burst: Int, every interval: Duration) {
        (self.burst, self.interval) = (max(1, burst), interval)
    }

    /// A rate of `count` an hour.
    ///
    /// After a pause of an hour all of them are allowed at once.
    package init(perHour count: Int) {
        self.init(burst: count, every: .seconds(3_600) / max(1, count))
    }

    /// The rate that allows what one of the two rates allows.
    package func union(_ other: CallRate) -> CallRate {
        CallRate(burst: max(burst, other.burst), every: min(interval, other.interval))
    }
}

/// Limits the rate of one kind of request for each client, and for all clients together.
///
/// It has a token bucket for each client and one for all, stored as the time at which the bucket is full
/// again (the generic cell rate algorithm). The table has a capacity: while it is full of clients whose
/// bucket is not full, all other clients share one bucket.
package final class CallRateLimiter<Client: Hashable & Sendable>: Sendable {
    private let perClient: CallRate
    private let total: CallRate?
    private let capacity: Int
    // A lock, because requests come on any thread.
    private let state = Mutex(State())

    private struct State {
        /// The time at which a client's bucket is full again.
        ///
        /// Clients with a full bucket are removed when room is needed.
        var fullAt: [Client: ContinuousClock.Instant] = [:]
        var othersFullAt: ContinuousClock.Instant?
        var totalFullAt: ContinuousClock.Instant?
        var nextSweep: ContinuousClock.Instant?
    }

    /// - Parameters:
    ///   - perClient: The rate of each client.
    ///   - total: The rate of all clients together; nil if something else limits it.
    ///   - capacity: The number of clients with a bucket of their own.
    package init(perClient: CallRate, total: CallRate? = nil, capacity: Int = 20_000) {
        (self.perClient, self.total, self.capacity) = (perClient, total, max(1, capacity))
    }

    /// The limit that refuses a call, with the time after which a call will be allowed.
    package enum Refusal: Error, Hashable, Sendable {
        case client(retryAfter: Duration)
        case total(retryAfter: Duration)

        package var retryAfter: Duration {
            switch self {
            case .client(let retryAfter), .total(let retryAfter): retryAfter
            }
        }
    }

    /// Counts a call.
    ///
    /// - Throws: The reason for the refusal. A refused call is not counted.
    package func consume(_ client: Client, now: ContinuousClock.Instant = .now) throws(Refusal) {
        let refusal: Refusal? = state.withLock { state in
            let isOther = !ensureCapacity(for: client, in: &state, now)
            let fullAt = max((isOther ? state.othersFullAt : state.fullAt[client]) ?? now, now)
            if let wait = Self.wait(perClient, fullAt: fullAt, now) { return .client(retryAfter: wait) }
            if let total {
                let fullAt = max(state.totalFullAt ?? now, now)
                if let wait = Self.wait(total, fullAt: fullAt, now) { return .total(retryAfter: wait) }
                state.totalFullAt = fullAt + total.interval
            }
            if isOther {
                state.othersFullAt = fullAt + perClient.interval
            } else {
                state.fullAt[client] = fullAt + perClient.interval
            }
            return nil
        }
        if let refusal { throw refusal }
    }

    /// Removes a call from the count that ``consume(_:now:)`` has counted and that had no effect.
    package func refund(_ client: Client) {
        state.withLock { state in
            if let total { state.totalFullAt = state.totalFullAt.map { $0 - total.interval } }
            if let fullAt = state.fullAt[client] {
                state.fullAt[client] = fullAt - perClient.interval
            } else {
                state.othersFullAt = state.othersFullAt.map { $0 - perClient.interval }
            }
        }
    }

    /// The time to wait for room in a bucket; nil if there is room.
    private static func wait(
        _ rate: CallRate, fullAt: ContinuousClock.Instant, _ now: ContinuousClock.Instant
    ) -> Duration? {
        let earliest = fullAt + rate.interval * (1 - rate.burst)
        return earliest > now ? now.duration(to: earliest) : nil
    }

    /// Whether the client has a bucket of its own.
    ///
    /// Searches for clients with a full bucket at most once a second.
    private func ensureCapacity(
        for client: Client, in state: inout State, _ now: ContinuousClock.Instant
    ) -> Bool {
        if state.fullAt[client] != nil || state.fullAt.count < capacity { return true }
        if let next = state.nextSweep, now < next { return false }
        state.nextSweep = now + .seconds(1)
        state.fullAt = state.fullAt.filter { $0.value > now }
        return state.fullAt.count < capacity
    }
}

/// The origin of a request as far as limits distinguish addresses: a number for the address.
///
/// It is not text, because each request has one, and few are ever used.
package struct ClientOrigin: Hashable, Sendable {
    package let number: UInt64

    /// - Parameter number: another one for another address.
    package init(_ number: UInt64) {
        self.number = number
    }

    /// All requests about whose address nothing is known.
    package static let unknown = ClientOrigin(.max)
}
