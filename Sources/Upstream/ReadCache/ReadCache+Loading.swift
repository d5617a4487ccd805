public import Brokerage
import PorticoCore
public import Synchronization

// Reads by calls, which would make the file of the class twice as long.
extension ReadCache {
    @usableFromInline typealias Outcome = LoadResult<Query, Value>
    @usableFromInline typealias Ticket = InFlightReads<Query, Value>.Ticket

    /// Some queries whose values come with one read in flight.
    @usableFromInline
    struct InFlightRead: Sendable {
        @usableFromInline let ticket: Ticket
        @usableFromInline var queries: [Query]
        @usableFromInline let deadline: ContinuousClock.Instant
        /// Whether another operation began the read.
        @usableFromInline let isCoalesced: Bool

        @inlinable
        init(ticket: Ticket, queries: [Query], deadline: ContinuousClock.Instant, isCoalesced: Bool) {
            (self.ticket, self.queries, self.deadline) = (ticket, queries, deadline)
            self.isCoalesced = isCoalesced
        }
    }

    /// A read that must begin.
    @usableFromInline
    struct NewRead: Sendable {
        @usableFromInline let id: Int
        @usableFromInline let queries: [Query]
        @usableFromInline let start: ContinuousClock.Instant
        @usableFromInline let deadline: ContinuousClock.Instant
        /// Whether it searches the persistent cache first.
        @usableFromInline let restores: Bool

        @inlinable
        init(
            id: Int, queries: [Query], start: ContinuousClock.Instant, deadline: ContinuousClock.Instant,
            restores: Bool
        ) {
            (self.id, self.queries, self.start) = (id, queries, start)
            (self.deadline, self.restores) = (deadline, restores)
        }
    }

    /// The source of each value.
    @usableFromInline
    struct Plan: Sendable {
        @usableFromInline var cached: [(Query, Entry)] = []
        /// The number of cached values that are past their freshness, and renewed.
        @usableFromInline var staleCount = 0
        @usableFromInline var awaitedReads: [InFlightRead] = []
        @usableFromInline var newReads: [NewRead] = []
        /// The queries that need a call that the operation may not make.
        @usableFromInline var limitErrors: [(Query, ProviderFailure)] = []

        @inlinable
        init() {}
    }

    /// The timeout of a renewal, for which no task waits.
    @usableFromInline static var renewalTimeout: Duration { .seconds(10) }

    /// The value from memory, from a call in flight, or by `load`; if that fails, the latest stored value, marked as
    /// stale.
    ///
    /// - Throws: the failure of the call; `notFound` if `load` returns nothing for the query; `timedOut` at the
    ///   deadline of `call`; `cancelled` with the task.
    @inlinable
    public func read(
        _ query: Query, in scope: CacheScope, for call: CallContext,
        load: @escaping @Sendable (CallContext) async throws(ProviderFailure) -> Value
    ) async throws(ProviderFailure) -> Value {
        let results = await read([query], in: scope, for: call) { _, call throws(ProviderFailure) in
            [query: try await load(call)]
        }
        guard let result = results.first else { throw scope.notFound }
        do throws(ProviderFailure) {
            return try result.get()
        } catch {
            guard let value = stale(query, after: [(scope, error)], for: call) else { throw error }
            return value
        }
    }

    /// The values from memory, from calls in flight, or by `load` for all others.
    ///
    /// A failure is not replaced by a stale value: another source may be called before ``stale(_:after:for:)``.
    ///
    /// - Parameters:
    ///   - queries: The queries; equal ones are read once.
    ///   - scope: The scope of all queries.
    ///   - batchSize: The number of queries in one call; more are loaded by several calls at the same time.
    ///   - call: The operation that reads, with its deadline.
    ///   - load: Calls the provider.
    /// - Returns: a value or a failure for each query, in their order; see ``read(_:in:for:load:)``.
    @inlinable
    public func read(
        _ queries: [Query], in scope: CacheScope, batchSize: Int = .max, for call: CallContext,
        load: @escaping Load
    ) async -> [Result<Value, ProviderFailure>] {
        var results: [Query: Result<Value, ProviderFailure>] = [:]
        var wanted = Self.unique(queries)
        var joinsFrom = 0
        while !wanted.isEmpty {
            let plan = plan(wanted, in: scope, batchSize: max(batchSize, 1), joinsFrom: joinsFrom, for: call)
            for read in plan.newReads { start(read, in: scope, for: call, load: load) }
            if !plan.cached.isEmpty { recordHits(of: plan, in: scope, for: call) }
            let outcomes = await outcomes(of: plan.awaitedReads, in: scope, for: call)
            // Usually one call was for all queries, which are as many, and no table of results is made.
            if let (read, outcome) = outcomes.first, !read.isCoalesced, read.queries.count == queries.count {
                return queries.map { outcome.result(of: $0, in: scope) }
            }
            results.reserveCapacity(queries.count)
            for (query, entry) in plan.cached { results[query] = result(of: entry, in: scope) }
            for (query, refusal) in plan.limitErrors { results[query] = .failure(refusal) }
            wanted = []
            var refusedAt: Int?
            for (read, outcome) in outcomes {
                for query in read.queries {
                    let failure = read.isCoalesced ? outcome.failure(of: query) : nil
                    if let failure, mayRetry(read.deadline, after: failure, for: call) {
                        wanted.append(query)
                        if isOfOtherCredential(failure) { refusedAt = outcome.lastID }
                    } else {
                        results[query] = outcome.result(of: query, in: scope)
                    }
                }
            }
            // All that waited for the refused read join the one that the first of them begins. That can have the same
            // credential, so after a second refusal each begins a read of its own.
            if let refusedAt { joinsFrom = joinsFrom == 0 ? refusedAt + 1 : .max }
        }
        return queries.map { results[$0] ?? .failure(scope.notFound) }
    }

