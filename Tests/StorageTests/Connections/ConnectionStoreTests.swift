import Brokerage
import EngineTestSupport
import Foundation
import PorticoCore
import Storage
import Testing
import Upstream

@Suite("Connections")
struct ConnectionStoreTests {
    static let key = Data(repeating: 9, count: 32).base64EncodedString()

    /// A store in a file with two users.
    static func store(_ folder: TestDatabase, key: String = key) throws -> (UserDatabase, ConnectionStore) {
        let file = try folder.open()
        try file.database.writeNow { db in
            try db.execute(
                #"INSERT INTO "user" (id, created_at) VALUES ('ann', 0), ('bob', 0) ON CONFLICT (id) DO NOTHING"#
            )
        }
        return (file, try ConnectionStore(in: file, MasterKey(base64: key, origin: "x")))
    }

    static func connection(
        _ id: String = "c1", of owner: String = "ann", _ provider: ProviderID = .saxo,
        accounts: [String] = ["1"]
    ) throws -> StoredConnection {
        StoredConnection(
            id: id, owner: try #require(OwnerID(owner)), provider: provider, environment: .paper,
            redirectURI: "https://app.example/connected", label: "Savings",
            connectedAt: try #require(Instant("2026-11-20T16:00:00.123Z")),
            accounts: accounts.map { StoredAccount(id: $0, number: "N\($0)", name: nil, currency: "EUR") })
    }

    @Test(
        "exist after a restart, with their accounts in order and their credential",
        arguments: TestEngine.allCases)
    func keeps(engine: TestEngine) async throws {
        try await engine.with { folder in
            let saxo = try Self.connection(accounts: ["2", "1", "3"])
            let alpaca = try Self.connection("c2", of: "bob", .alpaca)
            do {
                let (_, store) = try Self.store(folder)
                #expect(try await store.add(saxo, Secret("tokens"), maximum: 20) == .added)
                #expect(try await store.add(alpaca, Secret("keys"), maximum: 20) == .added)
            }
            let (_, store) = try Self.store(folder)
            #expect(try store.all() == [saxo, alpaca])
            #expect(try await store.credentials.load(saxo.credential)?.secret == Secret("tokens"))
            #expect(try await store.credentials.load(alpaca.credential)?.secret == Secret("keys"))
        }
    }

    @Test(
        "are all read in pages that are transactions of their own, the oldest first",
        arguments: TestEngine.allCases)
    func readsPages(engine: TestEngine) async throws {
        try await engine.with { folder in
            let (file, store) = try Self.store(folder)
            func read() throws -> (connections: [StoredConnection], transactions: Int) {
                let before = file.database.transactionCount
                let connections = try store.all()
                return (connections, file.database.transactionCount - before)
            }
            let empty = try read()
            #expect(empty.connections.isEmpty)
            let numbers = 1_000...2_000
            try file.database.writeNow { db in
                for number in numbers {
                    try db.execute(
                        """
                        INSERT INTO connection (id, owner, provider, environment, connected_at)
                        VALUES (?, 'ann', 'ALPACA', 'PAPER', ?)
                        """, ["c\(number)", 5_000 - number])
                    try db.execute(
                        """
                        INSERT INTO connected_account (connection, place, id, number, name, currency)
                        VALUES (?, 0, ?, '1', NULL, 'USD')
                        """, ["c\(number)", "a\(number)"])
                }
            }
            let full = try read()
            #expect(full.connections.map(\.id) == numbers.reversed().map { "c\($0)" })
            #expect(full.connections.map { $0.accounts.map(\.id) } == numbers.reversed().map { ["a\($0)"] })
            #expect(full.transactions - empty.transactions == (engine == .postgresql ? 3 : 0))
        }
    }

    @Test("are deleted with their credential, by their owner only", arguments: TestEngine.allCases)
    func deletes(engine: TestEngine) async throws {
        try await engine.with { folder in
            let (file, store) = try Self.store(folder)
            let connection = try Self.connection()
            _ = try await store.add(connection, Secret("tokens"), maximum: 20)
            #expect(try await store.delete("c1", of: try #require(OwnerID("bob"))) == .unknown)
            #expect(try await store.delete("c1", of: connection.owner) == .deleted)
            #expect(try await store.delete("c1", of: connection.owner) == .unknown)
            #expect(try Self.rows(file) == ["connection": 0, "connected_account": 0, "credential": 0])
        }
    }

