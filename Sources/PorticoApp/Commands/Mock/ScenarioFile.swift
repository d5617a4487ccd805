import Foundation
import PorticoCore

#if canImport(Glibc)
import Glibc
#else
import Musl
#endif

/// The new file of a recording, which is created before the recording begins: what cannot be written is known then.
struct ScenarioFile {
    private let path: String
    private let handle: FileHandle

    /// Creates an empty file.
    ///
    /// - Throws: `UsageError` if there is a file, or none can be created.
    init(creating path: String) throws(UsageError) {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            throw errno == EEXIST
                ? UsageError("\(path) exists. Remove it, or name another file with --out.")
                : UsageError(
                    "\(path) cannot be created: \(SystemReason.text(of: errno)). Name another file with --out."
                )
        }
        self.path = path
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    /// Writes the whole content.
    ///
    /// - Throws: `UsageError` with the reason; the file is removed then. Also if the file has been removed or replaced.
    func write(_ text: String) throws(UsageError) {
        guard isAtPath else { throw UsageError("\(path) cannot be written: it was removed meanwhile.") }
        do {
            try handle.write(contentsOf: Data(text.utf8))
        } catch {
            remove()
            throw UsageError(
                "\(path) cannot be written: \(SystemReason.text(of: error) ?? error.localizedDescription).")
        }
    }

    /// Removes the file, but none that another program has put in its place.
    func remove() {
        if isAtPath { _ = unsafe unlink(path) }
    }

    private var isAtPath: Bool {
        var (own, found) = (stat(), stat())
        guard unsafe fstat(handle.fileDescriptor, &own) == 0, unsafe lstat(path, &found) == 0 else {
            return false
        }
        return (own.st_dev, own.st_ino) == (found.st_dev, found.st_ino)
    }
}
