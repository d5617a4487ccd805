import NIOCore
package import NIOPosix
import Synchronization

/// Executes the jobs of clients without a named user in rotation, one job of each address, on some of the
/// processor's cores.
///
/// Swift's global executor runs jobs in the order of their arrival: if such a client starts thousands of
/// operations at once, the requests of all users wait for them. Here a job waits for at most one job of each
/// other address (round-robin scheduling), and only half of the cores run such jobs.
///
/// The threads have the usual priority. Threads with a lower one would hold locks for which event loops
/// wait; and threads that the global executor starts from such a thread would inherit its priority, and
/// serve users with it.
package final class FairScheduler: Sendable {
    private struct State {
        /// The waiting jobs; only addresses with such jobs.
        var jobs: [ClientAddress: CircularBuffer<Job>] = [:]
        /// The addresses with waiting jobs, in rotation order.
        var readyAddresses = CircularBuffer<ClientAddress>()
    }

    private struct Job {
        let job: UnownedJob
        let executor: Executor
    }

    /// The threads of all servers of the process; they are never shut down.
    private static let sharedThreads = {
        let threads = NIOThreadPool(numberOfThreads: max(AvailableCPUs.count / 2, 1))
        threads.start()
        return threads
    }()

    private let threads: NIOThreadPool
    // Jobs arrive on all threads. It is never held while a job runs.
    private let state = Mutex(State())

    /// - Parameter threads: The threads that run the jobs; nil for those that all servers of the process share.
    package init(threads: NIOThreadPool? = nil) {
        self.threads = threads ?? Self.sharedThreads
    }

    /// Returns the executor of a client's jobs; nil for the global one, which named users have.
    package func executor(for client: ClientIdentity?) -> (any TaskExecutor)? {
        switch client {
        case .address(let address): Executor(address, of: self)
        case .user, nil: nil
        }
    }

    private final class Executor: TaskExecutor {
        private let address: ClientAddress
        private let scheduler: FairScheduler

        init(_ address: ClientAddress, of scheduler: FairScheduler) {
            (self.address, self.scheduler) = (address, scheduler)
        }

        func enqueue(_ job: consuming ExecutorJob) {
            // An executor must run each job exactly once, which the compiler cannot follow into the queue: `take` returns it
            // once.
            scheduler.add(Job(job: UnownedJob(job), executor: self), of: address)
        }
    }

    private func add(_ job: Job, of address: ClientAddress) {
        state.withLock { state in
            if state.jobs[address] == nil { state.readyAddresses.append(address) }
            state.jobs[address, default: []].append(job)
        }
        // Once for each job; which job it runs is decided when a thread is free.
        threads.submit { [self] _ in runNext() }
    }

    private func runNext() {
        guard let next = dequeue() else { return }
        unsafe next.job.runSynchronously(on: next.executor.asUnownedTaskExecutor())
    }

    private func dequeue() -> Job? {
        state.withLock { state in
            guard let address = state.readyAddresses.popFirst(), let job = state.jobs[address]?.popFirst()
            else {
                return nil
            }
            if state.jobs[address]?.isEmpty == true {
                state.jobs[address] = nil
            } else {
                state.readyAddresses.append(address)
            }
            return job
        }
    }
}
