import Foundation
import TestSupport
import Testing

@Suite("A data directory that is rejected")
struct RefusedFolderTests {
    /// A fault of a directory in which a server has run.
    enum Fault: String, CaseIterable, CustomTestStringConvertible {
        case emptyDatabase, missingKey, otherKey, damagedDatabase

        var testDescription: String { rawValue }

        func cause(in folder: URL) throws {
            let database = folder.appending(path: "portico.db")
            switch self {
            case .emptyDatabase: try Data().write(to: database)
            case .missingKey: try FileManager.default.removeItem(at: folder.appending(path: "portico.key"))
            case .otherKey: break
            case .damagedDatabase: try Data("this is no database at all, but text".utf8).write(to: database)
            }
        }

        var environment: [String: String] {
            self == .otherKey
                ? ["PORTICO_MASTER_KEY": Data(repeating: 8, count: 32).base64EncodedString()] : [:]
        }

        func message(_ folder: URL) -> String {
            let database = folder.appending(path: "portico.db").path
            return switch self {
            case .emptyDatabase:
                "\(database) is empty, although there is a master key. Restore it from a backup, or delete it to start with a new one."
            case .missingKey:
                "There is no \(folder.appending(path: "portico.key").path), and \(database) contains secrets. Restore the "
                    + "key, or set PORTICO_MASTER_KEY_FILE."
            case .otherKey:
                "\(database) was encrypted with another master key. Set that key, or move the file away to start with a new one."
            case .damagedDatabase:
                "\(database) is damaged. Restore it from a backup, or move it away to start with a new one."
            }
        }
    }

    /// The names and sizes of the files in a folder.
    private func content(of folder: URL) throws -> [String: Int] {
        var content: [String: Int] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let attributes = try FileManager.default.attributesOfItem(
                atPath: folder.appending(path: name).path)
            content[name] = (attributes[.size] as? NSNumber)?.intValue
        }
        return content
    }

    @Test("is reported with a remedy, and nothing is created in it", arguments: Fault.allCases)
    func refused(_ fault: Fault) async throws {
        try await withFolder { data in
            try await withServer(["--data", data.path]) { server in
                let ready = try await server.get("/health/ready")
                #expect(ready.status == 200)
            }
            let folder = data.appending(path: "sandbox")
            // As after a restore from a backup: the database, with its log if it has one, and the key.
            for name in try content(of: folder).keys
            where !name.hasPrefix("portico.db") && name != "portico.key" {
                try FileManager.default.removeItem(at: folder.appending(path: name))
            }
            try fault.cause(in: folder)
            if fault == .emptyDatabase || fault == .damagedDatabase {
                for name in ["portico.db-wal", "portico.db-shm"] {
                    try? FileManager.default.removeItem(at: folder.appending(path: name))
                }
            }
            let before = try content(of: folder)
            let run = try await Program.run(
                ["serve", "--port", "0", "--data", data.path], environment: fault.environment)
            #expect(run.status == 1)
            #expect(run.errors.contains(fault.message(folder)), "\(run.errors)")
            #expect(try content(of: folder) == before)
        }
    }

    @Test("gets a new database if neither database nor key exists, or if an empty database has no key")
    func anew() async throws {
        try await withFolder { data in
            let folder = data.appending(path: "sandbox")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data().write(to: folder.appending(path: "portico.db"))
            try await withServer(["--data", data.path]) { server in
                let ready = try await server.get("/health/ready")
                #expect(ready.status == 200)
            }
        }
    }

    @Test("is reported by the maintenance commands", arguments: ["doctor", "backup", "keys"])
    func commands(_ command: String) async throws {
        try await withFolder { data in
            try await withServer(["--data", data.path]) { _ in }
            let folder = data.appending(path: "sandbox")
            try Fault.emptyDatabase.cause(in: folder)
            let copy = data.appending(path: "copy").path
            let arguments =
                switch command {
                case "doctor": ["doctor"]
                case "backup": ["backup", copy]
                default: ["keys", "rotate", "--new-key-file", copy]
                }
            let run = try await Program.run(arguments + ["--data", folder.path])
            #expect(run.status == 1)
            #expect((run.output + run.errors).contains(Fault.emptyDatabase.message(folder)), "\(run)")
            #expect(!FileManager.default.fileExists(atPath: copy))
        }
    }
}
