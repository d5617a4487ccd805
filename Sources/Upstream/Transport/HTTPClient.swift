import Synchronization

/// Calls providers over HTTP/1.1 and HTTP/2, with libcurl on one thread of its own.
///
/// Connections are reused, and responses decompressed. Redirects are returned like any other response, and
/// not followed. A write is sent once at most, even where libcurl would send it again because a reused
/// connection broke. Nothing is sent after its deadline, or if ``HTTPClientRequest/maySend`` returns false. Proxies
/// are taken from the environment (`https_proxy`, `no_proxy`), never for this machine itself.
package final class HTTPClient: Sendable {
    private let mailbox: CurlCommandQueue
    private let thread: Mutex<CurlThread?>

    /// Starts the thread; `userAgent` is sent where a request has no such header.
    ///
    /// - Throws: ``HTTPClientError/other(code:)`` when the thread cannot be started. Without libcurl every call fails.
    package init(limits: HTTPClientLimits = HTTPClientLimits(), userAgent: String) throws(HTTPClientError) {
        let mailbox = CurlCommandQueue(capacity: limits.calls)
        let started = try CurlThread(mailbox: mailbox, limits: limits, userAgent: userAgent)
        self.mailbox = mailbox
        self.thread = Mutex(started)
    }

    deinit {
        // Nobody is left to wait for the thread: it ends by itself.
        mailbox.close()
        thread.withLock { $0?.detach() }
    }

    /// Sends one request and waits for its response, whatever the status.
    ///
    /// When it returns, by whatever way, libcurl has let go of the request.
    package func send(_ request: HTTPClientRequest) async throws(HTTPClientError) -> HTTPClientResponse {
        let call = HTTPClientCall(request)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                mailbox.submit(PendingTransfer(call: call, continuation: continuation))
            }
        } onCancel: {
            // The mark comes first: a call that is submitted after it is never started.
            call.isCancelled.store(true, ordering: .releasing)
            mailbox.cancel(call)
        }
        return try result.get()
    }

    /// Fails every call in flight with ``HTTPClientError/shutDown`` and waits until the thread has ended.
    ///
    /// Calls after it fail at once. It may be called more than once.
    package func shutDown() async {
        mailbox.close()
        await mailbox.closed()
        thread.withLock { thread in
            // The thread's last act was to say so: this waits for no more than its return.
            thread?.join()
            thread = nil
        }
    }
}

/// What the caller's task and the transport's thread share about one call.
final class HTTPClientCall: Sendable {
    let request: HTTPClientRequest
    let isCancelled = Atomic(false)

    init(_ request: HTTPClientRequest) {
        self.request = request
    }
}

/// A call and the one who waits for it.
struct PendingTransfer: Sendable {
    let call: HTTPClientCall
    let continuation: CheckedContinuation<Result<HTTPClientResponse, HTTPClientError>, Never>

    func finish(_ result: Result<HTTPClientResponse, HTTPClientError>) {
        continuation.resume(returning: result)
    }
}
