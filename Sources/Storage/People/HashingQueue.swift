/// A client that waits for the hash of a password.
package struct HashingClient: Hashable, Sendable {
    /// The user as whom its address or its session has signed in before; nil for an unknown client.
    let knownUser: String?
    /// The number of its address.
    let address: UInt64

    package init(knownUser: String?, address: UInt64) {
        (self.knownUser, self.address) = (knownUser, address)
    }

    var isKnown: Bool { knownUser != nil }
}

/// Decides which hash is computed next.
///
/// Clients that have never signed in get at most all threads except one, and three quarters of the queue, so that a flood of
/// invented names leaves a thread without a queue for known clients. Known clients in turn leave a thread for the others if
/// there are two. A known client counts for its user and for its address, others for their address only. None of these has
/// more than its share, so neither a user with many sessions nor an address can fill the queue. Known users take turns;
/// other clients are served in order of arrival.
struct HashingQueue<Job> {
    private let width: Int
    private let limit: Int
    private var known: [(client: HashingClient, job: Job)] = []
    private var unknown: [(client: HashingClient, job: Job)] = []
    private var runningKnown = 0
    private var runningUnknown = 0
    /// The numbers of running and waiting hashes.
    private var counts: [Sharer: Int] = [:]
    /// The recent duration of a hash; zero before the first has ended.
    private var duration = Duration.zero

    /// A hash that would have to wait longer than this is refused: its client would not wait for it.
    static var longestWait: Duration { .seconds(10) }

    /// A user or address whose hashes are counted together.
    private enum Sharer: Hashable {
        /// All sessions and known addresses of a user.
        case user(String)
        /// All users who are known at an address.
        case knownAddress(UInt64)
        /// All other clients of an address.
        case address(UInt64)

        /// The most hashes, running and waiting.
        var share: Int {
            switch self {
            case .user: 2
            case .knownAddress, .address: 6
            }
        }

        static func all(of client: HashingClient) -> [Sharer] {
            guard let user = client.knownUser else { return [.address(client.address)] }
            return [.user(user), .knownAddress(client.address)]
        }
    }

    /// - Parameters:
    ///   - width: the number of concurrent hashes; at least 1.
    ///   - limit: the number of hashes that may wait in addition; at least 1.
    init(width: Int, limit: Int) {
        (self.width, self.limit) = (max(1, width), max(1, limit))
    }

    /// Adds a hash to the queue.
    ///
    /// - Returns: false, without a change, if the queue is full for this client.
    mutating func add(_ client: HashingClient, _ job: Job) -> Bool {
        let sharers = Sharer.all(of: client)
        guard sharers.allSatisfy({ counts[$0, default: 0] < $0.share }),
            // A hash that can begin at once does not count as waiting.
            known.count + unknown.count < limit + freeThreads,
            client.isKnown || unknown.count < max(1, limit * 3 / 4) + freeThreadsOfUnknown,
            wait(of: client) <= Self.longestWait
        else { return false }
        for sharer in sharers { counts[sharer, default: 0] += 1 }
        if client.isKnown { known.append((client, job)) } else { unknown.append((client, job)) }
        return true
    }

    /// Removes the next hash to compute from the queue; returns nil if none may start.
    ///
    /// ``ended(_:after:)`` must follow.
    mutating func next() -> (client: HashingClient, job: Job)? {
        let isLastThreadForUnknown =
            width > 1 && freeThreads == 1 && runningUnknown == 0 && !unknown.isEmpty
        if freeThreads > 0, !known.isEmpty, !isLastThreadForUnknown {
            runningKnown += 1
            return nextKnown()
        }
        if freeThreadsOfUnknown > 0, !unknown.isEmpty {
            runningUnknown += 1
            return unknown.removeFirst()
        }
        return nil
    }

    /// Takes the first hash of the known clients, and moves the user's other ones behind those of all others.
    private mutating func nextKnown() -> (client: HashingClient, job: Job) {
        let next = known.removeFirst()
        let isOthers = { (client: HashingClient) in client.knownUser != next.client.knownUser }
        known = known.filter { isOthers($0.client) } + known.filter { !isOthers($0.client) }
        return next
    }

    /// Records that a hash of a client has ended, with its duration.
    mutating func ended(_ client: HashingClient, after duration: Duration) {
        self.duration = self.duration == .zero ? duration : (self.duration * 7 + duration) / 8
        if client.isKnown { runningKnown -= 1 } else { runningUnknown -= 1 }
        for sharer in Sharer.all(of: client) {
            guard let count = counts[sharer] else { continue }
            counts[sharer] = count > 1 ? count - 1 : nil
        }
    }

    /// The time that a hash of a client would wait for earlier ones.
    private func wait(of client: HashingClient) -> Duration {
        client.isKnown ? duration * known.count / width : duration * unknown.count / max(1, width - 1)
    }

    private var freeThreads: Int { width - runningKnown - runningUnknown }

    private var freeThreadsOfUnknown: Int {
        min(freeThreads, max(1, width - 1) - runningUnknown)
    }
}
