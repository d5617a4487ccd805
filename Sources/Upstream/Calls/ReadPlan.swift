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
