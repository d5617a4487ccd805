import Glibc

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
