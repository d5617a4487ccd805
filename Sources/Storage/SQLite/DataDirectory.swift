import Foundation
import Glibc
import PorticoCore
import Synchronization

/// The data directory, which has all files.
package struct DataDirectory: Sendable {
    package let path: String

    /// Opens the directory, and creates it with permissions for its owner only (0700) if there is none.
    ///
    /// The permissions of an existing directory do not change, since it may be a mount; the files in it have
    /// permissions for their owner only in any case.
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
    /// SQLite makes its journals with the permissions of their database. If root makes it, for example by a command, the
    /// directory's owner gets it, as SQLite does for its journals: otherwise the server could not open it.
    func secure(_ name: String) throws(StorageError) -> String {
        let path = path(of: name)
        let isNew = unsafe access(path, F_OK) != 0
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .file(path: path, reason: Self.reason()) }
        defer { close(descriptor) }
        guard fchmod(descriptor, 0o600) == 0 else { throw .file(path: path, reason: Self.reason()) }
        if isNew {
            try Self.giveToOwner(descriptor, of: path)
            try Self.syncDirectory(of: path)
        }
        return path
    }

    /// Makes the owner of the directory that contains a new file also the owner of the file, if root has created it.
    ///
    /// - Parameters:
    ///   - descriptor: The open file.
    ///   - path: Its path.
    /// - Throws: `file` if the owner cannot be read or changed.
    static func giveToOwner(_ descriptor: Int32, of path: String) throws(StorageError) {
        guard geteuid() == 0 else { return }
        var status = stat()
        guard unsafe stat(parent(of: path), &status) == 0,
            fchown(descriptor, status.st_uid, status.st_gid) == 0
        else { throw .file(path: path, reason: reason()) }
    }

    /// The directory that contains a path.
    private static func parent(of path: String) -> String {
        let named = path.hasSuffix("/") ? path.dropLast() : path[...]
        let directory = named.split(separator: "/", omittingEmptySubsequences: false).dropLast()
            .joined(separator: "/")
        return directory.isEmpty ? (path.hasPrefix("/") ? "/" : ".") : directory
    }

    /// Writes the directory that contains a path to the disk.
    ///
    /// `fsync` of a file writes its content only. Its name, after it was created, linked or renamed, is part of the directory
    /// (fsync(2)): without this, a power failure can leave a database without the key that opens it.
    static func syncDirectory(of path: String) throws(StorageError) {
        let parent = parent(of: path)
        let descriptor = unsafe open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .folder(path: parent, reason: reason()) }
        defer { close(descriptor) }
        // Some network file systems do not support the operation and return EINVAL.
        guard fsync(descriptor) == 0 || errno == EINVAL else {
            throw .folder(path: parent, reason: reason())
        }
    }

    /// Returns the description of the last system error.
    static func reason() -> String { SystemReason.text(of: errno) }
}

/// A data folder that this process alone works in, as long as there is this object.
///
/// Two processes that each count calls in memory would spend a quota twice. The hold is the kernel's, and ends with the
/// process however that ends.
package final class DirectoryLock: Sendable {
    package static let name = "portico.lock"

    private let descriptor: Int32

    /// Takes hold of a folder.
    ///
    /// - Throws: `busy` where another process, or another hold of this one, has it.
    package init(_ folder: DataDirectory) throws(StorageError) {
        let path = try folder.secure(Self.name)
        let descriptor = unsafe open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw .file(path: path, reason: DataDirectory.reason()) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let isHeld = errno == EWOULDBLOCK
            let reason = DataDirectory.reason()
            close(descriptor)
            throw isHeld ? .busy(path: folder.path) : .file(path: path, reason: reason)
        }
        // Not before, since `deinit` closes it, and runs for an object that is whole even where `init` throws.
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }
}

/// A data directory that exists as long as the process uses it, for a server without a data directory.
///
/// It is deleted with the last reference, or when the process ends; if the process is killed, the system has to delete it.
package final class TemporaryDirectory: Sendable {
    package let folder: DataDirectory

    // The paths of the existing directories. Threads create and delete them at any time; held for a look-up.
    private static let paths = Mutex<Set<String>>([])
    /// References that exist when the process ends are not deinitialized.
    private static let deletesAtExit: Bool =
        atexit {
            for path in TemporaryDirectory.paths.withLock(\.self) {
                try? FileManager.default.removeItem(atPath: path)
            }
        } == 0

    /// - Throws: `folder` if the system's directory for temporary files cannot be written.
    package init() throws(StorageError) {
        var template = Array(FileManager.default.temporaryDirectory.path.utf8CString.dropLast())
        // mkdtemp puts what makes the name unique in the place of six X.
        template += Array("/portico-XXXXXX".utf8CString)
        // It writes into the buffer, which is ours, and makes the folder 0700.
        let isMade = unsafe template.withUnsafeMutableBufferPointer { buffer in
            unsafe buffer.baseAddress.map { unsafe mkdtemp($0) != nil } ?? false
        }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard isMade else { throw .folder(path: path, reason: DataDirectory.reason()) }
        folder = try DataDirectory(path)
        guard Self.deletesAtExit else { throw .folder(path: path, reason: DataDirectory.reason()) }
        Self.paths.withLock { _ = $0.insert(path) }
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder.path)
        Self.paths.withLock { _ = $0.remove(folder.path) }
    }
}
