import ArgumentParser
import Foundation
import PorticoCore
import Storage

/// The data folder that a command looks after, and the master key in use there.
struct DataDirectoryOptions {
    let folder: DataDirectory
    /// The key of the environment, else that of the directory; nil if there is neither.
    let masterKey: MasterKey?
    /// Whether the environment names it.
    let isKeyNamed: Bool

    /// - Parameter path: The directory with `portico.db`.
    /// - Throws: `UsageError` if it has none, `StorageError` if a file cannot be used.
    init(_ path: String) async throws {
        guard FileManager.default.fileExists(atPath: path + "/" + UserDatabase.name) else {
            throw UsageError(
                "The folder \"\(path)\" has no \(UserDatabase.name). With the sandbox, it is in the folder sandbox in it."
            )
        }
        folder = try DataDirectory(path)
        let values = try await SettingsLoader.load(environment: ProcessInfo.processInfo.environment)
        let named = try MasterKeySource(values)?.key()
        isKeyNamed = named != nil
        let hasOwn = FileManager.default.fileExists(atPath: path + "/" + MasterKey.fileName)
        masterKey = try named ?? (hasOwn ? MasterKey(in: folder) : nil)
    }
}

/// The command `portico backup`.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy what users have entrusted to Portico, while it runs.",
        discussion: """
            The copy is of one moment, whole, and for its owner alone. Users' secrets in it are sealed: without the master
            key (portico.key, or the one that PORTICO_MASTER_KEY_FILE names) they are lost, so keep that, too, but not
            beside the copy. To restore: stop Portico, put the copy in the place of portico.db, delete portico.db-wal and
            portico.db-shm, start it.

            Examples:
              portico backup /var/backups/portico-2026-11-21.db --data /var/lib/portico
            """)

    @Argument(help: "The copy; there must be no such file yet.")
    var file: String

    @Option(help: "The folder that holds portico.db; with the sandbox, the folder sandbox in it.")
    var data: String

    func run() async throws {
        let kept = try await DataDirectoryOptions(data)
        try DatabaseBackup.write(of: kept.folder, to: file)
        print("\(file) holds what \(kept.folder.path) held at this moment. The master key is not in it.")
    }
}

/// The command `portico doctor`.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Look whether a data folder is in order; nothing is changed.",
        discussion: """
            Looks at the disk's space, the files' permissions, the databases, their migrations, and whether the master key
            opens users' secrets. A server may run meanwhile. Exit status 0 where all is fine, 1 where something is not.

            Examples:
              portico doctor --data /var/lib/portico
              portico doctor --data /var/lib/portico --json
            """)

    @Option(help: "The folder that holds portico.db; with the sandbox, the folder sandbox in it.")
    var data: String

    @Flag(help: "Print an array of objects with subject, fine and text.")
    var json = false

    func run() async throws {
        let kept = try await DataDirectoryOptions(data)
        let examination = DataDirectoryCheck(of: kept.folder, with: kept.masterKey)
        if json {
            let rows = examination.findings.map {
                Row(subject: $0.subject, fine: $0.isFine, text: $0.text)
            }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            print(String(decoding: try encoder.encode(rows), as: UTF8.self))
        } else {
            for finding in examination.findings {
                print("\(finding.isFine ? "fine " : "FAULT") \(finding.subject): \(finding.text)")
            }
        }
        if !examination.isFine { throw ExitCode(1) }
    }

    private struct Row: Encodable {
        let subject: String
        let fine: Bool
        let text: String
    }
}
