import Brokerage
import Synchronization
import Upstream

/// All sessions that have not ended, in memory, where each request looks for its own.
///
/// A lock, because requests come on any thread; what is done under it is a look-up. Only the file's writer changes the
/// sessions, each time that it has changed the file, so memory and file agree.
final class LiveSessions: Sendable {
    private let state = Mutex(State())

    private struct State {
        var byID: [String: LiveSession] = [:]
        var byOwner: [OwnerID: Set<String>] = [:]
        var byHash: [TokenHash: LiveSession] = [:]
        /// By the digests of tokens that have been seen: the file has other hashes.
        var byDigest: [TokenHash: LiveSession] = [:]
        var digests: [String: TokenHash] = [:]

        mutating func add(_ session: LiveSession) {
            byID[session.id] = session
            byOwner[session.owner, default: []].insert(session.id)
            byHash[session.hash] = session
        }

        mutating func remove(_ id: String) {
            guard let session = byID.removeValue(forKey: id) else { return }
            byHash[session.hash] = nil
            if let digest = digests.removeValue(forKey: id) { byDigest[digest] = nil }
            byOwner[session.owner]?.remove(id)
            if byOwner[session.owner]?.isEmpty == true { byOwner[session.owner] = nil }
        }

        mutating func note(_ digest: TokenHash, of session: LiveSession) {
            byDigest[digest] = session
            digests[session.id] = digest
        }
    }

    /// The session of a token that has been seen before.
    func session(withDigest digest: TokenHash) -> LiveSession? {
        state.withLock { $0.byDigest[digest] }
    }

    /// The session of a token that is seen for the first time.
    func session(withHash hash: TokenHash, digest: TokenHash) -> LiveSession? {
        state.withLock { state in
            guard let session = state.byHash[hash] else { return nil }
            state.note(digest, of: session)
            return session
        }
    }

    func session(_ id: String) -> LiveSession? {
        state.withLock { $0.byID[id] }
    }

    /// A user's, the one used last first.
    func sessions(of owner: OwnerID) -> [LiveSession] {
        state.withLock { state in
            (state.byOwner[owner] ?? []).compactMap { state.byID[$0] }
        }
        .sorted { ($0.lastUsedAt, $0.id) > ($1.lastUsedAt, $1.id) }
    }

    var all: [LiveSession] { state.withLock { Array($0.byID.values) } }

    /// Who has sessions.
    var owners: [OwnerID] { state.withLock { Array($0.byOwner.keys) } }

    func add(_ session: LiveSession) {
        state.withLock { $0.add(session) }
    }

    func remove(_ ids: [String]) {
        state.withLock { state in for id in ids { state.remove(id) } }
    }

    /// Takes what the file has in place of all that was known, but for what is newer here: when they were used.
    func replace(with sessions: [LiveSession]) {
        state.withLock { state in
            let old = state
            state = State()
            for session in sessions {
                state.add(session)
                guard let known = old.byID[session.id] else { continue }
                session.inherit(from: known)
                if known.hash == session.hash, let digest = old.digests[session.id] {
                    state.note(digest, of: session)
                }
            }
        }
    }
}
