package import PorticoCore
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

/// Limits the rate of one kind of request for each client, and for all clients together.
package final class CallRateLimiter<Client: Hashable & Sendable>: Sendable {
    private let perClient: CallRate
    private let total: CallRate?
    // A lock, because requests come on any thread.
    private let state: Mutex<State>

    private struct State {
        var clients: TokenBuckets<Client>
        /// The time at which the bucket of all clients is full.
        var allFullAt: ContinuousClock.Instant?
    }

    /// - Parameters:
    ///   - perClient: The rate of each client.
    ///   - total: The rate of all clients together; nil if something else limits it.
    ///   - capacity: The number of clients with a bucket of their own.
    package init(perClient: CallRate, total: CallRate? = nil, capacity: Int = 20_000) {
        (self.perClient, self.total) = (perClient, total)
        state = Mutex(State(clients: TokenBuckets(capacity: capacity)))
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

        /// Takes a call out of the bucket of its client and out of that of all clients, or out of neither.
        static func take(
            _ rate: CallRate, from client: inout TokenBucket, total: CallRate?, from all: inout TokenBucket
        ) -> Refusal? {
            var changed = client
            if let wait = changed.take(rate) { return .client(retryAfter: wait) }
            if let total, let wait = all.take(total) { return .total(retryAfter: wait) }
            client = changed
            return nil
        }
    }

    /// Counts a call.
    ///
    /// - Throws: The reason for the refusal. A refused call is not counted.
    package func consume(_ client: Client, now: ContinuousClock.Instant = .now) throws(Refusal) {
        let refusal: Refusal? = state.withLock { state in
            var own = state.clients.bucket(of: client, at: now)
            var all = TokenBucket(untilFull: now.duration(to: state.allFullAt ?? now))
            if let refusal = Refusal.take(perClient, from: &own, total: total, from: &all) { return refusal }
            state.clients.store(own, of: client, at: now)
            state.allFullAt = now + all.untilFull
            return nil
        }
        if let refusal { throw refusal }
    }

    /// Removes a call from the count that ``consume(_:now:)`` has counted and that had no effect.
    package func refund(_ client: Client) {
        state.withLock { state in
            state.clients.putBack(perClient, of: client)
            if let total { state.allFullAt = state.allFullAt.map { $0 - total.interval } }
        }
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