    @Test("are deleted with their user, with credentials, and no others are", arguments: TestEngine.allCases)
    func userDeleted(engine: TestEngine) async throws {
        try await engine.with { folder in
            let (file, store) = try Self.store(folder)
            _ = try await store.add(try Self.connection(), Secret("tokens"), maximum: 20)
            let other = try Self.connection("c2", of: "bob")
            _ = try await store.add(other, Secret("other tokens"), maximum: 20)
            try await file.database.write { try $0.execute(#"DELETE FROM "user" WHERE id = 'ann'"#) }
            #expect(try store.all() == [other])
            #expect(try Self.rows(file) == ["connection": 1, "connected_account": 1, "credential": 1])
            #expect(try await store.credentials.load(other.credential)?.secret == Secret("other tokens"))
        }
    }

    @Test("of a deleted user are not stored, nor is the credential", arguments: TestEngine.allCases)
    func noUser(engine: TestEngine) async throws {
        try await engine.with { folder in
            let (file, store) = try Self.store(folder)
            let stranger = try Self.connection(of: "nobody")
            await #expect(throws: StorageError.self) {
                try await store.add(stranger, Secret("tokens"), maximum: 20)
            }
            #expect(try Self.rows(file) == ["connection": 0, "connected_account": 0, "credential": 0])
        }
    }

    @Test(
        "have a maximum number for each user, also if several are added at once",
        arguments: TestEngine.allCases)
    func bound(engine: TestEngine) async throws {
        try await engine.with { folder in
            let (_, store) = try Self.store(folder)
            let results = try await withThrowingTaskGroup(of: ConnectionStore.InsertResult.self) { group in
                for number in 0..<30 {
                    group.addTask {
                        try await store.add(
                            try Self.connection("c\(number)", accounts: ["\(number)"]), Secret("s"),
                            maximum: 20)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(results.count { $0 == .added } == 20)
            #expect(results.count { $0 == .tooMany } == 10)
            #expect(
                try await store.add(try Self.connection("b", of: "bob"), Secret("s"), maximum: 20) == .added)
        }
    }

    @Test(
        "to an account that another connection of the user opens are rejected; those of other users and environments are not",
        arguments: TestEngine.allCases)
    func twice(engine: TestEngine) async throws {
        try await engine.with { folder in
            let (_, store) = try Self.store(folder)
            _ = try await store.add(
                try Self.connection("c1", accounts: ["1", "2"]), Secret("s"), maximum: 20)
            let second = try Self.connection("c2", accounts: ["3", "2"])
            #expect(
                try await store.add(second, Secret("s"), maximum: 20)
                    == .opensAlready(connection: "c1", account: second.accounts[1]))
            #expect(
                try await store.add(try Self.connection("c3", of: "bob"), Secret("s"), maximum: 20) == .added)
            #expect(
                try await store.add(try Self.connection("c4", of: "ann", .alpaca), Secret("s"), maximum: 20)
                    == .added)
        }
    }

    @Test(
        "that are renewed keep their id and are no longer rejected; a deleted one stays deleted",
        arguments: TestEngine.allCases)
    func renews(engine: TestEngine) async throws {
        try await engine.with { folder in
            let (file, store) = try Self.store(folder)
            var connection = try Self.connection()
            _ = try await store.add(connection, Secret("old"), maximum: 20)
            let refusedAt = try #require(Instant("2026-11-20T17:00:00Z"))
            try await store.setRejected(connection, at: refusedAt)
            #expect(try store.all().first?.rejectedAt == refusedAt)
            connection.label = "Pension"
            connection.accounts.reverse()
            #expect(try await store.renew(connection, Secret("new")) == 2)
            #expect(try store.all() == [connection])
            #expect(try await store.credentials.load(connection.credential)?.secret == Secret("new"))
            _ = try await store.delete("c1", of: connection.owner)
            #expect(try await store.renew(connection, Secret("new")) == nil)
            #expect(try Self.rows(file) == ["connection": 0, "connected_account": 0, "credential": 0])
        }
    }

