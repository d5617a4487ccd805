import Brokerage
import Coordination
import EngineTestSupport
import Foundation
import PorticoCore
import Storage
import TestSupport
import Testing
import Upstream

@Suite("A copy of the storage")
struct StorageCopyTests {
    private static func url() throws -> PostgresURL {
        try PostgresURL(
            PostgresCluster.shared.get().url(), origin: "the test's URL", schema: "test_" + RandomID.make())
    }

    private static let quota = StoredQuotaUsage(
        account: QuotaAccount(.alpaca), window: "day", kind: .calls, until: Instant.now + .seconds(3_600),
        count: 7, maximumLifetime: .seconds(26 * 3_600))

    /// A count of a window of a month.
    private static let monthlyQuota = StoredQuotaUsage(
        account: QuotaAccount(.alpaca), window: "month", kind: .calls,
        until: Instant.now + .seconds(20 * 86_400), count: 3, maximumLifetime: .seconds(32 * 86_400))

    /// Fills each table.
    private static func fill(_ file: UserDatabase, _ key: MasterKey) async throws {
        let sessions = try SessionStore(in: file, key)
        let opened = try await sessions.signUp(
            SessionStore.NewUser(
                username: try Username("ann"), hash: PasswordHash(matchingNothing: .standard),
                invitation: nil,
                guest: nil), SessionStore.Options(scopes: [.read, .write], label: "phöne \"1\"")
        ).get()
        let owner = opened.user.id
        _ = try await UserStore(in: file).invite(label: nil, isAdmin: true)
        let connection = StoredConnection(
            id: "c1", owner: owner, provider: .alpaca, environment: .paper, connectedAt: .now,
            accounts: [StoredAccount(id: "a", number: "1", name: nil, currency: "USD")])
        _ = try await ConnectionStore(in: file, key).add(connection, Secret("planted"), maximum: 5)
        let aapl = try #require(Symbol("AAPL"))
        _ = try await WatchlistStore(in: file).create(named: "mine", of: [aapl], for: owner)
        var held = HeldQuantities()
        try held.add(decimal("10.5"), of: aapl, in: "a")
        let fields = GoalFields(
            title: "House", about: "", target: try decimal("100000.01"), currency: "USD", dueOn: nil,
            allocations: [GoalAllocation(symbol: aapl, account: "a", share: .percent(try decimal("12.5")))])
        _ = try await GoalStore(in: file).create(fields, for: owner, holding: held)
        let journal = OrderJournal(in: file)
        for (key, isSent) in [("sent", true), ("not sent", false)] {
            let placing = OrderPlacement(
                owner: owner, connection: "c1", isConnectionStored: true, provider: .alpaca,
                idempotencyKey: key,
                ticket: OrderJournalTests.ticket())
            _ = try await journal.begin(placing)
            if isSent { _ = try await journal.markSent(placing.id) }
            journal.release(placing.id)
        }
        try await replaceOrder(of: owner, in: journal)
        let account = ActivityAccount(
            owner: owner, connection: "c1", account: "a", isConnectionStored: true)
        let day = try #require(CalendarDate("2026-11-20"))
        var activity = Activity(id: "1", kind: .dividend, providerKind: "DIV", date: day)
        activity.time = Instant("2026-11-20T15:00:00.123456789Z")
        _ = try await ActivityStore(in: file).save(
            ActivityPage(activities: [activity]), for: ActivityQuery(), of: account)
        try await signIn(IdentityStore(sessions))
        try await fireAlert(of: owner, aapl, file, key)
    }

