import CCurl
import Glibc
import Synchronization

/// Drives all transfers: takes calls from the mailbox, lets libcurl work, hands back results.
///
/// Lives on one thread.
struct CurlMultiLoop: ~Copyable {
    private let mailbox: CurlCommandQueue
    private let limits: HTTPClientLimits
    private let userAgent: String
    private var idle: [CurlTransfer] = []
    private var active: [ObjectIdentifier: CurlTransfer] = [:]
    /// No later than the earliest deadline of an active transfer.
    private var nextDeadline: ContinuousClock.Instant?

    init(mailbox: CurlCommandQueue, limits: HTTPClientLimits, userAgent: String) {
        self.mailbox = mailbox
        self.limits = limits
        self.userAgent = userAgent
    }

    mutating func run() {
        guard CurlLibrary.isReady, let multi = unsafe curl_multi_init(), let events = CurlEventPoll() else {
            return failAll()
        }
        unsafe configure(multi)
        unsafe events.attach(to: multi)
        mailbox.open { events.wake() }
        while true {
            let batch = mailbox.collect()
            for submission in batch.submissions { unsafe start(submission, on: multi) }
            for call in batch.cancellations { unsafe cancel(call, on: multi) }
            if batch.isClosing { break }
            unsafe events.wait(until: nextDeadline, driving: multi)
            unsafe finishDone(on: multi)
            unsafe expire(on: multi)
        }
        for transfer in Array(active.values) { unsafe finish(transfer, .failure(.shutDown), on: multi) }
        mailbox.stopWaking()
        // Easy handles are released before the multi handle, and the events after both.
        idle = []
        unsafe curl_multi_cleanup(multi)
        withExtendedLifetime(events) {}
    }

    /// Without libcurl every call fails, until the transport is closed.
    private func failAll() {
        mailbox.close()
        for submission in mailbox.collect().submissions {
            submission.finish(.failure(.other(code: Int32(CURLE_FAILED_INIT.rawValue))))
        }
    }

    @unsafe
    private func configure(_ multi: UnsafeMutableRawPointer) {
        unsafe ccurl_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, limits.connectionsPerHost)
        unsafe ccurl_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, limits.connections)
        unsafe ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, limits.connections)
        // Above it, libcurl opens a connection for each further call, instead of a stream; a server has a limit of its own.
        unsafe ccurl_multi_set_long(multi, CURLMOPT_MAX_CONCURRENT_STREAMS, limits.callsPerProvider)
    }

    // MARK: Transfers

    @unsafe
    private mutating func start(_ submission: PendingTransfer, on multi: UnsafeMutableRawPointer) {
        let request = submission.call.request
        guard !submission.call.isCancelled.load(ordering: .acquiring) else {
            return end(submission, .failure(.cancelled))
        }
        let remaining = ContinuousClock.now.duration(to: request.deadline)
        guard remaining > .zero else { return end(submission, .failure(.timedOut)) }
        guard let transfer = idle.popLast() ?? CurlTransfer(userAgent: userAgent, limits: limits) else {
            return end(submission, .failure(.other(code: Int32(CURLE_OUT_OF_MEMORY.rawValue))))
        }
        if let failure = transfer.begin(submission, connectTimeout: min(remaining, limits.connectTimeout)) {
            transfer.end()
            idle.append(transfer)
            return end(submission, .failure(failure))
        }
        let status = unsafe curl_multi_add_handle(multi, transfer.handle)
        guard status == CURLM_OK else {
            transfer.end()
            return end(submission, .failure(.other(code: status.rawValue)))
        }
        active[ObjectIdentifier(submission.call)] = transfer
        nextDeadline = min(nextDeadline ?? request.deadline, request.deadline)
    }

    @unsafe
    private mutating func cancel(_ call: HTTPClientCall, on multi: UnsafeMutableRawPointer) {
        // A call that has ended, or was not submitted yet: `start` checks its flag then.
        guard let transfer = active[ObjectIdentifier(call)] else { return }
        unsafe finish(transfer, .failure(.cancelled), on: multi)
    }

    @unsafe
    private mutating func finishDone(on multi: UnsafeMutableRawPointer) {
        var remaining: Int32 = 0
        while let message = unsafe curl_multi_info_read(multi, &remaining) {
            // The message dies with the handle's removal, so all is taken out first.
            guard unsafe message.pointee.msg == CURLMSG_DONE, let handle = unsafe message.pointee.easy_handle
            else {
                continue
            }
            let code = unsafe ccurl_message_result(message)
            guard let transfer = unsafe CurlTransfer.owning(handle) else { continue }
            unsafe finish(transfer, transfer.result(code), on: multi)
        }
    }

    /// Fails the calls whose deadline has passed.
    ///
    /// libcurl's own timeout does not count for calls that wait for a connection.
    @unsafe
    private mutating func expire(on multi: UnsafeMutableRawPointer) {
        guard let next = nextDeadline else { return }
        let now = ContinuousClock.now
        guard next <= now else { return }
        for transfer in Array(active.values) where transfer.deadline.map({ $0 <= now }) ?? false {
            unsafe finish(transfer, .failure(.timedOut), on: multi)
        }
        nextDeadline = active.values.compactMap(\.deadline).min()
    }

    @unsafe
    private mutating func finish(
        _ transfer: CurlTransfer, _ result: Result<HTTPClientResponse, HTTPClientError>,
        on multi: UnsafeMutableRawPointer
    ) {
        unsafe curl_multi_remove_handle(multi, transfer.handle)
        let submission = transfer.end()
        idle.append(transfer)
        guard let submission else { return }
        active[ObjectIdentifier(submission.call)] = nil
        end(submission, result)
    }

    private func end(_ submission: PendingTransfer, _ result: Result<HTTPClientResponse, HTTPClientError>) {
        mailbox.didFinishCall()
        submission.finish(result)
    }
}

/// libcurl's process-wide state.
enum CurlLibrary {
    /// Initialised once, at the first use; libcurl 7.84 and later do so thread-safely.
    static let isReady = curl_global_init(Int(CURL_GLOBAL_SSL)) == CURLE_OK
}

/// The thread on which libcurl runs.
///
/// It is a thread of its own, because it blocks while it waits for sockets.
struct CurlThread: Sendable {
    private let handle: pthread_t

    init(mailbox: CurlCommandQueue, limits: HTTPClientLimits, userAgent: String) throws(HTTPClientError) {
        let start = Start(mailbox: mailbox, limits: limits, userAgent: userAgent)
        var handle = pthread_t()
        // The new thread takes over this reference.
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

    /// The arguments of the new thread.
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
