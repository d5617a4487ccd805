import Glibc
import NIOCore
import NIOPosix
import Synchronization

/// Hashes passwords on threads with a low priority, few at a time: each hash takes a quarter of a second and 32 MiB.
///
/// Known clients have a share of the threads and of the queue that other clients cannot use; see
/// ``HashingQueue``.
package final class PasswordHasher: Sendable {
    /// What new hashes are made with.
    package let cost: PasswordCost
    private let threads = PasswordHasher.sharedThreads
    /// Where results are passed on.
    ///
    /// A result that is passed on from a thread with a low priority can let the task system create a thread, which
    /// inherits the nice value, and an unprivileged process cannot raise its priority again (setpriority(2)). The
    /// threads of event loops exist already.
    private let eventLoop = MultiThreadedEventLoopGroup.singleton.any()
    // A lock, because requests come on any thread.
    private let queue: Mutex<HashingQueue<Job>>
    /// Of no password: compared where there is no user, so that it takes as long.
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
    ///   - cost: what new hashes are made with.
    ///   - width: how many are made at a time.
    ///   - queueLimit: how many may wait besides; a quarter of it is for known clients alone.
    package init(_ cost: PasswordCost = .standard, width: Int = PasswordHasher.width, queueLimit: Int = 64) {
        self.cost = cost
        decoy = PasswordHash(matchingNothing: cost)
        queue = Mutex(HashingQueue(width: width, limit: queueLimit))
    }

    /// Why there is no answer.
    package enum Failure: Error {
        /// The client's user or address, or all clients of its group, have reached the limit of running and waiting hashes.
        ///
        /// No hash was computed.
        case overloaded
        /// scrypt could not be run, for want of memory.
        case failed
    }

    /// Hashes a new password.
    package func hash(
        _ password: Password, for client: HashingClient
    ) async throws(Failure) -> PasswordHash {
        try await run(for: client) { [cost] in try PasswordHash(password, cost) }
    }

    /// What comparing has found.
    package enum Comparison: Sendable {
        case different
        case equal
        /// Equal, and here is the hash that is to be kept instead: the old one was made at another cost.
        case outdated(PasswordHash)
    }

    /// Compares a password with the stored hash.
    ///
    /// - Parameters:
    ///   - password: nil for a text that cannot be a password.
    ///   - hash: nil if there is no such user; the duration is the same.
    ///   - client: The client that waits for the result.
    /// - Returns: the result; `different` if either is nil.
    /// - Throws: the error if too many hashes wait, or if scrypt failed.
    package func compare(
        _ password: Password?, with hash: PasswordHash?, for client: HashingClient
    ) async throws(Failure) -> Comparison {
        try await run(for: client) { [self] in
            let subject = hash ?? decoy
            let matches = try subject.matches(password ?? .decoy)
            guard matches, hash != nil, let password else { return .different }
            if subject.cost == cost { return .equal }
            return .outdated(try PasswordHash(password, cost))
        }
    }

    /// Runs work in one of the client's slots, on a thread of the hasher.
    ///
    /// - Parameters:
    ///   - client: The client that waits for it.
    ///   - work: The work; the slot is held until it returns.
    /// - Returns: The result of the work.
    /// - Throws: An error if too many clients wait; otherwise the error of the work.
    func run<Value: Sendable>(
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
