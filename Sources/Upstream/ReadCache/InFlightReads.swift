import Brokerage

/// The result of one call for several queries.
struct LoadResult<Query: CacheQuery, Value: Sendable>: Sendable {
    var results = KeyedResults<Query, Value>()
    /// The failure of all queries without a result; nil if the provider does not know them.
    var failure: ProviderFailure?

    /// The reason why a value is missing; nil if it is not missing, or unknown to the provider.
    func failure(of query: Query) -> ProviderFailure? {
        results.found[query] == nil ? results.failures[query] ?? failure : nil
    }

    func result(of query: Query, at provider: ProviderID) -> Result<Value, ProviderFailure> {
        if let value = results.found[query] { return .success(value) }
        return .failure(failure(of: query) ?? ProviderFailure(provider, .notFound))
    }
}

/// The reads in flight, and the tasks that wait for them.
///
/// A state machine: its methods return the action to perform, and perform none.
///
/// A read is one call for one or several keys of a scope. Requests for one of its keys join it. It is cancelled when
/// the last waiter has left. The renewal of a value that is returned meanwhile needs no waiter, and is never cancelled.
package struct InFlightReads<Query: CacheQuery, Value: Sendable> {
    package typealias Key = CacheKey<Query>
    typealias Outcome = LoadResult<Query, Value>
    typealias Continuation = CheckedContinuation<Outcome, Never>

    /// A place among the waiters of a read.
    struct Ticket: Hashable, Sendable {
        let readID: Int
        fileprivate let waiter: Int
    }

    private enum Waiter {
        /// It has a ticket and does not wait yet.
        case booked
        case waiting(Continuation)
        /// It has left before waiting, or its result came before.
        case settled(Outcome)
    }

    private struct Read {
        let keys: [Key]
        let start: ContinuousClock.Instant
        let deadline: ContinuousClock.Instant
        let isRenewal: Bool
        /// Whether it may return values that were read before its start.
        let restores: Bool
        var task: Task<Void, Never>?
        var waiters: [Int: Waiter] = [:]
        var isOver = false
    }

    private var reads: [Int: Read] = [:]
    private var readIDByKey: [Key: Int] = [:]
    private var nextID = 0

    var count: Int { reads.count }

    /// The number of tickets for the read of a key.
    package func waiterCount(of key: Key) -> Int {
        readIDByKey[key].flatMap { reads[$0]?.waiters.count } ?? 0
    }

    /// A ticket for a read, and the read's deadline.
    mutating func join(_ readID: Int) -> (Ticket, ContinuousClock.Instant)? {
        reads[readID].map { (book(readID), $0.deadline) }
    }

    /// The read of a key; nil if there is none, or if it started before `notBefore`.
    func readID(for key: Key, notBefore: ContinuousClock.Instant?) -> Int? {
        guard let id = readIDByKey[key], let read = reads[id] else { return nil }
        guard let notBefore else { return id }
        return read.start >= notBefore && !read.restores ? id : nil
    }

    /// Whether a key still belongs to a read: it was not released, and no later read has it.
    func isInFlight(_ key: Key, _ readID: Int) -> Bool { readIDByKey[key] == readID }

    /// Adds a read, with its first ticket.
    ///
    /// Tasks that wait for its keys in an earlier read continue to wait for that read; no other task joins
    /// it.
    mutating func open(
        _ keys: [Key], start: ContinuousClock.Instant, deadline: ContinuousClock.Instant, restores: Bool
    ) -> Ticket {
        let read = Read(keys: keys, start: start, deadline: deadline, isRenewal: false, restores: restores)
        return book(begin(read))
    }

    /// Adds a read without a waiter.
    mutating func openRenewal(
        of keys: [Key], start: ContinuousClock.Instant, deadline: ContinuousClock.Instant, restores: Bool
    ) -> Int {
        begin(Read(keys: keys, start: start, deadline: deadline, isRenewal: true, restores: restores))
    }

    /// Sets the task of a read, which is cancelled when the last waiter leaves.
    ///
    /// If all have left already, the task is returned to be cancelled.
    mutating func attach(_ readID: Int, task: Task<Void, Never>) -> Task<Void, Never>? {
        guard reads[readID] != nil else { return task }
        reads[readID]?.task = task
        return nil
    }

    /// Lets a waiter wait; returns its result if there is one already.
    mutating func wait(_ ticket: Ticket, _ continuation: Continuation) -> Outcome? {
        guard case .settled(let result)? = reads[ticket.readID]?.waiters[ticket.waiter] else {
            reads[ticket.readID]?.waiters[ticket.waiter] = .waiting(continuation)
            return nil
        }
        remove(ticket)
        return result
    }

    /// Removes a waiter, which gets `result`; returns the waiter to resume, and the task to cancel if it was the
    /// last one.
    mutating func cancelWait(_ ticket: Ticket, with result: Outcome) -> (Continuation?, Task<Void, Never>?) {
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

    /// Ends a read; returns the waiters to resume, and the keys that still belong to it; nil if it was cancelled
    /// before.
    mutating func complete(_ readID: Int, with result: Outcome) -> (
        waiters: [Continuation], keys: Set<Key>
    )? {
        guard let completed = reads[readID], !completed.isOver else { return nil }
        let keys = Set(completed.keys.filter { readIDByKey[$0] == readID })
        close(readID)
        var waiting: [Continuation] = []
        for (id, waiter) in completed.waiters {
            switch waiter {
            case .booked: reads[readID]?.waiters[id] = .settled(result)
            case .settled: break
            case .waiting(let continuation):
                waiting.append(continuation)
                reads[readID]?.waiters[id] = nil
            }
        }
        removeIfEmpty(readID)
        return (waiting, keys)
    }

    /// Releases keys from their reads: no task joins these reads any more, their waiters continue to wait.
    mutating func release(where isReleased: (Key) -> Bool) {
        for key in readIDByKey.keys.filter(isReleased) { readIDByKey[key] = nil }
    }

    // MARK: Steps

    private mutating func begin(_ read: Read) -> Int {
        let id = newID()
        reads[id] = read
        for key in read.keys { readIDByKey[key] = id }
        return id
    }

    private mutating func book(_ readID: Int) -> Ticket {
        let ticket = Ticket(readID: readID, waiter: newID())
        reads[readID]?.waiters[ticket.waiter] = .booked
        return ticket
    }

    private mutating func remove(_ ticket: Ticket) {
        reads[ticket.readID]?.waiters[ticket.waiter] = nil
        removeIfEmpty(ticket.readID)
    }

    /// Closes a read without waiters; returns its task to be cancelled.
    private mutating func abandonIfUnwanted(_ id: Int) -> Task<Void, Never>? {
        guard let read = reads[id], !read.isOver, !read.isRenewal else { return nil }
        let isWanted = read.waiters.values.contains { waiter in
            switch waiter {
            case .booked, .waiting: true
            case .settled: false
            }
        }
        if isWanted { return nil }
        close(id)
        removeIfEmpty(id)
        return read.task
    }

    /// Prevents that further tasks join the read.
    private mutating func close(_ id: Int) {
        guard let read = reads[id] else { return }
        reads[id]?.isOver = true
        for key in read.keys where readIDByKey[key] == id { readIDByKey[key] = nil }
    }

    /// Removes a read that has ended, once all tickets are settled and fetched.
    private mutating func removeIfEmpty(_ id: Int) {
        if let read = reads[id], read.isOver, read.waiters.isEmpty { reads[id] = nil }
    }

    private mutating func newID() -> Int {
        nextID &+= 1
        return nextID
    }
}
