import ArgumentParser
import Storage

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
