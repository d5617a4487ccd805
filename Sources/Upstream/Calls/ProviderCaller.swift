package import Brokerage
import Tracing

/// Calls one provider: sends, tries reads again, tells failures apart, reports what it did.
///
/// A write goes out once, whatever happens: its method decides, not the caller.
package struct ProviderCaller: Sendable {
    private let line: ProviderLine
    private let windows: [QuotaWindow]
    private let readings: @Sendable (HTTPResponse, _ now: Instant) -> [QuotaReading]
    private let failure: @Sendable (HTTPResponse, _ now: Instant) -> ProviderFailure.Cause?

    /// A caller of one provider.
    ///
    /// `failure` tells what a response that is none means, and nil for a good one; a provider that puts its errors
    /// under status 200 looks for them there.
    package init(
        _ provider: Provider, over transport: Transport, clock: CallClock = .system,
        retry: RetryPolicy = RetryPolicy(),
        failure: @escaping @Sendable (HTTPResponse, _ now: Instant) -> ProviderFailure.Cause? = {
            ProviderFailure.Cause.status(of: $0, now: $1)
        }
    ) {
        let line = ProviderLine(QuotaHolder(provider), over: transport, clock: clock, retry: retry)
        self.init(line: line, windows: [], readings: { _, _ in [] }, failure: failure)
    }

    /// See ``ProviderLine/caller(within:readings:failure:)``.
    init(
        line: ProviderLine, windows: [QuotaWindow],
        readings: @escaping @Sendable (HTTPResponse, _ now: Instant) -> [QuotaReading],
        failure: @escaping @Sendable (HTTPResponse, _ now: Instant) -> ProviderFailure.Cause?
    ) {
        self.line = line
        self.windows = windows
        self.readings = readings
        self.failure = failure
    }

    package var provider: Provider { line.holder.provider }
    private var clock: CallClock { line.clock }
    private var retry: RetryPolicy { line.retry }

    /// Sends a request and reads its response.
    ///
    /// Each attempt takes a place in each of the caller's windows before it goes out; without one it fails with
    /// `quotaExhausted` and the moment of the next, and nothing is sent. Neither is it to a host that is out of order
    /// (`circuitOpen`), and no more are in flight than the monitor allows the provider.
    ///
    /// - Parameters:
    ///   - operation: A name for records: `account`.
    ///   - request: Its deadline is cut to that of `context`.
    ///   - context: Whose call it is, and until when.
    ///   - read: Makes a value of a good response.
    /// - Returns: what `read` made.
    /// - Throws: the failure of the last attempt.
    package func call<Value>(
        _ operation: String, _ request: HTTPRequest, in context: CallContext,
        read: (HTTPResponse) throws(JSONError) -> Value
    ) async throws(ProviderFailure) -> Value {
        var course = Course(start: clock.now())
        var request = request
        let span = context.tracing?.begin(operation, of: &request, to: provider.rawValue)
        do throws(ProviderFailure) {
            let value = try await repeatedly(request, in: context, &course, read: read)
            record(operation, .answered, course, in: context, span)
            return value
        } catch {
            record(operation, .failed(error.cause), course, in: context, span)
            throw error
        }
    }

    /// How a call goes, for its record.
    private struct Course {
        let start: ContinuousClock.Instant
        /// How often the request went out.
        var attempts = 0
        /// Of the last attempt's response; nil where it brought none.
        var status: Int?
    }

    private func repeatedly<Value>(
        _ request: HTTPRequest, in context: CallContext, _ course: inout Course,
        read: (HTTPResponse) throws(JSONError) -> Value
    ) async throws(ProviderFailure) -> Value {
        var attempt = 1
        while true {
            let failure: ProviderFailure
            do throws(ProviderFailure) {
                return try await once(request, in: context, &course, read: read)
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

    private func once<Value>(
        _ request: HTTPRequest, in context: CallContext, _ course: inout Course,
        read: (HTTPResponse) throws(JSONError) -> Value
    ) async throws(ProviderFailure) -> Value {
        let deadline = min(request.deadline, context.deadline)
        let authority = request.url.authority
        // Whoever would be refused does not queue first.
        try line.monitor.check(provider, authority)
        do throws(CallGate.Failure) {
            try await line.gate.enter(before: deadline)
        } catch {
            throw ProviderFailure(provider, ProviderFailure.Cause(error))
        }
        defer { line.gate.leave() }
        let pass = try line.monitor.admit(provider, authority)
        // It could not be sent any more, and would cost its place in the quota.
        guard clock.now() < deadline else {
            line.monitor.withdraw(pass)
            throw ProviderFailure(provider, .timedOut)
        }
        let reservation = try await reservation(for: pass, before: deadline)
        let watch = request.method.isRead ? nil : context.watch
        try await announce(to: watch, pass, reservation)
        let start = clock.now()
        do throws(ProviderFailure) {
            let value = try await exchange(
                request, reservation, before: deadline, start: start, watch, &course, read: read)
            line.monitor.didEnd(pass, sentAt: start, nil)
            return value
        } catch {
            line.monitor.didEnd(pass, sentAt: start, error.cause)
            throw error
        }
    }

    /// A place in each window; without one the call is not made.
    private func reservation(
        for pass: ProviderMonitor.Pass, before deadline: ContinuousClock.Instant
    ) async throws(ProviderFailure) -> QuotaReservation {
        do throws(ProviderFailure) {
            return try await line.ledger.reserve(windows, of: line.holder, before: deadline)
        } catch {
            line.monitor.withdraw(pass)
            throw error
        }
    }

    /// Nothing that changes something goes out before the one who must know has written it down.
    private func announce(
        to watch: WriteWatch?, _ pass: ProviderMonitor.Pass, _ reservation: QuotaReservation
    ) async throws(ProviderFailure) {
        do {
            try await watch?.willSend()
        } catch {
            line.monitor.withdraw(pass)
            await line.ledger.release(reservation)
            throw ProviderFailure(provider, .cancelled)
        }
    }

    private func exchange<Value>(
        _ request: HTTPRequest, _ reservation: QuotaReservation, before deadline: ContinuousClock.Instant,
        start: ContinuousClock.Instant, _ watch: WriteWatch?, _ course: inout Course,
        read: (HTTPResponse) throws(JSONError) -> Value
    ) async throws(ProviderFailure) -> Value {
        var request = request
        request.deadline = deadline
        // A write is not given up early to be tried again, as it is not tried again.
        if request.method.isRead { request.deadline = min(request.deadline, start + retry.attemptTimeout) }
        let response: HTTPResponse
        course.attempts += 1
        course.status = nil
        do throws(TransportError) {
            response = try await line.transport.send(request)
        } catch {
            if error.isBeforeSending {
                watch?.wasNotTaken()
                await line.ledger.release(reservation)
            }
            throw ProviderFailure(provider, transport: error)
        }
        course.status = response.status
        let now = clock.wallTime()
        let cause = failure(response, now)
        if !windows.isEmpty {
            await line.ledger.note(readings(response, now), cause, in: windows, of: line.holder)
        }
        if let cause {
            if cause.isTurnedAway { watch?.wasNotTaken() }
            throw ProviderFailure(provider, cause)
        }
        do throws(JSONError) {
            return try read(response)
        } catch {
            throw ProviderFailure(provider, .answerInvalid(error))
        }
    }

    /// When to try again; nil if it makes no sense or cannot be before the deadline.
    private func resumption(
        after cause: ProviderFailure.Cause, attempt: Int, before deadline: ContinuousClock.Instant
    ) -> ContinuousClock.Instant? {
        guard cause.isTransient else { return nil }
        var pause = retry.pause(after: attempt)
        if let retryAt = cause.retryAt { pause = max(pause, retryAt.duration(since: clock.wallTime())) }
        let next = clock.now() + pause
        return next < deadline ? next : nil
    }

    private func record(
        _ operation: String, _ outcome: CallRecord.Outcome, _ course: Course, in context: CallContext,
        _ span: (any Tracing.Span)?
    ) {
        let record = CallRecord(
            provider: provider, operation: operation, outcome: outcome, start: course.start,
            duration: course.start.duration(to: clock.now()), status: course.status,
            attempts: course.attempts)
        line.monitor.observe?(record)
        context.observe?(record)
        span?.end(as: record)
    }
}
