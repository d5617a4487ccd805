import Brokerage
import EngineTestSupport
import Foundation
import GRDB
import PorticoCore
import Storage
import Testing
import Upstream

@Suite("The maintenance of a data directory")
struct CareTests {
    private func identity(_ owner: String) throws -> CredentialOwner {
        CredentialOwner(connection: "c-\(owner)", provider: .saxo, owner: try #require(OwnerID(owner)))
    }

    @Test("a backup has the encrypted data of its time, while the file is in use")
    func backup() async throws {
        try await Folder.with { folder in
            let opened = try folder.opened()
            let key = try MasterKey(in: opened)
            let userDatabase = try UserDatabase(in: opened)
            let store = try CredentialStore(in: userDatabase, key)
            _ = try await store.save(Secret(Array("planted-secret".utf8)), of: identity("before"))
            try DatabaseBackup.write(of: opened, to: folder.file("copy.db"))
            _ = try await store.save(Secret(Array("later".utf8)), of: identity("after"))
            #expect(try folder.permissions("copy.db") == 0o600)
            let copy = try Data(contentsOf: URL(filePath: folder.file("copy.db")))
            #expect(copy.range(of: Data("planted-secret".utf8)) == nil)
            try await Folder.with { other in
                let restored = try other.opened()
                try copy.write(to: URL(filePath: other.file(UserDatabase.name)))
                let store = try CredentialStore(in: UserDatabase(in: restored), key)
                let kept = try await store.load(identity("before"))
                #expect(kept?.secret.bytes == Array("planted-secret".utf8))
                #expect(try await store.load(identity("after")) == nil)
            }
        }
    }

    @Test("a backup replaces no other file, and leaves none behind")
    func backupElsewhere() async throws {
        try await Folder.with { folder in
            let opened = try folder.opened()
            _ = try UserDatabase(in: opened)
            try Data("mine".utf8).write(to: URL(filePath: folder.file("copy.db")))
            #expect(
                throws: StorageError.exists(path: folder.file("copy.db"))
            ) {
                try DatabaseBackup.write(of: opened, to: folder.file("copy.db"))
            }
            #expect(try Data(contentsOf: URL(filePath: folder.file("copy.db"))) == Data("mine".utf8))
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(!names.contains { $0.hasSuffix(".new") }, "\(names)")
        }
    }

    /// In a container, every process has the same number, of which the names were made.
    @Test("files of an interrupted command with the same process number do not stop the next one")
    func leftovers() async throws {
        try await Folder.with { folder in
            let opened = try folder.opened()
            let suffix = "\(getpid()).new"
            let key = "\(MasterKey.fileName).\(suffix)"
            try Data("incomplete".utf8).write(to: URL(filePath: folder.file(key)))
            _ = try MasterKey(in: opened)
            try await createUserData(folder)
            for name in ["copy.db.\(suffix)", "portico.db.\(suffix)"] {
                for path in [name, name + "-journal"] {
                    try Data("incomplete".utf8).write(to: URL(filePath: folder.file(path)))
                }
            }
            try DatabaseBackup.write(of: opened, to: folder.file("copy.db"))
            _ = try DatabaseRestore.restore(
                folder.file("copy.db"), to: opened, with: MasterKey(in: opened), suffix: "now")
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(names.filter { $0.contains(".new") } == [key], "\(names)")
        }
    }

    @Test(
        "a key that root creates or replaces has the owner of its directory",
        .enabled("only root can give a file away") { geteuid() == 0 })
    func keyOwner() async throws {
        try await Folder.with { folder in
            let opened = try folder.opened()
            #expect(unsafe chown(folder.path, 4_242, 4_243) == 0)
            func owner() throws -> [Int?] {
                let path = folder.file(MasterKey.fileName)
                let attributes = try FileManager.default.attributesOfItem(atPath: path)
                return [.ownerAccountID, .groupOwnerAccountID].map { (attributes[$0] as? NSNumber)?.intValue }
            }
            _ = try MasterKey(in: opened)
            #expect(try owner() == [4_242, 4_243])
            try MasterKey.random().install(in: opened)
            #expect(try owner() == [4_242, 4_243])
            #expect(try folder.permissions(MasterKey.fileName) == 0o600)
        }
    }

