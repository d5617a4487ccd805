package import GraphQL
package import NIOCore
import PorticoCore
import Synchronization

/// A cache of whole responses of public operations, used until they expire.
///
/// Only responses without errors are stored, each for one audience: sessions for which public values are the
/// same. Expired responses are removed when they are looked up, and every ten seconds.
package final class ResponseCache: Sendable {
    /// A mutex protects the entries, because the requests of all event loops share them.
    private let entries: Mutex<LRUCache<Key, Entry>>
    private let maximumWeight: Int
    /// A mutex, because one of the event loops removes expired responses for all.
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
        entries = Mutex(LRUCache(maximumCount: .max, maximumWeight: bytes))
        // A response that is larger would remove most of the others.
        maximumWeight = bytes / 2
    }

    /// A response and its age in seconds; nil if none is stored or it has expired.
    package func response(for key: Key, now: NIODeadline) -> (response: GraphQLResponse, age: Int)? {
        entries.withLock { entries in
            guard let entry = entries.value(for: key) else { return nil }
            let age = entry.age(at: now)
            guard age < entry.maximumAge else {
                entries.remove(key)
                return nil
            }
            return (entry.response, age)
        }
    }

    /// Stores a response if it is complete.
    package func store(_ response: GraphQLResponse, for key: Key, _ policy: CachePolicy, now: NIODeadline) {
        guard response.outcome == .complete, policy.maxAge > 0 else { return }
        removeExpired(now: now)
        let entry = Entry(response: response, since: now, maximumAge: policy.maxAge)
        let weight = response.body.count + key.weight + 256
        entries.withLock { entries in
            if weight <= maximumWeight {
                entries.insert(entry, for: key, weight: weight)
            } else {
                entries.remove(key)
            }
        }
    }

    /// The number of responses, including those that have expired since the last sweep.
    package var count: Int { entries.withLock { $0.count } }

    private func removeExpired(now: NIODeadline) {
        let isDue = nextSweep.withLock { next in
            guard now >= next else { return false }
            next = now + .seconds(10)
            return true
        }
        guard isDue else { return }
        entries.withLock { $0.removeAll { _, entry in entry.age(at: now) >= entry.maximumAge } }
    }
}
