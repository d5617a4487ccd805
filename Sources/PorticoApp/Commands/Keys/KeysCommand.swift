import ArgumentParser
import PorticoCore
import Storage

/// The command `portico keys`.
struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys", abstract: "Change the key that seals users' secrets.",
        subcommands: [RotateKeysCommand.self])
}

/// The command `portico keys rotate`.
struct RotateKeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Seal the secrets in a data folder with another master key.",
        discussion: """
            A server that has the folder open goes on; its next start needs the new key. The key in use is the one that
            PORTICO_MASTER_KEY or PORTICO_MASTER_KEY_FILE names, else the folder's own portico.key, whose place the new
            one takes then. What was cut short is finished by the same command again.

            The master key seals keys, and these seal the secrets: those stay as they are. Whoever had the old key and
            the database together must be taken to know the secrets: let users renew their connections.

            Examples:
              portico keys rotate --data /var/lib/portico --new-key-file /etc/portico/new.key
              portico keys rotate --data ./data/sandbox --new-key-file ./new.key
            """)

    @Option(help: "The folder that holds portico.db; with the sandbox, the folder sandbox in it.")
    var data: String

    @Option(help: "The file with the new key, 32 bytes in base64; it is made where there is none.")
    var newKeyFile: String

    func run() async throws {
        let kept = try await DataDirectoryOptions(data)
        guard let old = kept.masterKey else {
            throw UsageError(
                """
                The folder "\(data)" has no \(MasterKey.fileName): name the key in use with \
                \(Settings.users.masterKey.file.variable).
                """)
        }
        try UserDatabase.rejectEmptyFile(in: kept.folder)
        let new = try MasterKey(file: newKeyFile)
        let count = try UserDatabase(in: kept.folder).changeMasterKey(from: old, to: new)
        if !kept.isKeyNamed { try new.install(in: kept.folder) }
        print(
            """
            \(count) keys in \(kept.folder.path) are sealed with the key in \(newKeyFile) now. \
            \(!kept.isKeyNamed ? "It lies in the folder, too." : "Name that file in PORTICO_MASTER_KEY_FILE.")
            """)
    }
}
