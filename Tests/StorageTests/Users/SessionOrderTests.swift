import Brokerage
import Coordination
import Dispatch
import EngineTestSupport
import Foundation
import Synchronization
import TestSupport
import Testing
import Upstream

@testable import Storage

@Suite("Changes of sessions in the order of their commits")
struct SessionOrderTests {
    /// Two processes with one database.
    private static func with(_ body: (SessionStore, SessionStore) async throws -> Void) async throws {
        try await TestEngine.postgresql.with { test in
            let key = MasterKey.random()
            try await body(SessionStore(in: test.open(), key), SessionStore(in: test.open(), key))
        }
    }

    /// Commits a transaction of a process, and changes the memory of the process only after another closure.
    ///
    /// - Returns: The session of the transaction.
    private static func commit(
        _ store: SessionStore,
        _ transaction: @escaping @Sendable (SQLTransaction) throws -> SessionStore.NewSession?,
        beforeMemory body: (SessionStore.NewSession) async throws -> Void
    ) async throws -> SessionStore.NewSession {
        let (committed, mayContinue) = (Event<Void>(), DispatchSemaphore(value: 0))
        let stored = Mutex<SessionStore.NewSession?>(nil)
        let write = Task {
            defer { committed.happen() }
            try await store.opening { db in
                // Registered before that of the transaction, so it is called before.
                db.afterCommit {
                    committed.happen()
                    mayContinue.wait()
                }
                let new = try transaction(db)
                stored.withLock { $0 = new }
            }
        }
        defer { mayContinue.signal() }
        await committed.wait()
        let result = stored.withLock(\.self)
        let new = try #require(result)
        try await body(new)
        mayContinue.signal()
        try await write.value
        return new
    }

    @Test("A session that another process has ended is not restored by an earlier renewal")
    func renewal() async throws {
        try await Self.with { first, second in
            let opened = try await SessionStoreTests.guest(of: first, now: .now)
            let new = try await Self.commit(first) { db in
                try first.renew(opened.session, in: db, now: .now)
            } beforeMemory: { _ in
                #expect(try await second.revoke(opened.session.id, of: opened.user.id))
                try await first.changes.follow()
            }
            #expect(first.session(ofToken: new.token.text) == nil)
            #expect(first.session(ofToken: opened.token.text) == nil && opened.session.validity.hasEnded)
            #expect(try await first.changes.session(ofToken: new.token.text) == nil)
        }
    }

    @Test("A session that another process has ended is not added by the transaction that opened it")
    func opening() async throws {
        try await Self.with { first, second in
            let new = try await Self.commit(first) { db in
                let user = try UserStore.insertGuest(in: db, now: .now)
                return try first.open(SessionStoreTests.wish, for: user, in: db, now: .now)
            } beforeMemory: { new in
                #expect(try await second.revoke(new.session.id, of: new.user.id))
                try await first.changes.follow()
            }
            #expect(first.session(ofToken: new.token.text) == nil)
            #expect(first.sessions(of: new.user.id).isEmpty)
        }
    }

    @Test("A token of another process's renewal is not replaced by that of an earlier one")
    func twoRenewals() async throws {
        try await Self.with { first, second in
            let opened = try await SessionStoreTests.guest(of: first, now: .now)
            let last = Event<String>()
            let new = try await Self.commit(first) { db in
                try first.renew(opened.session, in: db, now: .now)
            } beforeMemory: { new in
                let session = try #require(try await second.changes.session(ofToken: new.token.text))
                last.happen(try #require(try await second.renew(session)).token.text)
                try await first.changes.follow()
            }
            let current = first.session(ofToken: await last.wait())
            #expect(current?.id == opened.session.id)
            #expect(first.sessions(of: opened.user.id).map(\.id) == [opened.session.id])
            // The token of the earlier renewal is the one before the last.
            let accepted = first.session(ofToken: new.token.text)
            #expect(accepted?.validity === current?.validity)
        }
    }

    @Test("A renewal whose change is read before it is in memory leaves one session, with the new token")
    func readBefore() async throws {
        try await Self.with { first, _ in
            let opened = try await SessionStoreTests.guest(of: first, now: .now)
            let renewed = try await Self.commit(first) { db in
                try first.renew(opened.session, in: db, now: .now)
            } beforeMemory: { _ in
                try await first.changes.follow()
            }
            let found = try #require(first.session(ofToken: renewed.token.text))
            #expect(first.isValid(found) && found.validity === opened.session.validity)
            #expect(first.sessions(of: opened.user.id).map(\.id) == [opened.session.id])
        }
    }
}
