/// A client that waits for the hash of a password.
package struct HashingClient: Hashable, Sendable {
    /// Whether its address or its session has signed in before as the user that it names.
    let isKnown: Bool
    /// Stands for the address or the session.
    let id: Int

    package init(isKnown: Bool, id: Int) {
        (self.isKnown, self.id) = (isKnown, id)
    }
}

/// Decides which hash is computed next.
///
/// Clients that have never signed in get at most all threads but one, and three quarters of the queue, so a flood of
/// invented names leaves known clients a thread without a queue before it. Known clients in turn leave the others a
/// thread where there are two. Of each kind the one that came first is next; no client has more than its share, so one
/// address cannot fill the queue.
struct HashingQueue<Job> {
    private let width: Int
    private let limit: Int
    private var known: [(client: HashingClient, job: Job)] = []
    private var unknown: [(client: HashingClient, job: Job)] = []
    private var runningKnown = 0
    private var runningUnknown = 0
    /// Hashes under way and waiting, by client.
    private var counts: [HashingClient: Int] = [:]
    /// How long a hash has taken of late; zero before the first has ended.
    private var duration = Duration.zero

    /// A hash that would have to wait longer than this is not added: its client would not wait for it.
    static var longestWait: Duration { .seconds(10) }

    /// Hashes of one client, under way and waiting: a known client is one user, others are all users of an address.
    static func share(of client: HashingClient) -> Int { client.isKnown ? 2 : 6 }

    /// - Parameters:
    ///   - width: hashes at a time; at least 1.
    ///   - limit: hashes that wait besides; at least 1.
    init(width: Int, limit: Int) {
        (self.width, self.limit) = (max(1, width), max(1, limit))
    }

    /// Adds a hash to the queue.
    ///
    /// - Returns: false, and nothing is changed, where the queue is full for this client.
    mutating func add(_ client: HashingClient, _ job: Job) -> Bool {
        guard counts[client, default: 0] < Self.share(of: client),
            // What can begin at once does not count as waiting.
            known.count + unknown.count < limit + freeThreads,
            client.isKnown || unknown.count < max(1, limit * 3 / 4) + freeThreadsOfUnknown,
            wait(of: client) <= Self.longestWait
        else { return false }
        counts[client, default: 0] += 1
        if client.isKnown { known.append((client, job)) } else { unknown.append((client, job)) }
        return true
    }

    /// Takes the hash out of the queue that is to be computed now; nil where none may be.
    ///
    /// ``ended(_:after:)`` must follow.
    mutating func next() -> (client: HashingClient, job: Job)? {
        let isLastThreadForUnknown =
            width > 1 && freeThreads == 1 && runningUnknown == 0 && !unknown.isEmpty
        if freeThreads > 0, !known.isEmpty, !isLastThreadForUnknown {
            runningKnown += 1
            return known.removeFirst()
        }
        if freeThreadsOfUnknown > 0, !unknown.isEmpty {
            runningUnknown += 1
            return unknown.removeFirst()
        }
        return nil
    }

    /// A hash of a client was computed, which took this long.
    mutating func ended(_ client: HashingClient, after duration: Duration) {
        self.duration = self.duration == .zero ? duration : (self.duration * 7 + duration) / 8
        if client.isKnown { runningKnown -= 1 } else { runningUnknown -= 1 }
        guard let count = counts[client] else { return }
        counts[client] = count > 1 ? count - 1 : nil
    }

    /// How long a hash of a client would wait for those before it.
    private func wait(of client: HashingClient) -> Duration {
        client.isKnown ? duration * known.count / width : duration * unknown.count / max(1, width - 1)
    }

    private var freeThreads: Int { width - runningKnown - runningUnknown }

    private var freeThreadsOfUnknown: Int {
        min(freeThreads, max(1, width - 1) - runningUnknown)
    }
}
