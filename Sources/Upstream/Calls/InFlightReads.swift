/// The reads in flight, and who waits for them.
///
/// A state machine: its methods say what is to be done, and do nothing.
///
/// A flight is one call for one key or several. It is for everybody who asks for one of its keys while it lasts; it is
/// given up when the last of them has gone. A flight that renews what is being served meanwhile has nobody to wait for it,
/// and is never given up.
struct InFlightReads {
    typealias Continuation = CheckedContinuation<Landing, Never>

    /// What a flight brought: values, and why others are missing.
    struct Landing: Sendable {
        var values: [CacheKey: any Sendable] = [:]
        /// Of single keys.
        var failures: [CacheKey: ProviderFailure] = [:]
        /// Of all that is missing; nil where that is unknown to the provider.
        var failure: ProviderFailure?

        /// Why a key is missing; nil for one that is not, and for one that is unknown to the provider.
        func failure(of key: CacheKey) -> ProviderFailure? {
            values[key] == nil ? failures[key] ?? failure : nil
        }

        func result(for key: CacheKey) -> Result<any Sendable, ProviderFailure> {
            if let value = values[key] { return .success(value) }
            return .failure(failure(of: key) ?? ProviderFailure(key.provider, .notFound))
        }
    }

    /// A place in the queue for a flight's result.
    struct Ticket: Hashable, Sendable {
        let flight: Int
        fileprivate let waiter: Int
    }

    private enum Waiter {
        /// Has a ticket and does not wait yet.
        case booked
        case waiting(Continuation)
        /// Has left before waiting, or its result came before.
        case settled(Landing)
    }

    private struct Flight {
        let keys: [CacheKey]
        let start: ContinuousClock.Instant
        let deadline: ContinuousClock.Instant
        let isRenewal: Bool
        /// Whether it may bring what was asked for before it began.
        let restores: Bool
        var task: Task<Void, Never>?
        var waiters: [Int: Waiter] = [:]
        var isOver = false
    }

    private var flights: [Int: Flight] = [:]
    private var flightOfKey: [CacheKey: Int] = [:]
    private var nextID = 0

    var count: Int { flights.count }

    /// How many have a ticket for the flight that a key is on.
    func waiterCount(of key: CacheKey) -> Int {
        flightOfKey[key].flatMap { flights[$0]?.waiters.count } ?? 0
    }

    /// A ticket for the flight that a key is on, and the flight's deadline.
    mutating func join(_ flight: Int) -> (Ticket, ContinuousClock.Instant)? {
        flights[flight].map { (book(flight), $0.deadline) }
    }

    /// The flight that a key is on; nil if there is none, or it began before a moment from which on it must.
    func flight(of key: CacheKey, notBefore: ContinuousClock.Instant?) -> Int? {
        guard let id = flightOfKey[key], let flight = flights[id] else { return nil }
        guard let notBefore else { return id }
        return flight.start >= notBefore && !flight.restores ? id : nil
    }

    /// Whether a key is on a flight still, and not on a later one or released.
    func carries(_ key: CacheKey, _ flight: Int) -> Bool { flightOfKey[key] == flight }

    /// A new flight, with the first ticket for it.
    ///
    /// Whoever waits for its keys on an earlier one goes on waiting for that; nobody else joins it there.
    mutating func open(
        _ keys: [CacheKey], start: ContinuousClock.Instant, deadline: ContinuousClock.Instant,
        restores: Bool
    ) -> Ticket {
        let flight = Flight(
            keys: keys, start: start, deadline: deadline, isRenewal: false, restores: restores)
        return book(begin(flight))
    }

    /// A new flight that nobody waits for yet.
    mutating func openRenewal(
        of keys: [CacheKey], start: ContinuousClock.Instant, deadline: ContinuousClock.Instant
    ) -> Int {
        begin(Flight(keys: keys, start: start, deadline: deadline, isRenewal: true, restores: false))
    }