    @Test(
        "keep no refusal of a credential that was replaced, which a call with it reports late",
        arguments: TestEngine.allCases)
    func lateRefusal(engine: TestEngine) async throws {
        try await engine.with { folder in
            let (_, store) = try Self.store(folder)
            let old = try Self.connection()
            _ = try await store.add(old, Secret("old"), maximum: 20)
            var new = old
            new.connectedAt = old.connectedAt + .milliseconds(1)
            #expect(try await store.renew(new, Secret("new")) == 2)
            let refusedAt = try #require(Instant("2026-11-20T17:00:00Z"))
            let refusals: [(StoredConnection, stored: Instant?)] = [(old, nil), (new, refusedAt)]
            for (connection, expected) in refusals {
                try await store.setRejected(connection, at: refusedAt)
                #expect(try store.all().first?.rejectedAt == expected)
            }
            try await store.setRejected(old, at: nil)
            #expect(try store.all().first?.rejectedAt == refusedAt)
        }
    }

    @Test("store the accounts that they open, as long as they exist", arguments: TestEngine.allCases)
    func learns(engine: TestEngine) async throws {
        try await engine.with { folder in
            let (file, store) = try Self.store(folder)
            var connection = try Self.connection(accounts: ["1", "2"])
            _ = try await store.add(connection, Secret("s"), maximum: 20)
            connection.accounts = try Self.connection(accounts: ["3", "1"]).accounts
            try await store.setAccounts(connection.accounts, of: "c1")
            #expect(try store.all() == [connection])
            _ = try await store.delete("c1", of: connection.owner)
            try await store.setAccounts(connection.accounts, of: "c1")
            #expect(try Self.rows(file) == ["connection": 0, "connected_account": 0, "credential": 0])
        }
    }

    /// How many rows the tables have.
    static func rows(_ file: UserDatabase) throws -> [String: Int] {
        try file.database.readNow { db in
            try ["connection", "connected_account", "credential"].reduce(into: [:]) { counts, table in
                counts[table] = try db.value("SELECT count(*) FROM \(table)", as: Int.self)
            }
        }
    }
}

@Suite("A change of the master key")
struct MasterKeyChangeTests {
    private static let newKey = Data(repeating: 5, count: 32).base64EncodedString()

    @Test(
        "leaves all credentials readable in processes with the open file, and later only with the new key",
        arguments: TestEngine.allCases)
    func changes(engine: TestEngine) async throws {
        try await engine.with { folder in
            let (file, store) = try ConnectionStoreTests.store(folder)
            let connection = try ConnectionStoreTests.connection()
            _ = try await store.add(connection, Secret("tokens"), maximum: 20)
            let old = try MasterKey(base64: ConnectionStoreTests.key, origin: "x")
            let new = try MasterKey(base64: Self.newKey, origin: "x")
            #expect(try file.changeMasterKey(from: old, to: new) == 1)
            // Again, as after a crash.
            #expect(try file.changeMasterKey(from: old, to: new) == 0)
            // Who has it open goes on.
            #expect(try await store.credentials.load(connection.credential)?.secret == Secret("tokens"))
            #expect(try await store.credentials.save(Secret("newer"), of: connection.credential) == 2)
            // Who opens it anew needs the new key.
            #expect(throws: StorageError.wrongMasterKey(path: folder.location)) {
                try ConnectionStore(in: file, old)
            }
            let reopened = try ConnectionStore(in: file, new)
            #expect(try await reopened.credentials.load(connection.credential)?.secret == Secret("newer"))
        }
    }

    @Test("from a key that is not in use changes nothing", arguments: TestEngine.allCases)
    func wrong(engine: TestEngine) async throws {
        try await engine.with { folder in
            let (file, store) = try ConnectionStoreTests.store(folder)
            _ = try await store.add(try ConnectionStoreTests.connection(), Secret("tokens"), maximum: 20)
            let new = try MasterKey(base64: Self.newKey, origin: "x")
            #expect(throws: StorageError.wrongMasterKey(path: folder.location)) {
                try file.changeMasterKey(from: .random(), to: new)
            }
            _ = try ConnectionStore(in: file, MasterKey(base64: ConnectionStoreTests.key, origin: "x"))
        }
    }

    @Test("replaces the key file of the directory, with permissions for its user only")
    func installs() async throws {
        try await Folder.with { folder in
            let opened = try folder.opened()
            let first = try MasterKey(in: opened)
            let new = try MasterKey(base64: Self.newKey, origin: "x")
            // What an attempt left that was cut short.
            try Data("half a k".utf8).write(to: folder.url.appending(path: MasterKey.fileName + ".new"))
            try new.install(in: opened)
            #expect(try MasterKey(in: opened).id == new.id)
            #expect(first.id != new.id)
            #expect(try folder.permissions(MasterKey.fileName) == 0o600)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [MasterKey.fileName])
        }
    }
}
