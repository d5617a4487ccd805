import EngineTestSupport
import Foundation
import GRDB
import Testing

@testable import Storage

@Suite("Database files")
struct SQLiteDatabaseTests {
    @Test("are for their user only, with journals and directory")
    func permissions() async throws {
        try await Folder.with { folder in
            let userDatabase = try UserDatabase(in: try folder.opened())
            let cache = try CacheDatabase(in: try folder.opened())
            try await userDatabase.database.write { db in try db.execute("CREATE TABLE x (a)") }
            _ = try await cache.database.write { db in try db.execute(sql: "CREATE TABLE x (a)") }
            #expect(try folder.permissions() == 0o700)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(names.contains("portico.db-wal"))
            for name in names { #expect(try folder.permissions(name) == 0o600, "\(name)") }
        }
    }

    @Test("that others could read lose these permissions")
    func tightened() async throws {
        try await Folder.with { folder in
            _ = try folder.opened()
            let isMade = FileManager.default.createFile(
                atPath: folder.file(UserDatabase.name), contents: nil, attributes: [.posixPermissions: 0o644])
            #expect(isMade)
            _ = try UserDatabase(in: try folder.opened())
            #expect(try folder.permissions(UserDatabase.name) == 0o600)
        }
    }

    @Test("have credentials on disk before a write returns, and counts later")
    func durability() async throws {
        try await Folder.with { folder in
            let userDatabase = try #require(try UserDatabase(in: try folder.opened()).database.sqlite)
            let cache = try CacheDatabase(in: try folder.opened()).database
            for (file, level) in [(userDatabase, 2), (cache, 1)] {
                let found = try await file.write { db in
                    (
                        try Int.fetchOne(db, sql: "PRAGMA synchronous"),
                        try String.fetchOne(db, sql: "PRAGMA journal_mode")
                    )
                }
                #expect(found.0 == level)
                #expect(found.1 == "wal")
            }
        }
    }

    @Test("that are damaged or not databases are named with a remedy", arguments: [true, false])
    func damaged(_ isUserDatabase: Bool) async throws {
        try await Folder.with { folder in
            _ = try folder.opened()
            let name = isUserDatabase ? UserDatabase.name : CacheDatabase.name
            try Data("this is no database at all, but text".utf8).write(to: folder.url.appending(path: name))
            let error = #expect(throws: StorageError.damaged(path: folder.file(name))) {
                if isUserDatabase { _ = try UserDatabase(in: try folder.opened()) }
                _ = try CacheDatabase(in: try folder.opened())
            }
            #expect(error?.description.contains(folder.file(name)) == true)
            #expect(
                error?.description.contains(isUserDatabase ? "Restore it from a backup" : "Delete it") == true
            )
        }
    }

    @Test("with a damaged page are detected at the start")
    func damagedPage() async throws {
        try await Folder.with { folder in
            let path = folder.file(UserDatabase.name)
            try await {
                let file = try UserDatabase(in: try folder.opened())
                try await file.database.write { db in
                    for number in 0..<500 {
                        try db.execute(
                            "INSERT INTO data_key (wrapped, master_key_id) VALUES (?, ?)",
                            [Data(count: 100), "\(number)"])
                    }
                }
                let pool = try #require(file.database.sqlite?.pool)
                try await pool.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
                try pool.close()
            }()
            var bytes = try Data(contentsOf: URL(filePath: path))
            for index in bytes.indices where index > 20_000 && index < 30_000 { bytes[index] = 0xA5 }
            try bytes.write(to: URL(filePath: path))
            #expect(throws: StorageError.damaged(path: path)) { try UserDatabase(in: try folder.opened()) }
        }
    }

    @Test("of a later version are rejected")
    func newer() async throws {
        try await Folder.with { folder in
            let file = try UserDatabase(in: try folder.opened())
            try await file.database.write { db in
                try db.execute("INSERT INTO grdb_migrations (identifier) VALUES ('99: of the future')")
            }
            #expect(throws: StorageError.newer(path: folder.file(UserDatabase.name))) {
                try UserDatabase(in: try folder.opened())
            }
        }
    }

    @Test("in a directory that cannot be used are named")
    func badFolder() async throws {
        #expect(throws: StorageError.self) { try DataDirectory("/proc/no-such-folder") }
        let error = #expect(throws: StorageError.self) { try DataDirectory("/dev/null") }
        #expect(error?.description.contains("/dev/null") == true)
    }

    @Test("in a directory in use are rejected until it is released")
    func held() async throws {
        try await Folder.with { folder in
            try {
                let hold = try DirectoryLock(try folder.opened())
                withExtendedLifetime(hold) {
                    let error = #expect(throws: StorageError.busy(path: folder.path)) {
                        try DirectoryLock(try folder.opened())
                    }
                    #expect(error?.description.contains("two servers cannot share") == true)
                }
            }()
            _ = try DirectoryLock(try folder.opened())
            #expect(try folder.permissions(DirectoryLock.name) == 0o600)
            // One inside is another one.
            _ = try DirectoryLock(try folder.opened().folder("sandbox"))
            #expect(try folder.permissions("sandbox") == 0o700)
        }
    }

    @Test("complete a write whose caller is cancelled")
    func cancelled() async throws {
        try await Folder.with { folder in
            let file = try UserDatabase(in: try folder.opened())
            let writer = Task {
                while !Task.isCancelled { await Task.yield() }
                try await file.database.write { db in
                    try db.execute("INSERT INTO data_key (wrapped, master_key_id) VALUES (x'00', 'a')")
                }
            }
            writer.cancel()
            try await writer.value
            let count = try await file.database.read {
                try $0.value("SELECT count(*) FROM data_key", as: Int.self)
            }
            #expect(count == 1)
        }
    }

    @Test("complete a read whose caller is cancelled, which is no failure")
    func cancelledRead() async throws {
        try await Folder.with { folder in
            let file = try UserDatabase(in: try folder.opened())
            let reader = Task {
                while !Task.isCancelled { await Task.yield() }
                return try await file.database.read {
                    try $0.value("SELECT count(*) FROM data_key", as: Int.self)
                }
            }
            reader.cancel()
            #expect(try await reader.value == 0)
        }
    }

    @Test("have errors without stored data")
    func silentErrors() async throws {
        try await Folder.with { folder in
            let file = try UserDatabase(in: try folder.opened())
            do throws(StorageError) {
                try await file.database.write { db in
                    try db.execute(
                        "INSERT INTO data_key VALUES (1, ?, NULL)", ["SECRET-1234"])
                }
                Issue.record("it was written")
            } catch {
                #expect(!String(reflecting: error).contains("SECRET-1234"))
                #expect(!error.description.contains("SECRET-1234"))
                guard case .failed(folder.file(UserDatabase.name), _) = error else {
                    Issue.record("\(error)")
                    return
                }
            }
        }
    }
}