    @inlinable
    static func unique(_ queries: [Query]) -> [Query] {
        guard queries.count > 1 else { return queries }
        var seen = Set<Query>(minimumCapacity: queries.count)
        for query in queries { seen.insert(query) }
        // Usually no query occurs twice, and no list is made.
        if seen.count == queries.count { return queries }
        return queries.filter { seen.remove($0) != nil }
    }

    @inlinable
    func result(of entry: Entry, in scope: CacheScope) -> Result<Value, ProviderFailure> {
        guard let value = entry.value else { return .failure(scope.notFound) }
        return .success(entry.hasFailedToRenew ? freshness.markStale?(value) ?? value : value)
    }

    @usableFromInline
    func recordHits(of plan: Plan, in scope: CacheScope, for call: CallContext) {
        guard call.observe != nil else { return }
        let now = time.now()
        if plan.staleCount > 0 { record(.stale, in: scope, at: now, for: call) }
        if plan.staleCount < plan.cached.count { record(.cached, in: scope, at: now, for: call) }
    }

    @usableFromInline
    func recordJoined(in scope: CacheScope, since start: ContinuousClock.Instant, for call: CallContext) {
        record(.coalesced, in: scope, at: start, duration: start.duration(to: time.now()), for: call)
    }

    @usableFromInline
    func lifetime(of value: Value) -> CacheLifetime { freshness.lifetime(value, time.wallTime()) }

    @usableFromInline var hasSharedPersistence: Bool { persistence?.cache.isShared == true }

    // MARK: Plan

    /// Decides, in one critical section, where each value comes from.
    ///
    /// - Parameters:
    ///   - queries: The queries, each once.
    ///   - scope: The scope of all queries.
    ///   - batchSize: The number of queries in one call.
    ///   - joinsFrom: The lowest id of the reads in flight that it may wait for; for others it opens reads of its own.
    ///   - call: The operation that reads.
    /// - Returns: The plan, whose reads are open.
    @inlinable
    func plan(
        _ queries: [Query], in scope: CacheScope, batchSize: Int, joinsFrom: Int, for call: CallContext
    ) -> Plan {
        let now = time.now()
        let notBefore = notBefore(for: call, in: scope)
        let refusal = scope.refusal(of: call)
        return state.withLock { state in
            var plan = Plan()
            var (missing, due): ([Query], [Query]) = ([], [])
            missing.reserveCapacity(queries.count)
            var awaitedIndexOfRead: [Int: Int] = [:]
            // Each query occurs once. The table of reads is not used after the loop: a change of it would copy it.
            let readIDs = state.inFlightReads.readIDs[scope]
            for query in queries {
                var readID = state.inFlightReads.joinable(readIDs?[query], notBefore: notBefore)
                if let id = readID, id < joinsFrom { readID = nil }
                switch state.usableEntry(Key(query, in: scope), at: now, notBefore: notBefore) {
                case (let entry, .fresh)?: plan.cached.append((query, entry))
                case (let entry, .renewable(let isDue))?:
                    plan.cached.append((query, entry))
                    plan.staleCount += 1
                    if isDue, readID == nil, refusal == nil { due.append(query) }
                case (_, .stale)?, (_, .expired)?, nil:
                    if let readID, let index = awaitedIndexOfRead[readID] {
                        plan.awaitedReads[index].queries.append(query)
                    } else if let readID, let (ticket, deadline) = state.inFlightReads.join(readID) {
                        awaitedIndexOfRead[readID] = plan.awaitedReads.count
                        plan.awaitedReads.append(
                            InFlightRead(
                                ticket: ticket, queries: [query], deadline: deadline, isCoalesced: true))
                    } else if let refusal {
                        plan.limitErrors.append((query, refusal))
                    } else {
                        missing.append(query)
                    }
                }
            }
            open(missing, renewing: due, in: scope, batchSize, at: now, call, &state, &plan)
            return plan
        }
    }

