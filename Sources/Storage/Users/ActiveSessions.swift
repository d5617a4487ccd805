import Brokerage
import Synchronization

/// All sessions that have not ended, in memory, where each request looks for its own.
///
/// A lock, because requests arrive on any thread; it is held for a look-up. Only the file's writer adds
/// sessions, each time that it has changed the file, so memory and file agree. With PostgreSQL, look-ups and the changes by
/// other processes add some, too.
package final class ActiveSessions: Sendable {
    private let state: Mutex<State>

    private struct State {
        let policy: SessionPolicy
        /// No session expires before this time.
        var earliestEnd = Instant.latest
        var byID: [String: ActiveSession] = [:]
        var byOwner: [OwnerID: Set<String>] = [:]
        var byHash: [TokenHash: ActiveSession] = [:]
        /// By the digests of tokens that have been seen: the file has other hashes.
        var byDigest: [TokenHash: ActiveSession] = [:]
        var digests: [String: TokenHash] = [:]
        /// The additions that have begun and not ended.
        var additions = 0
        /// The sessions that were removed from memory during these additions.
        var removed: Set<String> = []

        func wasRemoved(_ id: String) -> Bool {
            removed.count >= ActiveSessions.maximumRemoved || removed.contains(id)
        }

        mutating func add(_ session: ActiveSession) {
            // Without this, the token of another object with the id would still be found.
            _ = remove(session.id)
            byID[session.id] = session
            byOwner[session.owner, default: []].insert(session.id)
            byHash[session.hash] = session
            earliestEnd = min(earliestEnd, session.end(policy))
        }

        /// - Returns: the session; nil if there is none.
        mutating func remove(_ id: String) -> ActiveSession? {
            guard let session = byID.removeValue(forKey: id) else { return nil }
            byHash[session.hash] = nil
            if let digest = digests.removeValue(forKey: id) { byDigest[digest] = nil }
            byOwner[session.owner]?.remove(id)
            if byOwner[session.owner]?.isEmpty == true { byOwner[session.owner] = nil }
            return session
        }

        mutating func addDigest(_ digest: TokenHash, of session: ActiveSession) {
            byDigest[digest] = session
            digests[session.id] = digest
        }
    }

    init(_ policy: SessionPolicy) {
        state = Mutex(State(policy: policy))
    }

    /// The session of a token that has been seen before.
    func session(withDigest digest: TokenHash) -> ActiveSession? {
        state.withLock { $0.byDigest[digest] }
    }

    /// The session of a token that is seen for the first time.
    func session(withHash hash: TokenHash, digest: TokenHash) -> ActiveSession? {
        state.withLock { state in
            guard let session = state.byHash[hash] else { return nil }
            state.addDigest(digest, of: session)
            return session
        }
    }

    package func session(_ id: String) -> ActiveSession? {
        state.withLock { $0.byID[id] }
    }

    /// A user's, the one used last first.
    func sessions(of owner: OwnerID) -> [ActiveSession] {
        state.withLock { state in
            (state.byOwner[owner] ?? []).compactMap { state.byID[$0] }
        }
        .sorted { ($0.lastUsedAt, $0.id) > ($1.lastUsedAt, $1.id) }
    }

    package var all: [ActiveSession] { state.withLock { Array($0.byID.values) } }

    /// Adds a session that a transaction has opened, unless it was read from the database before, or was removed since
    /// ``beginAddition()``: then it has ended.
    func add(_ session: ActiveSession) {
        state.withLock { state in
            if state.byID[session.id] == nil, !state.wasRemoved(session.id) { state.add(session) }
        }
    }

    /// Replaces a session by the one with its next token, which a transaction has stored.
    ///
    /// It changes memory only if memory has the earlier token. Otherwise memory has a later state: the session has ended, or
    /// has the token of a later transaction. What was opened with the earlier token continues if both have the same validity.
    func replace(_ old: ActiveSession, with new: ActiveSession) {
        let known = state.withLock { state -> ActiveSession? in
            guard let known = state.byID[new.id], known.hash == old.hash else { return nil }
            state.add(new)
            return known
        }
        for session in [known, old] where session?.validity !== new.validity { session?.validity.end() }
    }

    /// Adds a session that was read from the database, unless memory has one with its id.
    func addIfUnknown(_ session: ActiveSession) {
        state.withLock { if $0.byID[session.id] == nil { $0.add(session) } }
    }

    // MARK: Additions

    /// The most removals that are recorded.
    ///
    /// With as many, every session is treated as removed, and is read again.
    private static let maximumRemoved = 10_000

    /// Begins an addition, which is a look-up in the database or a transaction: removals of sessions are recorded until
    /// ``endAddition()``, so that the session of an earlier read or commit is not added after its end was applied.
    func beginAddition() { state.withLock { $0.additions += 1 } }

    func endAddition() {
        state.withLock { state in
            state.additions -= 1
            if state.additions == 0 { state.removed = [] }
        }
    }

    /// Whether a session has ended, or has another token, since an addition began that has not ended.
    func wasRemoved(_ session: ActiveSession) -> Bool { state.withLock { $0.wasRemoved(session.id) } }

    // MARK: Removal

    /// Ends sessions and their tokens.
    func remove(_ ids: [String]) {
        let ended = state.withLock { state in
            if state.additions > 0, state.removed.count < Self.maximumRemoved { state.removed.formUnion(ids) }
            return ids.compactMap { state.remove($0) }
        }
        for session in ended { session.validity.end() }
    }

    /// Ends these sessions and their tokens, but no later session with the same id.
    package func remove(_ sessions: [ActiveSession]) {
        state.withLock { state in
            for session in sessions where state.byID[session.id] === session { _ = state.remove(session.id) }
        }
        for session in sessions { session.validity.end() }
    }

    /// Ends the expired sessions, and their tokens.
    ///
    /// It reads all sessions only if one can have expired since the last call.
    func removeExpired(at now: Instant) {
        let ended = state.withLock { state -> [ActiveSession] in
            guard state.earliestEnd <= now else { return [] }
            let policy = state.policy
            let ended = state.byID.values.filter { $0.end(policy) <= now }
            for session in ended { _ = state.remove(session.id) }
            state.earliestEnd = state.byID.values.map { $0.end(policy) }.min() ?? .latest
            return ended
        }
        for session in ended { session.validity.end() }
    }

    /// Replaces all sessions by those of the file, but keeps later times of last use.
    ///
    /// A session that is unchanged in the file remains the same object, and a renewed one keeps its validity. All others
    /// end: sessions that were removed, have a token that is not of a renewal, or have other rights.
    func replace(with sessions: [ActiveSession]) {
        let ended = state.withLock { state in
            let old = state
            state = State(policy: old.policy)
            (state.additions, state.removed) = (old.additions, old.removed)
            for session in sessions {
                guard let known = old.byID[session.id] else {
                    state.add(session)
                    continue
                }
                guard known.isUnchanged(in: session) else {
                    let isRenewed = known.isRenewed(by: session)
                    let new =
                        isRenewed
                        ? session.with(hash: session.hash, next: nil, validity: known.validity) : session
                    new.inherit(from: known)
                    state.add(new)
                    continue
                }
                state.add(known)
                if let digest = old.digests[known.id] { state.addDigest(digest, of: known) }
            }
            return old.byID.values.filter { state.byID[$0.id]?.validity !== $0.validity }
        }
        for session in ended { session.validity.end() }
    }
}
