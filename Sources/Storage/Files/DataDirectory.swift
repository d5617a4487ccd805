import Glibc

/// The folder that everything is kept in.
package struct DataDirectory: Sendable {
    package let path: String

    /// Takes the folder, and makes it for this user alone (0700) where there is none.
    ///
    /// An existing one keeps its permissions, as it may be a mount; the files in it are for this user alone in any case.
    package init(_ path: String) throws(StorageError) {
        let status = unsafe mkdir(path, 0o700)
        if status != 0, errno != EEXIST { throw .folder(path: path, reason: Self.reason()) }
        if status == 0 { try Self.syncDirectory(of: path) }
        guard unsafe access(path, R_OK | W_OK | X_OK) == 0 else {
            throw .folder(path: path, reason: Self.reason())
        }
        self.path = path
    }

    /// Takes a folder that is there already.
    package init(existing path: String) throws(StorageError) {
        guard unsafe access(path, R_OK | W_OK | X_OK) == 0 else {
            throw .folder(path: path, reason: Self.reason())
        }
        self.path = path
    }

    /// A folder inside, made like this one.
    package func folder(_ name: String) throws(StorageError) -> DataDirectory {
        try DataDirectory(path(of: name))
    }

    func path(of name: String) -> String {
        path.hasSuffix("/") ? path + name : path + "/" + name
    }

    /// Sees to it that there is a file, for this user alone (0600).
    ///
    /// SQLite makes its journals with the permissions of their database.
    func secure(_ name: String) throws(StorageError) -> String {
        let path = path(of: name)
        let isNew = unsafe access(path, F_OK) != 0
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .file(path: path, reason: Self.reason()) }
        defer { close(descriptor) }
        guard fchmod(descriptor, 0o600) == 0 else { throw .file(path: path, reason: Self.reason()) }
        if isNew { try Self.syncDirectory(of: path) }
        return path
    }

    /// Writes the directory that contains a path to the disk.
    ///
    /// `fsync` of a file writes its content only. Its name, after it was created, linked or renamed, is part of the directory
    /// (fsync(2)): without this, a power failure can leave a database without the key that opens it.
    static func syncDirectory(of path: String) throws(StorageError) {
        let named = path.hasSuffix("/") ? path.dropLast() : path[...]
        let directory = named.split(separator: "/", omittingEmptySubsequences: false).dropLast()
            .joined(separator: "/")
        let parent = directory.isEmpty ? (path.hasPrefix("/") ? "/" : ".") : directory
        let descriptor = unsafe open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .folder(path: parent, reason: reason()) }
        defer { close(descriptor) }
        // Some network file systems have no such operation and return EINVAL.
        guard fsync(descriptor) == 0 || errno == EINVAL else {
            throw .folder(path: parent, reason: reason())
        }
    }

    /// What the system said last.
    static func reason() -> String {
        // strerror's text is the C library's own; it is copied here.
        unsafe strerror(errno).map { unsafe String(cString: $0) } ?? "unknown"
    }
}
