import Glibc
import NIOCore
import NIOPosix
import Synchronization

/// Runs the jobs of clients without a user in turn, one job of each address, on threads with a low priority.
///
/// Swift's global executor runs jobs in the order of their arrival: where such a client starts thousands of
/// operations at once, the requests of all users wait for them. Here a job waits for at most one job of each other
/// address (round-robin scheduling), and users' requests wait for none: they preempt these threads.
final class FairScheduler: Sendable {
    private struct State {
        /// The jobs that wait; only addresses with such jobs.
        var jobs: [ClientAddress: CircularBuffer<Job>] = [:]
        /// The addresses with such jobs, in the order of their turns.
        var turns = CircularBuffer<ClientAddress>()
        /// The number of threads that run jobs, or are about to.
        var running = 0
    }

    private struct Job {
        let job: UnownedJob
        let executor: Executor
    }

    /// The threads of all servers of the process; they are never shut down.
    private static let sharedThreads = {
        let threads = NIOThreadPool(numberOfThreads: System.coreCount)
        threads.start()
        return threads
    }()
    /// The nice value of the threads: a tenth of the weight of others (sched(7)).
    private static let niceness: CInt = 10

    private let threads: NIOThreadPool
    // Jobs arrive on all threads. It is never held while a job runs.
    private let state = Mutex(State())

    /// - Parameter threads: Run the jobs, as long as there are any; nil for those of the process.
    init(threads: NIOThreadPool? = nil) {
        self.threads = threads ?? Self.sharedThreads
    }

    /// Returns the executor of an address's jobs.
    func executor(for address: ClientAddress) -> any TaskExecutor {
        Executor(address, of: self)
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
        let needsThread = state.withLock { state in
            if state.jobs[address] == nil { state.turns.append(address) }
            state.jobs[address, default: []].append(job)
            guard state.running < threads.numberOfThreads else { return false }
            state.running += 1
            return true
        }
        if needsThread { runNext() }
    }

    private func runNext() {
        threads.submit { [self] _ in
            // It applies to the calling thread (setpriority(2)). If it fails, the thread has the usual priority.
            setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, Self.niceness)
            while let next = take() {
                unsafe next.job.runSynchronously(on: next.executor.asUnownedTaskExecutor())
            }
        }
    }

    private func take() -> Job? {
        state.withLock { state in
            guard let address = state.turns.popFirst(), let job = state.jobs[address]?.popFirst() else {
                state.running -= 1
                return nil
            }
            if state.jobs[address]?.isEmpty == true {
                state.jobs[address] = nil
            } else {
                state.turns.append(address)
            }
            return job
        }
    }
}
