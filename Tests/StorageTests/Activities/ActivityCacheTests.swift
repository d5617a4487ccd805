import Brokerage
import EngineTestSupport
import Storage
import TestSupport
import Testing
import Upstream

@Suite("Activities in memory")
struct ActivityCacheTests {
    private static let noon = Instant("2026-11-20T12:00:00Z") ?? .earliest
    /// Larger than every list of the tests, and large enough that the whole list is read.
    private static let large = 1_000

    private static func account(_ owner: OwnerID, _ id: String = "a", _ connection: String = "c")
        -> ActivityAccount
    {
        ActivityAccount(owner: owner, connection: connection, account: id, isConnectionStored: false)
    }

    /// A fee of a day of November, with a text.
    private static func fee(_ day: Int, _ kind: ActivityKind = .fee, about: String = "stored") throws
        -> Activity
    {
        let date = try #require(CalendarDate(year: 2026, month: 11, day: day))
        var activity = Activity(id: "\(day)", kind: kind, providerKind: "FEE", date: date)
        activity.symbol = Symbol(day.isMultiple(of: 2) ? "AAPL" : "KO")
        activity.about = about
        return activity
    }

    private static func save(
        _ days: [Int], of account: ActivityAccount, in store: ActivityStore, about: String = "stored"
    ) async throws {
        let page = ActivityPage(activities: try days.map { try fee($0, about: about) })
        _ = try await store.save(page, for: ActivityQuery(), of: account, now: noon)
    }

    /// A store, and a database in which a test can change activities without their coverage: no store does this, so that
    /// a text shows whether an activity comes from memory.
    private struct Stored {
        let users: TwoUsers
        let store: ActivityStore

        init(_ users: TwoUsers, maximum: Int = ActivityStore.maximumActivities) {
            (self.users, store) = (users, ActivityStore(in: users.file, maximum: maximum))
        }

        func change(_ text: String) async throws {
            try await users.file.database.write { db in
                try db.execute("UPDATE activity SET about = ?", [text])
            }
        }

        /// The texts of all activities of an account, as a performance reads them.
        func texts(_ account: ActivityAccount) async throws -> [String?] {
            let coverage = try #require(try await store.coverage(of: account))
            return try await store.allActivities(of: account, coverage).map(\.activity.about)
        }

        /// The days of the activities behind the newest possible place, as a client reads the pages of a whole list.
        func days(_ account: ActivityAccount, limit: Int = ActivityCacheTests.large) async throws -> [Int] {
            let coverage = try #require(try await store.coverage(of: account))
            let start = ActivityPosition(day: .latest, moment: 0, id: "")
            return try await store.activities(
                ActivityFilter(), of: account, coverage, after: start, limit: limit
            ).map(\.activity.date.day)
        }
    }

    @Test(
        "are used by all reads of an account after a read of all, or of a large page behind another",
        arguments: TestEngine.allCases)
    func uses(engine: TestEngine) async throws {
        try await TwoUsers.with(engine) { users in
            for isPage in [false, true] {
                let stored = Stored(users)
                let account = Self.account(users.ann, "\(isPage)")
                try await Self.save([16, 17, 18], of: account, in: stored.store)
                // A small page reads only itself.
                #expect(try await stored.days(account, limit: 99) == [18, 17, 16])
                try await stored.change("in memory")
                if isPage {
                    #expect(try await stored.days(account) == [18, 17, 16])
                } else {
                    #expect(try await stored.texts(account) == Array(repeating: "in memory", count: 3))
                }
                try await stored.change("in the database")
                #expect(try await stored.texts(account) == Array(repeating: "in memory", count: 3))
                #expect(try await Stored(users).texts(account).first == "in the database")
            }
        }
    }