    /// Opens reads for missing values; due renewals are added where a call has room, otherwise they get own calls.
    @inlinable
    func open(
        _ missing: [Query], renewing due: [Query], in scope: CacheScope, _ batchSize: Int,
        at now: ContinuousClock.Instant, _ call: CallContext, _ state: inout State, _ plan: inout Plan
    ) {
        var (rest, awaited) = ((missing + due)[...], missing.count)
        // Values of users are never persisted.
        let mayRestore =
            persistence != nil && !scope.isPrivate && notBefore(for: call, in: scope) == nil
        while !rest.isEmpty {
            let queries = Array(rest.prefix(batchSize))
            rest = rest.dropFirst(batchSize)
            let (id, end): (Int, ContinuousClock.Instant)
            // A cache of this process only has no newer value than its memory.
            let restores = mayRestore && (awaited > 0 || hasSharedPersistence)
            if awaited > 0 {
                end = call.deadline
                let ticket = state.inFlightReads.open(
                    queries, in: scope, start: now, deadline: end, restores: restores)
                id = ticket.readID
                plan.awaitedReads.append(
                    InFlightRead(
                        ticket: ticket, queries: Array(queries.prefix(awaited)), deadline: end,
                        isCoalesced: false))
            } else {
                end = now + Self.renewalTimeout
                id = state.inFlightReads.openRenewal(
                    of: queries, in: scope, start: now, deadline: end, restores: restores)
            }
            plan.newReads.append(
                NewRead(id: id, queries: queries, start: now, deadline: end, restores: restores))
            awaited = max(awaited - batchSize, 0)
        }
    }

    // MARK: Calls

    /// Starts a call.
    ///
    /// It is detached, because it belongs to all who wait and not to the operation that began it. It begins in the current
    /// thread, so that its request is with libcurl when this returns.
    @inlinable
    func start(
        _ read: NewRead, in scope: CacheScope, for call: CallContext, load: @escaping Load
    ) {
        let call = call.ofRead(until: read.deadline)
        let task = Task.immediateDetached { [self] in
            var outcome = Outcome()
            if read.restores {
                outcome.results.found = await restore(read.queries, of: read.id, in: scope, for: call)
            }
            let requested =
                outcome.results.found.isEmpty
                ? read.queries : read.queries.filter { outcome.results.found[$0] == nil }
            if !requested.isEmpty {
                do throws(ProviderFailure) {
                    let loaded = try await load(requested, call)
                    if outcome.results.found.isEmpty {
                        outcome.results = loaded
                    } else {
                        outcome.results.found.merge(loaded.found) { _, latest in latest }
                        outcome.results.failures = loaded.failures
                    }
                } catch {
                    outcome.failure = error
                }
            }
            complete(read, requested, in: scope, outcome)
            if read.restores { release(requested, in: scope) }
        }
        let unwanted = state.withLock { $0.inFlightReads.attach(read.id, task: task) }
        unwanted?.cancel()
    }

    /// The change of an entry when its call has ended.
    @usableFromInline
    enum Change: Sendable {
        case store(Entry, weight: Int)
        case remove
        case recordFailure
        case nothing
    }

    @inlinable
    func complete(_ read: NewRead, _ requested: [Query], in scope: CacheScope, _ outcome: Outcome) {
        let now = time.now()
        // Outside of the lock, since weight and lifetime are the caller's code. Queries that were restored do not change.
        let isRestored = requested.count < read.queries.count
        let changes = read.queries.map { query in
            isRestored && !requested.contains(query)
                ? .nothing : change(of: query, in: scope, of: requested.count, read, outcome, at: now)
        }
        var outcome = outcome
        let completed = update { state in
            outcome.lastID = state.inFlightReads.nextID
            let completed = state.inFlightReads.complete(read.id, with: outcome)
            guard let completed else { return completed }
            // At most twice the number of new entries, so that expired entries do not accumulate.
            state.entries.removeExpired(atMost: 2 * requested.count, at: now)
            for index in changes.indices where completed.isOwn[index] {
                let key = Key(read.queries[index], in: scope)
                switch changes[index] {
                case .store(let entry, let weight):
                    state.entries.insert(entry, for: key, weight: weight, at: now)
                case .remove: state.entries.remove(key)
                case .recordFailure: state.entries.update(key) { $0.afterFailure(at: now) }
                case .nothing: break
                }
            }
            return completed
        }
        guard let (waiters, isOwn) = completed else { return }
        // Before the waiters continue, so that a stored value has the time at which it was read.
        if persistence != nil, !scope.isPrivate {
            let own = zip(read.queries, isOwn).filter(\.1).map(\.0)
            persist(isRestored ? own.filter(requested.contains) : own, in: scope, outcome.results.found)
        }
        for waiter in waiters { waiter.resume(returning: outcome) }
    }

