/// A client that waits for the hash of a password.
package struct HashingClient: Hashable, Sendable {
    /// Whether its address or its session has signed in before as the user that it names.
    let isKnown: Bool
    /// The number of the address or the session.
    let id: Int

    package init(isKnown: Bool, id: Int) {
        (self.isKnown, self.id) = (isKnown, id)
    }
}

/// Decides which hash is computed next.
///
/// Clients that have never signed in get at most all threads except one, and three quarters of the queue, so
/// that a flood of invented names leaves a thread without a queue for known clients. Known clients in turn
/// leave a thread for the others if there are two. Within each of the two groups the order of arrival counts.
/// No client has more than its share, so one address cannot fill the queue.
struct HashingQueue<Job> {
    private let width: Int
    private let limit: Int
    private var known: [(client: HashingClient, job: Job)] = []
    private var unknown: [(client: HashingClient, job: Job)] = []
    private var runningKnown = 0
    private var runningUnknown = 0
    /// The numbers of running and waiting hashes, by client.
    private var counts: [HashingClient: Int] = [:]
    /// The recent duration of a hash; zero before the first has ended.
    private var duration = Duration.zero

    /// A hash that would have to wait longer than this is refused: its client would not wait for it.
    static var longestWait: Duration { .seconds(10) }

    /// The most hashes of one client, running and waiting.
    ///
    /// A known client is one user, any other is all users of an address.
    static func share(of client: HashingClient) -> Int { client.isKnown ? 2 : 6 }

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
        guard counts[client, default: 0] < Self.share(of: client),
            // A hash that can begin at once does not count as waiting.
            known.count + unknown.count < limit + freeThreads,
            client.isKnown || unknown.count < max(1, limit * 3 / 4) + freeThreadsOfUnknown,
            wait(of: client) <= Self.longestWait
        else { return false }
        counts[client, default: 0] += 1
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
            return known.removeFirst()
        }
        if freeThreadsOfUnknown > 0, !unknown.isEmpty {
            runningUnknown += 1
            return unknown.removeFirst()
        }
        return nil
    }

    /// Records that a hash of a client has ended, with its duration.
    mutating func ended(_ client: HashingClient, after duration: Duration) {
        self.duration = self.duration == .zero ? duration : (self.duration * 7 + duration) / 8
        if client.isKnown { runningKnown -= 1 } else { runningUnknown -= 1 }
        guard let count = counts[client] else { return }
        counts[client] = count > 1 ? count - 1 : nil
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
