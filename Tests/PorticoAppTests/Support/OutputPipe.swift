import Foundation

#if canImport(Glibc)
import Glibc
#else
import Musl
#endif

/// A pipe for what a program writes.
///
/// Neither end is inherited by other programs, which would hold it open beyond its owner's life.
struct OutputPipe {
    let readingEnd: Int32
    let writingEnd: Int32

    /// - Important: no program may be started between this call's beginning and its end.
    init() throws {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (readingEnd, writingEnd) = (ends[0], ends[1])
    }

    /// Reads on a thread of its own, which ends when the program has; no bytes are the end.
    ///
    /// The program has its own writing end by now; this one is closed, so that the last of them can be.
    func read(_ take: @escaping @Sendable (ArraySlice<UInt8>) -> Void) {
        close(writingEnd)
        let end = readingEnd
        Thread.detachNewThread {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = unsafe Glibc.read(end, &buffer, buffer.count)
                if count == -1, errno == EINTR { continue }
                take(buffer.prefix(max(count, 0)))
                if count <= 0 { break }
            }
            close(end)
        }
    }
}
