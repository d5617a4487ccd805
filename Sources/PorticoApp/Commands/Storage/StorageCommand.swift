import ArgumentParser
import Foundation
import PorticoCore
import Storage

/// The command `portico storage`.
struct StorageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "storage", abstract: "Check the database of users.",
        subcommands: [StorageCheckCommand.self])
}

/// The command `portico storage check`.
struct StorageCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check the PostgreSQL database or the data directory of the settings without changing it.",
        discussion: """
            Checks a PostgreSQL database (PORTICO_DATABASE_URL): its version, role, encoding and durability, the
            migrations, and whether the master key decrypts the users' secrets. For a data directory, it checks the same as
            `portico doctor`. A server may run meanwhile. Exit status 0 if all checks pass, else 1.

            Examples:
              PORTICO_DATABASE_URL_FILE=/run/secrets/url portico storage check
              portico storage check --data /var/lib/portico --json
            """)

    @Option(help: "The server's data directory. (default: PORTICO_DATA)")
    var data: String?

    @Flag(help: "Check the users of the sandbox, which are stored separately.")
    var sandbox = false

    @Flag(help: "Print a JSON array of objects with subject, fine and text.")
    var json = false

    func run() async throws {
        let values = try await SettingsLoader.load(
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
