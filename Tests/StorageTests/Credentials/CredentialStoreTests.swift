import Brokerage
import Coordination
import EngineTestSupport
import Foundation
import PorticoCore
import Testing
import Upstream

@testable import Storage

@Suite("Credentials")
struct CredentialStoreTests {
    static let key = Data(repeating: 7, count: 32).base64EncodedString()

    static func identity(
        _ connection: String = "c1", _ provider: ProviderID = .saxo, _ owner: String = "ann"
    ) throws -> CredentialOwner {
        CredentialOwner(connection: connection, provider: provider, owner: try #require(OwnerID(owner)))
    }

    static func store(_ folder: TestDatabase, key: String = key) throws -> CredentialStore {
        try CredentialStore(
            in: folder.open(), MasterKey(base64: key, origin: "PORTICO_MASTER_KEY"))
    }

    @Test("exist after a restart, and are found by their owner only", arguments: TestEngine.allCases)
    func keeps(engine: TestEngine) async throws {
        try await engine.with { folder in
            let identity = try Self.identity()
            #expect(try await Self.store(folder).save(Secret("refresh-token-1"), of: identity) == 1)
            let store = try Self.store(folder)
            let found = try #require(try await store.load(identity))
            #expect(found.secret == Secret("refresh-token-1"))
            #expect(found.version == 1)
            #expect(try await store.load(Self.identity("c2")) == nil)
            #expect(try await store.load(Self.identity("c1", .alpaca)) == nil)
            #expect(try await store.load(Self.identity("c1", .saxo, "bob")) == nil)
        }
    }

    @Test("no part of a secret or key is in a file", arguments: TestEngine.allCases)
    func sealed(engine: TestEngine) async throws {
        try await engine.with { folder in
            let store = try Self.store(folder)
            let secret = "refresh-token-0123456789-abcdefghij"
            _ = try await store.save(Secret(secret), of: try Self.identity())
            let bytes = try await folder.allBytes()
            #expect(bytes.range(of: Data("ann".utf8)) != nil)
            #expect(bytes.range(of: Data(secret.utf8)) == nil)
            #expect(bytes.range(of: Data(secret.utf8.prefix(8))) == nil)
            #expect(bytes.range(of: Data(repeating: 7, count: 32)) == nil)
            #expect(bytes.range(of: Data(Self.key.utf8)) == nil)
        }
    }

    @Test("equal secrets are encrypted differently", arguments: TestEngine.allCases)
    func nonces(engine: TestEngine) async throws {
        try await engine.with { folder in
            let file = try folder.open()
            let store = try CredentialStore(in: file, MasterKey(base64: Self.key, origin: "x"))
            for number in 0..<50 {
                _ = try await store.save(Secret("same"), of: try Self.identity("c\(number)"))
            }
            let sealed = try await file.database.read {
                try $0.values("SELECT sealed FROM credential", as: Data.self)
            }
            #expect(Set(sealed.map { $0.prefix(12) }).count == 50)
        }
    }

    @Test(
        "a row with a changed content or identity is not decrypted",
        arguments: [
            "UPDATE credential SET sealed = (SELECT sealed FROM credential WHERE connection = 'c2') WHERE connection = 'c1'",
            """
            DELETE FROM credential WHERE connection = 'c1';
            UPDATE credential SET connection = 'c1' WHERE connection = 'c2'
            """,
            """
            DELETE FROM credential WHERE connection = 'c1';
            UPDATE credential SET connection = 'c1', provider = 'SAXO', owner = 'ann' WHERE connection = 'c3'
            """,
            "UPDATE credential SET sealed = zeroblob(length(sealed)) WHERE connection = 'c1'",
            "UPDATE credential SET sealed = x'00' WHERE connection = 'c1'",
            """
            INSERT INTO data_key SELECT 2, wrapped, master_key_id FROM data_key;
            UPDATE credential SET data_key_id = 2 WHERE connection = 'c1'
            """,
        ])
    func tampered(_ sql: String) async throws {
        try await TestEngine.each { folder in
            let file = try folder.open()
            let store = try CredentialStore(in: file, MasterKey(base64: Self.key, origin: "x"))
            let identity = try Self.identity("c1")
            _ = try await store.save(Secret("one"), of: identity)
            _ = try await store.save(Secret("two"), of: try Self.identity("c2"))
            _ = try await store.save(Secret("three"), of: try Self.identity("c3", .alpaca, "bob"))
            try await file.database.write { try $0.executeScript(folder.engine.sql(sql)) }
            await #expect(
                throws: StorageError.decryptionFailed(path: folder.location, connection: "c1")
            ) { try await store.load(identity) }
        }
    }

