import Brokerage
import Synchronization

/// Where each of some wanted values comes from.
struct ReadPlan {
    /// Some keys that come with one flight.
    struct Journey {
        let ticket: InFlightReads.Ticket
        var keys: [CacheKey]
        let deadline: ContinuousClock.Instant
        let isCoalesced: Bool
    }

    /// A flight that must begin.
    struct Departure {
        let readID: Int
        let keys: [CacheKey]
        let start: ContinuousClock.Instant
        /// Who is waiting for it waits no longer; a renewal takes its own time.
        let deadline: ContinuousClock.Instant
        /// Whether it looks first at what outlived an earlier process.
        let restores: Bool
    }

    var cached: [(CacheKey, CacheEntry)] = []
    /// Those at hand that are past their time, while they are renewed.
    var stale: [CacheKey] = []
    var awaitedReads: [Journey] = []
    var newReads: [Departure] = []
    /// The keys that need a call that the operation may not make.
    var limitErrors: [(CacheKey, CallRefusal)] = []
}

extension ReadStore {
    /// A renewal that nobody waits for takes so long at most.
    private static let renewalTimeout = Duration.seconds(10)

    /// Decides, in one critical section, where each key comes from.
    func plan(_ keys: [CacheKey], keysPerCall: Int, in context: CallContext) -> ReadPlan {
        let now = clock.now()
        let demand = demand(of: context)
        let refusal = context.allowance?.limitError()
        return state.withLock { state in
            var plan = ReadPlan()
            var (missing, due): ([CacheKey], [CacheKey]) = ([], [])
            var seen: Set<CacheKey> = []
            var journeyOfFlight: [Int: Int] = [:]
            for key in keys where seen.insert(key).inserted {
                let flight = state.inFlightReads.readID(
                    for: key, notBefore: demand?.earliest(at: key.provider))
                switch state.usableEntry(key, at: now, demand) {
                case (let kept, .fresh)?: plan.cached.append((key, kept))
                case (let kept, .renewable(let isDue))?:
                    plan.cached.append((key, kept))
                    plan.stale.append(key)
                    if isDue, flight == nil, refusal == nil { due.append(key) }
                case (_, .lastKnown)?, (_, .over)?, nil:
                    if let flight, let index = journeyOfFlight[flight] {
                        plan.awaitedReads[index].keys.append(key)
                    } else if let flight, let (ticket, deadline) = state.inFlightReads.join(flight) {
                        journeyOfFlight[flight] = plan.awaitedReads.count
                        plan.awaitedReads.append(
                            .init(ticket: ticket, keys: [key], deadline: deadline, isCoalesced: true))
                    } else if let refusal {
                        plan.limitErrors.append((key, refusal))
                    } else {
                        missing.append(key)
                    }
                }
            }
            open(missing, renewing: due, keysPerCall, at: now, context, in: &state, &plan)
            return plan
        }
    }

    /// Begins flights for what is missing; what is due comes along where a call has room, else with calls of its own.
    private func open(
        _ missing: [CacheKey], renewing due: [CacheKey], _ keysPerCall: Int, at now: ContinuousClock.Instant,
        _ context: CallContext, in state: inout State, _ plan: inout ReadPlan
    ) {
        var rest = (missing + due)[...]
        var awaited = missing.count
        let mayRestore = kind.persistentTable != nil && demand(of: context) == nil
        while !rest.isEmpty {
            let keys = Array(rest.prefix(keysPerCall))
            rest = rest.dropFirst(keysPerCall)
            let flight: Int
            let end: ContinuousClock.Instant
            if awaited > 0 {
                end = context.deadline
                let ticket = state.inFlightReads.open(keys, start: now, deadline: end, restores: mayRestore)
                flight = ticket.readID
                plan.awaitedReads.append(
                    .init(
                        ticket: ticket, keys: Array(keys.prefix(awaited)), deadline: end, isCoalesced: false))
            } else {
                end = now + Self.renewalTimeout
                flight = state.inFlightReads.openRenewal(of: keys, start: now, deadline: end)
            }
            plan.newReads.append(
                .init(
                    readID: flight, keys: keys, start: now, deadline: end, restores: awaited > 0 && mayRestore
                ))
            awaited = max(awaited - keysPerCall, 0)
        }
    }
}

extension ReadStore {
    // MARK: Flying

    /// Starts a call.
    ///
    /// Detached, because it belongs to all who wait and not to the one who began.
    func startRead(_ departure: ReadPlan.Departure, in context: CallContext, fetch: @escaping Fetch) {
        let context = CallContext(
            deadline: departure.deadline, notBefore: context.notBefore,
            acceptsMinimumAge: context.acceptsMinimumAge, observe: context.observe,
            tracing: context.tracing, allowance: context.allowance)
        let task = Task.detached { [self] in
            var landing = InFlightReads.Landing()
            if departure.restores { landing.values = await restore(departure, in: context) }
            let asked = departure.keys.filter { landing.values[$0] == nil }
            if !asked.isEmpty {
                do throws(ProviderFailure) {
                    let batch = try await fetch(asked, context)
                    landing.values.merge(batch.found) { _, latest in latest }
                    landing.failures = batch.failures
                } catch {
                    landing.failure = error
                }
            }
            complete(departure, asked, landing)
        }
        let unwanted = state.withLock { $0.inFlightReads.attach(departure.readID, task: task) }
        unwanted?.cancel()
    }

    /// What becomes of what is kept under a key, when its call has ended.
    private enum Change {
        case store(CacheEntry, weight: Int)
        case remove
        case recordFailure
        case nothing
    }

