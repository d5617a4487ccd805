package import Brokerage
import Coordination
import PorticoCore
package import Storage
import Synchronization
package import Upstream

/// Delivers the messages about firings to webhooks.
///
/// Each webhook has one task at a time, which sends its due messages one after the other. A failed attempt postpones all
/// due messages of the webhook, so that a receiver that does not respond costs few calls. The pause follows from the attempts
/// of all due messages together, because those with the fewest attempts are sent first. A message is deleted after the
/// receiver has accepted it: if the process is killed in between, it is sent again with the same id. If the database cannot
/// delete it, the deletion is repeated without another message.
///
/// A webhook whose messages cannot be read, or whose outcome cannot be stored, does not delay the others: its messages are
/// postponed in the database, so that any number of webhooks with damaged rows needs no memory. If the pause cannot be stored
/// either, it waits in memory with the pauses of ``Upstream/RetryPolicy/streams``. When ``Settings/maximumFailures`` wait in
/// memory, the database itself has failed, and no others are tried until one of them succeeds.
///
/// Test messages go to receivers that have not agreed to get messages, so their rate is limited for each host: for each
/// address of IPv4, and each /64 network of IPv6, whatever its names are (``CallLimits/webhookTestsOfHost``). Each further
/// attempt counts like another test that the user has requested (``CallLimits/webhookTests``). Above a rate, a message waits.
package final class WebhookDeliverer: Sendable {
    package struct Settings: Sendable {
        /// The pauses after failed attempts; after the last one, the pause stays the same.
        package var pauses: [Duration] = [
            .seconds(5), .seconds(30), .seconds(300), .seconds(1_800), .seconds(7_200), .seconds(14_400),
        ]
        /// A message is not sent any more when it is older.
        package var lifetime = Duration.seconds(86_400)
        /// The longest time of an attempt; after it, a webhook with further messages waits until others had their turn.
        package var timeout = Duration.seconds(15)
        /// Webhooks to which messages are sent at a time.
        package var maximumWebhooks = 16
        /// Messages that one task of a webhook sends, before other webhooks have their turn.
        package var maximumMessages = 50
        /// The longest pause between two reads of the pending messages, which another replica may have stored.
        package var maximumPause = Duration.seconds(15)
        /// The largest response in bytes.
        package var maximumResponse = 64 << 10
        /// The stored pause of a webhook after a storage error.
        package var storagePause = Duration.seconds(30)
        /// Webhooks that wait in memory after a storage error, and accepted messages until they are deleted.
        package var maximumFailures = 1_000

        package init() {}
    }

    private let services: GatewayServices
    private let client: HTTPClient
    private let clock: TimeSource
    private let settings: Settings
    // The tasks of webhooks change it; held for a look-up, or a sort of at most a thousand entries.
    private let state = Mutex(State())
    private let testsOfHosts: CallRateLimiter<IPAddress>

    /// - Parameters:
    ///   - services: The services of the schema.
    ///   - client: The client of webhooks only: it is not that of the providers, whose connections are not shared.
    ///   - clock: The clock of pauses and of the times of messages.
    ///   - settings: The limits.
    package init(
        _ services: GatewayServices, over client: HTTPClient, clock: TimeSource = .system,
        settings: Settings = Settings()
    ) {
        (self.services, self.client, self.clock, self.settings) = (services, client, clock, settings)
        testsOfHosts = CallRateLimiter(perClient: services.userData.limits.webhookTestsOfHost)
    }

    private struct State {
        /// The webhooks whose tasks run.
        var busy: Set<String> = []
        /// The webhooks that wait in memory after a storage error.
        var failures: [String: StorageFailure] = [:]
        /// The message of each webhook that its receiver has accepted, until it is deleted.
        var accepted: [String: AcceptedMessage] = [:]

        /// Webhooks that are not looked for among those with due messages.
        var excluded: Set<String> { busy.union(failures.keys) }

        /// Marks webhooks as busy whose pauses have ended, the longest ago first.
        mutating func startRetries(
            at now: ContinuousClock.Instant, limit: Int
        ) -> [(webhook: String, owner: OwnerID)] {
            let ended = failures.filter { $0.value.end <= now && !busy.contains($0.key) }
            let first = ended.sorted { $0.value.end < $1.value.end }.prefix(max(limit - busy.count, 0))
            for (webhook, _) in first { busy.insert(webhook) }
            return first.map { ($0.key, $0.value.owner) }
        }

        /// Excludes a webhook until its pause has ended.
        mutating func didFail(_ webhook: String, of owner: OwnerID, at now: ContinuousClock.Instant) {
            var failure = failures[webhook] ?? StorageFailure(owner: owner, end: now)
            failure.count += 1
            failure.end = now + RetryPolicy.streams.pause(after: failure.count)
            failures[webhook] = failure
        }

        /// Keeps an accepted message in memory.
        ///
        /// Above a limit, the oldest one of a webhook that waits in the database is removed from memory, and is sent again.
        mutating func keep(_ new: AcceptedMessage, limit: Int) {
            if accepted.count >= limit, accepted[new.message.webhook] == nil {
                let oldest = accepted.filter { !busy.contains($0.key) && failures[$0.key] == nil }
                    .min { $0.value.acceptedAt < $1.value.acceptedAt }
                if let oldest { accepted[oldest.key] = nil }
            }
            accepted[new.message.webhook] = new
        }
    }

    /// The storage errors of a webhook since its last success.
    private struct StorageFailure {
        let owner: OwnerID
        var count = 0
        /// The webhook is tried again then.
        var end: ContinuousClock.Instant
    }

    private struct AcceptedMessage {
        let message: WebhookDelivery
        let acceptedAt: Instant
    }

    private var store: WebhookStore { services.userData.webhooks }
    private var events: AlertEvents { services.subscriptions.alerts }

    /// What happens while messages are delivered.
    package enum Report: Sendable {
        /// Messages cannot be read, or an outcome cannot be stored; both are tried again.
        case storage(StorageError)
        /// An attempt has failed; the webhook is named by its id only, and the reason does not contain its host.
        case failure(webhook: String, reason: String)
    }

    /// Delivers messages until the task is cancelled.
    package func run(reporting report: @escaping @Sendable (Report) -> Void) async {
        await withDiscardingTaskGroup { group in
            var failures = 0
            while !Task.isCancelled {
                var pause = settings.maximumPause
                do throws(StorageError) {
                    for (webhook, owner) in state.withLock({
                        $0.startRetries(at: clock.now(), limit: settings.maximumWebhooks)
                    }) {
                        group.addTask { await self.deliver(to: webhook, of: owner, reporting: report) }
                    }
                    let now = clock.wallTime()
                    let (excluded, free) = placesForOthers()
                    if free > 0 {
                        for (webhook, owner) in try await store.due(at: now, except: excluded, limit: free) {
                            state.withLock { _ = $0.busy.insert(webhook) }
                            group.addTask { await self.deliver(to: webhook, of: owner, reporting: report) }
                        }
                        let (excluded, free) = placesForOthers()
                        // The end of a task wakes this loop when all are busy.
                        if free > 0, let next = try await store.nextDue(except: excluded) {
                            pause = min(pause, max(next.duration(since: now), .zero))
                        }
                    }
                    if let next = nextRetry() {
                        pause = min(pause, max(clock.now().duration(to: next), .zero))
                    }
                    failures = 0
                } catch {
                    // GRDB throws from a read whose task is cancelled.
                    if Task.isCancelled { break }
                    report(.storage(error))
                    failures += 1
                    pause = RetryPolicy.streams.pause(after: failures)
                }
                let end = clock.now() + pause
                await events.deliverySignal.waitOrCancel { [clock] in try? await clock.sleep(end) }
            }
        }
    }

    /// The webhooks that are not looked for, and the number of others to which messages can be sent.
    private func placesForOthers() -> (excluded: Set<String>, free: Int) {
        state.withLock { state in
            let isFull = state.failures.count >= settings.maximumFailures
            return (state.excluded, isFull ? 0 : settings.maximumWebhooks - state.busy.count)
        }
    }

    /// The time at which the next webhook can be tried again after a storage error; nil if none waits, or all places are taken.
    private func nextRetry() -> ContinuousClock.Instant? {
        state.withLock { state in
            guard state.busy.count < settings.maximumWebhooks else { return nil }
            let busy = state.busy
            return state.failures.filter { !busy.contains($0.key) }.map(\.value.end).min()
        }
    }

    /// Sends due messages of a webhook until one fails, or the time of an attempt is over.
    private func deliver(
        to webhook: String, of owner: OwnerID, reporting report: @Sendable (Report) -> Void
    ) async {
        let end = clock.now() + settings.timeout
        do throws(StorageError) {
            // First, so that a webhook has at most one such message.
            if let accepted = state.withLock({ $0.accepted[webhook] }) { try await delete(accepted) }
            let now = clock.wallTime()
            let messages = try await store.deliveries(
                of: webhook, dueAt: now, limit: settings.maximumMessages)
            var attempts = try await store.attempts(of: webhook, dueAt: now)
            for message in messages where !Task.isCancelled && clock.now() < end {
                guard try await deliver(message, after: attempts, readAt: now, reporting: report) else {
                    break
                }
                attempts -= message.attempts
            }
            state.withLock { $0.failures[webhook] = nil }
        } catch {
            if !Task.isCancelled {
                await postpone(webhook, of: owner)
                report(.storage(error))
            }
        }
        state.withLock { _ = $0.busy.remove(webhook) }
        events.deliverySignal.send()
    }

    /// Lets a webhook wait after a storage error.
    private func postpone(_ webhook: String, of owner: OwnerID) async {
        do throws(StorageError) {
            let now = clock.wallTime()
            try await store.postponeAll(
                of: webhook, owner,
                "The messages of this webhook cannot be read or stored. Ask the operator.", at: now,
                until: now + settings.storagePause)
            state.withLock { $0.failures[webhook] = nil }
        } catch {
            state.withLock { $0.didFail(webhook, of: owner, at: clock.now()) }
        }
    }

    /// - Parameters:
    ///   - message: The message.
    ///   - attempts: The attempts of all due messages of the webhook together.
    ///   - readAt: The time at which the due messages were read: a failure does not postpone later ones.
    ///   - report: Called for a failure.
    /// - Returns: Whether further messages can be sent to the webhook.
    /// - Throws: `StorageError` if the webhook cannot be read, or the outcome cannot be stored.
    private func deliver(
        _ message: WebhookDelivery, after attempts: Int, readAt: Instant,
        reporting report: @Sendable (Report) -> Void
    ) async throws(StorageError) -> Bool {
        let attempts = max(attempts, message.attempts)
        let outcome: Outcome
        do throws(StorageError) {
            // A webhook that was deleted has no messages; another program can have changed the user of a message.
            guard let target = try await store.target(of: message.webhook, message.owner) else {
                try await store.postpone(message, until: clock.wallTime() + settings.storagePause)
                return false
            }
            outcome = await attempt(message, after: attempts, at: target)
        } catch {
            // Another program has changed the row: the attempt fails, as with a receiver that does not respond.
            guard case .decryptionFailed = error else { throw error }
            report(.storage(error))
            outcome = .failed(
                Failure(
                    "The stored address or secret cannot be decrypted: delete the webhook, and register it again."
                ))
        }
        let now = clock.wallTime()
        let failure: Failure
        switch outcome {
        case .accepted:
            try await delete(AcceptedMessage(message: message, acceptedAt: now))
            return true
        case .limited(let pause):
            try await store.postpone(message, until: now + pause)
            return true
        case .failed(let reason): failure = reason
        }
        if Task.isCancelled { return false }
        report(.failure(webhook: message.webhook, reason: failure.reason))
        let discarded = try await store.didFail(
            message, failure.reason, readAt: readAt, at: now, next: now + pause(after: attempts),
            expiredBefore: now - settings.lifetime, isGone: failure.isGone)
        events.count { counts in
            counts.failed += 1
            counts.discarded += discarded
        }
        return false
    }

    /// Deletes a message, which is not sent again if this fails.
    private func delete(_ accepted: AcceptedMessage) async throws(StorageError) {
        let message = accepted.message
        do throws(StorageError) {
            // A repeated deletion is later than the failure of the one before.
            try await store.didDeliver(message, at: clock.wallTime())
        } catch {
            state.withLock { $0.keep(accepted, limit: settings.maximumFailures) }
            throw error
        }
        state.withLock { $0.accepted[message.webhook] = nil }
        events.count { $0.delivered += 1 }
    }

    /// The pause after an attempt, changed by up to a tenth at random, so that messages of several webhooks spread.
    private func pause(after attempts: Int) -> Duration {
        let pauses = settings.pauses
        guard let last = pauses.last else { return .zero }
        return (attempts < pauses.count ? pauses[attempts] : last) * Double.random(in: 0.9...1.1)
    }

    /// The reason of a failed attempt.
    private struct Failure {
        /// Without the host, because it is stored and logged in clear; the user sees the address beside it.
        let reason: String
        /// Whether the receiver wants no messages any more.
        let isGone: Bool

        init(_ reason: String, isGone: Bool = false) { (self.reason, self.isGone) = (reason, isGone) }
    }

    private enum Outcome {
        case accepted
        case failed(Failure)
        /// No attempt was made, because of the limit for each host, or for each user.
        case limited(Duration)
    }

    /// Counts an attempt to send a test message; its user was counted for the first one when the test was requested.
    private func countTest(_ message: WebhookDelivery, to ip: IPAddress) throws(CallRateLimiter<IPAddress>
        .Refusal)
    {
        let tests = services.webhookTests
        let isRepeated = message.attempts > 0
        if isRepeated {
            do throws(CallRateLimiter<OwnerID>.Refusal) {
                try tests.consume(message.owner, now: clock.now())
            } catch {
                throw .client(retryAfter: error.retryAfter)
            }
        }
        do throws(CallRateLimiter<IPAddress>.Refusal) {
            try testsOfHosts.consume(ip.network, now: clock.now())
        } catch {
            if isRepeated { tests.refund(message.owner) }
            throw error
        }
    }

    /// Makes one attempt, unless the limit for each host, or for each user, forbids it.
    private func attempt(
        _ message: WebhookDelivery, after attempts: Int, at target: WebhookTarget
    ) async -> Outcome {
        guard let signature = WebhookSignature(target.secret) else {
            return .failed(Failure("The secret is not usable."))
        }
        let address: WebhookAddress
        let ip: IPAddress
        do throws(WebhookAddressError) {
            address = try WebhookAddress(target.url, services.userData.webhookPolicy)
            ip = try await address.resolve(for: message.owner, attempt: attempts)
        } catch {
            return .failed(Failure(error.withoutHost))
        }
        if message.isTest {
            do throws(CallRateLimiter<IPAddress>.Refusal) {
                try countTest(message, to: ip)
            } catch {
                return .limited(error.retryAfter)
            }
        }
        var request = HTTPClientRequest(
            .post, address.url, body: Array(message.body.utf8), deadline: .now + settings.timeout,
            maximumResponseBytes: settings.maximumResponse)
        request.address = ip
        request.headers.add("Content-Type", "application/json")
        let time = clock.wallTime().secondsSince1970
        for header in signature.headers(id: message.id, at: time, body: message.body) {
            request.headers.add(header.name, header.value)
        }
        do throws(HTTPClientError) {
            let response = try await client.send(request)
            if response.isSuccess { return .accepted }
            let isRedirect = (300..<400).contains(response.status)
            return .failed(
                Failure(
                    "The receiver responded with status \(response.status)"
                        + (isRedirect ? "; redirects are not followed." : "."),
                    isGone: response.status == 410))
        } catch {
            return .failed(Failure(Self.reason(of: error)))
        }
    }

    private static func reason(of error: HTTPClientError) -> String {
        switch error {
        case .couldNotConnect, .couldNotResolve: "The receiver could not be reached."
        case .timedOut: "The receiver did not respond in time."
        case .tls: "The receiver's certificate is not valid for its name, or TLS failed."
        case .responseTooLarge: "The receiver's response is too large."
        case .malformedResponse: "The receiver's response is not valid HTTP."
        case .interrupted: "The connection to the receiver broke."
        case .cancelled, .shutDown, .notSent, .overloaded, .badURL, .other: "The message could not be sent."
        }
    }
}
