import Foundation
import Glibc

/// A data folder of this process alone, gone with it: for a house that is told to keep nothing.
///
/// It is deleted when nobody holds it any more; a process that is killed leaves it to the system.
package final class TemporaryDirectory: Sendable {
    package let folder: DataDirectory

    /// - Throws: `folder` where the system's folder for such things cannot be written.
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
    }

    deinit { try? FileManager.default.removeItem(atPath: folder.path) }
}
