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
/// If the database was restored from a backup, an epoch can be lower than those that are known. The lease then gets an epoch
/// above all of them, and its owner keeps a connection that it has.
///
/// Without Redis ``run(_:deliver:)`` fails, and prices are polled; an owner then closes its connection. If the provider
/// refuses the credential, each replica tries once, and polls.
///
/// Only streams with the server's own credentials may be shared: their prices are for everybody.
package final class SharedQuoteStream: QuoteStream {
    /// Executes work with the epoch while this process holds the lease with a name, until the task is cancelled.
    ///
    /// The task of the work is cancelled when the lease is lost. Each epoch is greater than those of all earlier holders.
    package typealias Lease =
        @Sendable (_ name: String, _ work: @escaping @Sendable (_ epoch: Int64) async -> Void) async -> Void

    /// Gives a lease with an epoch another one above a known epoch, and all later leases too.
    ///
    /// The task of the work is cancelled then, and the work is executed with the new epoch.
    package typealias RaiseEpoch =
        @Sendable (_ name: String, _ epoch: Int64, _ known: Int64) async throws -> Void

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
    private let raiseEpoch: RaiseEpoch
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
    ///   - raiseEpoch: Gives the owner another epoch if its own is too low.
    ///   - lease: Determines the owner.
    package init(
        _ stream: any QuoteStream, of provider: ProviderID, in environment: Environment,
        over client: RedisClient,
        subscriptions: RedisClient, keyspace: RedisKeyspace, times: Times = Times(),
        clock: TimeSource = .system,
        raiseEpoch: @escaping RaiseEpoch, lease: @escaping Lease
    ) {
        self.stream = stream
        self.provider = provider
        name = "stream/\(provider.name.text)/\(environment.rawValue)"
        (self.client, self.subscriptions, self.keyspace) = (client, subscriptions, keyspace)
        (self.times, self.clock) = (times, clock)
        (self.raiseEpoch, self.lease) = (raiseEpoch, lease)
    }

    package var symbolLimit: Int? { stream.symbolLimit }
    package var isShared: Bool { true }

    /// Takes part in the shared stream until Redis is lost, or the task is cancelled.
    ///
    /// If the owner is lost, no symbol is carried until there is another one.
    ///
    /// - Throws: `unavailable` if Redis is lost, `cancelled` with the task, or the failure of the connection of this process
    ///   that only the user or the configuration can repair.
    package func run(
        _ wanted: AsyncStream<Set<Symbol>>, deliver: @escaping @Sendable (StreamEvent<QuoteUpdate>) -> Void
    ) async throws(ProviderFailure) {
        let session = Session()
        do {
            let messages = try await subscriptions.messages(of: channel)
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
            // Redis is lost, the connection has failed, or the task was cancelled.
        }
        if Task.isCancelled { throw ProviderFailure(provider, .cancelled) }
        throw session.state.withLock(\.failure) ?? ProviderFailure(provider, .unavailable)
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
            /// The task of the last connection, which can have been closed.
            var connection: Task<Void, Never>?
            /// The epoch that this process has announced last.
            var announced: Int64?
            /// Whether the run is over.
            var isEnded = false
            /// Whether this process has the lease or the connection, and cannot announce its epoch or publish messages.
            var hasFailed = false
            /// Why the connection is not opened again.
            var failure: ProviderFailure?

            /// The highest known epoch of another lease, if the epoch of a lease is not above it.
            func epoch(notBelow epoch: Int64) -> Int64? {
                let known = max(receiver.epoch, owned?.epoch ?? 0)
                return known > epoch || known == epoch && announced != epoch ? known : nil
            }
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
        do {
            var known = try await announce(epoch, session)
            if known == nil {
                connect(epoch, session)
                known = await epochOfOther(notBelow: epoch, session)
            }
            if let known { try await raise(epoch, above: known) }
        } catch {
            // The end of the run releases the lease, so that another replica can own the stream.
            if !Task.isCancelled { session.state.withLock { $0.hasFailed = true } }
        }
        while (try? await Task.sleep(for: .seconds(3_600))) != nil {}
        let connection = session.state.withLock { $0.isEnded ? $0.connection : nil }
        await connection?.value
    }

    private func raise(_ epoch: Int64, above known: Int64) async throws {
        // Later epochs must be possible.
        guard known <= QuoteStreamMessage.highestEpoch / 2 else {
            throw RedisFailure.protocolViolation(.badNumber)
        }
        try await raiseEpoch(name, epoch, known)
    }

    /// Announces the epoch of the lease of this process.
    ///
    /// - Returns: The epoch of another lease that is known and not lower; nil if the epoch is announced.
    private func announce(_ epoch: Int64, _ session: Session) async throws(RedisFailure) -> Int64? {
        let (known, announced) = session.state.withLock { ($0.epoch(notBelow: epoch), $0.announced) }
        if let known { return known }
        // A lease that was lost and renewed has the same epoch as before.
        let highest = announced == epoch ? epoch : epoch - 1
        let script = """
            local known = tonumber(redis.call('GET', KEYS[1]) or '0')
            if known > tonumber(ARGV[2]) then return known end
            redis.call('SET', KEYS[1], ARGV[1], 'PX', 86400000)
            return 0
            """
        let reply = try await expectNumber(
            RedisCommand(script: script, keys: [epochKey], arguments: ["\(epoch)", "\(highest)"]))
        if reply == 0 {
            session.state.withLock { $0.announced = epoch }
            return nil
        }
        // The number of the key was too high for an integer.
        guard reply >= epoch else { throw .protocolViolation(.badNumber) }
        return reply
    }

    /// Waits until the epoch of another lease is known that is not lower; returns nil when the lease is lost.
    ///
    /// This process has the lease all the same if the database was restored.
    private func epochOfOther(notBelow epoch: Int64, _ session: Session) async -> Int64? {
        repeat {
            if let known = session.state.withLock({ $0.epoch(notBelow: epoch) }) { return known }
        } while (try? await Task.sleep(for: times.report)) != nil
        return nil
    }

    /// Continues the connection of an earlier lease, or opens one in a task of its own, unless the run is over or the epoch
    /// is too low.
    private func connect(_ epoch: Int64, _ session: Session) {
        let publisher = QuoteStreamPublisher(epoch, to: channel, over: client)
        let continued = session.state.withLock { state -> QuoteStreamPublisher? in
            guard state.epoch(notBelow: epoch) == nil, !state.isEnded else { return nil }
            if let owned = state.owned {
                // The lease of this process had ended, and no other one has taken it.
                state.owned = (epoch, owned.task, owned.publisher)
                return owned.publisher
            }
            let task = Task.detached { [self, earlier = state.connection] in
                // One that was closed for another owner may not have ended yet.
                await earlier?.value
                let failure = await carry(publisher)
                session.state.withLock { state in
                    // A connection that was closed for another owner ends without a failure.
                    if state.owned?.publisher === publisher {
                        (state.hasFailed, state.failure) = (true, failure)
                    }
                }
            }
            (state.owned, state.connection) = ((epoch, task, publisher), task)
            return nil
        }
        continued?.begin(epoch)
    }

    /// Runs the provider's connection, and publishes its events, until Redis is lost or the task is cancelled.
    ///
    /// Its first message lets an earlier owner close its connection.
    ///
    /// - Returns: The failure that only the user or the configuration can repair, if the connection ended with one.
    private func carry(_ publisher: QuoteStreamPublisher) async -> ProviderFailure? {
        guard (try? await publisher.publishState()) != nil else { return nil }
        return await withTaskGroup(of: ProviderFailure?.self) { group in
            group.addTask { [self] in
                await ReconnectingStream(times.retry, clock: clock).run {
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
                    guard (try? await Task.sleep(for: times.report)) != nil else { return nil }
                }
                return nil
            }
            group.addTask { [self] in
                try? await publisher.publish(every: times.report)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }
}

/// The streams of prices that replicas share through Redis, each of which is connected by the holder of its lease.
package struct RedisPriceStreams: PriceStreams {
    let redis: SharedRedis
    /// Determine the process that has the connection of a stream.
    let leases: LeaseStore
    /// The clock of the times of prices.
    let clock: TimeSource

    package func shared(
        _ stream: any QuoteStream, of provider: ProviderID, in environment: Environment
    ) -> any QuoteStream {
        guard let subscriptions = redis.subscriptions else { return stream }
        return SharedQuoteStream(
            stream, of: provider, in: environment, over: redis.client, subscriptions: subscriptions,
            keyspace: redis.keyspace, clock: clock,
            raiseEpoch: { [leases] name, epoch, known in
                try await leases.raiseEpoch(epoch, of: name, above: known)
            },
            lease: { [leases] name, work in await leases.hold(name, work) })
    }
}
