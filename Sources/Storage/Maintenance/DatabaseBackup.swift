import GRDB
import Glibc

/// A copy of `portico.db` as it is at one moment, made while a server works with it.
package enum DatabaseBackup {
    /// Writes the copy completely or not at all, with permissions for its owner only (0600).
    ///
    /// Secrets in it are encrypted with the master key, which it does not contain. The function blocks; it
    /// is for a command.
    ///
    /// - Parameters:
    ///   - folder: The directory of `portico.db`.
    ///   - path: The path of the copy; no file may exist there.
    /// - Throws: `file` if a file exists or cannot be written, `full`, or `damaged` if the database is.
    package static func write(of folder: DataDirectory, to path: String) throws(StorageError) {
        try UserDatabase.rejectEmptyFile(in: folder)
        let draft = "\(path).\(getpid()).new"
        let descriptor = unsafe open(draft, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .file(path: draft, reason: DataDirectory.reason()) }
        defer {
            close(descriptor)
            unsafe unlink(draft)
        }
        try DatabaseBackup.copy(folder.path(of: UserDatabase.name), to: draft)
        // Unlike a renaming, it never takes the place of another file.
        guard unsafe link(draft, path) == 0 else {
            throw .file(
                path: path, reason: errno == EEXIST ? "there is a file already" : DataDirectory.reason())
        }
        try DataDirectory.syncDirectory(of: path)
    }

    /// Writes the content of a database to an empty file, checks it, and writes it to the disk.
    ///
    /// - Throws: `damaged`, `full`, or `file` if one of the two cannot be used.
    static func copy(_ source: String, to draft: String) throws(StorageError) {
        do {
            let house = try DatabaseQueue(path: source, configuration: .readOnly)
            try house.writeWithoutTransaction { db in
                try db.execute(sql: "VACUUM INTO ?", arguments: [draft])
            }
            try house.close()
        } catch {
            throw StorageError(error, path: source)
        }
        try check(draft)
        try sync(draft)
    }

    /// Writes a file to the disk.
    static func sync(_ draft: String) throws(StorageError) {
        let descriptor = unsafe open(draft, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw .file(path: draft, reason: DataDirectory.reason()) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .file(path: draft, reason: DataDirectory.reason()) }
    }

    /// A copy that cannot be read is none.
    private static func check(_ draft: String) throws(StorageError) {
        let verdict: String?
        do {
            let copy = try DatabaseQueue(path: draft, configuration: .readOnly)
            verdict = try copy.read { try String.fetchOne($0, sql: "PRAGMA integrity_check(1)") }
            try copy.close()
        } catch {
            throw StorageError(error, path: draft)
        }
        guard verdict == "ok" else { throw .damaged(path: draft) }
    }
}

extension Configuration {
    /// For commands that look and change nothing.
    static var readOnly: Configuration {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        return configuration
    }
}
