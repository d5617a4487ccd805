import NIOCore

/// Runs tasks on an event loop: what they do there with its channels needs no hop, and many that go on at the same time wake
/// one thread once.
///
/// Only for what is quick: all else that the event loop has to do waits meanwhile.
final class EventLoopExecutor: TaskExecutor {
    private let eventLoop: any EventLoop

    /// - Parameter eventLoop: One that is not shut down while a task prefers to run here.
    init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        // An executor must run each job exactly once, which the compiler cannot follow into the closure: it is called once.
        let job = UnownedJob(job)
        eventLoop.execute { [self] in unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
