package import GraphQL
package import NIOCore
import Synchronization

/// A cache of whole responses of public operations, used until they expire.
///
/// Only responses without errors are stored, each for one audience: sessions for which public values are the
/// same. Expired responses are removed when they are looked up, and every ten seconds.
package final class ResponseCache: Sendable {
    private let entries: BoundedStore<Key, Entry>
    private let nextSweep = Mutex(NIODeadline.uptimeNanoseconds(0))

    /// The values that determine a response.
    package struct Key: Hashable, Sendable {
        private let operation: OperationIdentity
        private let audience: [String]
        private let variables: [InputValue?]

        /// Nil if the response must not be shared: it is private, has no age, or contains more than data.
        package init?(
            _ request: PreparedRequest, _ policy: CachePolicy, audience: @autoclosure () -> [String]?
        ) {
            guard policy.maxAge > 0, !policy.isPrivate, !request.hasExtensions,
                let operation = request.cacheIdentity, let audience = audience()
            else { return nil }
            (self.operation, self.audience, variables) = (operation, audience, request.cacheVariables)
        }

        /// The memory in bytes.
        fileprivate var weight: Int {
            let values = variables.reduce(operation.weight) {
                $0 + ($1?.weight ?? MemoryLayout<InputValue?>.stride)
            }
            return audience.reduce(values) { $0 + 16 + $1.utf8.count }
        }
    }

    private struct Entry: Sendable {
        let response: GraphQLResponse
        let since: NIODeadline
        let maximumAge: Int

        /// The age in whole seconds.
        func age(at now: NIODeadline) -> Int { Int((now - since).nanoseconds / 1_000_000_000) }
    }

    package init(bytes: Int) {
        entries = BoundedStore(capacity: bytes)
    }

    /// A response and its age in seconds; nil if none is stored or it has expired.
    package func response(for key: Key, now: NIODeadline) -> (response: GraphQLResponse, age: Int)? {
        guard let entry = entries[key] else { return nil }
        let age = entry.age(at: now)
        guard age < entry.maximumAge else {
            entries.remove(key)
            return nil
        }
        return (entry.response, age)
    }

    /// Stores a response if it is complete.
    package func store(_ response: GraphQLResponse, for key: Key, _ policy: CachePolicy, now: NIODeadline) {
        guard response.outcome == .complete, policy.maxAge > 0 else { return }
        removeExpired(now: now)
        let entry = Entry(response: response, since: now, maximumAge: policy.maxAge)
        entries.store(entry, for: key, weight: response.body.count + key.weight + 256)
    }

    /// The number of responses, including those that have expired since the last sweep.
    package var count: Int { entries.count }

    private func removeExpired(now: NIODeadline) {
        let isDue = nextSweep.withLock { next in
            guard now >= next else { return false }
            next = now + .seconds(10)
            return true
        }
        if isDue { entries.removeAll { $0.age(at: now) >= $0.maximumAge } }
    }
}