    /// The task that carries a flight, to be cancelled if nobody wants the result any more.
    ///
    /// If nobody does by now, the task is returned for that.
    mutating func carry(_ flight: Int, by task: Task<Void, Never>) -> Task<Void, Never>? {
        guard flights[flight] != nil else { return task }
        flights[flight]?.task = task
        return nil
    }

    /// A waiter is ready; its result, if that is settled already.
    mutating func wait(_ ticket: Ticket, _ continuation: Continuation) -> Landing? {
        guard case .settled(let result)? = flights[ticket.flight]?.waiters[ticket.waiter] else {
            flights[ticket.flight]?.waiters[ticket.waiter] = .waiting(continuation)
            return nil
        }
        remove(ticket)
        return result
    }

    /// A waiter leaves with `result`: whom to tell, and the task to cancel if it was the last.
    mutating func leave(_ ticket: Ticket, with result: Landing) -> (Continuation?, Task<Void, Never>?) {
        guard let waiter = flights[ticket.flight]?.waiters[ticket.waiter] else { return (nil, nil) }
        var continuation: Continuation?
        switch waiter {
        case .settled: return (nil, nil)
        case .booked: flights[ticket.flight]?.waiters[ticket.waiter] = .settled(result)
        case .waiting(let waiting):
            continuation = waiting
            flights[ticket.flight]?.waiters[ticket.waiter] = nil
        }
        return (continuation, abandonIfUnwanted(ticket.flight))
    }

    /// A flight is over: whom to tell, and the keys that it was still on; nil if it was given up before.
    mutating func land(_ flight: Int, with result: Landing) -> (waiters: [Continuation], keys: Set<CacheKey>)?
    {
        guard let landed = flights[flight], !landed.isOver else { return nil }
        let keys = Set(landed.keys.filter { flightOfKey[$0] == flight })
        close(flight)
        var waiting: [Continuation] = []
        for (id, waiter) in landed.waiters {
            switch waiter {
            case .booked: flights[flight]?.waiters[id] = .settled(result)
            case .settled: break
            case .waiting(let continuation):
                waiting.append(continuation)
                flights[flight]?.waiters[id] = nil
            }
        }
        removeIfEmpty(flight)
        return (waiting, keys)
    }

    /// From now on nobody joins the flights of these keys; who waits already goes on.
    mutating func release(where isReleased: (CacheKey) -> Bool) {
        for key in flightOfKey.keys.filter(isReleased) { flightOfKey[key] = nil }
    }

    // MARK: Steps

    private mutating func begin(_ flight: Flight) -> Int {
        let id = newID()
        flights[id] = flight
        for key in flight.keys { flightOfKey[key] = id }
        return id
    }

    private mutating func book(_ flight: Int) -> Ticket {
        let ticket = Ticket(flight: flight, waiter: newID())
        flights[flight]?.waiters[ticket.waiter] = .booked
        return ticket
    }

    private mutating func remove(_ ticket: Ticket) {
        flights[ticket.flight]?.waiters[ticket.waiter] = nil
        removeIfEmpty(ticket.flight)
    }

    /// Closes a flight that nobody waits for; its task is returned to be cancelled.
    private mutating func abandonIfUnwanted(_ id: Int) -> Task<Void, Never>? {
        guard let flight = flights[id], !flight.isOver, !flight.isRenewal else { return nil }
        let isWanted = flight.waiters.values.contains { waiter in
            switch waiter {
            case .booked, .waiting: true
            case .settled: false
            }
        }
        if isWanted { return nil }
        close(id)
        removeIfEmpty(id)
        return flight.task
    }

    /// Nobody joins the flight from now on.
    private mutating func close(_ id: Int) {
        guard let flight = flights[id] else { return }
        flights[id]?.isOver = true
        for key in flight.keys where flightOfKey[key] == id { flightOfKey[key] = nil }
    }

    /// Forgets a flight that is over, once the last ticket is settled and fetched.
    private mutating func removeIfEmpty(_ id: Int) {
        if let flight = flights[id], flight.isOver, flight.waiters.isEmpty { flights[id] = nil }
    }

    private mutating func newID() -> Int {
        nextID &+= 1
        return nextID
    }
}
