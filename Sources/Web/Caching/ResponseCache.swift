import GraphQL
import NIOCore
import Synchronization

/// A cache of whole responses of public operations, used until they expire.
///
/// Only responses without errors are stored, each for one audience: sessions for which public values are the
/// same. Expired responses are removed when they are looked up, and every ten seconds.
final class ResponseCache: Sendable {
    private let entries: BoundedStore<Key, Entry>
    private let nextSweep = Mutex(NIODeadline.uptimeNanoseconds(0))

    /// What an answer depends on.
    struct Key: Hashable, Sendable {
        fileprivate let audience: [String]
        fileprivate let response: ResponseKey

        /// Nil where the answer must not be shared: private, without an age, or with anything beside the data.
        init?(_ request: PreparedRequest, _ policy: CachePolicy, audience: [String]?) {
            guard let audience, policy.maxAge > 0, !policy.isPrivate, !request.hasExtensions,
                let response = request.responseKey
            else { return nil }
            self.audience = audience
            self.response = response
        }

        /// The memory in bytes.
        fileprivate var weight: Int { audience.reduce(response.weight) { $0 + 16 + $1.utf8.count } }
    }

    private struct Entry: Sendable {
        let response: GraphQLResponse
        let since: NIODeadline
        let maximumAge: Int

        /// The age in whole seconds.
        func age(at now: NIODeadline) -> Int { Int((now - since).nanoseconds / 1_000_000_000) }
    }

    init(bytes: Int) {
        entries = BoundedStore(capacity: bytes)
    }

    /// An answer and its age in seconds, where there is one that is young enough.
    func response(for key: Key, now: NIODeadline) -> (response: GraphQLResponse, age: Int)? {
        guard let kept = entries[key] else { return nil }
        let age = kept.age(at: now)
        guard age < kept.maximumAge else {
            entries.remove(key)
            return nil
        }
        return (kept.response, age)
    }

    /// Keeps an answer, unless something of it is missing.
    func store(_ response: GraphQLResponse, for key: Key, _ policy: CachePolicy, now: NIODeadline) {
        guard response.outcome == .complete, policy.maxAge > 0 else { return }
        removeExpired(now: now)
        let kept = Entry(response: response, since: now, maximumAge: policy.maxAge)
        entries.store(kept, for: key, weight: response.body.count + key.weight + 256)
    }

    /// The number of responses, including those that have expired since the last sweep.
    var count: Int { entries.count }

    private func removeExpired(now: NIODeadline) {
        let isDue = nextSweep.withLock { next in
            guard now >= next else { return false }
            next = now + .seconds(10)
            return true
        }
        if isDue { entries.removeAll { $0.age(at: now) >= $0.maximumAge } }
    }
}
