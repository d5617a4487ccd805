import EngineTestSupport
import GRDB
import Synchronization
import TestSupport
import Testing

@testable import Storage

@Suite("A file that cannot be written")
struct WriteStateTests {
    @Test("has the reason until a write is stored, and reports both once")
    func fullFile() async throws {
        try await Folder.with { folder in
            let database = try UserDatabase(in: try folder.opened()).database
            let file = try #require(database.sqlite)
            let reports = Mutex<[StorageError?]>([])
            database.writes.onChange { failure in reports.withLock { $0.append(failure) } }
            try await database.write { db in try db.execute("CREATE TABLE x (a)") }
            #expect(database.writes.failure == nil)
            // SQLite does not let the file grow.
            let pages = try await file.betweenWrites { db in
                let pages = try #require(try Int.fetchOne(db, sql: "PRAGMA page_count"))
                return try #require(try Int.fetchOne(db, sql: "PRAGMA max_page_count = \(pages)"))
            }
            let full = StorageError.full(path: folder.file(UserDatabase.name))
            for _ in 0..<2 {
                await #expect(throws: full) {
                    try await database.write { db in
                        try db.execute("INSERT INTO x VALUES (zeroblob(?))", [pages * 4_096])
                    }
                }
            }
            #expect(database.writes.failure == full)
            // Reads, and transactions that change nothing, do not show that there is space.
            #expect(
                try await database.read { db in try db.value("SELECT count(*) FROM x", as: Int.self) } == 0)
            try await database.write { db in try db.execute("DELETE FROM x") }
            #expect(database.writes.failure == full)
            try await file.betweenWrites { db in try db.execute(sql: "PRAGMA max_page_count = 1000000") }
            try await database.write { db in try db.execute("INSERT INTO x VALUES (1)") }
            #expect(database.writes.failure == nil)
            #expect(reports.withLock(\.self) == [full, nil])
        }
    }

    @Test("is one that SQLite may not write, and is written again afterwards")
    func readOnly() async throws {
        try await Folder.with { folder in
            let database = try UserDatabase(in: try folder.opened()).database
            let file = try #require(database.sqlite)
            try await file.betweenWrites { db in try db.execute(sql: "PRAGMA query_only = 1") }
            let refused = StorageError.file(
                path: folder.file(UserDatabase.name), reason: "SQLite may not write there")
            await #expect(throws: refused) {
                try await database.write { db in try db.execute("CREATE TABLE x (a)") }
            }
            #expect(database.writes.failure == refused)
            try await file.betweenWrites { db in try db.execute(sql: "PRAGMA query_only = 0") }
            try await database.write { db in
                try db.execute("CREATE TABLE x (a)")
                try db.execute("INSERT INTO x VALUES (1)")
            }
            #expect(database.writes.failure == nil)
        }
    }

    @Test(
        "is known by the codes of SQLite",
        arguments: [
            (ResultCode.SQLITE_FULL, StorageError.full(path: "a")),
            (.SQLITE_IOERR, .inputOutput(path: "a", code: 10)),
            (.SQLITE_IOERR_WRITE, .inputOutput(path: "a", code: 778)),
            (.SQLITE_IOERR_FSYNC, .inputOutput(path: "a", code: 1034)),
            (.SQLITE_READONLY, .file(path: "a", reason: "SQLite may not write there")),
            (.SQLITE_CANTOPEN, .file(path: "a", reason: "SQLite may not write there")),
        ])
    func codes(_ code: ResultCode, _ error: StorageError) {
        #expect(StorageError(DatabaseError(resultCode: code), path: "a") == error)
        #expect(error.stopsWrites)
    }

    @Test(
        "is not one that is busy or damaged",
        arguments: [ResultCode.SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_CORRUPT, .SQLITE_CONSTRAINT])
    func otherCodes(_ code: ResultCode) {
        #expect(!StorageError(DatabaseError(resultCode: code), path: "a").stopsWrites)
    }
}
