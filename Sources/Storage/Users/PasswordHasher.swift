import Glibc
import NIOCore
import NIOPosix
import Synchronization

/// Hashes passwords on threads with a low priority, few at a time: each hash takes a quarter of a second and 32 MiB.
///
/// Known clients have a share of the threads and of the queue that other clients cannot use; see
/// ``HashingQueue``.
package final class PasswordHasher: Sendable {
    /// The parameters of new hashes.
    package let cost: PasswordCost
    private let threads = PasswordHasher.sharedThreads
    /// The event loop on which results are delivered.
    ///
    /// A result that a thread with a low priority delivers can make the task system create a thread, which inherits the
    /// nice value, and an unprivileged process cannot raise its priority again (setpriority(2)). The threads of event
    /// loops exist already.
    private let eventLoop = MultiThreadedEventLoopGroup.singleton.any()
    // A lock, because requests come on any thread.
    private let queue: Mutex<HashingQueue<Job>>
    /// A hash that no password matches: it is compared if there is no user, so that the duration is the
    /// same.
    private let decoy: PasswordHash

    /// Computes a hash, and returns the function that passes it on.
    private typealias Job = @Sendable () -> @Sendable () -> Void

    /// The number of hashes that are computed at a time.
    package static let width = 2

    /// The threads of all hashers of the process; they are never shut down.
    private static let sharedThreads = {
        let threads = NIOThreadPool(numberOfThreads: width)
        threads.start()
        return threads
    }()

    /// - Parameters:
    ///   - cost: The cost parameters of new hashes.
    ///   - width: The number of hashes that are computed at the same time.
    ///   - queueLimit: The number of hashes that can wait; a quarter is reserved for known clients.
    package init(_ cost: PasswordCost = .standard, width: Int = PasswordHasher.width, queueLimit: Int = 64) {
        self.cost = cost
        decoy = PasswordHash(matchingNothing: cost)
        queue = Mutex(HashingQueue(width: width, limit: queueLimit))
    }

    /// The reason why there is no result.
    package enum Failure: Error {
        /// The client's user or address, or all clients of its group, have reached the limit of running and waiting hashes.
        ///
        /// No hash was computed.
        case overloaded
        /// scrypt failed, because memory was not available.
        case failed
    }

    /// Hashes a new password.
    package func hash(
        _ password: Password, for client: HashingClient
    ) async throws(Failure) -> PasswordHash {
        try await run(for: client) { [cost] in try PasswordHash(password, cost) }
    }

    /// The result of a comparison.
    package enum Comparison: Sendable {
        case different
        case equal
        /// The password is right, and its hash has old cost parameters: store this new hash.
        case outdated(PasswordHash)
    }

    /// Compares a password with the stored hash.
    ///
    /// - Parameters:
    ///   - password: Nil for a text that cannot be a password.
    ///   - hash: Nil if there is no such user; the duration is the same.
    ///   - client: The client that waits for the result.
    /// - Returns: The result; `different` if either is nil.
    /// - Throws: The error if too many hashes wait, or if scrypt failed.
    package func compare(
        _ password: Password?, with hash: PasswordHash?, for client: HashingClient
    ) async throws(Failure) -> Comparison {
        try await run(for: client) { [self] in
            let subject = hash ?? decoy
            let matches = try subject.matches(password ?? .decoy)
            guard matches, hash != nil, let password else { return .different }
            if subject.cost == cost { return .equal }
            return .outdated(try subject.rehashed(password, cost))
        }
    }

    /// Runs work in one of the client's slots, on a thread of the hasher.
    ///
    /// - Parameters:
    ///   - client: The client that waits for it.
    ///   - work: The work; the slot is held until it returns.
    /// - Returns: The result of the work.
    /// - Throws: An error if too many clients wait; otherwise the error of the work.
    package func run<Value: Sendable>(
        for client: HashingClient, _ work: @escaping @Sendable () throws -> Value
    ) async throws(Failure) -> Value {
        let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
            let isTaken = queue.withLock { queue in
                queue.add(client) {
                    let result = Self.result(of: work)
                    return { continuation.resume(returning: result) }
                }
            }
            if isTaken { startNext() } else { continuation.resume(returning: .failure(.overloaded)) }
        }
        return try result.get()
    }

    private static func result<Value>(of work: () throws -> Value) -> Result<Value, Failure> {
        do {
            return .success(try work())
        } catch {
            return .failure(.failed)
        }
    }

    private func startNext() {
        guard let next = queue.withLock({ $0.next() }) else { return }
        threads.submit { [self] _ in
            // It applies to the calling thread (setpriority(2)), so that hashes delay requests less. If it fails, the thread has
            // the usual priority.
            setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
            let start = ContinuousClock.now
            let passOn = next.job()
            let duration = start.duration(to: .now)
            eventLoop.execute { [self] in
                queue.withLock { $0.ended(next.client, after: duration) }
                passOn()
                startNext()
            }
        }
    }
}

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
/// Clients that have never signed in get at most all threads except one, and three quarters of the queue, so
/// that a flood of invented names leaves a thread and a part of the queue for known clients. Known clients
/// leave a thread for the others if there are two. A known client counts for its user and for its address,
/// others for their address only. None of these has more than its share, so neither a user with many
/// sessions nor an address can fill the queue. Known users are served in rotation; other clients in order of
/// arrival.
package struct HashingQueue<Job> {
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
    static var maximumWait: Duration { .seconds(10) }

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
    package init(width: Int, limit: Int) {
        (self.width, self.limit) = (max(1, width), max(1, limit))
    }

    /// Adds a hash to the queue.
    ///
    /// - Returns: false, without a change, if the queue is full for this client.
    package mutating func add(_ client: HashingClient, _ job: Job) -> Bool {
        let sharers = Sharer.all(of: client)
        guard sharers.allSatisfy({ counts[$0, default: 0] < $0.share }),
            // A hash that can begin at once does not count as waiting.
            known.count + unknown.count < limit + freeThreads,
            client.isKnown || unknown.count < max(1, limit * 3 / 4) + freeThreadsOfUnknown,
            wait(of: client) <= Self.maximumWait
        else { return false }
        for sharer in sharers { counts[sharer, default: 0] += 1 }
        if client.isKnown { known.append((client, job)) } else { unknown.append((client, job)) }
        return true
    }

    /// Removes the next hash to compute from the queue; returns nil if none may start.
    ///
    /// ``ended(_:after:)`` must follow.
    package mutating func next() -> (client: HashingClient, job: Job)? {
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
    package mutating func ended(_ client: HashingClient, after duration: Duration) {
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
