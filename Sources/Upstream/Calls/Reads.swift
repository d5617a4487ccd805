import Synchronization

/// One kind of data read from providers: kept for a while, and asked for once however many ask.
///
/// - Equal reads in flight are one call. A waiter that is cancelled, or whose deadline comes, leaves alone; when the
///   last has left, the call is cancelled.
/// - A value is served from memory until its time to live is over. Failures are not kept.
/// - Bounded in entries and in bytes; the least recently used go first.
package final class Reads<Value: Sendable>: Sendable {
    /// Fetches values for some keys; one that the provider does not know is not in the result.
    package typealias Fetch =
        @Sendable (_ keys: [CacheKey], _ context: CallContext) async throws(ProviderFailure) -> [CacheKey:
        Value]

    /// How much is kept, and how long.
    package struct Bounds: Sendable {
        package var timeToLive: Duration
        package var entries: Int
        /// Of all values together, as `weight` has it.
        package var bytes: Int

        package init(timeToLive: Duration, entries: Int = 10_000, bytes: Int = 32 << 20) {
            self.timeToLive = timeToLive
            self.entries = entries
            self.bytes = bytes
        }
    }

    private struct Entry {
        var value: Value
        var expiry: ContinuousClock.Instant
    }

    private struct State {
        var cache: LeastRecentlyUsed<CacheKey, Entry>
        var flights = Flights<Value>()

        mutating func fresh(_ key: CacheKey, now: ContinuousClock.Instant) -> Value? {
            guard let entry = cache.value(for: key) else { return nil }
            guard entry.expiry > now else {
                cache.remove(key)
                return nil
            }
            return entry.value
        }
    }

    package let operation: String
    private let bounds: Bounds
    private let clock: CallClock
    private let weight: @Sendable (Value) -> Int
    // One lock for all; it is held for look-ups and list operations, never while anything is called or resumed.
    private let state: Mutex<State>

    /// Reads of one kind.
    ///
    /// - Parameters:
    ///   - operation: A name for records: `quotes`.
    ///   - bounds: How much is kept, and how long.
    ///   - clock: What times are measured by.
    ///   - weight: About how many bytes a value takes; by default its inline size, which is right for plain values
    ///     only.
    package init(
        _ operation: String, bounds: Bounds, clock: CallClock = .system,
        weight: @escaping @Sendable (Value) -> Int = { _ in MemoryLayout<Value>.stride }
    ) {
        self.operation = operation
        self.bounds = bounds
        self.clock = clock
        self.weight = weight
        self.state = Mutex(
            State(cache: LeastRecentlyUsed(maximumCount: bounds.entries, maximumWeight: bounds.bytes)))
    }

    // MARK: At hand

    /// The value if it is at hand and young enough.
    ///
    /// Never waits for anything.
    package func cached(_ key: CacheKey, in context: CallContext? = nil) -> Value? {
        let now = clock.now()
        guard let value = state.withLock({ $0.fresh(key, now: now) }) else { return nil }
        record(.cached, [key], in: context)
        return value
    }

    /// All values, in order, if all are at hand and young enough.
    ///
    /// Never waits for anything.
    package func cached(_ keys: [CacheKey], in context: CallContext? = nil) -> [Value]? {
        let now = clock.now()
        let values: [Value]? = state.withLock { state in
            var values: [Value] = []
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

    /// Forgets what a write may have changed.
    ///
    /// What is being read at this moment goes to those who wait for it already, but is neither kept nor shared with
    /// anybody who asks from now on. `isTouched` must not use this object.
    package func invalidate(where isTouched: @Sendable (CacheKey) -> Bool) {
        state.withLock { state in
            state.cache.removeAll(where: isTouched)
            state.flights.release(where: isTouched)
        }
    }

    // MARK: By a call

    /// The value from memory, from a call in flight, or by `fetch`.
    ///
    /// - Throws: the failure of the call; `notFound` where `fetch` brings nothing for the key; `timedOut` at the
    ///   deadline of `context`; `cancelled` with the task.
    package func value(
        for key: CacheKey, in context: CallContext,
        fetch: @escaping @Sendable (CallContext) async throws(ProviderFailure) -> Value
    ) async throws(ProviderFailure) -> Value {
        let results = await values(for: [key], in: context) { keys, context throws(ProviderFailure) in
            [key: try await fetch(context)]
        }
        guard let result = results[key] else { throw ProviderFailure(key.provider, .notFound) }
        return try result.get()
    }

    /// The values from memory, from calls in flight, or by `fetch` for all the rest.
    ///
    /// - Parameters:
    ///   - keys: Of one provider.
    ///   - keysPerCall: What `fetch` takes at once; more are fetched by several calls at the same time.
    ///   - context: Whose read it is, and until when.
    ///   - fetch: Asks the provider.
    /// - Returns: a value or a failure for every key; see ``value(for:in:fetch:)``.
    package func values(
        for keys: [CacheKey], keysPerCall: Int = .max, in context: CallContext, fetch: @escaping Fetch
    ) async -> [CacheKey: Result<Value, ProviderFailure>] {
        var results: [CacheKey: Result<Value, ProviderFailure>] = [:]
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

    private typealias Ticket = Flights<Value>.Ticket

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
        var cached: [CacheKey: Value] = [:]
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
            let result: Flights<Value>.Result
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

    private func land(_ departure: Departure, _ result: Flights<Value>.Result) {
        let expiry = clock.now() + bounds.timeToLive
        // Weighed outside of the lock: it is the caller's code.
        let weighed =
            (try? result.get())?.map { (key: $0.key, value: $0.value, weight: weight($0.value)) } ?? []
        let waiters: [Flights<Value>.Continuation] = state.withLock { state in
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
    ) async -> [(Journey, Flights<Value>.Result)] {
        let provider = journeys.first?.keys.first?.provider
        return await withTaskCancellationHandler {
            var arrived: [(Journey, Flights<Value>.Result)] = []
            for journey in journeys { arrived.append((journey, await arrival(of: journey, in: context))) }
            return arrived
        } onCancel: {
            guard let provider else { return }
            for journey in journeys { leave(journey.ticket, ProviderFailure(provider, .cancelled)) }
        }
    }

    private func arrival(of journey: Journey, in context: CallContext) async -> Flights<Value>.Result {
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
    private func shouldAskAgain(_ journey: Journey, _ result: Flights<Value>.Result, in context: CallContext)
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
