import Brokerage
import EngineTestSupport
import Storage
import TestSupport
import Testing
import Upstream

@Suite("Stored activities")
struct ActivityStoreTests {
    static let noon = Instant("2026-11-20T12:00:00Z") ?? .earliest

    private static func day(_ text: String) throws -> CalendarDate { try #require(CalendarDate(text)) }

    /// A dividend of a day.
    static func activity(
        _ id: String, on day: String, _ kind: ActivityKind = .dividend, symbol: String? = "AAPL",
        at time: String? = nil
    ) throws -> Activity {
        var activity = Activity(id: id, kind: kind, providerKind: "DIV", date: try Self.day(day))
        activity.symbol = symbol.flatMap { Symbol($0) }
        activity.time = time.flatMap { Instant($0) }
        activity.recordedAt = Instant("\(day)T00:00:00Z")
        activity.amount = Decimal("1.50")
        activity.currency = "USD"
        return activity
    }

    static func account(_ owner: OwnerID, _ id: String = "a", _ connection: String = "c")
        -> ActivityAccount
    {
        ActivityAccount(owner: owner, connection: connection, account: id, isConnectionStored: false)
    }

    private func ids(
        _ store: ActivityStore, _ account: ActivityAccount, _ filter: ActivityFilter = ActivityFilter(),
        after position: ActivityPosition? = nil, limit: Int = 1_000
    ) async throws -> [String] {
        try await store.activities(filter, of: account, after: position, limit: limit).map(\.activity.id)
    }

    @Test("exist after a restart, with every property and every digit", arguments: TestEngine.allCases)
    func restart(engine: TestEngine) async throws {
        try await engine.with { folder in
            var full = try Self.activity(
                "1::2", on: "2026-11-19", .trade, at: "2026-11-19T15:04:11.991284123Z")
            full.providerKind = "FILL"
            full.settlementDate = try Self.day("2026-11-20")
            full.sequence = BrokerSequence(Decimal("12.50") ?? .zero)
            full.side = .sell
            full.quantity = Decimal("-1.500")
            full.price = Decimal("225.080")
            full.amount = Decimal("337.62")
            full.accountAmount = Decimal("290.10")
            full.accountCurrency = "EUR"
            full.conversionRate = Decimal("0.8592500")
            full.orderID = "order"
            full.groupID = "group"
            full.about = "Täglich 📈"
            let empty = Activity(id: "0", kind: .other, providerKind: "?", date: try Self.day("2026-11-18"))
            do {
                let users = try TwoUsers(folder)
                _ = try await ActivityStore(in: users.file).save(
                    ActivityPage(activities: [empty, full]), for: ActivityQuery(),
                    of: Self.account(users.ann),
                    now: Self.noon)
            }
            let users = try TwoUsers(folder)
            let store = ActivityStore(in: users.file)
            let stored = try await store.activities(
                ActivityFilter(), of: Self.account(users.ann), after: nil, limit: 10)
            #expect(stored.map(\.activity) == [full, empty])
            #expect(stored.first?.activity.quantity?.description == "-1.500")
            let coverage = try #require(try await store.coverage(of: Self.account(users.ann)))
            #expect(coverage.completeOn == (try Self.day("2026-11-20")))
            #expect(coverage.readAt == Self.noon)
            #expect(coverage.pending == nil && coverage.since == nil)
        }
    }

    @Test(
        "of an account whose number of reads is damaged are an error",
        arguments: TestEngine.allCases, [Int.max, -1])
    func damaged(engine: TestEngine, _ read: Int) async throws {
        try await engine.with { database in
            let users = try TwoUsers(database)
            let store = ActivityStore(in: users.file)
            func save() async throws {
                let page = try ActivityPage(activities: [Self.activity("1", on: "2026-11-19")])
                _ = try await store.save(
                    page, for: ActivityQuery(), of: Self.account(users.ann), now: Self.noon)
            }
            try await save()
            try await users.file.database.write { db in
                try db.execute("UPDATE activity_account SET last_read = ?", [read])
            }
            await #expect(throws: StorageError.self) { try await save() }
        }
    }

    @Test("are selected by kind, symbol and days, both days included", arguments: TestEngine.allCases)
    func filters(engine: TestEngine) async throws {
        try await TwoUsers.with(engine) { users in
            let store = ActivityStore(in: users.file)
            let account = Self.account(users.ann)
            _ = try await store.save(
                ActivityPage(activities: [
                    try Self.activity("1", on: "2026-11-16"), try Self.activity("2", on: "2026-11-17", .fee),
                    try Self.activity("3", on: "2026-11-18", symbol: "MSFT"),
                    try Self.activity("4", on: "2026-11-19", .deposit, symbol: nil),
                ]), for: ActivityQuery(), of: account, now: Self.noon)
            #expect(try await ids(store, account, ActivityFilter(kinds: [.fee, .deposit])) == ["4", "2"])
            #expect(try await ids(store, account, ActivityFilter(kinds: [])).isEmpty)
            #expect(try await ids(store, account, ActivityFilter(symbol: Symbol("MSFT"))) == ["3"])
            #expect(
                try await ids(
                    store, account,
                    ActivityFilter(from: Self.day("2026-11-17"), to: Self.day("2026-11-18"))) == ["3", "2"])
            #expect(
                try await ids(
                    store, account,
                    ActivityFilter(kinds: [.dividend], symbol: Symbol("AAPL"), to: Self.day("2026-11-18")))
                    == ["1"])
        }
    }

    @Test(
        "of a read in several pages are complete with its last page, and continue where it was interrupted",
        arguments: TestEngine.allCases)
    func pages(engine: TestEngine) async throws {
        try await TwoUsers.with(engine) { users in
            let store = ActivityStore(in: users.file)
            let account = Self.account(users.ann)
            let first = try await store.save(
                ActivityPage(activities: [try Self.activity("1", on: "2026-11-16")], next: "p2"),
                for: ActivityQuery(), of: account, now: Self.noon)
            #expect(first?.pending == ActivityQuery(page: "p2"))
            #expect(first?.completeOn == nil && first?.readAt == nil)
            // Two days later: it is complete as of the day on which it began.
            let later = Self.noon + .seconds(2 * 86_400)
            let second = try await store.save(
                ActivityPage(activities: [try Self.activity("2", on: "2026-11-17")]),
                for: ActivityQuery(page: "p2"), of: account, now: later)
            #expect(second?.pending == nil)
            #expect(second?.completeOn == (try Self.day("2026-11-20")))
            #expect(second?.readAt == later)
            #expect(try await ids(store, account) == ["2", "1"])
        }
    }

    @Test(
        "of a page that is not the next one of the stored read are not stored, and the read that is stored is returned",
        arguments: TestEngine.allCases)
    func otherPages(engine: TestEngine) async throws {
        try await TwoUsers.with(engine) { users in
            let store = ActivityStore(in: users.file)
            let account = Self.account(users.ann)
            func save(_ id: String, page: String? = nil, next: String? = nil) async throws
                -> ActivityCoverage?
            {
                try await store.save(
                    ActivityPage(activities: [try Self.activity(id, on: "2026-11-16")], next: next),
                    for: ActivityQuery(page: page), of: account, now: Self.noon)
            }
            _ = try await save("1", next: "p2")
            let second = try await save("2", page: "p2", next: "p3")
            // Another process has read the same page, and one has begun anew.
            #expect(try await save("late", page: "p2", next: "p3") == second)
            let again = try await save("3", next: "q2")
            #expect(try await save("late", page: "p3") == again)
            #expect(again?.pending == ActivityQuery(page: "q2") && again?.completeOn == nil)
            let complete = try await save("4", page: "q2")
            #expect(complete?.pending == nil && complete?.completeOn != nil)
            #expect(try await save("late", page: "q2") == complete)
            #expect(try await ids(store, account) == ["4", "3", "2", "1"])
        }
    }

    @Test(
        "that are read again are replaced, and those that the broker deleted or cancelled are removed",
        arguments: TestEngine.allCases)
    func replaced(engine: TestEngine) async throws {
        try await TwoUsers.with(engine) { users in
            let store = ActivityStore(in: users.file)
            let account = Self.account(users.ann)
            _ = try await store.save(
                ActivityPage(activities: [
                    try Self.activity("old", on: "2026-11-10"),
                    try Self.activity("canceled", on: "2026-11-11"),
                    try Self.activity("changed", on: "2026-11-18"),
                    try Self.activity("gone", on: "2026-11-18"),
                ]), for: ActivityQuery(), of: account, now: Self.noon)
            let query = ActivityQuery(since: try Self.day("2026-11-20"))
            var changed = try Self.activity("changed", on: "2026-11-18")
            changed.amount = Decimal("2")
            _ = try await store.save(
                ActivityPage(activities: [changed], next: "p2"), for: query, of: account, now: Self.noon)
            // Until the read is complete, no activity is missing.
            #expect(try await ids(store, account) == ["gone", "changed", "canceled", "old"])
            _ = try await store.save(
                ActivityPage(
                    activities: [try Self.activity("new", on: "2026-11-19")], canceledIDs: ["canceled"],
                    isCompleteFrom: Instant("2026-11-17T00:00:00Z")),
                for: ActivityQuery(since: query.since, page: "p2"), of: account, now: Self.noon)
            #expect(try await ids(store, account) == ["new", "changed", "old"])
            let stored = try await store.activities(ActivityFilter(), of: account, after: nil, limit: 10)
            #expect(stored[1].activity.amount == 2)
        }
    }

    @Test(
        "stay while a row of a read could not be read, of which the error is stored until a complete read has none",
        arguments: TestEngine.allCases)
    func unreadable(engine: TestEngine) async throws {
        try await TwoUsers.with(engine) { users in
            let store = ActivityStore(in: users.file)
            let account = Self.account(users.ann)
            let (first, second) = (try Self.day("2026-11-20"), try Self.day("2026-11-21"))
            let morning = Self.noon + .seconds(20 * 3_600)
            func save(_ page: ActivityPage, at time: Instant, _ query: ActivityQuery) async throws
                -> ActivityCoverage
            {
                try #require(try await store.save(page, for: query, of: account, now: time))
            }
            let read = try await save(
                ActivityPage(activities: [try Self.activity("1", on: "2026-11-18")]), at: Self.noon,
                ActivityQuery())
            #expect(read.unreadable.isEmpty && read.completeOn == first)
            let query = ActivityQuery(since: first)
            let errors = ["bookings: Data[0]: no \"Date\"", "trades: Data[7]: no \"TradeId\""]
            let half = try await save(
                ActivityPage(activities: [], unreadable: [errors[0]], next: "p2"), at: morning, query)
            #expect(half.unreadable.isEmpty)
            let ended = try await save(
                ActivityPage(
                    activities: [try Self.activity("2", on: "2026-11-20")], unreadable: [errors[1]],
                    isCompleteFrom: Instant("2026-11-16T00:00:00Z")),
                at: morning, ActivityQuery(since: first, page: "p2"))
            // The next read begins at the same day, and the missing activity may be the one that could not be read.
            #expect(ended.unreadable == errors && ended.completeOn == first && ended.readAt == morning)
            #expect(try await ids(store, account) == ["2", "1"])
            #expect(try await store.coverage(of: account)?.unreadable == errors)
            let repeated = try await save(
                ActivityPage(activities: [], next: "p2"), at: morning, query)
            #expect(repeated.unreadable == errors)
            let complete = try await save(
                ActivityPage(activities: [], isCompleteFrom: Instant("2026-11-16T00:00:00Z")), at: morning,
                ActivityQuery(since: first, page: "p2"))
            #expect(complete.unreadable.isEmpty && complete.completeOn == second)
            #expect(try await ids(store, account).isEmpty)
        }
    }

    @Test("of a list without a readable row have the errors of 20 rows", arguments: TestEngine.allCases)
    func unreadableList(engine: TestEngine) async throws {
        try await TwoUsers.with(engine) { users in
            let store = ActivityStore(in: users.file)
            let account = Self.account(users.ann)
            let errors = (0..<1_000).map { "Data[\($0)]: no \"Date\"" }
            let half = try await store.save(
                ActivityPage(activities: [], unreadable: errors, next: "p2"), for: ActivityQuery(),
                of: account,
                now: Self.noon)
            let stored = errors.prefix(20) + [ActivityCoverage.furtherRows]
            #expect(half?.unreadable == [] && half?.allUnreadable == Array(stored))
            let ended = try await store.save(
                ActivityPage(activities: [], unreadable: errors), for: ActivityQuery(page: "p2"), of: account,
                now: Self.noon)
            #expect(ended?.unreadable == Array(stored) && ended?.allUnreadable == Array(stored))
        }
    }

    @Test(
        "of a user are limited: the oldest days of all accounts are deleted, and the first complete day is stated",
        arguments: TestEngine.allCases)
    func limit(engine: TestEngine) async throws {
        try await TwoUsers.with(engine) { users in
            let store = ActivityStore(in: users.file, maximum: 4)
            let (one, two, other) = (
                Self.account(users.ann, "1"), Self.account(users.ann, "2"), Self.account(users.bob, "1")
            )
            let three = ["2026-11-16", "2026-11-17", "2026-11-18"]
            for account in [one, other] {
                _ = try await store.save(
                    ActivityPage(activities: try three.map { try Self.activity($0, on: $0) }),
                    for: ActivityQuery(), of: account, now: Self.noon)
            }
            let coverage = try await store.save(
                ActivityPage(
                    activities: try ["2026-11-17", "2026-11-19"].map { try Self.activity($0, on: $0) }),
                for: ActivityQuery(), of: two, now: Self.noon)
            #expect(coverage?.since == (try Self.day("2026-11-17")))
            #expect(try await store.coverage(of: one)?.since == (try Self.day("2026-11-17")))
            #expect(try await ids(store, one) == ["2026-11-18", "2026-11-17"])
            #expect(try await ids(store, two) == ["2026-11-19", "2026-11-17"])
            #expect(try await ids(store, other).count == 3)
            #expect(try await store.coverage(of: other)?.since == nil)
            // What is older than the first complete day is not stored again.
            _ = try await store.save(
                ActivityPage(activities: [try Self.activity("2026-11-16", on: "2026-11-16")]),
                for: ActivityQuery(since: Self.day("2026-11-20")), of: one, now: Self.noon)
            #expect(try await ids(store, one) == ["2026-11-18", "2026-11-17"])
        }
    }

    @Test("state the first day that the broker has", arguments: TestEngine.allCases)
    func horizon(engine: TestEngine) async throws {
        try await TwoUsers.with(engine) { users in
            let store = ActivityStore(in: users.file)
            let coverage = try await store.save(
                ActivityPage(activities: [], horizon: try Self.day("2020-01-01")), for: ActivityQuery(),
                of: Self.account(users.ann), now: Self.noon)
            #expect(coverage?.since == (try Self.day("2020-01-01")))
        }
    }

    @Test("are of one user, one connection and one account", arguments: TestEngine.allCases)
    func isolation(engine: TestEngine) async throws {
        try await TwoUsers.with(engine) { users in
            let store = ActivityStore(in: users.file)
            let accounts = [
                Self.account(users.ann), Self.account(users.ann, "b"), Self.account(users.ann, "a", "d"),
                Self.account(users.bob),
            ]
            for (index, account) in accounts.enumerated() {
                _ = try await store.save(
                    ActivityPage(activities: [try Self.activity("same", on: "2026-11-1\(index)")]),
                    for: ActivityQuery(), of: account, now: Self.noon)
            }
            for (index, account) in accounts.enumerated() {
                let stored = try await store.activities(ActivityFilter(), of: account, after: nil, limit: 10)
                #expect(stored.map(\.activity.date.day) == [10 + index])
            }
            let found = try #require(try await store.activity("b:same", of: users.ann, "c"))
            #expect(found.account == "b")
            #expect(found.activity.activity.date.day == 11)
            #expect(try await store.activity("b:same", of: users.bob, "c") == nil)
            #expect(try await store.activity("a:other", of: users.ann, "c") == nil)
        }
    }

    @Test(
        "are exported with the user, and deleted with the user and with the connection",
        arguments: TestEngine.allCases)
    func deletion(engine: TestEngine) async throws {
        try await TwoUsers.with(engine) { users in
            let store = ActivityStore(in: users.file)
            let connection = ActivityAccount(
                owner: users.ann, connection: "stored", account: "a", isConnectionStored: true)
            try await users.file.database.write { db in
                try db.execute(
                    """
                    INSERT INTO connection (id, owner, provider, environment, connected_at)
                    VALUES ('stored', ?, 'ALPACA', 'SANDBOX', 0)
                    """, [users.ann.text])
            }
            for account in [connection, Self.account(users.ann), Self.account(users.bob)] {
                _ = try await store.save(
                    ActivityPage(activities: [try Self.activity("x", on: "2026-11-16")]),
                    for: ActivityQuery(),
                    of: account, now: Self.noon)
            }
            let export = try #require(try await UserDataExport(of: users.file).json(of: users.ann))
            let exported = try #require(try JSONValue(parsing: export)["activities"]?.elements)
            #expect(exported.map { $0["connection"]?.string } == ["c", "stored"])
            let first = try #require(exported.first)
            #expect(first["id"] == "x" && first["account"] == "a" && first["kind"] == "DIVIDEND")
            #expect(first["providerKind"] == "DIV" && first["date"] == "2026-11-16")
            #expect(first["amount"] == "1.50" && first["currency"] == "USD" && first["price"] == .null)
            try await users.file.database.write { db in
                try db.execute("DELETE FROM connection WHERE id = 'stored'")
            }
            #expect(try await ids(store, connection).isEmpty)
            #expect(try await store.coverage(of: connection) == nil)
            #expect(try await ids(store, Self.account(users.ann)) == ["x"])
            // A read that ends after the deletion stores nothing.
            let late = try await store.save(
                ActivityPage(activities: [try Self.activity("y", on: "2026-11-16")]), for: ActivityQuery(),
                of: connection, now: Self.noon)
            #expect(late == nil)
            #expect(try await ids(store, connection).isEmpty)
            try await users.delete(users.ann)
            #expect(try await users.count("activity") == 1)
            #expect(try await users.count("activity_account") == 1)
            #expect(try await ids(store, Self.account(users.bob)) == ["x"])
        }
    }
}
