package import Brokerage
import PorticoCore
package import Storage
import Synchronization

/// The changes that other processes with a PostgreSQL database record: ``ChangeFeed``.
package final class ReplicaChanges: Changes {
    package let observers = ChangeObservers()
    private let sessions: SessionStore
    private let feed: ChangeFeed
    /// The requests that wait for the changes; several wait for one read.
    private let update = SharedTask<StorageError>()
    /// The tokens that were looked up and not found, until when.
    private let misses = TokenMisses()

    /// A state that is older than this is read again before a token is accepted.
    private static let maximumAge = Duration.seconds(1)
    /// As many sessions or users are read in one transaction, whose time is limited.
    private static let batch = 500

    /// - Parameters:
    ///   - sessions: The sessions in memory.
    ///   - clock: Determines the age of the changes; those that others make since the sessions were read are read afterwards.
    package init(of sessions: SessionStore, clock: TimeSource = .system) {
        self.sessions = sessions
        feed = ChangeFeed(
            clock: clock, appliedAt: min(clock.now(), sessions.readAt), sessions.readAfter)
    }

    /// It is false after the process was stopped, and while the database does not respond.
    package var isCurrent: Bool { feed.age <= Self.maximumAge }

    package func mayFind(_ text: String) -> Bool {
        guard let token = SessionToken(text) else { return false }
        return !misses.contains(TokenHash(digesting: token), now: feed.now)
    }

    package func current<Known>(_ known: () -> Known?) async throws(StorageError) -> Known? {
        do throws(StorageError) {
            // A read in progress may have begun before this process was stopped; the next one has not.
            for _ in 0..<2 where !isCurrent { try await follow() }
        } catch {
            if feed.age <= sessions.policy.grace, let session = known() { return session }
            throw error
        }
        return known()
    }

    package func session(ofToken text: String, now: Instant) async throws(StorageError) -> ActiveSession? {
        if let known = try await current({ sessions.session(ofToken: text, now: now) }) { return known }
        guard let token = SessionToken(text) else { return nil }
        if let found = try await sessions.lookUp(token, now: now) { return found }
        misses.insert(TokenHash(digesting: token), now: feed.now)
        return nil
    }

    /// It waits for no lock, so a user whose transaction takes long does not delay the changes of others.
    package func follow(now: Instant) async throws(StorageError) {
        try await update.run { [self] () async throws(StorageError) in try await followOnce() }
    }

    private func followOnce() async throws(StorageError) {
        let start = feed.now
        guard !feed.hasGap else { return try await restart(at: start) }
        let read = try await sessions.database.read { [feed] db in try feed.read(db) }
        // Another server, as after a restore: the state in memory is that of the earlier server.
        guard !read.isOfEarlierServer else { return try await restart(at: start) }
        try await apply(read.changes)
        let deleted = read.changes.filter { $0.kind == .user }.compactMap { OwnerID($0.id) }
        if !deleted.isEmpty {
            let held = Set(sessions.deletions.owners)
            sessions.deletions.report(deleted.filter(held.contains))
        }
        // Set last, so that a failed step is repeated the next time.
        feed.didApply(read, readAt: start)
    }

    /// Applies the state of the database, and follows the changes after it.
    private func restart(at start: ContinuousClock.Instant) async throws(StorageError) {
        let snapshot = try await sessions.database.read(.normal, PostgresSnapshot.current)
        try await applyAll()
        feed.didApplyAll(snapshot, readAt: start)
    }

    package func deleteOld() async throws(StorageError) {
        while try await sessions.database.write({ [feed] db in try feed.deleteOld(db) }) {}
    }

    /// Applies the state of the database: first to the sessions and users in memory, then all others, in pages.
    ///
    /// What changes meanwhile is read afterwards as a change.
    private func applyAll() async throws(StorageError) {
        let held = sessions.deletions.owners
        try await apply(sessions.live.all.map { ChangeFeed.Change(.session, $0.id) })
        try await apply(held.map { ChangeFeed.Change(.connection, $0.text) })
        for batch in Self.batches(held) {
            let list = SQLList(batch.map(\.text))
            let users: Set<String> = try await sessions.database.read { db in
                Set(
                    try db.values(
                        #"SELECT id FROM "user" WHERE id IN (\#(list.placeholders))"#, list.arguments))
            }
            sessions.deletions.report(batch.filter { !users.contains($0.text) })
        }
        let owners = Set(held.map(\.text))
        for (kind, pages) in ChangeFeed.tables {
            var last = pages.begin
            while let page = try await sessions.database.read(
                .normal, { [last] db in try pages.page(after: last, db) })
            {
                let unread = page.texts.filter { id in
                    switch kind {
                    case .session: sessions.live.session(id) == nil
                    case .connection: !owners.contains(id)
                    case .user, .identity, .alert, .order: true
                    }
                }
                try await apply(unread.map { ChangeFeed.Change(kind, $0) })
                last = page.last
            }
        }
    }

    private static func batches<Element>(_ elements: [Element]) -> some Sequence<[Element]> {
        stride(from: 0, to: elements.count, by: batch).lazy.map { first in
            Array(elements[first..<min(first + batch, elements.count)])
        }
    }

    /// Applies changes of all kinds but those of users.
    private func apply(_ changes: [ChangeFeed.Change]) async throws(StorageError) {
        func ids(_ kind: ChangeFeed.Change.Kind) -> [String] {
            Array(Set(changes.filter { $0.kind == kind }.map(\.id)))
        }
        for batch in Self.batches(ids(.session)) { try await sessions.refresh(Set(batch)) }
        let observers = observers.all
        if let reload = observers.connections {
            for batch in Self.batches(ids(.connection).compactMap { OwnerID($0) }) {
                try await reload(Set(batch))
            }
        }
        /// The ids of a kind by the owners that follow them.
        func owned(_ kind: ChangeFeed.Change.Kind) -> [OwnerID: Set<String>] {
            changes.reduce(into: [:]) { owned, change in
                guard change.kind == kind else { return }
                let parts = change.id.split(separator: " ", maxSplits: 1).map(String.init)
                guard parts.count == 2, let owner = OwnerID(parts[1]) else { return }
                owned[owner, default: []].insert(parts[0])
            }
        }
        let (alerts, orders) = (owned(.alert), owned(.order))
        if !orders.isEmpty { observers.orders?(orders) }
        if !alerts.isEmpty, let followAlerts = observers.alerts { try await followAlerts(alerts) }
        for id in ids(.identity) {
            if let ended = EndedIdentity(id) { observers.identities?(ended) }
        }
    }
}

/// An operation that several callers wait for: one that is called while it is in progress joins it.
///
/// It is executed to its end even if all callers are cancelled.
private final class SharedTask<Failure: Error>: Sendable {
    // Held while a task is started or removed.
    private let state = Mutex<Task<Result<Void, Failure>, Never>?>(nil)

    func run(_ body: @escaping @Sendable () async throws(Failure) -> Void) async throws(Failure) {
        let task = state.withLock { current in
            if let current { return current }
            let task = Task { [self] () -> Result<Void, Failure> in
                let result = await Result.of(body)
                state.withLock { $0 = nil }
                return result
            }
            current = task
            return task
        }
        try await task.value.get()
    }
}