    /// A file that is not restored, and the error.
    struct RefusedCopy: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let error: @Sendable (_ copy: String, _ key: String) -> StorageError
        let change: @Sendable (_ copy: String, Folder) throws -> Void

        static func sql(_ text: String) -> @Sendable (String, Folder) throws -> Void {
            { copy, _ in
                let queue = try DatabaseQueue(path: copy)
                try queue.write { try $0.execute(sql: text) }
                try queue.close()
            }
        }

        static let all = [
            RefusedCopy(
                testDescription: "a later version's", error: { copy, _ in .newer(path: copy) },
                change: sql("INSERT INTO grdb_migrations (identifier) VALUES ('99: future')")),
            RefusedCopy(
                testDescription: "no copy of Portico's", error: { copy, _ in .notCopy(path: copy) },
                change: sql("DROP TABLE grdb_migrations")),
            RefusedCopy(testDescription: "a damaged one", error: { copy, _ in .damaged(path: copy) }) {
                copy, _ in
                try Data(repeating: 7, count: 8_192).write(to: URL(filePath: copy))
            },
            RefusedCopy(testDescription: "an empty one", error: { copy, _ in .notCopy(path: copy) }) {
                copy, _ in
                try Data().write(to: URL(filePath: copy))
            },
            RefusedCopy(testDescription: "a missing one", error: { copy, _ in .missing(path: copy) }) {
                copy, _ in
                try FileManager.default.removeItem(atPath: copy)
            },
            RefusedCopy(
                testDescription: "one without its key",
                error: { copy, key in .missingMasterKey(path: key, database: copy) }
            ) { _, folder in
                try FileManager.default.removeItem(atPath: folder.file(MasterKey.fileName))
            },
            RefusedCopy(
                testDescription: "one of another key", error: { copy, _ in .wrongMasterKey(path: copy) }
            ) {
                _, folder in
                try FileManager.default.removeItem(atPath: folder.file(MasterKey.fileName))
                _ = try MasterKey(file: folder.file(MasterKey.fileName))
            },
        ]
    }

    @Test("a copy that cannot be used is refused, and nothing is changed", arguments: RefusedCopy.all)
    func refusedCopy(_ refused: RefusedCopy) async throws {
        try await Folder.with { folder in
            try await createUserData(folder)
            let opened = try folder.opened()
            let copy = folder.file("copy.db")
            try DatabaseBackup.write(of: opened, to: copy)
            try refused.change(copy, folder)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            let database = try Data(contentsOf: URL(filePath: folder.file(UserDatabase.name)))
            let hasKey = FileManager.default.fileExists(atPath: folder.file(MasterKey.fileName))
            let key = hasKey ? try MasterKey(in: opened) : nil
            #expect(throws: refused.error(copy, folder.file(MasterKey.fileName))) {
                try DatabaseRestore.restore(copy, to: opened, with: key, suffix: "now")
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == names)
            #expect(try Data(contentsOf: URL(filePath: folder.file(UserDatabase.name))) == database)
        }
    }

    @Test("a restored copy has no part of the replaced database, which needs no log")
    func restore() async throws {
        try await Folder.with { folder in
            let opened = try folder.opened()
            let key = try MasterKey(in: opened)
            let copy = folder.file("copy.db")
            let killed = try UserDatabase(in: opened)
            let store = try CredentialStore(in: killed, key)
            _ = try await store.save(Secret(Array("before".utf8)), of: identity("before"))
            try DatabaseBackup.write(of: opened, to: copy)
            _ = try await store.save(Secret(Array("later".utf8)), of: identity("after"))
            // The files of a server that was killed: the database is open, and its log contains the last write.
            let log = folder.file(UserDatabase.name + "-wal")
            #expect(FileManager.default.fileExists(atPath: log))
            let replaced = try DatabaseRestore.restore(copy, to: opened, with: key, suffix: "now")
            #expect(replaced == folder.file("portico.db.replaced-now"))
            #expect(!FileManager.default.fileExists(atPath: log))
            let kept = try Data(contentsOf: URL(filePath: folder.file("portico.db.replaced-now")))
            let keptLog = try? Data(contentsOf: URL(filePath: folder.file("portico.db.replaced-now-wal")))
            #expect(keptLog?.isEmpty ?? true)
            #expect(try folder.permissions(UserDatabase.name) == 0o600)
            let restored = try CredentialStore(in: UserDatabase(in: opened), key)
            #expect(try await restored.load(identity("before"))?.secret.bytes == Array("before".utf8))
            #expect(try await restored.load(identity("after")) == nil)
            withExtendedLifetime(killed) {}
            try await Folder.with { other in
                let alone = try other.opened()
                try kept.write(to: URL(filePath: other.file(UserDatabase.name)))
                let store = try CredentialStore(in: UserDatabase(in: alone), key)
                #expect(try await store.load(identity("after"))?.secret.bytes == Array("later".utf8))
            }
        }
    }

    @Test(
        "a restored copy has the sessions of guests, and no other sessions, invitations and sign-ins in progress"
    )
    func restoredAccess() async throws {
        try await Folder.with { folder in
            let opened = try folder.opened()
            let key = try MasterKey(in: opened)
            let copy = folder.file("copy.db")
            func tokens() async throws -> [SessionToken] {
                let file = try UserDatabase(in: opened)
                let sessions = try SessionStore(in: file, key)
                let identities = IdentityStore(sessions)
                let start = Instant.now
                let options = SessionStore.Options(scopes: [.read], label: nil)
                let guest = try #require(try await sessions.openForGuest(options))
                let named = SessionStore.NewUser(
                    username: try Username("ann"), hash: PasswordHash(matchingNothing: .standard),
                    invitation: nil, guest: nil)
                let origin = IdentityStore.Origin(
                    Identity(issuer: "https://id.example.com", subject: "1"), sessionID: nil, issuedAt: start,
                    issuedAfter: start, suggestedName: "bob")
                _ = try await UserStore(in: file).invite(label: nil, isAdmin: true)
                let signIn = PendingSignIn(
                    issuer: "https://id.example.com", clientID: "portico",
                    redirectURI: "https://app.example.com/",
                    scopes: nil, label: nil, expiresAt: start + .seconds(600))
                try await identities.begin(signIn, state: [1], browser: [2], from: "a")
                return [
                    guest.token, try await sessions.signUp(named, options).get().token,
                    try await identities.open(options, for: origin, createsUser: { true }).get().token,
                ]
            }
            let tokens = try await tokens()
            try DatabaseBackup.write(of: opened, to: copy)
            _ = try DatabaseRestore.restore(copy, to: opened, with: key, suffix: "now")
            let file = try UserDatabase(in: opened)
            let sessions = try SessionStore(in: file, key)
            for (token, isKept) in zip(tokens, [true, false, false]) {
                #expect((sessions.session(ofToken: token.text) != nil) == isKept)
            }
            for (table, count) in [
                ("\"user\"", 3), ("password", 1), ("identity", 1), ("session", 1), ("invitation", 0),
                ("pending_sign_in", 0),
            ] {
                let rows: Int? = try await file.database.read {
                    try $0.value("SELECT count(*) FROM \(table)")
                }
                #expect(rows == count, "\(table)")
            }
            #expect(try folder.permissions(UserDatabase.name) == 0o600)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(!names.contains { $0.contains(".new") }, "\(names)")
        }
    }

    @Test("a damaged database is replaced, and its log is not beside the copy")
    func restoreDamaged() async throws {
        try await Folder.with { folder in
            try await createUserData(folder)
            let opened = try folder.opened()
            let copy = folder.file("copy.db")
            try DatabaseBackup.write(of: opened, to: copy)
            let damage = Data(repeating: 7, count: 8_192)
            for suffix in ["", "-wal"] {
                try damage.write(to: URL(filePath: folder.file(UserDatabase.name + suffix)))
            }
            let key = try MasterKey(in: opened)
            let replaced = try DatabaseRestore.restore(copy, to: opened, with: key, suffix: "now")
            #expect(replaced == folder.file("portico.db.replaced-now"))
            #expect(try Data(contentsOf: URL(filePath: folder.file("portico.db.replaced-now"))) == damage)
            #expect(!FileManager.default.fileExists(atPath: folder.file(UserDatabase.name + "-wal")))
            #expect(
                DataDirectoryCheck(of: opened, with: key).findings.contains {
                    $0.subject == "database" && $0.isFine
                })
        }
    }

    /// What was done to a folder, and what is found.
    struct Harm: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let subject: String
        let text: String
        let make: @Sendable (Folder) throws -> Void

        static let all = [
            Harm(
                testDescription: "a key that others may read", subject: "file portico.key", text: "chmod 600"
            ) {
                try FileManager.default.setAttributes(
                    [.posixPermissions: NSNumber(value: 0o644)], ofItemAtPath: $0.file(MasterKey.fileName))
            },
            Harm(testDescription: "no key", subject: "keys", text: "restore portico.key") {
                try FileManager.default.removeItem(atPath: $0.file(MasterKey.fileName))
            },
            Harm(testDescription: "another key", subject: "keys", text: "another master key") {
                try FileManager.default.removeItem(atPath: $0.file(MasterKey.fileName))
                _ = try MasterKey(file: $0.file(MasterKey.fileName))
            },
            Harm(
                testDescription: "a secret that was tampered with", subject: "keys",
                text: "1 secrets cannot be decrypted"
            ) {
                let queue = try DatabaseQueue(path: $0.file(UserDatabase.name))
                try queue.write { try $0.execute(sql: "UPDATE credential SET owner = 'thief'") }
            },
            Harm(testDescription: "no database", subject: "database", text: "is damaged") {
                for suffix in ["-wal", "-shm"] {
                    try? FileManager.default.removeItem(atPath: $0.file(UserDatabase.name + suffix))
                }
                try Data(repeating: 7, count: 8_192).write(to: URL(filePath: $0.file(UserDatabase.name)))
            },
            Harm(testDescription: "a later version's", subject: "migrations", text: "later version") {
                let queue = try DatabaseQueue(path: $0.file(UserDatabase.name))
                try queue.write {
                    try $0.execute(sql: "INSERT INTO grdb_migrations (identifier) VALUES ('99: future')")
                }
            },
        ]
    }

    @Test("a directory without faults has none")
    func order() async throws {
        try await Folder.with { folder in
            try await createUserData(folder)
            let opened = try folder.opened()
            let examination = DataDirectoryCheck(of: opened, with: try MasterKey(in: opened))
            #expect(examination.isFine, "\(examination.findings)")
            let subjects = examination.findings.map(\.subject)
            for subject in ["disk", "file portico.db", "database", "migrations", "keys"] {
                #expect(subjects.contains(subject))
            }
            #expect(
                examination.findings.first { $0.subject == "keys" }?.text.hasPrefix(
                    "1 secrets can be decrypted") == true)
        }
    }

    @Test("faults are found, with a remedy", arguments: Harm.all)
    func harm(harm: Harm) async throws {
        try await Folder.with { folder in
            try await createUserData(folder)
            try harm.make(folder)
            let opened = try folder.opened()
            let hasKey = FileManager.default.fileExists(atPath: folder.file(MasterKey.fileName))
            let examination = DataDirectoryCheck(of: opened, with: hasKey ? try MasterKey(in: opened) : nil)
            let faults = examination.findings.filter { !$0.isFine }
            #expect(faults.map(\.subject) == [harm.subject])
            #expect(faults.first?.text.contains(harm.text) == true, "\(faults)")
        }
    }

    /// A folder with a key and one credential.
    private func createUserData(_ folder: Folder) async throws {
        let opened = try folder.opened()
        let key = try MasterKey(in: opened)
        let store = try CredentialStore(in: UserDatabase(in: opened), key)
        _ = try await store.save(Secret(Array("secret".utf8)), of: identity("user"))
    }
}