    @inlinable
    func change(
        of query: Query, in scope: CacheScope, of count: Int, _ read: NewRead, _ outcome: Outcome,
        at now: ContinuousClock.Instant
    ) -> Change {
        if let value = outcome.results.found[query] {
            let lifetime = lifetime(of: value)
            if lifetime.end == .zero { return .remove }
            let entry = Entry(value, requestedAt: read.start, readAt: now, lifetime)
            return .store(entry, weight: weight(value))
        }
        guard let failure = outcome.failure(of: query) else { return storeUnknown(in: scope, read, at: now) }
        switch failure.effect(isOfOneQuery: count == 1 || outcome.results.failures[query] != nil) {
        case .unknown: return storeUnknown(in: scope, read, at: now)
        case .remove: return .remove
        case .nothing: return .nothing
        case .recordFailure: return .recordFailure
        }
    }

    @inlinable
    func storeUnknown(
        in scope: CacheScope, _ read: NewRead, at now: ContinuousClock.Instant
    ) -> Change {
        let duration = negativeTTL(in: scope)
        guard duration > .zero else { return .remove }
        return .store(Entry(unknownRequestedAt: read.start, readAt: now, for: duration), weight: 0)
    }

    // MARK: Waiting

    @inlinable
    func outcomes(
        of reads: [InFlightRead], in scope: CacheScope, for call: CallContext
    ) async -> [(InFlightRead, Outcome)] {
        await withTaskCancellationHandler {
            let start = time.now()
            var outcomes: [(InFlightRead, Outcome)] = []
            for read in reads {
                outcomes.append((read, await outcome(of: read, in: scope, for: call)))
                guard read.isCoalesced else { continue }
                recordJoined(in: scope, since: start, for: call)
            }
            return outcomes
        } onCancel: {
            for read in reads { cancelWait(read.ticket, scope.cancelled) }
        }
    }

    @inlinable
    func outcome(
        of read: InFlightRead, in scope: CacheScope, for call: CallContext
    ) async -> Outcome {
        // The read keeps its own deadline. Only a waiter with an earlier one needs a timer.
        let timer = call.deadline < read.deadline ? timer(for: read, in: scope, at: call.deadline) : nil
        defer { timer?.cancel() }
        return await withCheckedContinuation { continuation in
            let settled = state.withLock { $0.inFlightReads.wait(read.ticket, continuation) }
            if let settled { continuation.resume(returning: settled) }
        }
    }

    @usableFromInline
    func timer(
        for read: InFlightRead, in scope: CacheScope, at deadline: ContinuousClock.Instant
    ) -> Task<Void, Never> {
        Task { [self] in
            guard (try? await time.sleep(deadline)) != nil else { return }
            cancelWait(read.ticket, ProviderFailure(scope.provider, .timedOut))
        }
    }

    @inlinable
    func cancelWait(_ ticket: Ticket, _ failure: ProviderFailure) {
        let outcome = Outcome(failure: failure)
        let (continuation, task) = state.withLock { $0.inFlightReads.cancelWait(ticket, with: outcome) }
        continuation?.resume(returning: outcome)
        task?.cancel()
    }

    /// Whether a read that failed by another caller's limit or credential may be repeated for this caller in its
    /// remaining time.
    @usableFromInline
    func mayRetry(
        _ deadline: ContinuousClock.Instant, after failure: ProviderFailure, for call: CallContext
    ) -> Bool {
        guard time.now() < call.deadline, !Task.isCancelled else { return false }
        switch failure.cause {
        case .timedOut: return deadline < call.deadline
        case .notAllowed: return true
        default: return isOfOtherCredential(failure)
        }
    }

    /// Whether the failure of another caller's read says something about that caller's credential only.
    @usableFromInline
    func isOfOtherCredential(_ failure: ProviderFailure) -> Bool {
        loadsWithCallersCredential
            && !failure.cause.traits.isDisjoint(with: [.withdrawsValues, .providerLimit])
    }
}