    private func complete(
        _ departure: ReadPlan.Departure, _ asked: [CacheKey], _ landing: InFlightReads.Landing
    ) {
        let now = clock.now()
        // Weighed and dated outside of the lock: that is the caller's code.
        let changes = asked.map { ($0, change(of: $0, of: asked.count, departure, landing, at: now)) }
        let (waiters, keys): ([InFlightReads.Continuation], Set<CacheKey>) = state.withLock { state in
            guard let landed = state.inFlightReads.complete(departure.readID, with: landing) else {
                return ([], [])
            }
            // At most twice the number of new entries, so that expired entries do not accumulate.
            state.cache.removeOldest(atMost: 2 * asked.count) {
                $0.freshness(at: now, notBefore: nil) == .over
            }
            for (key, change) in changes where landed.keys.contains(key) {
                switch change {
                case .store(let kept, let weight): state.cache.insert(kept, for: key, weight: weight)
                case .remove: state.cache.remove(key)
                case .recordFailure: state.cache.update(key) { $0.recordFailure(at: now) }
                case .nothing: break
                }
            }
            return (landed.waiters, landed.keys)
        }
        // Before the waiters continue, so that a stored value has the time at which it was read.
        persist(asked.filter(keys.contains), landing)
        for waiter in waiters { waiter.resume(returning: landing) }
    }

    private func change(
        of key: CacheKey, of count: Int, _ departure: ReadPlan.Departure, _ landing: InFlightReads.Landing,
        at now: ContinuousClock.Instant
    ) -> Change {
        if let value = landing.values[key] {
            let lifetime = kind.lifetime(value, clock.wallTime())
            if lifetime.end == .zero { return .remove }
            let kept = CacheEntry(value, requestedAt: departure.start, readAt: now, lifetime)
            return .store(kept, weight: kind.weight(value) + key.weight)
        }
        switch landing.failure(of: key)?.cause {
        case nil: return unknown(key, departure, at: now)
        // Of several keys at once, it does not say which.
        case .notFound where count == 1 || landing.failures[key] != nil:
            return unknown(key, departure, at: now)
        // What the credential may no longer see is not kept for it.
        case .unauthorized, .notEntitled: return .remove
        // The limit of the requesting client has no meaning for the value.
        case .notAllowed: return .nothing
        case .notFound, .unavailable, .circuitOpen, .timedOut, .invalidResponse, .rateLimited,
            .quotaExhausted,
            .unsupported, .overloaded, .feedFull, .cancelled:
            return .recordFailure
        }
    }

    private func unknown(
        _ key: CacheKey, _ departure: ReadPlan.Departure, at now: ContinuousClock.Instant
    ) -> Change {
        let duration = kind.unknown ?? key.provider.traits.unknownLifetime
        guard duration > .zero else { return .remove }
        return .store(
            CacheEntry(unknownAskedAt: departure.start, readAt: now, for: duration), weight: key.weight)
    }

    // MARK: Waiting

    func arrivals(
        of journeys: [ReadPlan.Journey], in context: CallContext
    ) async -> [(ReadPlan.Journey, InFlightReads.Landing)] {
        let provider = journeys.first?.keys.first?.provider
        return await withTaskCancellationHandler {
            let start = clock.now()
            var arrived: [(ReadPlan.Journey, InFlightReads.Landing)] = []
            for journey in journeys {
                arrived.append((journey, await arrival(of: journey, in: context)))
                guard journey.isCoalesced else { continue }
                record(
                    .coalesced, journey.keys, at: start, duration: start.duration(to: clock.now()),
                    in: context)
            }
            return arrived
        } onCancel: {
            guard let provider else { return }
            for journey in journeys { cancelWait(journey.ticket, ProviderFailure(provider, .cancelled)) }
        }
    }

    private func arrival(of journey: ReadPlan.Journey, in context: CallContext) async -> InFlightReads.Landing
    {
        // The flight keeps its own deadline. Only who must leave earlier needs an alarm.
        let alarm = context.deadline < journey.deadline ? alarm(for: journey, at: context.deadline) : nil
        defer { alarm?.cancel() }
        return await withCheckedContinuation { continuation in
            let settled = state.withLock { $0.inFlightReads.wait(journey.ticket, continuation) }
            if let settled { continuation.resume(returning: settled) }
        }
    }

    private func alarm(
        for journey: ReadPlan.Journey, at deadline: ContinuousClock.Instant
    ) -> Task<Void, Never>? {
        guard let provider = journey.keys.first?.provider else { return nil }
        return Task { [self] in
            guard (try? await clock.sleep(deadline)) != nil else { return }
            cancelWait(journey.ticket, ProviderFailure(provider, .timedOut))
        }
    }

    private func cancelWait(_ ticket: InFlightReads.Ticket, _ failure: ProviderFailure) {
        let landing = InFlightReads.Landing(failure: failure)
        let (continuation, task) = state.withLock { $0.inFlightReads.cancelWait(ticket, with: landing) }
        continuation?.resume(returning: landing)
        task?.cancel()
    }

    /// Whether a shared call that failed by another caller's deadline or limit may be repeated for this
    /// caller, while it has time left.
    func mayRetry(
        _ journey: ReadPlan.Journey, after cause: ProviderFailure.Cause?, in context: CallContext
    ) -> Bool {
        guard journey.isCoalesced, clock.now() < context.deadline, !Task.isCancelled else { return false }
        switch cause {
        case .timedOut: return journey.deadline < context.deadline
        case .notAllowed: return true
        default: return false
        }
    }
}