    @Test("of two replacements of a token, the second changes nothing", arguments: TestEngine.allCases)
    func replaces(engine: TestEngine) async throws {
        try await engine.with { folder in
            let file = try folder.open()
            let store = try CredentialStore(in: file, MasterKey(base64: Self.key, origin: "x"))
            let identity = try Self.identity()
            _ = try await store.save(Secret("1"), of: identity)
            #expect(
                try await store.replace(with: Secret("2"), of: identity, expecting: 1) == .done(version: 2))
            #expect(try await store.replace(with: Secret("x"), of: identity, expecting: 1) == .outdated)
            #expect(try await store.load(identity)?.secret == Secret("2"))
            #expect(try await store.save(Secret("3"), of: identity) == 3)
            try await file.database.write { try $0.execute("DELETE FROM credential") }
            #expect(try await store.replace(with: Secret("x"), of: identity, expecting: 3) == .outdated)
        }
    }

    @Test(
        "a renewal returns its own credential, and fails if another one was faster",
        arguments: TestEngine.allCases)
    func keeper(engine: TestEngine) async throws {
        try await engine.with { folder in
            let store = try Self.store(folder)
            let leases = SoleProcess()
            let one = ConnectionCredentialStore(
                of: try Self.identity("c1"), in: store, under: leases)
            let other = ConnectionCredentialStore(
                of: try Self.identity("c1", .saxo, "bob"), in: store, under: leases)
            #expect(try await one.load() == nil)
            #expect(try await one.replace(Array("x".utf8), ifVersion: 1) == nil)
            _ = try await store.save(Secret("first"), of: try Self.identity("c1"))
            let kept = try #require(try await one.load())
            #expect(kept.secret == Array("first".utf8))
            let version = try #require(
                try await one.replace(Array("second".utf8), ifVersion: kept.version))
            #expect(version != kept.version)
            #expect(try await one.replace(Array("late".utf8), ifVersion: kept.version) == nil)
            #expect(try await one.load()?.secret == Array("second".utf8))
            #expect(try await other.load() == nil)
            #expect(try await other.replace(Array("x".utf8), ifVersion: version) == nil)
        }
    }

    @Test("of 50 concurrent replacements, one succeeds", arguments: TestEngine.allCases)
    func race(engine: TestEngine) async throws {
        try await engine.with { folder in
            let store = try Self.store(folder)
            let identity = try Self.identity()
            _ = try await store.save(Secret("0"), of: identity)
            let winners = try await withThrowingTaskGroup(of: Int?.self) { group in
                for number in 1...50 {
                    group.addTask {
                        let done = try await store.replace(
                            with: Secret("\(number)"), of: identity, expecting: 1)
                        return done == .done(version: 2) ? number : nil
                    }
                }
                return try await group.reduce(into: []) { if let number = $1 { $0.append(number) } }
            }
            #expect(winners.count == 1)
            #expect(try await store.load(identity)?.secret == Secret("\(winners[0])"))
        }
    }

    @Test(
        "another master key is rejected at the start, and the right one still works",
        arguments: TestEngine.allCases)
    func wrongKey(engine: TestEngine) async throws {
        try await engine.with { folder in
            _ = try await Self.store(folder).save(Secret("1"), of: try Self.identity())
            let other = Data(repeating: 8, count: 32).base64EncodedString()
            #expect(throws: StorageError.wrongMasterKey(path: folder.location)) {
                try Self.store(folder, key: other)
            }
            #expect(try await Self.store(folder).load(try Self.identity())?.secret == Secret("1"))
        }
    }

    @Test("identities whose parts have the same concatenation are distinguished")
    func boundaries() throws {
        let (one, two) = (try Self.identity("ab", .saxo, "c"), try Self.identity("a", .saxo, "bc"))
        #expect(one.additionalData(keyID: 1) != two.additionalData(keyID: 1))
        #expect(one.additionalData(keyID: 1) != one.additionalData(keyID: 11))
    }

    @Test("a secret is never printed")
    func silent() throws {
        let secret = StoredCredential(identity: try Self.identity(), version: 1, secret: Secret("TOKEN-99"))
        let key = try MasterKey(base64: Self.key, origin: "x")
        var dumped = ""
        dump(secret, to: &dumped)
        dump(key, to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), "\(key)", String(reflecting: key), dumped] {
            #expect(!text.contains("TOKEN-99"))
            #expect(!text.contains("84, 79, 75"))
            #expect(!text.contains(Self.key))
        }
    }
}

@Suite("The master key")
struct MasterKeyTests {
    @Test(
        "is 32 bytes in base64", arguments: ["", "AAAA", "not base64!", String(repeating: "A", count: 44)])
    func refuses(_ text: String) throws {
        #expect(throws: StorageError.badMasterKey(origin: "PORTICO_MASTER_KEY")) {
            try MasterKey(base64: text, origin: "PORTICO_MASTER_KEY")
        }
        let error = StorageError.badMasterKey(origin: "PORTICO_MASTER_KEY")
        #expect(error.description.contains("PORTICO_MASTER_KEY"))
    }

    @Test("is created if there is none, for its user only, and read afterwards")
    func made() async throws {
        try await Folder.with { folder in
            _ = try folder.opened()
            let path = folder.file("master.key")
            let first = try MasterKey(file: path)
            #expect(try folder.permissions("master.key") == 0o600)
            #expect(try MasterKey(file: path).id == first.id)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["master.key"])
            let other = try MasterKey(file: folder.file("other.key"))
            #expect(other.id != first.id)
        }
    }

    @Test("a file without a key is named and not changed")
    func badFile() async throws {
        try await Folder.with { folder in
            _ = try folder.opened()
            let path = folder.file("master.key")
            try Data("oops".utf8).write(to: URL(filePath: path))
            #expect(throws: StorageError.badMasterKey(origin: path)) { try MasterKey(file: path) }
            #expect(try Data(contentsOf: URL(filePath: path)) == Data("oops".utf8))
        }
    }
}
