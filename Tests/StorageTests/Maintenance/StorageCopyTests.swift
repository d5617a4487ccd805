import Brokerage
import Foundation
import PorticoCore
import TestSupport
import Testing
import Upstream

@testable import Storage

@Suite("A copy of the storage")
struct StorageCopyTests {
    private static func url() throws -> PostgresURL {
        try PostgresURL(
            PostgresCluster.shared.get().url(), origin: "the test's URL", schema: "test_" + RandomID.make())
    }

    private static let quota = StoredQuotaUsage(
        account: QuotaAccount(.alpaca), window: "day", kind: .calls, until: Instant.now + .seconds(3_600),
        count: 7)

    /// Every kind of data of one user; returns what a user can export.
    private static func fill(_ file: UserDatabase, _ key: MasterKey) async throws -> String? {
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
        _ = try await WebhookStore(in: file, key).register(
            "https://example.com", label: "mine", Secret("planted"), for: owner)
        let alerts = AlertStore(in: file)
        let alert = try await alerts.create(
            .priceAbove(aapl, try decimal("250.10")), label: "up", rearmAfter: 60, for: owner)
        _ = try await alerts.fire(
            [AlertEvidence(alert: #require(alert).id, value: decimal("250.2"))], of: owner
        ) { _ in "{}" }
        return try await UserDataExport(of: file).json(of: owner)
    }

    @Test("to PostgreSQL and back has the same data, and continues the numbers and the counts of calls")
    func bothWays() async throws {
        try await Folder.with { folder in
            try await Folder.with { restored in
                let (key, url) = (MasterKey.random(), try Self.url())
                try await {
                    let directory = try folder.opened()
                    _ = try await Self.fill(UserDatabase(in: directory), key)
                    try await SQLiteQuotaStore(in: CacheDatabase(in: directory)).add(
                        [Self.quota], now: .now, uptime: .zero)
                }()
                let copied = try await StorageCopy(from: .folder(folder.opened()), to: .postgres(url)).run()
                let rows = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1]
                #expect(copied.map(\.rows) == rows)
                let server = try UserDatabase(at: url, TestDatabase.limits)
                let store = PostgresQuotaStore(in: server)
                #expect(try store.load(now: .now, uptime: .zero).map(\.count) == [7])
                // What was not sent is deleted, what may have been sent is unconfirmed.
                #expect(try await OrderJournal(in: server).unconfirmed().count == 1)
                let back = try await StorageCopy(from: .postgres(url), to: .folder(restored.opened())).run()
                #expect(back == copied)
                let (first, last) = (
                    try UserDatabase(in: folder.opened()), try UserDatabase(in: restored.opened())
                )
                let owner = try #require(
                    try await server.database.read { db in
                        try db.values(#"SELECT id FROM "user""#, as: String.self).first.flatMap {
                            OwnerID($0)
                        }
                    })
                let exports = [first, server, last].map { UserDataExport(of: $0) }
                let expected = try #require(try await exports[0].json(of: owner))
                #expect(expected.contains(#""label":"phöne \"1\"""#), "\(expected)")
                #expect(expected.contains(#""kind":"PRICE_ABOVE","subject":"AAPL","level":"250.10""#))
                #expect(expected.contains(#""url":"https://example.com","label":"mine""#))
                #expect(!expected.contains("planted"))
                for export in exports { #expect(try await export.json(of: owner) == expected) }
                let credential = CredentialOwner(connection: "c1", provider: .alpaca, owner: owner)
                for file in [server, last] {
                    #expect(
                        try await CredentialStore(in: file, key).load(credential)?.secret.bytes
                            == Array("planted".utf8))
                    #expect(try SessionStore(in: file, key).live.all.count == 1)
                    let webhook = try #require(
                        try await WebhookStore(in: file, key).webhooks(of: owner).first)
                    let target = try await WebhookStore(in: file, key).target(of: webhook.id, owner)
                    #expect(target?.secret == Secret("planted") && webhook.pendingDeliveries == 1)
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
            let server = try PostgresServerLock(other, TestDatabase.limits)
            #expect(throws: StorageError.busy(path: other.location)) {
                try StorageCopy(from: .postgres(other), to: .folder(folder.opened()))
            }
            try server.renew()
        }
    }
}
