import CCurl
import Glibc

/// The one thread that libcurl runs on.
///
/// A thread of its own, because it blocks while it waits for sockets.
struct CurlThread: Sendable {
    private let handle: pthread_t

    init(mailbox: CurlCommandQueue, limits: HTTPClientLimits, userAgent: String) throws(HTTPClientError) {
        let start = Start(mailbox: mailbox, limits: limits, userAgent: userAgent)
        var handle = pthread_t()
        // The new thread takes over the reference that is passed on here.
        let context = unsafe Unmanaged.passRetained(start)
        let status = unsafe pthread_create(
            &handle, nil,
            { context in
                guard let context = unsafe context else { return nil }
                let start = unsafe Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
                var loop = CurlMultiLoop(
                    mailbox: start.mailbox, limits: start.limits, userAgent: start.userAgent)
                loop.run()
                start.mailbox.didClose()
                return nil
            }, context.toOpaque())
        guard status == 0 else {
            unsafe context.release()
            throw .other(code: status)
        }
        self.handle = handle
    }

    /// Waits for the end of the thread; once at most.
    func join() {
        pthread_join(handle, nil)
    }

    /// Lets the thread end by itself; not after ``join()``.
    func detach() {
        pthread_detach(handle)
    }

    /// What the thread begins with.
    private final class Start: Sendable {
        let mailbox: CurlCommandQueue
        let limits: HTTPClientLimits
        let userAgent: String

        init(mailbox: CurlCommandQueue, limits: HTTPClientLimits, userAgent: String) {
            self.mailbox = mailbox
            self.limits = limits
            self.userAgent = userAgent
        }
    }
}
