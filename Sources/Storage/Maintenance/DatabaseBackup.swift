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
    /// - Throws: `exists` if there is a file, `file` if it cannot be written, `full`, or `damaged` if the database is.
    package static func write(of folder: DataDirectory, to path: String) throws(StorageError) {
        try UserDatabase.rejectEmptyFile(in: folder)
        guard unsafe access(path, F_OK) != 0 else { throw .exists(path: path) }
        let draft = "\(path).\(getpid()).new"
        remove(draft)
        let descriptor = unsafe open(draft, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .file(path: draft, reason: DataDirectory.reason()) }
        defer {
            close(descriptor)
            remove(draft)
        }
        do throws(StorageError) {
            try DatabaseBackup.copy(folder.path(of: UserDatabase.name), to: draft)
        } catch {
            throw error == .full(path: draft) ? .full(path: path) : error
        }
        // In another container, a process with the same number may have removed the file for its own.
        guard isFile(descriptor, at: draft) else {
            throw .file(path: draft, reason: "another process writes there")
        }
        // Unlike a renaming, it never takes the place of another file.
        guard unsafe link(draft, path) == 0 else {
            throw errno == EEXIST
                ? .exists(path: path) : .file(path: path, reason: DataDirectory.reason())
        }
        try DataDirectory.syncDirectory(of: path)
    }

    /// Removes an unfinished copy and its journal, such as those of an interrupted process; there may be none.
    ///
    /// In a container, every process has the same number, and so the same name for its copy.
    static func remove(_ draft: String) {
        for path in [draft, draft + "-journal"] { _ = unsafe unlink(path) }
    }

    /// Whether a path names an open file.
    private static func isFile(_ descriptor: Int32, at path: String) -> Bool {
        var (opened, named) = (stat(), stat())
        guard unsafe fstat(descriptor, &opened) == 0, unsafe lstat(path, &named) == 0 else { return false }
        return (opened.st_dev, opened.st_ino) == (named.st_dev, named.st_ino)
    }

    /// Writes the content of a database to an empty file, checks it, and writes it to the disk.
    ///
    /// - Throws: `damaged`, `full`, or `file` if one of the two cannot be used.
    static func copy(_ source: String, to draft: String) throws(StorageError) {
        do {
            let database = try DatabaseQueue(path: source, configuration: .readOnly)
            try database.writeWithoutTransaction { db in
                try db.execute(sql: "VACUUM INTO ?", arguments: [draft])
            }
            try database.close()
        } catch {
            let failure = StorageError(error, path: source)
            // Only the copy is written.
            throw failure == .full(path: source) ? .full(path: draft) : failure
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
