package import Brokerage
import Foundation
import Synchronization

/// An active session in memory.
///
/// A class, because each request records that the session was used.
package final class ActiveSession: Sendable {
    package let id: String
    package let owner: OwnerID
    /// Whether it belongs to a guest.
    ///
    /// A guest who signs up gets another session.
    package let isGuest: Bool
    package let scopes: Set<Scope>
    /// The client's name for the session.
    package let label: String?
    package let createdAt: Instant
    /// When it ends at the latest.
    package let expiresAt: Instant
    /// The validity of the session.
    ///
    /// A renewed session is another object with another token, and the same validity. With another password it is a new one.
    package let validity: SessionValidity
    let hash: TokenHash
    /// The token that a renewal gives; nil until a request has sent the session's token.
    // Set by requests on all threads; each of them sets the same value.
    private let next: Mutex<NextToken?>
    // In milliseconds since 1970. Requests on all threads set it; of two that do so at once, either may win.
    private let lastUse: Atomic<Int64>
    /// The time of the last use in the file.
    private let storedUse: Atomic<Int64>

    /// To the minute: noting each request would make all threads write to one place.
    private static let coarseness: Int64 = 60_000

    init(
        id: String, owner: OwnerID, isGuest: Bool, scopes: Set<Scope>, label: String?, createdAt: Instant,
        lastUsedAt: Instant, expiresAt: Instant, hash: TokenHash, next: NextToken? = nil,
        validity: SessionValidity = SessionValidity()
    ) {
        (self.isGuest, self.validity) = (isGuest, validity)
        self.next = Mutex(next)
        (self.id, self.owner, self.scopes, self.label) = (id, owner, scopes, label)
        (self.createdAt, self.expiresAt, self.hash) = (createdAt, expiresAt, hash)
        lastUse = Atomic(lastUsedAt.millisecondsSince1970)
        storedUse = Atomic(lastUsedAt.millisecondsSince1970)
    }

    package var lastUsedAt: Instant {
        Instant(millisecondsSince1970: lastUse.load(ordering: .relaxed)) ?? createdAt
    }

    /// When it ends if it is not used again.
    func end(_ policy: SessionPolicy) -> Instant { min(expiresAt, lastUsedAt + policy.idle) }

    func recordUse(at now: Instant) {
        let now = now.millisecondsSince1970
        if now - lastUse.load(ordering: .relaxed) >= Self.coarseness {
            lastUse.store(now, ordering: .relaxed)
        }
    }

    /// The time of the last use, if the file does not have it.
    var unsavedUse: Int64? {
        let last = lastUse.load(ordering: .relaxed)
        return last > storedUse.load(ordering: .relaxed) ? last : nil
    }

    func markStored(_ use: Int64) { storedUse.store(use, ordering: .relaxed) }

    /// The same session with another token that continues with this validity.
    func with(hash: TokenHash, next: NextToken?, validity: SessionValidity) -> ActiveSession {
        ActiveSession(
            id: id, owner: owner, isGuest: isGuest, scopes: scopes, label: label, createdAt: createdAt,
            lastUsedAt: lastUsedAt, expiresAt: expiresAt, hash: hash, next: next, validity: validity)
    }

    /// The token that a renewal gives; nil until a request has sent the session's token.
    var nextToken: NextToken? { next.withLock(\.self) }

    func setNext(_ token: NextToken) { next.withLock { $0 = token } }

    /// Whether another read of the session has the token that a renewal of this one gives, and the same rights.
    func isRenewed(by other: ActiveSession) -> Bool {
        nextToken?.hash == other.hash && owner == other.owner && scopes == other.scopes
    }

    /// Whether a row of the file is this session, renewed.
    func isRenewed(in row: SQLRow) throws -> Bool {
        let (hash, owner, scopes): (Data, String, String) =
            try (row["token_hash"], row["user_id"], row["scopes"])
        return nextToken?.hash == TokenHash(hash) && self.owner.text == owner
            && self.scopes == Set(text: scopes)
    }

    /// Whether another read of the session has the same token, rights and expiry, compared in whole
    /// milliseconds like the file.
    func isUnchanged(in other: ActiveSession) -> Bool {
        hash == other.hash && owner == other.owner && scopes == other.scopes
            && expiresAt.millisecondsSince1970 == other.expiresAt.millisecondsSince1970
    }

    /// Whether a row of the file has the same values.
    func isUnchanged(in row: SQLRow) throws -> Bool {
        let (hash, owner, scopes): (Data, String, String) =
            try (row["token_hash"], row["user_id"], row["scopes"])
        return try self.hash == TokenHash(hash) && self.owner.text == owner
            && self.scopes == Set(text: scopes)
            && expiresAt.millisecondsSince1970 == row["expires_at"] as Int64
    }

    /// Copies the times of use from another object of the same session.
    func inherit(from other: ActiveSession) {
        let use = other.lastUse.load(ordering: .relaxed)
        if use > lastUse.load(ordering: .relaxed) { lastUse.store(use, ordering: .relaxed) }
    }
}