    /// A webhook, and an alert that has fired.
    private static func fireAlert(of owner: OwnerID, _ symbol: Symbol, _ file: UserDatabase, _ key: MasterKey)
        async throws
    {
        _ = try await WebhookStore(in: file, key).register(
            "https://example.com", label: "mine", Secret("planted"), for: owner
        ) { _ in "{}" }
        let alerts = AlertStore(in: file)
        let alert = try await alerts.create(
            .priceAbove(symbol, try decimal("250.10")), label: "up", rearmAfter: 60, for: owner)
        _ = try await alerts.fire(
            [AlertEvidence(alert: #require(alert).id, value: decimal("250.2"))], of: owner
        ) { _ in "{}" }
    }

    /// Places an order with exits, and replaces it.
    private static func replaceOrder(of owner: OwnerID, in journal: OrderJournal) async throws {
        var ticket = OrderJournalTests.ticket()
        ticket.exits = OrderExits(
            takeProfit: try decimal("120.50"), stopLoss: OrderExits.StopLoss(stop: 90, limit: nil))
        let placing = OrderPlacement(
            owner: owner, connection: "c1", isConnectionStored: true, provider: .alpaca,
            idempotencyKey: "replaced", ticket: ticket)
        _ = try await journal.begin(placing)
        #expect(try await journal.markSent(placing.id))
        try await journal.recordOutcome(.accepted(OrderJournalTests.order("P1")), of: placing.id)
        let start = try await journal.begin(
            .replace(OrderReplacement(quantity: 2)), of: OrderJournalTests.order("P1"), placing.identity,
            isConnectionStored: true, at: .alpaca)
        guard case .begun(let write, _) = start else {
            Issue.record("not begun: \(start)")
            return
        }
        #expect(try await journal.markSent(write.id))
        try await journal.recordOutcome(.accepted(OrderJournalTests.order("P2")), of: write.id)
        for id in [placing.id, write.id] { journal.release(id) }
    }

    /// A session of a user of an identity provider, a sign-in that has begun, and a token that has ended.
    private static func signIn(_ store: IdentityStore) async throws {
        let issuer = "https://id.example.com"
        let origin = IdentityStore.Origin(
            Identity(issuer: issuer, subject: "1"), sessionID: "s1", issuedAt: .now, issuedAfter: .now,
            suggestedName: "bob")
        _ = try await store.open(
            SessionStore.Options(scopes: [.read], label: nil), for: origin, createsUser: { true }
        ).get()
        let pending = PendingSignIn(
            issuer: issuer, clientID: "portico", redirectURI: "https://app.example.com/", scopes: nil,
            label: nil, expiresAt: .now + .seconds(600))
        try await store.begin(pending, state: [1], browser: [2], from: "a")
        let logout = IdentityLogout(
            issuer: issuer, id: "1", sessionID: "s2", subject: nil, issuedAt: .now,
            expiresAt: .now + .seconds(300))
        #expect(try await store.end(logout, forgetAt: .now + .seconds(600)))
        try await store.endToken(hash: "h", issuer: issuer, forgetAt: .now + .seconds(600))
    }

    @Test("to PostgreSQL and back has the same data, and continues the numbers and the counts of calls")
    func bothWays() async throws {
        try await Folder.with { folder in
            try await Folder.with { restored in
                let (key, url) = (MasterKey.random(), try Self.url())
                try await {
                    let directory = try folder.opened()
                    try await Self.fill(UserDatabase(in: directory), key)
                    try await SQLiteQuotaStore(in: CacheDatabase(in: directory)).add(
                        [Self.quota, Self.monthlyQuota], now: .now, uptime: .zero)
                }()
                let copied = try await StorageCopy(from: .folder(folder.opened()), to: .postgres(url)).run()
                #expect(copied.filter { $0.rows == 0 }.map(\.name) == [], "the test fills no row of them")
                let rows = [1, 1, 1, 2, 1, 2, 1, 1, 1, 1, 1, 1, 1, 2, 1, 3, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1, 2]
                #expect(copied.map(\.rows) == rows)
                let server = try UserDatabase(at: url, TestDatabase.limits)
                let calls: [Int64] = try server.database.readNow { db in
                    try db.values("SELECT number FROM quota, unnest(calls) AS slot (number) ORDER BY name")
                }
                #expect(calls == [7, 3])
                // What was not sent is deleted, what may have been sent is unconfirmed.
                #expect(try await OrderJournal(in: server).unconfirmed().count == 1)
                let back = try await StorageCopy(from: .postgres(url), to: .folder(restored.opened())).run()
                #expect(back == copied)
                let (first, last) = (
                    try UserDatabase(in: folder.opened()), try UserDatabase(in: restored.opened())
                )
                // The next start of the machine takes no end for one of a wrong clock.
                let counts = try SQLiteQuotaStore(in: CacheDatabase(in: restored.opened()), boot: "next")
                    .load(
                        now: .now, uptime: .zero)
                #expect(counts.map(\.until) == [Self.monthlyQuota.until, Self.quota.until])
                #expect(counts.allSatisfy { $0.untilUptime == nil })
                // The tables of SQLite, except those of the migrations and those of SQLite itself.
                let tables: [String] = try await first.database.read { db in
                    try db.values(
                        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*'")
                }
                #expect(
                    Set(tables).subtracting(copied.map(\.name)) == ["grdb_migrations"],
                    "a table is not copied")
                let owners = try await server.database.read { db in
                    try db.values(#"SELECT id FROM "user" ORDER BY username"#, as: String.self).compactMap {
                        OwnerID($0)
                    }
                }
                let exports = [first, server, last].map { UserDataExport(of: $0) }
                let members = [
                    [
                        #""label":"phöne \"1\"""#, #""provider":"alpaca","environment""#,
                        #""title":"House","description":"""#, #""percentage":"12.5""#,
                        #""executedAt":"2026-11-20T15:00:00.123456Z""#,
                        #""kind":"PRICE_ABOVE","subject":"AAPL","level":"250.10""#,
                        #""label":"mine","state":"PENDING""#,
                        #""takeProfit":"120.50","stopLoss":"90","stopLossLimit":null,"closesPosition":null"#,
                    ], [#""issuer":"https://id.example.com","issuerSession":"s1""#],
                ]
                #expect(owners.count == 2)
                for (owner, members) in zip(owners, members) {
                    let expected = try #require(try await exports[0].json(of: owner))
                    #expect(!expected.contains("planted"))
                    for member in members { #expect(expected.contains(member), "\(expected)") }
                    for export in exports { #expect(try await export.json(of: owner) == expected) }
                }
                let owner = try #require(owners.first)
                let credential = CredentialOwner(connection: "c1", provider: .alpaca, owner: owner)
                for file in [server, last] {
                    #expect(
                        try await CredentialStore(in: file, key).load(credential)?.secret.bytes
                            == Array("planted".utf8))
                    #expect(try SessionStore(in: file, key).live.all.count == 2)
                    let webhook = try #require(
                        try await WebhookStore(in: file, key).webhooks(of: owner).first)
                    let target = try await WebhookStore(in: file, key).target(of: webhook.id, owner)
                    #expect(target?.secret == Secret("planted") && webhook.pendingDeliveries == 1)
                    #expect(target?.url == "https://example.com" && webhook.state == .pending)
                }
                let aapl = try #require(Symbol("AAPL"))
                let list = try await WatchlistStore(in: server).create(named: "next", of: [aapl], for: owner)
                    .get()
                #expect(list.name == "next")
                #expect(
                    try await WatchlistStore(in: server).watchlists(of: owner).map(\.name) == [
                        "mine", "next",
                    ])
            }
        }
    }

    @Test("is refused if the target has data, or if a server uses the source")
    func refused() async throws {
        try await Folder.with { folder in
            let url = try Self.url()
            try UserStore(in: UserDatabase(at: url, TestDatabase.limits)).ensure(
                try #require(OwnerID("owner")))
            #expect(throws: StorageError.notEmpty(path: url.location)) {
                try StorageCopy(from: .folder(folder.opened()), to: .postgres(url))
            }
            let other = try Self.url()
            let server = try PostgresServerLock(other, for: .servers, TestDatabase.limits)
            #expect(throws: StorageError.busy(path: other.location)) {
                try StorageCopy(from: .postgres(other), to: .folder(folder.opened()))
            }
            try server.renew()
        }
    }
}