    @Test(
        "are listed as the database lists them, behind each place, with each filter and limit",
        arguments: TestEngine.allCases)
    func lists(engine: TestEngine) async throws {
        try await TwoUsers.with(engine) { users in
            let (stored, account) = (Stored(users), Self.account(users.ann))
            var activities = try (10...19).map { try Self.fee($0, $0.isMultiple(of: 3) ? .tax : .fee) }
            for (index, id) in ["b", "a", "é", "e"].enumerated() {
                var other = try Self.fee(15)
                other.id = id
                if index < 2 { other.time = Instant("2026-11-15T15:00:0\(index)Z") }
                activities.append(other)
            }
            let page = ActivityPage(activities: activities)
            let coverage = try #require(
                try await stored.store.save(page, for: ActivityQuery(), of: account, now: Self.noon))
            let all = try await stored.store.allActivities(of: account, coverage)
            #expect(all.count == 14)
            let day = CalendarDate(year: 2026, month: 11, day: 15)
            let filters = [
                ActivityFilter(), ActivityFilter(kinds: []), ActivityFilter(kinds: [.tax]),
                ActivityFilter(symbol: Symbol("KO")), ActivityFilter(from: day), ActivityFilter(to: day),
                ActivityFilter(kinds: [.fee, .tax], symbol: Symbol("KO"), from: day, to: day),
            ]
            let places = [
                nil, ActivityPosition(day: .latest, moment: 0, id: ""),
                ActivityPosition(day: .earliest, moment: 0, id: ""),
            ]
            for filter in filters {
                for position in places + all.map({ Optional($0.position) }) {
                    for limit in [1, 3, Self.large] {
                        func list(_ coverage: ActivityCoverage?) async throws -> [String] {
                            try await stored.store.activities(
                                filter, of: account, coverage, after: position, limit: limit
                            ).map(\.activity.id)
                        }
                        #expect(
                            try await list(coverage) == list(nil), "\(filter) \(String(describing: position))"
                        )
                    }
                }
            }
        }
    }

    @Test("are not used after a save of another process", arguments: TestEngine.allCases)
    func saves(engine: TestEngine) async throws {
        try await TwoUsers.with(engine) { users in
            let (stored, account) = (Stored(users), Self.account(users.ann))
            try await Self.save([16, 17], of: account, in: stored.store)
            #expect(try await stored.days(account) == [17, 16])
            try await Self.save([17], of: account, in: ActivityStore(in: users.file), about: "again")
            #expect(try await stored.texts(account) == ["again", "stored"])
        }
    }

    @Test(
        "are not used after a save for another account that deleted the oldest, also before the first complete day",
        arguments: TestEngine.allCases)
    func limit(engine: TestEngine) async throws {
        try await TwoUsers.with(engine) { users in
            let stored = Stored(users, maximum: 4)
            let (account, other) = (Self.account(users.ann), Self.account(users.ann, "b"))
            try await Self.save([16, 17, 18], of: account, in: stored.store)
            let horizon = try #require(CalendarDate(year: 2026, month: 11, day: 18))
            _ = try await stored.store.save(
                ActivityPage(activities: [], horizon: horizon), for: ActivityQuery(), of: account,
                now: Self.noon)
            #expect(try await stored.days(account) == [18, 17, 16])
            try await Self.save([18, 19], of: other, in: ActivityStore(in: users.file, maximum: 4))
            let coverage = try #require(try await stored.store.coverage(of: account))
            #expect(coverage.since == horizon)
            #expect(try await stored.days(account) == [18, 17])
        }
    }

    @Test("are of one user, one connection and one account, by bytes", arguments: TestEngine.allCases)
    func isolation(engine: TestEngine) async throws {
        try await TwoUsers.with(engine) { users in
            let stored = Stored(users)
            // The last two ids are equal texts for Swift, with different bytes.
            let accounts = [
                Self.account(users.ann), Self.account(users.ann, "b"), Self.account(users.ann, "a", "d"),
                Self.account(users.bob), Self.account(users.bob, "\u{E9}"),
                Self.account(users.bob, "e\u{301}"),
            ]
            for account in accounts { try await Self.save([16], of: account, in: stored.store) }
            for (index, account) in accounts.enumerated() {
                try await stored.change("\(index)")
                #expect(try await stored.texts(account) == ["\(index)"])
            }
            for (index, account) in accounts.enumerated() {
                #expect(try await stored.texts(account) == ["\(index)"])
            }
        }
    }

    @Test("are removed with their connection", arguments: TestEngine.allCases)
    func removal(engine: TestEngine) async throws {
        try await TwoUsers.with(engine) { users in
            let stored = Stored(users)
            let (removed, kept) = (Self.account(users.ann), Self.account(users.ann, "a", "d"))
            let ofOther = Self.account(users.bob)
            for account in [removed, kept, ofOther] {
                try await Self.save([16], of: account, in: stored.store)
                #expect(try await stored.days(account) == [16])
            }
            try await stored.change("in the database")
            stored.store.forget(removed.connection, of: users.ann)
            #expect(try await stored.texts(removed) == ["in the database"])
            #expect(try await stored.texts(kept) == ["stored"])
            #expect(try await stored.texts(ofOther) == ["stored"])
        }
    }

    @Test("take a limited memory: the least recently used account is removed first")
    func memory() async throws {
        try await TwoUsers.with(.sqlite) { users in
            let stored = Stored(users)
            let accounts = (0..<3).map { Self.account(users.ann, "\($0)") }
            // Two accounts fit together; the third fits with one of them.
            let text = String(repeating: "x", count: ActivityCache.weightLimit / 5)
            for account in accounts {
                try await Self.save([16, 17], of: account, in: stored.store, about: text)
            }
            for index in [0, 1, 0, 2] { #expect(try await stored.days(accounts[index]) == [17, 16]) }
            try await stored.change("in the database")
            #expect(try await stored.texts(accounts[0]).first == text)
            #expect(try await stored.texts(accounts[2]).first == text)
            #expect(try await stored.texts(accounts[1]).first == "in the database")
        }
    }

    @Test("have no entry for an account that does not fit in the memory, and do not remove others for it")
    func tooLarge() async throws {
        try await TwoUsers.with(.sqlite) { users in
            let stored = Stored(users)
            let (small, large) = (Self.account(users.ann), Self.account(users.ann, "b"))
            let text = String(repeating: "x", count: ActivityCache.weightLimit / 2)
            try await Self.save([16], of: small, in: stored.store)
            try await Self.save([16, 17], of: large, in: stored.store, about: text)
            for account in [small, large, large] { _ = try await stored.days(account) }
            try await stored.change("in the database")
            #expect(try await stored.texts(small) == ["stored"])
            #expect(try await stored.texts(large) == ["in the database", "in the database"])
            #expect(try await stored.days(large) == [17, 16])
        }
    }
}
