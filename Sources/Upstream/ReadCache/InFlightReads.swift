import Brokerage

/// The result of one call for several queries.
@usableFromInline
struct LoadResult<Query: CacheQuery, Value: Sendable>: Sendable {
    @usableFromInline var results = KeyedResults<Query, Value>()
    /// The failure of all queries without a result; nil if the provider does not know them.
    @usableFromInline var failure: ProviderFailure?
    /// The last id of ``InFlightReads`` when the read ended: reads with higher ids began later.
    @usableFromInline var lastID = 0

    @inlinable
    init(failure: ProviderFailure? = nil) {
        self.failure = failure
    }

    /// The reason why a value is missing; nil if it is not missing, or unknown to the provider.
    @inlinable
    func failure(of query: Query) -> ProviderFailure? {
        results.found[query] == nil ? results.failures[query] ?? failure : nil
    }

    @inlinable
    func result(of query: Query, in scope: CacheScope) -> Result<Value, ProviderFailure> {
        if let value = results.found[query] { return .success(value) }
        return .failure(results.failures[query] ?? failure ?? scope.notFound)
    }
}

/// The reads in flight, and the tasks that wait for them.
///
/// A state machine: its methods return the action to perform, and perform none.
///
/// A read is one call for one or several queries of a scope. Requests for one of its queries join it. It is cancelled when
/// the last waiter has left. The renewal of a value that is returned meanwhile needs no waiter, and is never cancelled.
@usableFromInline
package struct InFlightReads<Query: CacheQuery, Value: Sendable>: Sendable {
    @usableFromInline typealias Outcome = LoadResult<Query, Value>
    @usableFromInline typealias Continuation = CheckedContinuation<Outcome, Never>

    /// A place among the waiters of a read.
    @usableFromInline
    struct Ticket: Hashable, Sendable {
        @usableFromInline let readID: Int
        @usableFromInline let waiter: Int

        @inlinable
        init(readID: Int, waiter: Int) { (self.readID, self.waiter) = (readID, waiter) }
    }

    @usableFromInline
    enum Waiter: Sendable {
        /// It has a ticket and does not wait yet.
        case booked
        case waiting(Continuation)
        /// It has left before waiting, or its result came before.
        case settled(Outcome)
    }

    /// A class, because a change of a value in two dictionaries allocates memory for each of them.
    ///
    /// Sendable, although it changes: it does not leave the lock of its cache.
    @usableFromInline
    final class Read: @unchecked Sendable {
        /// Each once.
        @usableFromInline let queries: [Query]
        @usableFromInline let scope: CacheScope
        @usableFromInline let start: ContinuousClock.Instant
        @usableFromInline let deadline: ContinuousClock.Instant
        @usableFromInline let isRenewal: Bool
        /// Whether it may return values that were read before its start.
        @usableFromInline let restores: Bool
        @usableFromInline var task: Task<Void, Never>?
        @usableFromInline var waiters: [Int: Waiter] = [:]
        @usableFromInline var isOver = false

        @inlinable
        init(
            _ queries: [Query], in scope: CacheScope, start: ContinuousClock.Instant,
            deadline: ContinuousClock.Instant, isRenewal: Bool, restores: Bool
        ) {
            (self.queries, self.scope, self.start, self.deadline) = (queries, scope, start, deadline)
            (self.isRenewal, self.restores) = (isRenewal, restores)
        }
    }

    @usableFromInline var reads: [Int: Read] = [:]
    /// The read of each query, by scope: all queries of a read have one scope, which is looked up once for them.
    @usableFromInline var readIDs: [CacheScope: [Query: Int]] = [:]
    @usableFromInline var nextID = 0

    /// The number of tickets for the read of a key.
    package func waiterCount(of key: CacheKey<Query>) -> Int {
        readIDs[key.scope]?[key.query].flatMap { reads[$0]?.waiters.count } ?? 0
    }

    /// A ticket for a read, and the read's deadline.
    @inlinable
    mutating func join(_ readID: Int) -> (Ticket, ContinuousClock.Instant)? {
        reads[readID].map { (book(readID, $0), $0.deadline) }
    }

    /// The read with an id of ``readIDs``, if a request may join it; nil if it has ended, or if its values may be older than
    /// `notBefore`.
    @inlinable
    func joinable(_ id: Int?, notBefore: ContinuousClock.Instant?) -> Int? {
        guard let id, let read = reads[id] else { return nil }
        guard let notBefore else { return id }
        return read.start >= notBefore && !read.restores ? id : nil
    }

    /// Whether a query still belongs to a read: it was not released, and no later read has it.
    @inlinable
    func isInFlight(_ query: Query, in scope: CacheScope, _ readID: Int) -> Bool {
        readIDs[scope]?[query] == readID
    }

    /// Adds a read, with its first ticket.
    ///
    /// Tasks that wait for its queries in an earlier read continue to wait for that read; no other task joins
    /// it for them.
    @inlinable
    mutating func open(
        _ queries: [Query], in scope: CacheScope, start: ContinuousClock.Instant,
        deadline: ContinuousClock.Instant, restores: Bool
    ) -> Ticket {
        let read = Read(
            queries, in: scope, start: start, deadline: deadline, isRenewal: false, restores: restores)
        return book(begin(read), read)
    }

    /// Adds a read without a waiter.
    @inlinable
    mutating func openRenewal(
        of queries: [Query], in scope: CacheScope, start: ContinuousClock.Instant,
        deadline: ContinuousClock.Instant, restores: Bool
    ) -> Int {
        begin(
            Read(queries, in: scope, start: start, deadline: deadline, isRenewal: true, restores: restores))
    }

    /// Sets the task of a read, which is cancelled when the last waiter leaves.
    ///
    /// If all have left already, the task is returned to be cancelled.
    @inlinable
    mutating func attach(_ readID: Int, task: Task<Void, Never>) -> Task<Void, Never>? {
        guard let read = reads[readID] else { return task }
        read.task = task
        return nil
    }

    /// Lets a waiter wait; returns its result if there is one already.
    @inlinable
    mutating func wait(_ ticket: Ticket, _ continuation: Continuation) -> Outcome? {
        guard let read = reads[ticket.readID] else { return nil }
        guard case .settled(let result)? = read.waiters[ticket.waiter] else {
            read.waiters[ticket.waiter] = .waiting(continuation)
            return nil
        }
        read.waiters[ticket.waiter] = nil
        removeIfEmpty(ticket.readID, read)
        return result
    }

    /// Removes a waiter, which gets `result`; returns the waiter to resume, and the task to cancel if it was the
    /// last one.
    @inlinable
    mutating func cancelWait(_ ticket: Ticket, with result: Outcome) -> (Continuation?, Task<Void, Never>?) {
        guard let read = reads[ticket.readID], let waiter = read.waiters[ticket.waiter] else {
            return (nil, nil)
        }
        var continuation: Continuation?
        switch waiter {
        case .settled: return (nil, nil)
        case .booked: read.waiters[ticket.waiter] = .settled(result)
        case .waiting(let waiting):
            continuation = waiting
            read.waiters[ticket.waiter] = nil
        }
        return (continuation, abandonIfUnwanted(ticket.readID, read))
    }

    /// Ends a read; returns the waiters to resume, and whether each of its queries still belongs to it; nil if it was
    /// cancelled before.
    @inlinable
    mutating func complete(_ readID: Int, with result: Outcome) -> (
        waiters: [Continuation], isOwn: [Bool]
    )? {
        guard let completed = reads[readID], !completed.isOver else { return nil }
        completed.isOver = true
        let isOwn = end(readID, completed)
        var waiting: [Continuation] = []
        // Taken out first: a change of the table that is being read would copy it.
        let waiters = completed.waiters
        completed.waiters = [:]
        for (id, waiter) in waiters {
            switch waiter {
            case .booked: completed.waiters[id] = .settled(result)
            case .settled: completed.waiters[id] = waiter
            case .waiting(let continuation): waiting.append(continuation)
            }
        }
        removeIfEmpty(readID, completed)
        return (waiting, isOwn)
    }

    /// Releases a query from its read: no task joins this read for it any more, its waiters continue to wait.
    mutating func release(_ query: Query, in scope: CacheScope) {
        readIDs[scope]?[query] = nil
        if readIDs[scope]?.isEmpty == true { readIDs[scope] = nil }
    }

    /// Releases all queries of some scopes, likewise.
    mutating func release(where isReleased: (CacheScope) -> Bool) {
        for scope in readIDs.keys.filter(isReleased) { readIDs[scope] = nil }
    }

    // MARK: Steps

    @inlinable
    mutating func begin(_ read: Read) -> Int {
        let id = newID()
        reads[id] = read
        func add(to ids: inout [Query: Int]) {
            for query in read.queries { ids[query] = id }
        }
        add(to: &readIDs[read.scope, default: Dictionary(minimumCapacity: read.queries.count)])
        return id
    }

    /// Releases the queries that belong to a read; returns whether each of its queries did.
    @inlinable
    mutating func end(_ id: Int, _ read: Read) -> [Bool] {
        guard let place = readIDs.index(forKey: read.scope) else {
            return Array(repeating: false, count: read.queries.count)
        }
        let isOwn = read.queries.map { readIDs.values[place][$0] == id }
        if isOwn.count(where: \.self) == readIDs.values[place].count {
            readIDs.remove(at: place)
        } else {
            for (query, isOwn) in zip(read.queries, isOwn) where isOwn { readIDs.values[place][query] = nil }
        }
        return isOwn
    }

    @inlinable
    mutating func book(_ readID: Int, _ read: Read) -> Ticket {
        let ticket = Ticket(readID: readID, waiter: newID())
        read.waiters[ticket.waiter] = .booked
        return ticket
    }

    /// Closes a read without waiters; returns its task to be cancelled.
    @inlinable
    mutating func abandonIfUnwanted(_ id: Int, _ read: Read) -> Task<Void, Never>? {
        guard !read.isOver, !read.isRenewal else { return nil }
        let isWanted = read.waiters.values.contains { waiter in
            switch waiter {
            case .booked, .waiting: true
            case .settled: false
            }
        }
        if isWanted { return nil }
        // No further task joins it.
        read.isOver = true
        _ = end(id, read)
        removeIfEmpty(id, read)
        return read.task
    }

    /// Removes a read that has ended, once all tickets are settled and fetched.
    @inlinable
    mutating func removeIfEmpty(_ id: Int, _ read: Read) {
        if read.isOver, read.waiters.isEmpty { reads[id] = nil }
    }

    @inlinable
    mutating func newID() -> Int {
        nextID &+= 1
        return nextID
    }
}
