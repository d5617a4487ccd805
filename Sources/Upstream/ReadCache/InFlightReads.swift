/// The reads in flight, and who waits for them.
///
/// A state machine: its methods say what is to be done, and do nothing.
///
/// A flight is one call for one key or several. It is for everybody who asks for one of its keys while it lasts; it is
/// given up when the last of them has gone. A flight that renews what is being served meanwhile has nobody to wait for it,
/// and is never given up.
package struct InFlightReads {
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
        let readID: Int
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

    private var reads: [Int: Flight] = [:]
    private var readIDByKey: [CacheKey: Int] = [:]
    private var nextID = 0

    var count: Int { reads.count }

    /// How many have a ticket for the flight that a key is on.
    package func waiterCount(of key: CacheKey) -> Int {
        readIDByKey[key].flatMap { reads[$0]?.waiters.count } ?? 0
    }

    /// A ticket for the flight that a key is on, and the flight's deadline.
    mutating func join(_ flight: Int) -> (Ticket, ContinuousClock.Instant)? {
        reads[flight].map { (book(flight), $0.deadline) }
    }

    /// The flight that a key is on; nil if there is none, or it began before a moment from which on it must.
    func readID(for key: CacheKey, notBefore: ContinuousClock.Instant?) -> Int? {
        guard let id = readIDByKey[key], let flight = reads[id] else { return nil }
        guard let notBefore else { return id }
        return flight.start >= notBefore && !flight.restores ? id : nil
    }

    /// Whether a key is on a flight still, and not on a later one or released.
    func isInFlight(_ key: CacheKey, _ flight: Int) -> Bool { readIDByKey[key] == flight }

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
    mutating func attach(_ flight: Int, task: Task<Void, Never>) -> Task<Void, Never>? {
        guard reads[flight] != nil else { return task }
        reads[flight]?.task = task
        return nil
    }

    /// A waiter is ready; its result, if that is settled already.
    mutating func wait(_ ticket: Ticket, _ continuation: Continuation) -> Landing? {
        guard case .settled(let result)? = reads[ticket.readID]?.waiters[ticket.waiter] else {
            reads[ticket.readID]?.waiters[ticket.waiter] = .waiting(continuation)
            return nil
        }
        remove(ticket)
        return result
    }

    /// A waiter leaves with `result`: whom to tell, and the task to cancel if it was the last.
    mutating func cancelWait(_ ticket: Ticket, with result: Landing) -> (Continuation?, Task<Void, Never>?) {
        guard let waiter = reads[ticket.readID]?.waiters[ticket.waiter] else { return (nil, nil) }
        var continuation: Continuation?
        switch waiter {
        case .settled: return (nil, nil)
        case .booked: reads[ticket.readID]?.waiters[ticket.waiter] = .settled(result)
        case .waiting(let waiting):
            continuation = waiting
            reads[ticket.readID]?.waiters[ticket.waiter] = nil
        }
        return (continuation, abandonIfUnwanted(ticket.readID))
    }

    /// A flight is over: whom to tell, and the keys that it was still on; nil if it was given up before.
    mutating func complete(_ flight: Int, with result: Landing) -> (
        waiters: [Continuation], keys: Set<CacheKey>
    )? {
        guard let landed = reads[flight], !landed.isOver else { return nil }
        let keys = Set(landed.keys.filter { readIDByKey[$0] == flight })
        close(flight)
        var waiting: [Continuation] = []
        for (id, waiter) in landed.waiters {
            switch waiter {
            case .booked: reads[flight]?.waiters[id] = .settled(result)
            case .settled: break
            case .waiting(let continuation):
                waiting.append(continuation)
                reads[flight]?.waiters[id] = nil
            }
        }
        removeIfEmpty(flight)
        return (waiting, keys)
    }

    /// From now on nobody joins the flights of these keys; who waits already goes on.
    mutating func release(where isReleased: (CacheKey) -> Bool) {
        for key in readIDByKey.keys.filter(isReleased) { readIDByKey[key] = nil }
    }

    // MARK: Steps

    private mutating func begin(_ flight: Flight) -> Int {
        let id = newID()
        reads[id] = flight
        for key in flight.keys { readIDByKey[key] = id }
        return id
    }

    private mutating func book(_ flight: Int) -> Ticket {
        let ticket = Ticket(readID: flight, waiter: newID())
        reads[flight]?.waiters[ticket.waiter] = .booked
        return ticket
    }

    private mutating func remove(_ ticket: Ticket) {
        reads[ticket.readID]?.waiters[ticket.waiter] = nil
        removeIfEmpty(ticket.readID)
    }

    /// Closes a flight that nobody waits for; its task is returned to be cancelled.
    private mutating func abandonIfUnwanted(_ id: Int) -> Task<Void, Never>? {
        guard let flight = reads[id], !flight.isOver, !flight.isRenewal else { return nil }
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
        guard let flight = reads[id] else { return }
        reads[id]?.isOver = true
        for key in flight.keys where readIDByKey[key] == id { readIDByKey[key] = nil }
    }

    /// Forgets a flight that is over, once the last ticket is settled and fetched.
    private mutating func removeIfEmpty(_ id: Int) {
        if let flight = reads[id], flight.isOver, flight.waiters.isEmpty { reads[id] = nil }
    }

    private mutating func newID() -> Int {
        nextID &+= 1
        return nextID
    }
}
