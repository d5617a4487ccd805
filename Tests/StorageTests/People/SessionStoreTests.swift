import Brokerage
import Foundation
import GRDB
import Testing
import Upstream

@testable import Storage

@Suite("Sessions")
struct SessionStoreTests {
    static let wish = SessionStore.Wish(scopes: [.read, .write], label: "phone")
    static let start = Instant(secondsSince1970: 1_800_000_000) ?? .earliest
    static let day = Duration.seconds(86_400)

    static func guest(of store: SessionStore, now: Instant = start) async throws -> SessionStore.Opened {
        try #require(try await store.openForGuest(wish, now: now))
    }

    static func named(
        _ name: String, _ store: SessionStore, guest: OwnerID? = nil, invitation: String? = nil,
        now: Instant = start
    ) async throws -> Result<SessionStore.Opened, SessionStore.SignUpRefusal> {
        try await store.signUp(
            SessionStore.Candidate(
                username: try Username(name), hash: PasswordHash(matchingNothing: .standard),
                invitation: invitation, guest: guest), wish, now: now)
    }

    @Test("are found by their tokens, from the start and after a restart")
    func finds() async throws {
        try await Folder.with { folder in
            let key = MasterKey.random()
            var store = try SessionStore(in: HouseFile(in: try folder.opened()), key)
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
                store = try SessionStore(in: HouseFile(in: try folder.opened()), key)
            }
        }
    }

    @Test("are not found by what is not their token")
    func findsNothing() async throws {
        let store = try SessionStore(in: .temporary(), .random())
        let token = try await Self.guest(of: store).token.text
        for wrong in [
            "", "pts_", String(token.dropLast()), token + "A", token.uppercased(),
            "pts-" + token.dropFirst(4),
            String(token.dropLast()) + (token.last == "A" ? "B" : "A"), SessionToken().text,
        ] {
            #expect(store.session(ofToken: wrong, now: Self.start) == nil, "\(wrong)")
        }
    }

    @Test("of another master key cannot be opened")
    func otherKey() async throws {
        try await Folder.with { folder in
            let file = try HouseFile(in: try folder.opened())
            _ = try SessionStore(in: file, .random())
            #expect(throws: StorageError.wrongMasterKey(path: folder.file(HouseFile.name))) {
                try SessionStore(in: file, .random())
            }
        }
    }

    @Test("go on under another master key, once the file was told")
    func changedKey() async throws {
        try await Folder.with { folder in
            let file = try HouseFile(in: try folder.opened())
            let (old, new) = (MasterKey.random(), MasterKey.random())
            let token = try await Self.guest(of: SessionStore(in: file, old)).token.text
            for _ in 0..<2 { _ = try file.changeMasterKey(from: old, to: new) }
            #expect(try SessionStore(in: file, new).session(ofToken: token, now: Self.start) != nil)
            #expect(throws: StorageError.wrongMasterKey(path: folder.file(HouseFile.name))) {
                try SessionStore(in: file, old)
            }
        }
    }

    @Test("leave no token, and nothing that it can be found from, in any file")
    func hidesTokens() async throws {
        try await Folder.with { folder in
            let store = try SessionStore(in: HouseFile(in: try folder.opened()), .random())
            let token = try await Self.guest(of: store).token
            let bytes = try folder.allBytes()
            #expect(bytes.range(of: Data("phone".utf8)) != nil)
            #expect(bytes.range(of: Data(token.text.utf8.dropFirst(4))) == nil)
            #expect(bytes.range(of: TokenHash(digesting: token).data) == nil)
        }
    }

    @Test("end when they are unused, and when their time is over, however much they are used")
    func expire() async throws {
        let store = try SessionStore(in: .temporary(), .random())
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

    @Test("that have ended are forgotten, with guests who have none left; uses are not lost")
    func tidies() async throws {
        let file = try HouseFile.temporary()
        let store = try SessionStore(in: file, .random())
        _ = try await Self.guest(of: store)
        let used = try await Self.guest(of: store)
        let named = try await Self.named("ann", store).get()
        // Only in memory, so far.
        #expect(store.session(ofToken: used.token.text, now: Self.start + Self.day * 29) != nil)
        try await store.tidy(now: Self.start + Self.day * 31)
        #expect(store.live.all.map(\.id) == [used.session.id])
        let users = try await file.database.read {
            try String.fetchAll($0, sql: "SELECT id FROM user ORDER BY id")
        }
        #expect(users == [used.user.id.text, named.user.id.text].sorted())
    }

    @Test("keep when they were used last, to the minute")
    func keepsUses() async throws {
        try await Folder.with { folder in
            let key = MasterKey.random()
            let store = try SessionStore(in: HouseFile(in: try folder.opened()), key)
            let token = try await Self.guest(of: store).token.text
            let later = Self.start + Duration.seconds(600)
            _ = store.session(ofToken: token, now: later)
            _ = store.session(ofToken: token, now: later + Duration.seconds(59))
            try await store.keepUses()
            let again = try SessionStore(in: HouseFile(in: try folder.opened()), key)
            #expect(again.live.all.map(\.lastUsedAt) == [later])
        }
    }

    @Test("end at once when they are revoked, one or all but one")
    func revoke() async throws {
        let file = try HouseFile.temporary()
        let store = try SessionStore(in: file, .random())
        let first = try await Self.named("ann", store).get()
        let owner = first.user.id
        let known = UserStore.Registered(user: first.user, hash: PasswordHash(matchingNothing: .standard))
        #expect(try await store.open(Self.wish, for: known, now: Self.start) == nil)
        let hash = try #require(
            try await UserStore(in: file).registered(Username("ANN"))?.hash)
        var tokens: [SessionStore.Opened] = [first]
        for _ in 0..<3 {
            let registered = UserStore.Registered(user: first.user, hash: hash)
            tokens.append(try #require(try await store.open(Self.wish, for: registered, now: Self.start)))
        }
        let stranger = try await Self.named("bob", store).get()
        #expect(try await !store.revoke(tokens[1].session.id, of: stranger.user.id))
        #expect(try await store.revoke(tokens[1].session.id, of: owner))
        #expect(try await !store.revoke(tokens[1].session.id, of: owner))
        #expect(store.session(ofToken: tokens[1].token.text, now: Self.start) == nil)
        let others = try await store.revokeOthers(than: tokens[2].session.id, of: owner)
        #expect(Set(others) == [tokens[0].session.id, tokens[3].session.id])
        #expect(store.sessions(of: owner, now: Self.start).map(\.id) == [tokens[2].session.id])
        #expect(store.session(ofToken: stranger.token.text, now: Self.start) != nil)
    }

    @Test("that are renewed have a new token and their full time; the old token ends")
    func renew() async throws {
        let store = try SessionStore(in: .temporary(), .random())
        let old = try await Self.guest(of: store)
        #expect(store.session(ofToken: old.token.text, now: Self.start) != nil)
        let now = Self.start + Self.day * 20
        let new = try #require(try await store.renew(old.session.id, of: old.user.id, now: now))
        #expect(new.session.id == old.session.id)
        #expect(new.session.expiresAt == now + Self.day * 90)
        #expect(store.session(ofToken: old.token.text, now: now) == nil)
        #expect(store.session(ofToken: new.token.text, now: now)?.id == old.session.id)
        #expect(try await store.renew(old.session.id, of: old.user.id, now: now + Self.day * 31) == nil)
    }

    @Test("are as many as one user may have: one more ends the one that was unused for longest")
    func bounded() async throws {
        let file = try HouseFile.temporary()
        var policy = SessionPolicy()
        policy.perUser = 3
        let store = try SessionStore(in: file, .random(), policy)
        let first = try await Self.named("ann", store).get()
        let registered = try #require(
            try await UserStore(in: file).registered(Username("ann")))
        var opened: [SessionStore.Opened] = []
        for number in 1...3 {
            let now = Self.start + Duration.seconds(number * 3_600)
            _ = store.session(ofToken: first.token.text, now: now)
            opened.append(try #require(try await store.open(Self.wish, for: registered, now: now)))
        }
        let left = Set(store.sessions(of: first.user.id, now: Self.start).map(\.id))
        #expect(left == Set([first, opened[1], opened[2]].map(\.session.id)))
    }

    @Test("of guests are as many as the house takes")
    func boundedGuests() async throws {
        var policy = SessionPolicy()
        policy.guests = 2
        let store = try SessionStore(in: .temporary(), .random(), policy)
        let first = try await Self.guest(of: store)
        _ = try await Self.guest(of: store)
        #expect(try await store.openForGuest(Self.wish, now: Self.start) == nil)
        // A guest without a session is none any more.
        #expect(try await store.revoke(first.session.id, of: first.user.id))
        #expect(try await store.openForGuest(Self.wish, now: Self.start) != nil)
    }

    @Test("a guest who signs up stays who it is, and the guest's token ends")
    func claims() async throws {
        let store = try SessionStore(in: .temporary(), .random())
        let guest = try await Self.guest(of: store)
        let named = try await Self.named("Ann", store, guest: guest.user.id).get()
        #expect(named.user.id == guest.user.id)
        #expect(named.user.kind == .named("Ann"))
        #expect(store.session(ofToken: guest.token.text, now: Self.start) == nil)
        #expect(store.session(ofToken: named.token.text, now: Self.start)?.owner == guest.user.id)
        #expect(try await Self.named("other", store, guest: guest.user.id) == .failure(.notAGuest))
        let second = try await Self.guest(of: store)
        #expect(try await Self.named("aNN", store, guest: second.user.id) == .failure(.nameTaken))
        #expect(store.session(ofToken: second.token.text, now: Self.start) != nil)
    }

    @Test("one whom the settings name is no guest")
    func configured() async throws {
        let file = try HouseFile.temporary()
        let owner = try #require(OwnerID("owner"))
        try UserStore(in: file).ensure(owner)
        let store = try SessionStore(in: file, .random())
        #expect(try await Self.named("ann", store, guest: owner) == .failure(.notAGuest))
    }

    @Test("of many who want one name at once, one has it")
    func race() async throws {
        let store = try SessionStore(in: .temporary(), .random())
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

    @Test("an invitation is good once, for a week, for whom it was made")
    func invitations() async throws {
        let file = try HouseFile.temporary()
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
        let user = try await Self.named("ann", store, invitation: good.code).get().user
        #expect(user.isAdmin)
        #expect(try await Self.named("cid", store, invitation: good.code) == .failure(.unknownInvitation))
        #expect(try await users.registered(Username("cid")) == nil)
    }

    @Test("follow what another process does to the file")
    func followsOthers() async throws {
        try await Folder.with { folder in
            let store = try SessionStore(in: HouseFile(in: try folder.opened()), .random())
            let (kept, lost) = (try await Self.guest(of: store), try await Self.guest(of: store))
            _ = try await store.followOthers()
            let later = Self.start + Self.day
            #expect(store.session(ofToken: kept.token.text, now: later) != nil)
            // Another connection to the file, as another process would have.
            let other = UserStore(in: try HouseFile(in: try folder.opened()))
            #expect(try await other.delete(lost.user.id))
            #expect(try await store.followOthers() == [lost.user.id])
            #expect(try await store.followOthers().isEmpty)
            #expect(store.session(ofToken: lost.token.text, now: later) == nil)
            let found = try #require(store.session(ofToken: kept.token.text, now: later))
            #expect(found.lastUsedAt == later)
        }
    }

    @Test("a user who is deleted takes all sessions along")
    func deletes() async throws {
        let store = try SessionStore(in: .temporary(), .random())
        let (guest, named) = (try await Self.guest(of: store), try await Self.named("ann", store).get())
        for opened in [guest, named] {
            #expect(try await store.delete(opened.user.id))
            #expect(store.session(ofToken: opened.token.text, now: Self.start) == nil)
            #expect(try await !store.delete(opened.user.id))
        }
        #expect(store.live.all.isEmpty)
    }
}

extension Result where Success == SessionStore.Opened, Failure == SessionStore.SignUpRefusal {
    fileprivate static func == (left: Result, right: Result) -> Bool {
        switch (left, right) {
        case (.failure(let left), .failure(let right)): left == right
        case (.success(let left), .success(let right)): left.session.id == right.session.id
        case (.success, .failure), (.failure, .success): false
        }
    }
}
