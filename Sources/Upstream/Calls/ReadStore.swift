import Synchronization

/// The machinery of ``Reads``, for values of any kind.
///
/// It is not generic: generic code is not specialised across modules for `package` declarations, and looked-up type
/// metadata cost more than the cache itself (380 ns a look-up against 230).
final class ReadStore: Sendable {
    typealias Fetch =
        @Sendable (_ keys: [CacheKey], _ context: CallContext) async throws(ProviderFailure) -> [CacheKey:
        any Sendable]

    private struct Entry {
        var value: any Sendable
        var expiry: ContinuousClock.Instant
    }

    private struct State {
        var cache: LeastRecentlyUsed<CacheKey, Entry>
        var flights = Flights()

        mutating func fresh(_ key: CacheKey, now: ContinuousClock.Instant) -> (any Sendable)? {
            guard let entry = cache.value(for: key) else { return nil }
            guard entry.expiry > now else {
                cache.remove(key)
                return nil
            }
            return entry.value
        }
    }

    let operation: String
    private let bounds: ReadBounds
    private let clock: CallClock
    private let weight: @Sendable (any Sendable) -> Int
    // One lock for all; it is held for look-ups and list operations, never while anything is called or resumed.
    private let state: Mutex<State>

    init(
        _ operation: String, bounds: ReadBounds, clock: CallClock,
        weight: @escaping @Sendable (any Sendable) -> Int
    ) {
        self.operation = operation
        self.bounds = bounds
        self.clock = clock
        self.weight = weight
        self.state = Mutex(
            State(cache: LeastRecentlyUsed(maximumCount: bounds.entries, maximumWeight: bounds.bytes)))
    }

    func cached(_ key: CacheKey, in context: CallContext?) -> (any Sendable)? {
        let now = clock.now()
        guard let value = state.withLock({ $0.fresh(key, now: now) }) else { return nil }
        record(.cached, [key], in: context)
        return value
    }

    func cached(_ keys: [CacheKey], in context: CallContext?) -> [any Sendable]? {
        let now = clock.now()
        let values: [any Sendable]? = state.withLock { state in
            var values: [any Sendable] = []
            values.reserveCapacity(keys.count)
            for key in keys {
                guard let value = state.fresh(key, now: now) else { return nil }
                values.append(value)
            }
            return values
        }
        if values != nil { record(.cached, keys, in: context) }
        return values
    }

    func invalidate(where isTouched: @Sendable (CacheKey) -> Bool) {
        state.withLock { state in
            state.cache.removeAll(where: isTouched)
            state.flights.release(where: isTouched)
        }
    }

    func values(
        for keys: [CacheKey], keysPerCall: Int, in context: CallContext, fetch: @escaping Fetch
    ) async -> [CacheKey: Result<any Sendable, ProviderFailure>] {
        var results: [CacheKey: Result<any Sendable, ProviderFailure>] = [:]
        var wanted = keys
        while !wanted.isEmpty {
            let plan = plan(wanted, keysPerCall: max(keysPerCall, 1), in: context)
            for (key, value) in plan.cached { results[key] = .success(value) }
            for departure in plan.departures { depart(departure, in: context, fetch: fetch) }
            record(.cached, Array(plan.cached.keys), in: context)
            record(.joined, plan.journeys.filter(\.isJoined).flatMap(\.keys), in: context)
            wanted = []
            for (journey, result) in await arrivals(of: plan.journeys, in: context) {
                if shouldAskAgain(journey, result, in: context) {
                    wanted += journey.keys
                    continue
                }
                for key in journey.keys {
                    results[key] = result.flatMap { values in
                        values[key].map { .success($0) } ?? .failure(ProviderFailure(key.provider, .notFound))
                    }
                }
            }
        }
        return results
    }

    private typealias Ticket = Flights.Ticket

    /// Some keys that come with one flight.
    private struct Journey {
        var ticket: Ticket
        var keys: [CacheKey]
        var deadline: ContinuousClock.Instant
        var isJoined: Bool
    }

    private struct Departure {
        var flight: Int
        var keys: [CacheKey]
    }

    private struct Plan {
        var cached: [CacheKey: any Sendable] = [:]
        var journeys: [Journey] = []
        var departures: [Departure] = []
    }

