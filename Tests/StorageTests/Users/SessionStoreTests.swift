import Brokerage
import Coordination
import Dispatch
import EngineTestSupport
import Foundation
import GRDB
import Synchronization
import TestSupport
import Testing
import Upstream

@testable import Storage

@Suite("Sessions")
struct SessionStoreTests {
    static let wish = SessionStore.Options(scopes: [.read, .write], label: "phone")
    static let start = Instant(secondsSince1970: 1_800_000_000) ?? .earliest
    static let day = Duration.seconds(86_400)

    static func guest(of store: SessionStore, now: Instant = start) async throws -> SessionStore.NewSession {
        try #require(try await store.openForGuest(wish, now: now))
    }

    static func named(
        _ name: String, _ store: SessionStore, guest: ActiveSession? = nil, invitation: String? = nil,
        now: Instant = start
    ) async throws -> Result<SessionStore.NewSession, SessionStore.SignUpError> {
        try await store.signUp(
            SessionStore.NewUser(
                username: try Username(name), hash: PasswordHash(matchingNothing: .standard),
                invitation: invitation, guest: guest), wish, now: now)
    }

    @Test("are found by their tokens, from the start and after a restart", arguments: TestEngine.allCases)
    func finds(engine: TestEngine) async throws {
        try await engine.with { folder in
            let key = MasterKey.random()
            var store = try SessionStore(in: folder.open(), key)
            let opened = try await Self.guest(of: store)
            #expect(opened.token.text.hasPrefix("pts_"))
            #expect(opened.token.text.utf8.count == 47)
            for _ in 0..<2 {
                let found = try #require(store.session(ofToken: opened.token.text, now: Self.start))
                #expect(found.id == opened.session.id)
                #expect(found.owner == opened.user.id)
                #expect(found.scopes == [.read, .write])
                #expect(found.label == "phone")
                #expect(found.createdAt == Self.start)
                #expect(found.expiresAt == Self.start + Duration.seconds(90 * 86_400))
                store = try SessionStore(in: folder.open(), key)
            }
        }
    }

    @Test(
        "are all read at the start, in pages that are transactions of their own",
        arguments: TestEngine.allCases)
    func readsPages(engine: TestEngine) async throws {
        try await engine.with { folder in
            let (file, key) = (try folder.open(), MasterKey.random())
            // Stores the key of the tokens.
            _ = try SessionStore(in: file, key)
            func start() throws -> (ids: [String], transactions: Int) {
                let before = file.database.transactionCount
                let ids = try SessionStore(in: file, key).live.all.map(\.id).sorted()
                return (ids, file.database.transactionCount - before)
            }
            let empty = try start()
            #expect(empty.ids.isEmpty)
            let numbers = 1_000...2_000
            try file.database.writeNow { db in
                try db.execute(#"INSERT INTO "user" (id, created_at) VALUES ('ann', 0)"#)
                for number in numbers {
                    let bytes = (0..<32).map { UInt8(truncatingIfNeeded: number >> ($0 % 2 * 8)) }
                    try db.execute(
                        """
                        INSERT INTO session (id, token_hash, user_id, scopes, created_at, last_used_at, expires_at)
                        VALUES (?, ?, 'ann', 'READ', 0, 0, 1)
                        """, ["s\(number)", Data(bytes)])
                }
            }
            let full = try start()
            #expect(full.ids == numbers.map { "s\($0)" })
            #expect(full.transactions - empty.transactions == (engine == .postgresql ? 3 : 0))
        }
    }

    @Test("are not found by other texts", arguments: TestEngine.allCases)
    func findsNothing(engine: TestEngine) async throws {
        let store = try SessionStore(in: engine.temporary(), .random())
        let token = try await Self.guest(of: store).token.text
        for wrong in [
            "", "pts_", String(token.dropLast()), token + "A", token.uppercased(),
            "pts-" + token.dropFirst(4),
            String(token.dropLast()) + (token.last == "A" ? "B" : "A"), SessionToken().text,
        ] {
            #expect(store.session(ofToken: wrong, now: Self.start) == nil, "\(wrong)")
        }
    }

    @Test("of another master key cannot be read", arguments: TestEngine.allCases)
    func otherKey(engine: TestEngine) async throws {
        try await engine.with { folder in
            let file = try folder.open()
            _ = try SessionStore(in: file, .random())
            #expect(throws: StorageError.wrongMasterKey(path: folder.location)) {
                try SessionStore(in: file, .random())
            }
        }
    }

