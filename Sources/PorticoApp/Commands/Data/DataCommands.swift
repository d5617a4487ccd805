import ArgumentParser
import Foundation
import PorticoCore
import Storage

/// The data directory of a command, and its current master key.
struct DataDirectoryOptions {
    let folder: DataDirectory
    /// The key of the environment, else that of the directory; nil if there is neither.
    let masterKey: MasterKey?
    /// Whether the environment sets the key.
    let isKeyNamed: Bool

    /// - Parameter path: The directory with `portico.db`.
    /// - Throws: `UsageError` if it has none, `StorageError` if a file cannot be used.
    init(_ path: String) async throws {
        try await self.init(in: Self.used(path))
    }

    /// - Parameter folder: A directory, which need not have a database.
    /// - Throws: `StorageError` if a file cannot be used.
    init(in folder: DataDirectory) async throws {
        self.folder = folder
        let values = try SettingsLoader.load(environment: ProcessInfo.processInfo.environment)
        let named = try MasterKeySource(values)?.key()
        isKeyNamed = named != nil
        let hasOwn = FileManager.default.fileExists(atPath: folder.path + "/" + MasterKey.fileName)
        masterKey = try named ?? (hasOwn ? MasterKey(in: folder) : nil)
    }

    /// Opens the data directory of a server that has run.
    ///
    /// - Parameters:
    ///   - path: The directory with `portico.db`.
    ///   - option: The option of the command that names it, for the error.
    /// - Returns: The directory.
    /// - Throws: `UsageError` if it has none; then no directory is created.
    static func used(_ path: String, option: String = "--data") throws -> DataDirectory {
        guard FileManager.default.fileExists(atPath: path + "/" + UserDatabase.name) else {
            throw UsageError(
                "The directory \"\(path)\" has no \(UserDatabase.name). Give the server's data directory with \(option), and add --sandbox if the server uses the sandbox."
            )
        }
        return try DataDirectory(path)
    }
}

/// The command `portico backup`.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy the users' data (portico.db), also while the server runs.",
        discussion: HelpText.paragraphs(
            """
            The copy is a consistent snapshot, which only the file's owner can read. Users' secrets in it are encrypted:
            without the master key (portico.key, or the file that PORTICO_MASTER_KEY_FILE names) they are lost. Back up
            the master key too, but not beside the copy. `portico restore` restores a copy. A PostgreSQL database is copied
            with pg_dump.

            Examples:
              portico backup /var/backups/portico-2026-11-21.db --data /var/lib/portico
            """))

    @Argument(help: "The path of the copy; the file must not exist.")
    var file: String

    @OptionGroup
    var users: UsersOptions

    func run() async throws {
        let options = try await DataDirectoryOptions(users.folder())
        let directory = URL(filePath: file).deletingLastPathComponent().path
        guard FileManager.default.fileExists(atPath: directory) else {
            throw UsageError(
                "The directory \"\(directory)\" of the copy does not exist. Create it, or give another path for the copy."
            )
        }
        try DatabaseBackup.write(of: options.folder, to: file)
        try Terminal.write(
            "\(file) is a copy of the users' data in \(options.folder.path). It does not contain the master key.\n"
        )
    }
}

/// The command `portico restore`.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Replace the users' data (portico.db) by a copy of `portico backup`.",
        discussion: HelpText.paragraphs(
            """
            Stop the server before: the command refuses a directory that a server uses, a copy of a later version, and a
            copy whose secrets the master key does not decrypt (portico.key in the directory, or the key that
            PORTICO_MASTER_KEY_FILE names). Then nothing is changed. The replaced database stays beside the new one as
            portico.db.replaced-TIME. If root runs the command, the directory's owner owns the new file.

            Sessions, except those of guests, and invitations are not restored: users sign in again. Passwords that were
            changed, and users and connections that were deleted after the copy are as they were in the copy.

            The counts of calls in portico-cache.db stay. Orders that were sent after the copy are not in it: compare them
            with the broker. A PostgreSQL database is restored with pg_restore.

            Examples:
              portico restore /var/backups/portico-2026-11-21.db --data /var/lib/portico
            """))

    @Argument(help: "The path of the copy, which is not changed.")
    var file: String

    @OptionGroup
    var users: UsersOptions

    func run() async throws {
        let path = try await users.folder()
        guard FileManager.default.fileExists(atPath: path) else {
            throw UsageError(
                "The data directory \"\(path)\" does not exist. Create it for the user of the server, with its master key if the copy has secrets."
            )
        }
        guard !FileManager.default.fileExists(atPath: file + "/.") else {
            throw UsageError(
                "\"\(file)\" is a directory; nothing was changed. Give the path of a copy that `portico backup` has written."
            )
        }
        let options = try await DataDirectoryOptions(in: DataDirectory(existing: path))
        let time = Date.now.formatted(.iso8601.timeSeparator(.omitted))
        let replaced: String?
        do throws(StorageError) {
            replaced = try DatabaseRestore.restore(
                file, to: options.folder, with: options.masterKey, suffix: time)
        } catch {
            guard [.missing(path: file), .damaged(path: file)].contains(error) else { throw error }
            // The remedies of these errors are those of a database in use.
            throw UsageError(
                "\"\(file)\" does not exist, or is damaged; nothing was changed. Give the path of a copy that `portico backup` has written."
            )
        }
        let kept = replaced.map { "The replaced data is in \($0). Delete it when it is no longer needed.\n" }
        try Terminal.write(
            "The users' data in \(path) is now that of \(file). Start the server. Users sign in again.\n"
                + (kept ?? ""))
    }
}

/// The command `portico doctor`.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check a data directory without changing it.",
        discussion: HelpText.paragraphs(
            """
            Checks the free disk space, the files' permissions, the databases, their migrations, and whether the master
            key decrypts the users' secrets. A server may run meanwhile. Exit status 0 if all checks pass, else 1.

            Examples:
              portico doctor --data /var/lib/portico
              portico doctor --data /var/lib/portico --json
            """))

    @OptionGroup
    var users: UsersOptions

    @Flag(help: "Print a JSON array of objects with subject, fine and text.")
    var json = false

    func run() async throws {
        let options = try await DataDirectoryOptions(users.folder())
        let examination = DataDirectoryCheck(of: options.folder, with: options.masterKey)
        try StorageFindingReport(findings: examination.findings).print(asJSON: json)
    }
}

/// The output of a check.
struct StorageFindingReport {
    let findings: [StorageFinding]

    /// Prints the findings.
    ///
    /// - Throws: `ExitCode(1)` if there is a fault, `OutputError` if they cannot be printed.
    func print(asJSON: Bool) throws {
        if asJSON {
            let rows = findings.map { Row(subject: $0.subject, fine: $0.isFine, text: $0.text) }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            try Terminal.write(String(decoding: try encoder.encode(rows), as: UTF8.self) + "\n")
        } else {
            let lines = findings.map { finding in
                "\(finding.isFine ? "fine " : "FAULT") \(finding.subject): \(finding.text)\n"
            }
            try Terminal.write(lines.joined())
        }
        if !findings.allSatisfy(\.isFine) { throw ExitCode(1) }
    }

    private struct Row: Encodable {
        let subject: String
        let fine: Bool
        let text: String
    }
}
