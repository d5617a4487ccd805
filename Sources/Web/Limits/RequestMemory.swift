import Synchronization

/// The memory of request bodies and WebSocket messages, over all connections, from their first byte until the response.
///
/// Without this limit only the number of connections bounds it: each can send most of a long body and then wait.
final class RequestMemory: Sendable {
    /// The first bytes of each body that are not counted, so that short requests are accepted while long ones use up the
    /// limit.
    static let uncountedBytes = 4 << 10

    private let limit: Int
    private let total = Atomic<Int>(0)

    /// - Parameter limit: In bytes.
    init(limit: Int) {
        self.limit = limit
    }

    /// The bytes that are counted now.
    var bytes: Int { total.load(ordering: .relaxed) }

    /// Counts a body or message that has grown.
    ///
    /// - Parameters:
    ///   - bytes: Its length now.
    ///   - share: Its part of the total; created where it is first needed, and released with its last reference.
    /// - Returns: false if the limit is reached. Nothing more is counted then.
    func reserve(_ bytes: Int, in share: inout Share?) -> Bool {
        let counted = bytes - RequestMemory.uncountedBytes
        guard counted > 0 else { return true }
        let current = share ?? Share(of: self)
        share = current
        return current.grow(to: counted)
    }

    /// What one body or message takes of the total.
    final class Share: Sendable {
        private let memory: RequestMemory
        // Atomic because a request crosses threads; only one of them changes it at a time.
        private let counted = Atomic<Int>(0)

        fileprivate init(of memory: RequestMemory) {
            self.memory = memory
        }

        fileprivate func grow(to bytes: Int) -> Bool {
            let added = bytes - counted.load(ordering: .relaxed)
            guard added > 0 else { return true }
            guard memory.total.wrappingAdd(added, ordering: .relaxed).newValue <= memory.limit else {
                memory.total.wrappingSubtract(added, ordering: .relaxed)
                return false
            }
            counted.store(bytes, ordering: .relaxed)
            return true
        }

        deinit { memory.total.wrappingSubtract(counted.load(ordering: .relaxed), ordering: .relaxed) }
    }
}
