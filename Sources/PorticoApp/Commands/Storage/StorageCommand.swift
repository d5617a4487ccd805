import ArgumentParser
import Foundation
import PorticoCore
import Storage

/// The command `portico storage`.
struct StorageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "storage", abstract: "Check the database of users, or copy it to another engine.",
        subcommands: [StorageCheckCommand.self, MigrateStorageCommand.self])
}

/// The command `portico storage migrate`.
struct MigrateStorageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Copy all users' data from a data directory to a PostgreSQL database, or back.",
        discussion: HelpText.paragraphs(
            """
            Stop the server before. The target must be empty. Everything is copied in one transaction and compared with the
            original, which is not changed, except that its tables get the form of this version and interrupted requests
            about orders are settled. The usage of quotas is copied, too. Secrets stay encrypted under the same master
            key: set PORTICO_MASTER_KEY_FILE to the directory's portico.key afterwards.

            Without --from or --to, the database of PORTICO_DATABASE_URL or PORTICO_DATABASE_URL_FILE is used. A URL
            with a password belongs there, because the list of processes shows the command.

            Examples:
              PORTICO_DATABASE_URL_FILE=/run/secrets/url portico storage migrate --from /var/lib/portico
              portico storage migrate --from /var/lib/portico --to postgresql://portico@/portico
              portico storage migrate --from postgresql://portico@/portico --to /var/lib/portico
            """))

    @Option(help: "The data directory, or the URL of the database, to copy.")
    var from: String?

    @Option(
        help: "The empty data directory, which is created if it is missing, or the URL of an empty database.")
    var to: String?

    @Flag(
        help: "Copy the users of the sandbox; its directory is the subdirectory sandbox of a data directory.")
    var sandbox = false

    func run() async throws {
        guard from != nil || to != nil else {
            throw UsageError("Give the data directory with --from or --to.")
        }
        let source = try await place(from, "--from") {
            try DataDirectoryOptions.used($0, option: "--from")
        }
        let target = try await place(to, "--to") { try DataDirectory($0) }
        switch (source, target) {
        case (.folder, .postgres), (.postgres, .folder): break
        case (.folder, .folder), (.postgres, .postgres):
            throw UsageError("One of --from and --to must be a data directory, and the other one a database.")
        }
        let tables = try await StorageCopy(from: source, to: target).run()
        let rows = tables.map { "\($0.rows)  \($0.name)\n" }.joined()
        try Terminal.write(rows + "All rows are copied and equal to the original.\n")
    }

    private func place(
        _ text: String?, _ option: String, folder: (String) throws -> DataDirectory
    ) async throws -> StorageCopy.Place {
        let schema = sandbox ? DatabaseSource.sandboxSchema : nil
        guard let text else {
            let values = try SettingsLoader.load(environment: ProcessInfo.processInfo.environment)
            guard let database = try DatabaseSource(values) else {
                throw UsageError("Give \(option), or set \(Settings.server.databaseURL.file.variable).")
            }
            return .postgres(try database.url(isSandbox: sandbox))
        }
        if text.contains("://") { return .postgres(try PostgresURL(text, origin: option, schema: schema)) }
        return .folder(try folder(text))
    }
}

/// The command `portico storage check`.
struct StorageCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check the PostgreSQL database or the data directory of the settings without changing it.",
        discussion: HelpText.paragraphs(
            """
            Checks a PostgreSQL database (PORTICO_DATABASE_URL): its version, role, encoding and durability, the
            migrations, and whether the master key decrypts the users' secrets. For a data directory, it checks the same as
            `portico doctor`. A server may run meanwhile. Exit status 0 if all checks pass, else 1.

            Examples:
              PORTICO_DATABASE_URL_FILE=/run/secrets/url portico storage check
              portico storage check --data /var/lib/portico --json
            """))

    @Option(help: "The server's data directory. (default: PORTICO_DATA)")
    var data: String?

    @Flag(help: "Check the users of the sandbox, which are stored separately.")
    var sandbox = false

    @Flag(help: "Print a JSON array of objects with subject, fine and text.")
    var json = false

    func run() async throws {
        let values = try SettingsLoader.load(
            flags: data.map { ["data": $0] } ?? [:], environment: ProcessInfo.processInfo.environment)
        if let database = try DatabaseSource(values) {
            let check = try PostgresCheck(
                of: database.url(isSandbox: sandbox), with: MasterKeySource(values)?.key())
            try StorageFindingReport(findings: check.findings).print(asJSON: json)
            return
        }
        guard let path = try values[Settings.server.data] else {
            throw UsageError(
                "Set the database with \(Settings.server.databaseURL.value), or the data directory with \(Settings.server.data)."
            )
        }
        let options = try await DataDirectoryOptions(
            sandbox ? "\(path)/\(DataStores.sandboxFolder)" : path)
        let check = DataDirectoryCheck(of: options.folder, with: options.masterKey)
        try StorageFindingReport(findings: check.findings).print(asJSON: json)
    }
}