extension ActiveSession {
    convenience init(_ row: SQLRow, isGuest: Bool, validity: SessionValidity = SessionValidity()) throws {
        guard let owner = try OwnerID(row["user_id"]), let hash = try TokenHash(row["token_hash"]),
            let createdAt = try row.instant("created_at"), let lastUsedAt = try row.instant("last_used_at"),
            let expiresAt = try row.instant("expires_at")
        else { throw CorruptedRow() }
        try self.init(
            id: row["id"], owner: owner, isGuest: isGuest, scopes: Set(text: row["scopes"]),
            label: row["label"],
            createdAt: createdAt, lastUsedAt: lastUsedAt, expiresAt: expiresAt, hash: hash, validity: validity
        )
    }

    func insert(into db: SQLTransaction, openedBy origin: IssuerSession?) throws {
        try db.execute(
            """
            INSERT INTO session
                (id, token_hash, user_id, scopes, label, created_at, last_used_at, expires_at, issuer, issuer_session,
                token_issued_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                id, hash.data, owner.text, scopes.text, label, createdAt.millisecondsSince1970,
                lastUsedAt.millisecondsSince1970, expiresAt.millisecondsSince1970, origin?.issuer, origin?.id,
                origin?.issuedAt.millisecondsSince1970,
            ])
    }
}

/// The validity of a session, with the closures to call when it ends.
///
/// A renewal does not end it: sockets and streams that were opened with the earlier token continue. They register here, so
/// that none has to poll.
package final class SessionValidity: Sendable {
    private struct State {
        var observers: [Int: @Sendable () -> Void] = [:]
        var nextNumber = 0
    }

    // Taken on any thread. It is held for a few stores, never while an observer is called.
    private let state = Mutex(State())
    // Each guarded field reads it without the lock. It is set under the lock, so that no observer is added
    // after the end.
    private let ended = Atomic(false)

    package var hasEnded: Bool { ended.load(ordering: .acquiring) }

    /// Calls a closure once when the session ends; at once if it has ended.
    ///
    /// - Parameter observer: Called on any thread; must not block.
    /// - Returns: A closure that removes the observer. Call it when the observer is no longer needed.
    package func onEnd(_ observer: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let number: Int? = state.withLock { state in
            if hasEnded { return nil }
            state.nextNumber += 1
            state.observers[state.nextNumber] = observer
            return state.nextNumber
        }
        guard let number else {
            observer()
            return {}
        }
        return { [self] in _ = state.withLock { $0.observers.removeValue(forKey: number) } }
    }

    package init() {}

    /// Ends the session permanently.
    package func end() {
        let observers = state.withLock { state in
            ended.store(true, ordering: .releasing)
            defer { state.observers = [:] }
            return state.observers
        }
        for observer in observers.values { observer() }
    }
}

/// The values of `Scope` in the schema.
package enum Scope: String, Sendable, CaseIterable {
    case read = "READ"
    case write = "WRITE"
    case trade = "TRADE"
    case admin = "ADMIN"
}

extension Set<Scope> {
    /// The scopes separated by spaces, as in OAuth (RFC 6749, section 3.3).
    var text: String {
        Scope.allCases.filter(contains).map(\.rawValue).joined(separator: " ")
    }

    /// Unknown names grant nothing.
    init(text: String) {
        self.init(text.split(separator: " ").compactMap { Scope(rawValue: String($0)) })
    }
}
