package import Brokerage
import Crypto
import GRDB
import Synchronization
package import Upstream

/// The sessions of a house: kept in the file, found in memory.
package final class SessionStore: Sendable {
    package let policy: SessionPolicy
    let database: DatabaseFile
    let live: LiveSessions
    /// The deletions of users by this process, or by another process with the same file.
    package let deletions = UserDeletions()
    private let key: SymmetricKey
    /// The connection that detects changes of the file by other processes.
    let watch: ReadingConnection
    /// The last value of SQLite's counter of changes by connections other than `watch`.
    let knownVersion = Atomic<Int64>(0)

    /// Reads all sessions of a file; for the start of the process: it waits.
    ///
    /// - Throws: `wrongMasterKey` where their tokens' hashes were made under another.
    package init(
        in file: HouseFile, _ master: MasterKey, _ policy: SessionPolicy = SessionPolicy()
    ) throws(StorageError) {
        database = file.database
        watch = try ReadingConnection(to: database)
        self.policy = policy
        live = LiveSessions(policy)
        key = try TokenKey(in: database, master).key
        live.replace(with: try database.readNow(Self.all))
    }

    /// The session of a token; nil where there is none any more.
    ///
    /// From memory, in well under a microsecond.
    package func session(ofToken text: String, now: Instant = .now) -> LiveSession? {
        guard let token = SessionToken(text) else { return nil }
        let digest = TokenHash(digesting: token)
        let found =
            live.session(withDigest: digest)
            ?? live.session(withHash: TokenHash(token, under: key), digest: digest)
        guard let found, now < found.end(policy) else { return nil }
        found.noteUse(at: now)
        return found
    }

    /// A session by its id; nil where there is none any more.
    package func session(_ id: String, now: Instant = .now) -> LiveSession? {
        live.session(id).flatMap { now < $0.end(policy) ? $0 : nil }
    }

    /// Whether a session's token has not ended, and the session has not expired.
    package func isValid(_ session: LiveSession, now: Instant = .now) -> Bool {
        !session.validity.hasEnded && now < session.end(policy)
    }

    /// A user's sessions, the one used last first.
    package func sessions(of owner: OwnerID, now: Instant = .now) -> [LiveSession] {
        live.sessions(of: owner).filter { now < $0.end(policy) }
    }

    /// When a session ends if it is not used again.
    package func end(of session: LiveSession) -> Instant { session.end(policy) }

    /// A token, with its session.
    package struct Opened: Sendable {
        package let token: SessionToken
        package let session: LiveSession
        package let user: User
    }

    /// What a client wants of a session.
    package struct Wish: Sendable {
        package var scopes: Set<Scope>
        package var label: String?

        package init(scopes: Set<Scope>, label: String?) {
            self.scopes = scopes
            self.label = label
        }
    }

    /// Makes a session in the transaction that finds or makes its user; a user with too many loses the one that was
    /// unused for longest.
    func open(_ wish: Wish, for user: User, in db: Database, now: Instant) throws -> Opened {
        let token = SessionToken()
        let session = LiveSession(
            id: RandomID.make(), owner: user.id, isGuest: user.kind == .guest, scopes: wish.scopes,
            label: wish.label, createdAt: now, lastUsedAt: now, expiresAt: policy.expiry(from: now),
            hash: TokenHash(token, under: key))
        try session.insert(into: db)
        let surplus = live.sessions(of: user.id).dropFirst(max(0, policy.perUser - 1)).map(\.id)
        try delete(surplus, in: db)
        db.afterNextTransaction { [live] _ in live.add(session) }
        return Opened(token: token, session: session, user: user)
    }

    /// Ends sessions in a transaction: they are out of memory as soon as it is done.
    func delete(_ ids: [String], in db: Database) throws {
        guard !ids.isEmpty else { return }
        for id in ids { try db.execute(sql: "DELETE FROM session WHERE id = ?", arguments: [id]) }
        db.afterNextTransaction { [live] _ in live.remove(ids) }
    }

    static func all(_ db: Database) throws -> [LiveSession] {
        let sql = "SELECT session.*, user.kind FROM session JOIN user ON user.id = session.user_id"
        return try Row.fetchAll(db, sql: sql).map { try LiveSession($0, isGuest: $0["kind"] == "GUEST") }
    }

    /// A new token's hash.
    func hash(_ token: SessionToken) -> TokenHash { TokenHash(token, under: key) }
}