    @Test("continue with another master key after its change", arguments: TestEngine.allCases)
    func changedKey(engine: TestEngine) async throws {
        try await engine.with { folder in
            let file = try folder.open()
            let (old, new) = (MasterKey.random(), MasterKey.random())
            let token = try await Self.guest(of: SessionStore(in: file, old)).token.text
            for _ in 0..<2 { _ = try file.changeMasterKey(from: old, to: new) }
            #expect(try SessionStore(in: file, new).session(ofToken: token, now: Self.start) != nil)
            #expect(throws: StorageError.wrongMasterKey(path: folder.location)) {
                try SessionStore(in: file, old)
            }
        }
    }

    @Test(
        "leave no token, and nothing from which it can be computed, in a file", arguments: TestEngine.allCases
    )
    func hidesTokens(engine: TestEngine) async throws {
        try await engine.with { folder in
            let store = try SessionStore(in: folder.open(), .random())
            let token = try await Self.guest(of: store).token
            let bytes = try await folder.allBytes()
            #expect(bytes.range(of: Data("phone".utf8)) != nil)
            #expect(bytes.range(of: Data(token.text.utf8.dropFirst(4))) == nil)
            #expect(bytes.range(of: TokenHash(digesting: token).data) == nil)
        }
    }

    @Test("end when they are unused, and at their maximum age", arguments: TestEngine.allCases)
    func expire(engine: TestEngine) async throws {
        let store = try SessionStore(in: engine.temporary(), .random())
        let idle = try await Self.guest(of: store).token.text
        let used = try await Self.guest(of: store).token.text
        var now = Self.start
        for _ in 0..<89 {
            now = now + Self.day
            #expect(store.session(ofToken: used, now: now) != nil)
        }
        #expect(store.session(ofToken: used, now: Self.start + Self.day * 90) == nil)
        #expect(store.session(ofToken: idle, now: Self.start + Self.day * 30) == nil)
        #expect(store.session(ofToken: idle, now: Self.start + Self.day * 29) != nil)
    }

    @Test(
        "that have ended are deleted, with guests without a session; times of use are stored",
        arguments: TestEngine.allCases)
    func tidies(engine: TestEngine) async throws {
        let file = try engine.temporary()
        let store = try SessionStore(in: file, .random())
        _ = try await Self.guest(of: store)
        let used = try await Self.guest(of: store)
        let named = try await Self.named("ann", store).get()
        // Only in memory, so far.
        #expect(store.session(ofToken: used.token.text, now: Self.start + Self.day * 29) != nil)
        try await file.database.setClock(to: Self.start + Self.day * 31)
        try await store.tidy(now: Self.start + Self.day * 31)
        try await GuestDeletion(of: store).run()
        #expect(store.live.all.map(\.id) == [used.session.id])
        let users = try await file.database.read {
            try $0.values(#"SELECT id FROM "user" ORDER BY id"#, as: String.self)
        }
        #expect(users == [used.user.id.text, named.user.id.text].sorted())
    }

    @Test(
        "that have ended are deleted in several transactions, with their guests",
        arguments: TestEngine.allCases)
    func tidiesInBatches(engine: TestEngine) async throws {
        let file = try engine.temporary()
        let store = try SessionStore(in: file, .random())
        let kept = try await Self.guest(of: store, now: Self.start + Self.day * 30)
        let start = Self.start.millisecondsSince1970
        for first in stride(from: 0, to: 1_200, by: 200) {
            try await file.database.write { db in
                for number in first..<first + 200 {
                    // Four sessions of each guest.
                    let (user, session) = ("expired-\(number / 4)", "expired-\(10_000 + number)")
                    if number.isMultiple(of: 4) {
                        try db.execute(
                            "INSERT INTO \"user\" (id, kind, created_at) VALUES (?, 'GUEST', ?)",
                            [user, start])
                    }
                    try db.execute(
                        """
                        INSERT INTO session (id, token_hash, user_id, scopes, created_at, last_used_at, expires_at)
                        VALUES (?, ?, ?, 'READ', ?, ?, ?)
                        """, [session, Data(session.utf8), user, start, start, start])
                }
            }
        }
        func ids(_ table: String) async throws -> [String] {
            try await file.database.read { db in try db.values("SELECT id FROM \(table)") }
        }
        // The transaction with the last session fails.
        try await file.database.write { db in
            try db.executeScript("CREATE TABLE hold (session TEXT REFERENCES session (id))")
            try db.execute("INSERT INTO hold VALUES ('expired-11199')")
        }
        try await file.database.setClock(to: Self.start + Self.day * 31)
        await #expect(throws: StorageError.self) { try await store.tidy(now: Self.start + Self.day * 31) }
        #expect(try await ids("session").count == 201)
        try await file.database.write { db in try db.executeScript("DROP TABLE hold") }
        try await store.tidy(now: Self.start + Self.day * 31)
        try await GuestDeletion(of: store).run()
        #expect(try await ids("session") == [kept.session.id])
        #expect(try await ids("\"user\"") == [kept.user.id.text])
    }

    @Test("store the time of their last use, in minutes", arguments: TestEngine.allCases)
    func keepsUses(engine: TestEngine) async throws {
        try await engine.with { folder in
            let key = MasterKey.random()
            let store = try SessionStore(in: folder.open(), key)
            let token = try await Self.guest(of: store).token.text
            let later = Self.start + Duration.seconds(600)
            _ = store.session(ofToken: token, now: later)
            _ = store.session(ofToken: token, now: later + Duration.seconds(59))
            try await store.storeLastUses()
            let again = try SessionStore(in: folder.open(), key)
            #expect(again.live.all.map(\.lastUsedAt) == [later])
        }
    }

    @Test("end immediately when they are revoked, one or all except one", arguments: TestEngine.allCases)
    func revoke(engine: TestEngine) async throws {
        let file = try engine.temporary()
        let store = try SessionStore(in: file, .random())
        let first = try await Self.named("ann", store).get()
        let owner = first.user.id
        let known = UserStore.Registered(user: first.user, hash: PasswordHash(matchingNothing: .standard))
        #expect(try await store.open(Self.wish, for: known, now: Self.start) == nil)
        let hash = try #require(
            try await UserStore(in: file).registered(Username("ANN"))?.hash)
        var tokens: [SessionStore.NewSession] = [first]
        for _ in 0..<3 {
            let registered = UserStore.Registered(user: first.user, hash: hash)
            tokens.append(try #require(try await store.open(Self.wish, for: registered, now: Self.start)))
        }
        let stranger = try await Self.named("bob", store).get()
        #expect(try await !store.revoke(tokens[1].session.id, of: stranger.user.id))
        #expect(try await store.revoke(tokens[1].session.id, of: owner))
        #expect(try await !store.revoke(tokens[1].session.id, of: owner))
        #expect(store.session(ofToken: tokens[1].token.text, now: Self.start) == nil)
        let others = try #require(try await store.revokeOthers(than: tokens[2].session.id, of: owner))
        #expect(Set(others) == [tokens[0].session.id, tokens[3].session.id])
        #expect(store.sessions(of: owner, now: Self.start).map(\.id) == [tokens[2].session.id])
        #expect(store.session(ofToken: stranger.token.text, now: Self.start) != nil)
    }

    @Test(
        "that are renewed have a new token and their full time; the old token is accepted for a minute",
        arguments: TestEngine.allCases)
    func renew(engine: TestEngine) async throws {
        let store = try SessionStore(in: engine.temporary(), .random())
        let old = try await Self.guest(of: store)
        #expect(store.session(ofToken: old.token.text, now: Self.start) != nil)
        let now = Self.start + Self.day * 20
        let new = try #require(try await store.renew(old.session, now: now))
        #expect(new.session.id == old.session.id)
        #expect(new.session.expiresAt == now + Self.day * 90)
        #expect(store.session(ofToken: new.token.text, now: now) === new.session)
        let (last, after) = (now + .seconds(59), now + .seconds(60))
        let accepted = try #require(store.session(ofToken: old.token.text, now: last))
        #expect(accepted.id == old.session.id && accepted.validity === new.session.validity)
        #expect(store.session(ofToken: old.token.text, now: after) == nil)
        // What was opened with the old token continues.
        #expect(!old.session.validity.hasEnded && store.isValid(old.session, now: after))
        // The new token does not renew the session after it has expired.
        #expect(try await store.renew(new.session, now: now + Self.day * 31) == nil)
    }

    @Test(
        "that are renewed several times with one token have one new token, also after a restart",
        arguments: TestEngine.allCases)
    func renewTogether(engine: TestEngine) async throws {
        try await engine.with { folder in
            let master = MasterKey.random()
            let store = try SessionStore(in: folder.open(), master)
            let old = try await Self.guest(of: store)
            let renewed = try await withThrowingTaskGroup(of: SessionStore.NewSession?.self) { tabs in
                for _ in 0..<3 { tabs.addTask { try await store.renew(old.session, now: Self.start) } }
                return try await tabs.reduce(into: []) { $0.append($1) }
            }
            let tokens = Set(renewed.map { $0?.token.text })
            let token = try #require(tokens.first ?? nil)
            #expect(tokens.count == 1 && token != old.token.text)
            let restarted = try SessionStore(in: folder.open(), master)
            let (last, after) = (Self.start + .seconds(59), Self.start + .seconds(60))
            let known = try #require(restarted.session(ofToken: old.token.text, now: last))
            let again = try #require(try await restarted.renew(known, now: last))
            #expect(again.token.text == token)
            #expect(again.session.expiresAt == Self.start + Self.day * 90)
            #expect(try await restarted.renew(known, now: after) == nil)
            // The next renewal has another token, and ends the time of the first one.
            let current = try #require(restarted.session(ofToken: token, now: last))
            let next = try #require(try await restarted.renew(current, now: last))
            #expect(next.token.text != token)
            #expect(restarted.session(ofToken: old.token.text, now: last) == nil)
            #expect(restarted.session(ofToken: token, now: last)?.id == old.session.id)
        }
    }

    /// A way to end a token: the token of the session `old`, of a user who may have other sessions.
    struct End: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let act: @Sendable (SessionStore, UserDatabase, _ old: SessionStore.NewSession) async throws -> Void

        static let all = [
            End(testDescription: "revocation after a renewal") { store, _, old in
                _ = try await store.renew(old.session)
                _ = try await store.revoke(old.session.id, of: old.user.id)
            },
            End(testDescription: "revocation") { store, _, old in
                _ = try await store.revoke(old.session.id, of: old.user.id)
            },
            End(testDescription: "revocation of the others") { store, _, old in
                _ = try await store.revokeOthers(than: "", of: old.user.id)
            },
            End(testDescription: "another password") { store, file, old in
                let known = try #require(try await UserStore(in: file).registered(old.user.id))
                let new = PasswordHash(matchingNothing: .standard)
                _ = try #require(try await store.change(known, to: new, in: old.session))
            },
            End(testDescription: "deletion") { store, _, old in
                _ = try await store.deleteUser(of: old.session)
            },
            End(testDescription: "a session above the limit") { store, file, old in
                let known = try #require(try await UserStore(in: file).registered(old.user.id))
                _ = try #require(try await store.open(wish, for: known, now: .now + day))
            },
            End(testDescription: "its time") { store, _, old in
                store.endExpired(now: old.session.expiresAt)
            },
            End(testDescription: "a scope that another process removes") { store, file, _ in
                try await elsewhere(file) { try $0.execute("UPDATE session SET scopes = 'READ'") }
                try await store.changes.follow()
            },
            End(testDescription: "deletion by another process") { store, file, old in
                try await elsewhere(file) { _ = try UserStore.delete(old.user.id, in: $0, now: .now) }
                try await store.changes.follow()
            },
        ]

        /// Writes to the file as another process does.
        private static func elsewhere(
            _ file: UserDatabase, _ body: @escaping @Sendable (SQLTransaction) throws -> Void
        ) async throws {
            guard file.database.sqlite != nil else { return try await file.database.write(body) }
            try await DatabaseQueue(path: file.database.location).write { db in try body(SQLTransaction(db)) }
        }
    }

    @Test("notify the observers of a token once when it ends or has ended", arguments: End.all)
    func observed(end: End) async throws {
        try await TestEngine.each { folder in
            let file = try folder.open()
            var policy = SessionPolicy()
            policy.perUser = 1
            let store = try SessionStore(in: file, .random(), policy)
            try await store.changes.follow()
            let old = try await Self.named("ann", store, now: .now).get()
            let (ends, ending) = AsyncStream.makeStream(of: Int.self)
            _ = old.session.validity.onEnd { ending.yield(1) }
            let cancel = old.session.validity.onEnd { ending.yield(2) }
            cancel()
            #expect(store.isValid(old.session))
            try await end.act(store, file, old)
            #expect(!store.isValid(old.session))
            _ = old.session.validity.onEnd { ending.yield(3) }
            ending.finish()
            #expect(await ends.reduce(into: []) { $0.append($1) } == [1, 3])
        }
    }

    @Test("do not change when another process changes other sessions", arguments: TestEngine.allCases)
    func unchangedByOthers(engine: TestEngine) async throws {
        try await engine.with { folder in
            let file = try folder.open()
            let store = try SessionStore(in: file, .random())
            let kept = try await Self.guest(of: store, now: .now)
            let lost = try await Self.guest(of: store, now: .now)
            try await store.changes.follow()
            let users = UserStore(in: try folder.open())
            #expect(try await users.delete(lost.user.id) == .deleted)
            try await store.changes.follow()
            #expect(store.isValid(kept.session))
            #expect(store.session(ofToken: kept.token.text) === kept.session)
        }
    }

    @Test(
        "report each deleted user, for every cause of the deletion, after the row was deleted",
        arguments: TestEngine.allCases)
    func reportsDeletions(engine: TestEngine) async throws {
        try await engine.with { folder in
            let file = try folder.open()
            let store = try SessionStore(in: file, .random())
            let (deletions, deletion) = AsyncStream.makeStream(of: OwnerID.self)
            var guests: [SessionStore.NewSession] = []
            for _ in 0..<5 { guests.append(try await Self.guest(of: store, now: .now)) }
            let named = try await Self.named("ann", store, now: .now).get()
            let held = guests.map(\.user.id) + [named.user.id]
            store.deletions.register(owners: { held }, release: { deletion.yield($0) })
            _ = try await store.revoke(named.session.id, of: named.user.id)
            _ = try await store.revoke(guests[0].session.id, of: guests[0].user.id)
            _ = try await store.revokeOthers(than: "", of: guests[1].user.id)
            _ = try await store.deleteUser(of: guests[2].session)
            try await store.changes.follow()
            let users = UserStore(in: try folder.open())
            #expect(try await users.delete(guests[3].user.id) == .deleted)
            // She has no session any more by which the store could know her.
            #expect(try await users.delete(named.user.id) == .deleted)
            try await store.changes.follow()
            try await file.database.setClock(to: .now + Self.day * 91)
            try await store.tidy(now: .now + Self.day * 91)
            try await GuestDeletion(of: store).run()
            deletion.finish()
            let reported = await deletions.reduce(into: []) { $0.append($1) }
            let expected = [0, 1, 2].map { guests[$0].user.id } + [guests[3], named].map(\.user.id)
            #expect(Array(reported.prefix(3)) == Array(expected.prefix(3)))
            // The file is compared as a whole: users deleted before are missing in it, too.
            #expect(Set(reported) == Set(expected + [guests[4].user.id]))
            #expect(reported.last == guests[4].user.id)
        }
    }

    @Test(
        "have a maximum number for each user: one more ends the one with the oldest use",
        arguments: TestEngine.allCases)
    func bounded(engine: TestEngine) async throws {
        let file = try engine.temporary()
        var policy = SessionPolicy()
        policy.perUser = 3
        let store = try SessionStore(in: file, .random(), policy)
        let first = try await Self.named("ann", store).get()
        let registered = try #require(
            try await UserStore(in: file).registered(Username("ann")))
        var opened: [SessionStore.NewSession] = []
        for number in 1...3 {
            let now = Self.start + Duration.seconds(number * 3_600)
            _ = store.session(ofToken: first.token.text, now: now)
            opened.append(try #require(try await store.open(Self.wish, for: registered, now: now)))
        }
        let left = Set(store.sessions(of: first.user.id, now: Self.start).map(\.id))
        #expect(left == Set([first, opened[1], opened[2]].map(\.session.id)))
    }

    @Test("of guests have a maximum number", arguments: TestEngine.allCases)
    func boundedGuests(engine: TestEngine) async throws {
        var policy = SessionPolicy()
        policy.guests = 2
        let store = try SessionStore(in: engine.temporary(), .random(), policy)
        let first = try await Self.guest(of: store)
        _ = try await Self.guest(of: store)
        #expect(try await store.openForGuest(Self.wish, now: Self.start) == nil)
        // A guest without a session is none any more.
        #expect(try await store.revoke(first.session.id, of: first.user.id))
        #expect(try await store.openForGuest(Self.wish, now: Self.start) != nil)
    }

    @Test("of a guest who signs up keep the user, and the guest's token ends", arguments: TestEngine.allCases)
    func claims(engine: TestEngine) async throws {
        let store = try SessionStore(in: engine.temporary(), .random())
        let guest = try await Self.guest(of: store)
        let named = try await Self.named("Ann", store, guest: guest.session).get()
        #expect(named.user.id == guest.user.id)
        #expect(named.user.kind == .named("Ann"))
        #expect(store.session(ofToken: guest.token.text, now: Self.start) == nil)
        #expect(store.session(ofToken: named.token.text, now: Self.start)?.owner == guest.user.id)
        #expect(try await Self.named("other", store, guest: named.session) == .failure(.notAGuest))
        let second = try await Self.guest(of: store)
        #expect(try await Self.named("aNN", store, guest: second.session) == .failure(.nameTaken))
        #expect(store.session(ofToken: second.token.text, now: Self.start) != nil)
    }

    @Test(
        "with ended tokens, even if ended only in the file, neither sign a guest up nor delete a user",
        arguments: TestEngine.allCases)
    func endedGuest(engine: TestEngine) async throws {
        try await engine.with { folder in
            let store = try SessionStore(in: folder.open(), .random())
            let (old, gone) = (try await Self.guest(of: store), try await Self.guest(of: store))
            let renewed = try #require(try await store.renew(old.session, now: Self.start))
            let users = UserStore(in: try folder.open())
            #expect(try await users.delete(gone.user.id) == .deleted)
            #expect(store.isValid(gone.session, now: Self.start))
            for ended in [old, gone] {
                let signedUp = try await Self.named("ann", store, guest: ended.session)
                #expect(signedUp == .failure(.endedSession))
                #expect(try await store.deleteUser(of: ended.session, now: Self.start) == .unknown)
            }
            #expect(try await users.user(old.user.id)?.kind == .guest)
            let named = try await Self.named("ann", store, guest: renewed.session).get()
            #expect(named.user.id == old.user.id)
        }
    }

    @Test("of concurrent sign-ups with one name, one succeeds", arguments: TestEngine.allCases)
    func race(engine: TestEngine) async throws {
        let store = try SessionStore(in: engine.temporary(), .random())
        let winners = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<20 {
                group.addTask {
                    let name = number.isMultiple(of: 2) ? "ann" : "ANN"
                    return (try? await Self.named(name, store).get()) != nil
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(winners == 1)
    }

    @Test("an invitation is valid once, for a week, for its kind of user", arguments: TestEngine.allCases)
    func invitations(engine: TestEngine) async throws {
        let file = try engine.temporary()
        let users = UserStore(in: file)
        let store = try SessionStore(in: file, .random())
        let late = try await users.invite(label: nil, isAdmin: false, now: Self.start)
        let expired = try await Self.named(
            "ann", store, invitation: late.code, now: Self.start + Self.day * 7)
        #expect(expired == .failure(.unknownInvitation))
        let good = try await users.invite(label: "for Ann", isAdmin: true, now: Self.start)
        // A name that is taken does not use it up.
        _ = try await Self.named("bob", store).get()
        #expect(try await Self.named("BOB", store, invitation: good.code) == .failure(.nameTaken))
        // A code that is no invitation has the same error for every name.
        for (code, name) in [
            ("invented", "bob"), ("invented", "cid"), (late.code, "bob"), (late.code, "cid"),
        ] {
            let refused = try await Self.named(
                name, store, invitation: code, now: Self.start + Self.day * 7)
            #expect(refused == .failure(.unknownInvitation), "\(name) with \(code)")
        }
        let user = try await Self.named("ann", store, invitation: good.code).get().user
        #expect(user.isAdmin)
        #expect(try await Self.named("cid", store, invitation: good.code) == .failure(.unknownInvitation))
        #expect(try await users.registered(Username("cid")) == nil)
    }

    @Test("apply changes of another process in the file", arguments: TestEngine.allCases)
    func followsOthers(engine: TestEngine) async throws {
        try await engine.with { folder in
            let store = try SessionStore(in: folder.open(), .random())
            let (kept, lost) = (try await Self.guest(of: store), try await Self.guest(of: store))
            try await store.changes.follow()
            let later = Self.start + Self.day
            #expect(store.session(ofToken: kept.token.text, now: later) != nil)
            // Another connection to the file, as another process would have.
            let other = UserStore(in: try folder.open())
            #expect(try await other.delete(lost.user.id) == .deleted)
            try await store.changes.follow()
            #expect(store.session(ofToken: lost.token.text, now: later) == nil)
            let found = try #require(store.session(ofToken: kept.token.text, now: later))
            #expect(found.lastUsedAt == later)
        }
    }

    @Test(
        "that another process ends are ended while the writer is busy, and data of their users is released",
        arguments: TestEngine.allCases)
    func followsOthersAtOnce(engine: TestEngine) async throws {
        try await engine.with { folder in
            let file = try folder.open()
            let store = try SessionStore(in: file, .random())
            let (kept, lost) = (try await Self.guest(of: store), try await Self.guest(of: store))
            let deleted = Mutex<[OwnerID]>([])
            store.deletions.register(
                owners: { [kept.user.id, lost.user.id] },
                release: { owner in deleted.withLock { $0.append(owner) } })
            let (isFree, end) = (Event<Void>(), DispatchSemaphore(value: 0))
            let isBusy = Event<Void>()
            let writing = Task {
                try await file.database.betweenWrites { _ in
                    isBusy.happen()
                    _ = end.wait(timeout: .now() + 60)
                }
                isFree.happen()
            }
            defer { end.signal() }
            await isBusy.wait()
            let other = UserStore(in: try folder.open())
            #expect(try await other.delete(lost.user.id) == .deleted)
            try await store.changes.follow()
            #expect(!isFree.hasHappened, "following waited for the writer")
            #expect(!store.isValid(lost.session, now: Self.start))
            #expect(store.session(ofToken: lost.token.text, now: Self.start) == nil)
            #expect(deleted.withLock(\.self) == [lost.user.id])
            #expect(store.session(ofToken: kept.token.text, now: Self.start) === kept.session)
            end.signal()
            try await writing.value
        }
    }

    @Test(
        "that this process opens and renews do not count as changed, and an expired one is not restored",
        arguments: TestEngine.allCases)
    func followsItself(engine: TestEngine) async throws {
        try await engine.with { folder in
            let store = try SessionStore(in: folder.open(), .random())
            let expired = try await Self.guest(of: store)
            let later = expired.session.expiresAt
            let old = try await Self.guest(of: store, now: later)
            try await store.changes.follow(now: later)
            store.endExpired(now: later)
            let renewed = try #require(try await store.renew(old.session, now: later))
            let new = try await Self.guest(of: store, now: later)
            try await store.changes.follow(now: later)
            for opened in [renewed, new] {
                #expect(store.session(ofToken: opened.token.text, now: later) === opened.session)
            }
            #expect(store.session(expired.session.id, now: Self.start) == nil)
        }
    }

    @Test("of a deleted user end", arguments: TestEngine.allCases)
    func deletes(engine: TestEngine) async throws {
        let store = try SessionStore(in: engine.temporary(), .random())
        let (guest, named) = (try await Self.guest(of: store), try await Self.named("ann", store).get())
        for opened in [guest, named] {
            #expect(try await store.deleteUser(of: opened.session) == .deleted)
            #expect(store.session(ofToken: opened.token.text, now: Self.start) == nil)
            #expect(try await store.deleteUser(of: opened.session) == .unknown)
        }
        #expect(store.live.all.isEmpty)
    }
}

extension Result where Success == SessionStore.NewSession, Failure == SessionStore.SignUpError {
    fileprivate static func == (left: Result, right: Result) -> Bool {
        switch (left, right) {
        case (.failure(let left), .failure(let right)): left == right
        case (.success(let left), .success(let right)): left.session.id == right.session.id
        case (.success, .failure), (.failure, .success): false
        }
    }
}