    /// Decides, in one critical section, where each key comes from.
    private func plan(_ keys: [CacheKey], keysPerCall: Int, in context: CallContext) -> Plan {
        let now = clock.now()
        return state.withLock { state in
            var plan = Plan()
            var missing: [CacheKey] = []
            var seen: Set<CacheKey> = []
            var journeyOfFlight: [Int: Int] = [:]
            for key in keys where seen.insert(key).inserted {
                if let value = state.fresh(key, now: now) {
                    plan.cached[key] = value
                } else if let flight = state.flights.flight(of: key), let index = journeyOfFlight[flight] {
                    plan.journeys[index].keys.append(key)
                } else if let (ticket, deadline) = state.flights.join(key) {
                    journeyOfFlight[ticket.flight] = plan.journeys.count
                    plan.journeys.append(
                        Journey(ticket: ticket, keys: [key], deadline: deadline, isJoined: true))
                } else {
                    missing.append(key)
                }
            }
            var rest = missing[...]
            while !rest.isEmpty {
                let chunk = Array(rest.prefix(keysPerCall))
                rest = rest.dropFirst(keysPerCall)
                let ticket = state.flights.open(chunk, deadline: context.deadline)
                plan.journeys.append(
                    Journey(ticket: ticket, keys: chunk, deadline: context.deadline, isJoined: false))
                plan.departures.append(Departure(flight: ticket.flight, keys: chunk))
            }
            return plan
        }
    }

    /// Starts a call.
    ///
    /// Detached, because it belongs to all who wait and not to the one who began.
    private func depart(_ departure: Departure, in context: CallContext, fetch: @escaping Fetch) {
        let task = Task.detached { [self] in
            let result: Flights.Result
            do throws(ProviderFailure) {
                result = .success(try await fetch(departure.keys, context))
            } catch {
                result = .failure(error)
            }
            land(departure, result)
        }
        let unwanted = state.withLock { $0.flights.carry(departure.flight, by: task) }
        unwanted?.cancel()
    }

    private func land(_ departure: Departure, _ result: Flights.Result) {
        let expiry = clock.now() + bounds.timeToLive
        // Weighed outside of the lock: it is the caller's code.
        let weighed =
            (try? result.get())?.map { (key: $0.key, value: $0.value, weight: weight($0.value)) } ?? []
        let waiters: [Flights.Continuation] = state.withLock { state in
            guard let landed = state.flights.land(departure.flight, with: result) else { return [] }
            for item in weighed where landed.keys.contains(item.key) {
                state.cache.insert(
                    Entry(value: item.value, expiry: expiry), for: item.key, weight: item.weight)
            }
            return landed.waiters
        }
        for waiter in waiters { waiter.resume(returning: result) }
    }

    // MARK: Waiting

    private func arrivals(
        of journeys: [Journey], in context: CallContext
    ) async -> [(Journey, Flights.Result)] {
        let provider = journeys.first?.keys.first?.provider
        return await withTaskCancellationHandler {
            var arrived: [(Journey, Flights.Result)] = []
            for journey in journeys { arrived.append((journey, await arrival(of: journey, in: context))) }
            return arrived
        } onCancel: {
            guard let provider else { return }
            for journey in journeys { leave(journey.ticket, ProviderFailure(provider, .cancelled)) }
        }
    }

    private func arrival(of journey: Journey, in context: CallContext) async -> Flights.Result {
        // The flight keeps its own deadline. Only who must leave earlier needs an alarm.
        let alarm = context.deadline < journey.deadline ? alarm(for: journey, at: context.deadline) : nil
        defer { alarm?.cancel() }
        return await withCheckedContinuation { continuation in
            let settled = state.withLock { $0.flights.wait(journey.ticket, continuation) }
            if let settled { continuation.resume(returning: settled) }
        }
    }

    private func alarm(for journey: Journey, at deadline: ContinuousClock.Instant) -> Task<Void, Never>? {
        guard let provider = journey.keys.first?.provider else { return nil }
        return Task { [self] in
            guard (try? await clock.sleep(deadline)) != nil else { return }
            leave(journey.ticket, ProviderFailure(provider, .timedOut))
        }
    }

    private func leave(_ ticket: Ticket, _ failure: ProviderFailure) {
        let (continuation, task) = state.withLock { $0.flights.leave(ticket, with: .failure(failure)) }
        continuation?.resume(returning: .failure(failure))
        task?.cancel()
    }

    /// A call that ran out of somebody else's time is not this caller's failure while there is time of its own.
    private func shouldAskAgain(_ journey: Journey, _ result: Flights.Result, in context: CallContext)
        -> Bool
    {
        guard case .failure(let failure) = result, failure.cause == .timedOut else { return false }
        return journey.isJoined && journey.deadline < context.deadline && clock.now() < context.deadline
            && !Task.isCancelled
    }

    private func record(_ outcome: CallRecord.Outcome, _ keys: [CacheKey], in context: CallContext?) {
        guard let observe = context?.observe, let provider = keys.first?.provider else { return }
        observe(CallRecord(provider: provider, operation: operation, outcome: outcome))
    }
}
