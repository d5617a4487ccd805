/// The token buckets of the clients of one rate, in a table with a limit.
///
/// A client that is not in the table has a full bucket. While the table is full of clients whose buckets are not full, all other
/// clients share one bucket.
package struct TokenBuckets<Client: Hashable & Sendable>: Sendable {
    package typealias Time = ContinuousClock.Instant

    private let capacity: Int
    /// The time at which each bucket is full.
    private var fullAt: [Client: Time] = [:]
    private var othersFullAt: Time?
    private var nextSweep: Time?

    /// - Parameter capacity: The number of clients with a bucket of their own.
    package init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    /// The bucket of a client, or of all that have none.
    ///
    /// It may remove full buckets.
    package mutating func bucket(of client: Client, at now: Time) -> TokenBucket {
        if let time = fullAt[client] { return TokenBucket(untilFull: now.duration(to: time)) }
        if fullAt.count >= capacity { sweep(now) }
        guard fullAt.count >= capacity, let time = othersFullAt else { return TokenBucket() }
        return TokenBucket(untilFull: now.duration(to: time))
    }

    /// Stores the bucket that ``bucket(of:at:)`` has returned after a change.
    ///
    /// - Returns: Whether the client has a bucket of its own.
    @discardableResult
    package mutating func store(
        _ bucket: TokenBucket, of client: Client, at now: Time
    ) -> Bool {
        if fullAt.count < capacity || fullAt[client] != nil {
            fullAt[client] = now + bucket.untilFull
            return true
        }
        othersFullAt = now + bucket.untilFull
        return false
    }

    /// Removes the full buckets; at most once a second, since it looks at all of them.
    private mutating func sweep(_ now: Time) {
        if let next = nextSweep, now < next { return }
        nextSweep = now + .seconds(1)
        fullAt = fullAt.filter { $0.value > now }
    }

    /// Puts a call back into the bucket of a client.
    package mutating func putBack(_ rate: CallRate, of client: Client) {
        if let time = fullAt[client] {
            fullAt[client] = time - rate.interval
        } else {
            othersFullAt = othersFullAt.map { $0 - rate.interval }
        }
    }

    /// Empties the bucket of a client to what another one has left; a fuller one, and a client that is not in the table,
    /// have no effect.
    package mutating func lower(_ client: Client, to bucket: TokenBucket, at now: Time) {
        guard let time = fullAt[client] else { return }
        fullAt[client] = max(time, now + bucket.untilFull)
    }
}
