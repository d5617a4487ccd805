package import Brokerage
import Synchronization
import Tracing

/// Calls one provider: sends requests, retries reads, classifies failures, and records each call.
///
/// A write is sent at most once. The method of the request determines whether it is a write.
package struct ProviderHTTPClient: Sendable {
    private let channel: ProviderChannel
    private let windows: [QuotaWindow]
    private let reportedQuotas: @Sendable (HTTPClientResponse, _ now: Instant) -> [ReportedQuota]
    private let failure: @Sendable (HTTPClientResponse, _ now: Instant) -> ProviderFailure.Cause?

    /// See ``ProviderChannel/client(within:reportedQuotas:failure:)``.
    init(
        channel: ProviderChannel, windows: [QuotaWindow],
        reportedQuotas: @escaping @Sendable (HTTPClientResponse, _ now: Instant) -> [ReportedQuota],
        failure: @escaping @Sendable (HTTPClientResponse, _ now: Instant) -> ProviderFailure.Cause?
    ) {
        self.channel = channel
        self.windows = windows
        self.reportedQuotas = reportedQuotas
        self.failure = failure
    }

    package var provider: ProviderID { channel.quotaAccount.provider }
    private var clock: TimeSource { channel.clock }
    private var retry: RetryPolicy { channel.retry }

    /// Sends a request and reads its response.
    ///
    /// Each attempt takes a slot in each window of the client before it is sent, and waits for it up to a few seconds. Without
    /// a slot it fails as ``QuotaLimiter/reserve(_:of:before:isShared:)`` does, and nothing is sent. Nothing is sent to a host
    /// whose circuit breaker is open (`circuitOpen`), nor above the limits of the operation or its client
    /// (`notAllowed`). The number of calls in flight is at most the one that the monitor allows the provider.
    ///
    /// - Parameters:
    ///   - operation: A name for records: `account`.
    ///   - request: Its deadline is limited to that of `context`.
    ///   - context: The owner and the deadline of the call.
    ///   - read: Makes a value from a good response.
    /// - Returns: The value that `read` made.
    /// - Throws: The failure of the last attempt.
    package func call<Value>(
        _ operation: String, _ request: HTTPClientRequest, in context: CallContext,
        read: (HTTPClientResponse) throws(JSONError) -> Value
    ) async throws(ProviderFailure) -> Value {
        var progress = Progress(operation: operation, start: clock.now())
        var request = request
        let span = context.tracing?.begin(operation, of: &request, to: provider.name.text)
        var value: Value?
        do throws(ProviderFailure) {
            try await repeatedly(request, in: context, &progress) { response throws(JSONError) in
                value = try read(response)
            }
        } catch {
            record(operation, .failed(error.cause), progress, in: context, span)
            throw error
        }
        record(operation, .succeeded, progress, in: context, span)
        // A call that succeeds has read its response.
        guard let value else { throw ProviderFailure(provider, .cancelled) }
        return value
    }

    /// Reads a response, and stores the value.
    ///
    /// The steps of a call are not generic: the compiler does not specialize them for the values of other modules, and generic
    /// ones look up the metadata of types for each call.
    private typealias Reader = (HTTPClientResponse) throws(JSONError) -> Void

    /// The state of a call, for its record.
    private struct Progress {
        let operation: String
        let start: ContinuousClock.Instant
        /// The number of attempts.
        var attempts = 0
        /// The status of the last attempt's response; nil if it had none.
        var status: Int?
    }

    private func repeatedly(
        _ request: HTTPClientRequest, in context: CallContext, _ progress: inout Progress, read: Reader
    ) async throws(ProviderFailure) {
        var attempt = 1
        while true {
            let failure: ProviderFailure
            do throws(ProviderFailure) {
                return try await once(request, isRetry: attempt > 1, in: context, &progress, read: read)
            } catch {
                failure = error
            }
            guard request.method.isRead, attempt < retry.attempts,
                let next = resumption(after: failure.cause, attempt: attempt, before: context.deadline)
            else { throw failure }
            do {
                try await clock.sleep(next)
            } catch {
                throw ProviderFailure(provider, .cancelled)
            }
            attempt += 1
        }
    }

    private func once(
        _ request: HTTPClientRequest, isRetry: Bool, in context: CallContext, _ progress: inout Progress,
        read: Reader
    ) async throws(ProviderFailure) {
        let deadline = min(request.deadline, context.deadline)
        let authority = request.url.authority
        if !isRetry, let refusal = context.callBudget?.limitError() {
            throw ProviderFailure(provider, .notAllowed(refusal))
        }
        // Check the circuit breaker before waiting for a concurrency slot.
        try channel.monitor.check(provider, authority)
        do throws(ConcurrencyLimiter.Failure) {
            try await channel.concurrencyLimiter.acquire(before: deadline)
        } catch {
            throw ProviderFailure(provider, ProviderFailure.Cause(error))
        }
        defer { channel.concurrencyLimiter.release() }
        let permit = try channel.monitor.admit(provider, authority)
        let writeObserver = request.method.isRead ? nil : context.writeObserver
        var latestSend = deadline
        var (isAllowed, isMarked) = (false, false)
        // One pass, or more if the request was not sent because its slots were too old at its first byte.
        while true {
            let reservation: QuotaReservation
            do throws(ProviderFailure) {
                reservation = try await self.reservation(
                    before: latestSend, isMarked: isMarked, isShared: context.callBudget?.isBudgeted ?? false)
            } catch {
                channel.monitor.withdraw(permit)
                if isMarked { writeObserver?.wasNotProcessed() }
                throw error
            }
            if !isAllowed, let refusal = context.callBudget?.consume(isRetry: isRetry) {
                channel.monitor.withdraw(permit)
                await channel.ledger.release(reservation)
                throw ProviderFailure(provider, .notAllowed(refusal))
            }
            isAllowed = true
            if let writeObserver, !isMarked {
                // Measured from before the mark: a process that is stopped while it sets the mark sends
                // nothing either.
                latestSend = min(deadline, clock.now() + WriteObserver.validity)
                try await announce(to: writeObserver, permit, reservation)
                isMarked = true
            }
            let start = clock.now()
            do throws(ProviderFailure) {
                let isSent = try await exchange(
                    request, reservation, before: deadline, latestSend: latestSend, start: start,
                    writeObserver,
                    &progress, read: read)
                guard isSent else { continue }
                channel.monitor.didEnd(permit, sentAt: start, nil)
                return
            } catch {
                channel.monitor.didEnd(permit, sentAt: start, error.cause)
                throw error
            }
        }
    }

    /// Takes a slot in each window; throws if there is none, or if it is too late to send.
    private func reservation(
        before latestSend: ContinuousClock.Instant, isMarked: Bool, isShared: Bool
    ) async throws(ProviderFailure) -> QuotaReservation {
        guard clock.now() < latestSend else {
            throw ProviderFailure(provider, isMarked ? .overloaded : .timedOut)
        }
        return try await channel.ledger.reserve(
            windows, of: channel.quotaAccount, before: latestSend, isShared: isShared)
    }

    /// Has a write marked before it is sent.
    ///
    /// A write that cannot be marked is not sent.
    private func announce(
        to writeObserver: WriteObserver, _ permit: ProviderMonitor.Permit, _ reservation: QuotaReservation
    ) async throws(ProviderFailure) {
        do {
            try await writeObserver.willSend()
        } catch {
            channel.monitor.withdraw(permit)
            await channel.ledger.release(reservation)
            throw ProviderFailure(provider, .cancelled)
        }
    }

    /// Sends the request and reads its response; returns false if it was not sent because its time had passed.
    private func exchange(
        _ request: HTTPClientRequest, _ reservation: QuotaReservation,
        before deadline: ContinuousClock.Instant,
        latestSend: ContinuousClock.Instant, start: ContinuousClock.Instant, _ writeObserver: WriteObserver?,
        _ progress: inout Progress, read: Reader
    ) async throws(ProviderFailure) -> Bool {
        var request = request
        request.deadline = deadline
        // The error does not show whether the request was sent: libcurl can fail to connect again after it
        // has sent the request on a reused connection, and a deadline can pass before a connection exists.
        let mayBeSent = Atomic(false)
        if writeObserver != nil || !windows.isEmpty {
            // Called once, on the client's thread, immediately before the first byte; false ends the call with `notSent`.
            request.maySend = { [clock, ledger = channel.ledger] in
                guard clock.now() < latestSend, ledger.confirm(reservation) else { return false }
                mayBeSent.store(true, ordering: .releasing)
                return true
            }
        }
        // A write has the whole deadline, because it is not retried.
        if request.method.isRead { request.deadline = min(request.deadline, start + retry.attemptTimeout) }
        let response: HTTPClientResponse
        progress.attempts += 1
        progress.status = nil
        do throws(HTTPClientError) {
            response = try await channel.transport.send(request)
        } catch .notSent {
            progress.attempts -= 1
            await channel.ledger.release(reservation)
            return false
        } catch {
            if !mayBeSent.load(ordering: .acquiring) {
                writeObserver?.wasNotProcessed()
                await channel.ledger.release(reservation)
            }
            throw ProviderFailure(provider, transport: error)
        }
        progress.status = response.status
        let now = clock.wallTime()
        let cause = failure(response, now)
        if !windows.isEmpty {
            await channel.ledger.record(
                reportedQuotas(response, now), cause, in: windows, of: channel.quotaAccount)
        }
        if let cause {
            if cause.traits.contains(.notProcessed) { writeObserver?.wasNotProcessed() }
            throw ProviderFailure(provider, cause)
        }
        do throws(JSONError) {
            // The body of a refusal has other members, and an empty one, such as that of a cancellation, has none.
            guard let inspect = channel.monitor.inspect, 200..<300 ~= response.status, !response.body.isEmpty
            else {
                try read(response)
                return true
            }
            let inspection = JSONInspection()
            defer { inspect(provider, progress.operation, inspection.findings) }
            try inspection.during { () throws(JSONError) in try read(response) }
            return true
        } catch {
            throw ProviderFailure(provider, .invalidResponse(error))
        }
    }

    /// When to try again; nil if it makes no sense or cannot be before the deadline.
    private func resumption(
        after cause: ProviderFailure.Cause, attempt: Int, before deadline: ContinuousClock.Instant
    ) -> ContinuousClock.Instant? {
        guard cause.traits.contains(.transient) else { return nil }
        var pause = retry.pause(after: attempt)
        if let retryAt = cause.retryAt { pause = max(pause, retryAt.duration(since: clock.wallTime())) }
        let next = clock.now() + pause
        return next < deadline ? next : nil
    }

    private func record(
        _ operation: String, _ outcome: CallRecord.Outcome, _ progress: Progress, in context: CallContext,
        _ span: (any Tracing.Span)?
    ) {
        let record = CallRecord(
            provider: provider, operation: operation, outcome: outcome, start: progress.start,
            duration: progress.start.duration(to: clock.now()), status: progress.status,
            attempts: progress.attempts)
        channel.monitor.observe?(record)
        context.observe?(record)
        span?.end(as: record)
    }
}
