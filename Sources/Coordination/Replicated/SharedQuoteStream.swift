package import Brokerage
import PorticoCore
package import Redis
import Synchronization
package import Upstream

/// A provider's stream of prices that several replicas share: one of them has the connection, and publishes its events
/// through Redis.
///
/// The replica that holds a lease owns the stream. It carries the symbols that all replicas want, as many as the provider
/// allows. Each message has the epoch of the lease and a number: receivers drop messages of an earlier owner, and a gap
/// counts as a new connection, after which prices are read anew. An owner announces its epoch in Redis before it connects, so
/// that an earlier one stops. An owner whose lease ends because the database is not available continues as long as no
/// higher epoch is announced.
///
/// Without Redis ``run(_:deliver:)`` fails, and prices are polled; an owner then closes its connection.
///
/// Only streams with the server's own credentials may be shared: their prices are for everybody.
package final class SharedQuoteStream: QuoteStream {
    /// Executes work with the epoch while this process holds the lease with a name, until the task is cancelled.
    ///
    /// The task of the work is cancelled when the lease is lost. Each epoch is greater than those of all earlier holders.
    package typealias Lease =
        @Sendable (_ name: String, _ work: @escaping @Sendable (_ epoch: Int64) async -> Void) async -> Void

    /// The times of a shared stream.
    package struct Times: Sendable {
        /// The time after which the symbols of a replica that does not renew them expire.
        package var wanted = Duration.seconds(30)
        package var renewal = Duration.seconds(10)
        /// The time between two reports of the owner.
        package var report = Duration.seconds(1)
        /// The time without a message after which the owner counts as lost.
        package var silence = Duration.seconds(3)
        package var retry = RetryPolicy.streams

        package init() {}
    }

    private let stream: any QuoteStream
    private let provider: ProviderID
    private let name: String
    private let client: RedisClient
    private let subscriptions: RedisClient
    private let keyspace: RedisKeyspace
    private let lease: Lease
    private let times: Times
    private let clock: TimeSource

    /// - Parameters:
    ///   - stream: The provider's stream.
    ///   - provider: The provider.
    ///   - environment: The provider's environment.
    ///   - client: The client for commands.
    ///   - subscriptions: The client for messages.
    ///   - keyspace: The names of keys and channels.
    ///   - times: The times.
    ///   - clock: The clocks.
    ///   - lease: Determines the owner.
    package init(
        _ stream: any QuoteStream, of provider: ProviderID, in environment: Environment,
        over client: RedisClient,
        subscriptions: RedisClient, keyspace: RedisKeyspace, times: Times = Times(),
        clock: TimeSource = .system,
        lease: @escaping Lease
    ) {
        self.stream = stream
        self.provider = provider
        name = "stream/\(provider.name.text)/\(environment.rawValue)"
        (self.client, self.subscriptions, self.keyspace) = (client, subscriptions, keyspace)
        (self.times, self.clock, self.lease) = (times, clock, lease)
    }

    package var symbolLimit: Int? { stream.symbolLimit }
    package var isShared: Bool { true }

    /// Takes part in the shared stream until Redis is lost, or the task is cancelled.
    ///
    /// If the owner is lost, no symbol is carried until there is another one.
    ///
    /// - Throws: `unavailable` if Redis is lost, `cancelled` with the task.
    package func run(
        _ wanted: AsyncStream<Set<Symbol>>, deliver: @escaping @Sendable (StreamEvent<QuoteUpdate>) -> Void
    ) async throws(ProviderFailure) {
        do {
            let messages = try await subscriptions.messages(of: channel)
            let session = Session()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await self.receive(messages, session, deliver) }
                group.addTask { try await self.watch(session, deliver) }
                group.addTask { try await self.want(wanted, session) }
                group.addTask { try await self.renewWanted(session) }
                group.addTask {
                    await self.lease(self.name) { epoch in await self.own(epoch, session) }
                }
                // Before the other tasks are cancelled, so that the lease is released after the connection has ended.
                defer {
                    session.end()
                    group.cancelAll()
                }
                try await withTaskCancellationHandler {
                    _ = try await group.next()
                } onCancel: {
                    session.end()
                }
            }
        } catch {
            // Redis is lost, or the task was cancelled.
        }
        throw ProviderFailure(provider, Task.isCancelled ? .cancelled : .unavailable)
    }

    private var channel: String { keyspace.name(name) }
    private var wantedKey: String { keyspace.name(name + "/wanted") }
    private var epochKey: String { keyspace.name(name + "/epoch") }

    /// The state of one run.
    private final class Session: Sendable {
        struct State {
            var receiver = QuoteStreamReceiver()
            var receivedAt = ContinuousClock.now
            var wanted: Set<Symbol> = []
            /// The epoch and the task of the connection, if this process has it.
            var owned: (epoch: Int64, task: Task<Void, Never>, publisher: QuoteStreamPublisher)?
            /// Whether the run is over.
            var isEnded = false
            /// Whether this process has the lease or the connection, and cannot announce its epoch or publish messages.
            var hasFailed = false
        }

        // A lock, because the tasks of the messages, of the lease and of the subscribers change the state.
        let state = Mutex(State())

        /// Ends the run, and closes the connection if this process has it.
        func end() {
            let task = state.withLock { state in
                defer { (state.owned, state.isEnded) = (nil, true) }
                return state.owned?.task
            }
            task?.cancel()
        }

        /// Closes the connection if another process has announced a higher epoch.
        func end(before epoch: Int64) {
            let task = state.withLock { state -> Task<Void, Never>? in
                guard let owned = state.owned, owned.epoch < epoch else { return nil }
                (state.owned, state.hasFailed) = (nil, false)
                return owned.task
            }
            task?.cancel()
        }
    }

    // MARK: Receiving

    /// The end of a run.
    private struct Lost: Error {}

    private func receive(
        _ messages: AsyncStream<[UInt8]>, _ session: Session,
        _ deliver: @Sendable (StreamEvent<QuoteUpdate>) -> Void
    ) async throws {
        for await bytes in messages {
            guard let message = try? QuoteStreamMessage(persistentBytes: bytes) else { continue }
            let events = session.state.withLock { state in
                state.receivedAt = .now
                return state.receiver.accept(message)
            }
            session.end(before: message.epoch)
            for event in events { deliver(event) }
        }
        // The connection to Redis has ended.
        throw Lost()
    }

    /// Lets prices be polled while the owner is silent, and ends the run if this process is the owner and has failed.
    private func watch(
        _ session: Session, _ deliver: @Sendable (StreamEvent<QuoteUpdate>) -> Void
    ) async throws {
        while true {
            try await Task.sleep(for: times.silence / 3)
            let (hasFailed, events) = session.state.withLock { state in
                let isSilent = state.receivedAt + times.silence <= .now
                return (state.hasFailed, isSilent ? state.receiver.disconnect() : [])
            }
            if hasFailed { throw Lost() }
            for event in events { deliver(event) }
        }
    }

    // MARK: Wanted symbols

    private func want(_ wanted: AsyncStream<Set<Symbol>>, _ session: Session) async throws {
        for await symbols in wanted {
            let new = session.state.withLock { state in
                defer { state.wanted = symbols }
                return symbols.subtracting(state.wanted)
            }
            try await register(new)
        }
        // The task was cancelled, or nothing is wanted any more.
        throw CancellationError()
    }

    private func renewWanted(_ session: Session) async throws {
        while true {
            try await Task.sleep(for: times.renewal)
            try await register(session.state.withLock(\.wanted))
        }
    }

    /// Adds symbols to those that all replicas want, in a sorted set by the time of their expiry.
    private func register(_ symbols: Set<Symbol>) async throws(RedisFailure) {
        guard !symbols.isEmpty else { return }
        let script = """
            local time = redis.call('TIME')
            local until_ = time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[1]
            for i = 2, #ARGV do redis.call('ZADD', KEYS[1], until_, ARGV[i]) end
            redis.call('PEXPIRE', KEYS[1], ARGV[1] * 2)
            return #ARGV
            """
        let lifetime = "\(times.wanted.wholeMilliseconds)"
        try await expectNumber(
            RedisCommand(script: script, keys: [wantedKey], arguments: [lifetime] + symbols.map(\.text)))
    }

    /// The symbols that replicas want: at most as many as the connection carries, always the same ones of them.
    private func allWanted() async throws(RedisFailure) -> Set<Symbol> {
        let script = """
            local time = redis.call('TIME')
            local now = time[1] * 1000 + math.floor(time[2] / 1000)
            redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
            return redis.call('ZRANGE', KEYS[1], 0, -1)
            """
        let reply = try await client.send([RedisCommand(script: script, keys: [wantedKey], arguments: [])])
        guard let elements = reply.first?.elements else { throw .protocolViolation(.badNumber) }
        let symbols = elements.compactMap { element in
            element.bytes.flatMap { Symbol(String(decoding: $0, as: UTF8.self)) }
        }
        guard let limit = stream.symbolLimit, symbols.count > limit else { return Set(symbols) }
        return Set(symbols.sorted { $0.text < $1.text }.prefix(max(limit, 0)))
    }

    @discardableResult
    private func expectNumber(_ command: RedisCommand) async throws(RedisFailure) -> Int64 {
        let reply = try await client.send([command])
        guard let number = reply.first?.integer else {
            if case .error(let code)? = reply.first { throw .refused(code: code) }
            throw .protocolViolation(.badNumber)
        }
        return number
    }

    // MARK: Owning

    /// Owns the stream with an epoch; returns when the lease is lost, which does not end the connection, or after the
    /// connection has ended with the run.
    private func own(_ epoch: Int64, _ session: Session) async {
        do throws(RedisFailure) {
            if !(try await announce(epoch)) { return fail(session) }
        } catch {
            return fail(session)
        }
        let continued = session.state.withLock {
            state -> (task: Task<Void, Never>, publisher: QuoteStreamPublisher)? in
            guard let owned = state.owned, !state.isEnded else { return nil }
            // The lease of this process had ended, and no other one has taken it.
            state.owned = (epoch, owned.task, owned.publisher)
            return (owned.task, owned.publisher)
        }
        continued?.publisher.begin(epoch)
        let task = continued?.task ?? open(epoch, session)
        while (try? await Task.sleep(for: .seconds(3_600))) != nil {}
        if session.state.withLock(\.isEnded) { await task?.value }
    }

    /// Ends the run, unless the lease is lost: its end releases the lease, so that it is taken again with a higher epoch.
    ///
    /// An epoch can be too low although its process has the lease: the epochs of a restored database are those of
    /// its backup.
    private func fail(_ session: Session) {
        if !Task.isCancelled { session.state.withLock { $0.hasFailed = true } }
    }

    /// Opens the provider's connection in a task of its own; returns nil if a higher epoch is known, or if the run is over.
    private func open(_ epoch: Int64, _ session: Session) -> Task<Void, Never>? {
        let publisher = QuoteStreamPublisher(epoch, to: channel, over: client)
        return session.state.withLock { state in
            guard state.receiver.epoch <= epoch, !state.isEnded else { return nil }
            let task = Task.detached { [self] in
                await carry(publisher)
                session.state.withLock { state in
                    // A connection that was closed for another owner ends without a failure.
                    if state.owned?.publisher === publisher { state.hasFailed = true }
                }
            }
            state.owned = (epoch, task, publisher)
            return task
        }
    }

    /// Announces an epoch; returns false if a higher one is known.
    private func announce(_ epoch: Int64) async throws(RedisFailure) -> Bool {
        let script = """
            if tonumber(redis.call('GET', KEYS[1]) or '0') > tonumber(ARGV[1]) then return 0 end
            redis.call('SET', KEYS[1], ARGV[1], 'PX', 86400000)
            return 1
            """
        let command = RedisCommand(script: script, keys: [epochKey], arguments: ["\(epoch)"])
        return try await expectNumber(command) == 1
    }

    /// Runs the provider's connection, and publishes its events, until Redis is lost or the task is cancelled.
    ///
    /// Its first message lets an earlier owner close its connection.
    private func carry(_ publisher: QuoteStreamPublisher) async {
        guard (try? await publisher.publishState()) != nil else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                _ = await ReconnectingStream(times.retry, clock: clock).run {
                    didStand throws(ProviderFailure) in
                    defer { publisher.disconnected() }
                    try await stream.run(publisher.wantedSymbols()) { event in
                        if case .connected = event { didStand() }
                        publisher.put(event)
                    }
                }
            }
            group.addTask { [self] in
                while let symbols = try? await allWanted() {
                    publisher.want(symbols)
                    guard (try? await Task.sleep(for: times.report)) != nil else { return }
                }
            }
            group.addTask { [self] in try? await publisher.publish(every: times.report) }
            defer { group.cancelAll() }
            await group.next()
        }
    }
}

/// The streams of prices that replicas share through Redis, each of which is connected by the holder of its lease.
package struct RedisPriceStreams: PriceStreams {
    let redis: SharedRedis
    /// Determine the process that has the connection of a stream.
    let leases: any Leases
    /// The clock of the times of prices.
    let clock: TimeSource

    package func shared(
        _ stream: any QuoteStream, of provider: ProviderID, in environment: Environment
    ) -> any QuoteStream {
        guard let subscriptions = redis.subscriptions else { return stream }
        return SharedQuoteStream(
            stream, of: provider, in: environment, over: redis.client, subscriptions: subscriptions,
            keyspace: redis.keyspace, clock: clock
        ) { [leases] name, work in await leases.hold(name, work) }
    }
}
