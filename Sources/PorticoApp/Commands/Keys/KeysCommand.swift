import ArgumentParser
import Foundation
import PorticoCore
import Storage

/// The command `portico keys`.
struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys", abstract: "Change the master key, which encrypts users' secrets.",
        subcommands: [RotateKeysCommand.self])
}

/// The command `portico keys rotate`.
struct RotateKeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Replace the master key of a data directory or a PostgreSQL database.",
        discussion: HelpText.paragraphs(
            """
            A server that has the directory open continues to run; its next start needs the new key. The current key is
            the one that PORTICO_MASTER_KEY or PORTICO_MASTER_KEY_FILE sets, else the directory's portico.key, which the
            new key then replaces. If the command is interrupted, run it again to finish.

            The master key encrypts other keys, and these encrypt the secrets, which do not change. If somebody may have
            both the old key and the database, assume that the secrets are known: let users renew their connections.

            Examples:
              portico keys rotate --data /var/lib/portico --new-key-file /etc/portico/new.key
              portico keys rotate --data ./data --sandbox --new-key-file ./new.key
            """))

    @OptionGroup
    var users: UsersOptions

    @Option(help: "The file with the new key, 32 bytes in base64; it is created if it is missing.")
    var newKeyFile: String

    func run() async throws {
        if users.data == nil, try DatabaseSource(users.settings()) != nil {
            return try await rotateInDatabase()
        }
        let data = try await users.folder()
        let options = try await DataDirectoryOptions(data)
        guard let old = options.masterKey else {
            throw UsageError(
                """
                The directory "\(data)" has no \(MasterKey.fileName). Set \
                \(Settings.users.masterKey.file.variable) to the file with the current key.
                """)
        }
        try UserDatabase.rejectEmptyFile(in: options.folder)
        let new = try MasterKey(file: newKeyFile)
        let count = try UserDatabase(in: options.folder).changeMasterKey(from: old, to: new)
        if !options.isKeyNamed { try new.install(in: options.folder) }
        try Terminal.write(
            """
            \(count) keys in \(options.folder.path) are now encrypted with the key in \(newKeyFile). \
            \(options.isKeyNamed
                ? "Set \(Settings.users.masterKey.file.variable) to this file, and make it readable for Portico's user."
                : "\(MasterKey.fileName) in the directory contains it too.")

            """)
    }

    /// Replaces the key of the PostgreSQL database that the environment names.
    private func rotateInDatabase() async throws {
        let values = try SettingsLoader.load(environment: ProcessInfo.processInfo.environment)
        guard let database = try DatabaseSource(values), let old = try MasterKeySource(values)?.key() else {
            throw UsageError(
                """
                Give the data directory with --data, or set the database with \
                \(Settings.server.databaseURL.value.variable) and its current key with \
                \(Settings.users.masterKey.file.variable).
                """)
        }
        let file = try UserDatabase.existing(at: database.url(isSandbox: users.sandbox))
        let new = try MasterKey(file: newKeyFile)
        let count = try file.changeMasterKey(from: old, to: new)
        try Terminal.write(
            """
            \(count) keys in \(file.database.location) are now encrypted with the key in \(newKeyFile). Set \
            \(Settings.users.masterKey.file.variable) to this file, and make it readable for Portico's user.

            """)
    }
}
