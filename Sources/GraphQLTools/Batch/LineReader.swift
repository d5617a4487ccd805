import Foundation
import PorticoCore

/// Reads lines of bytes from a file descriptor, each as soon as it is complete.
package struct LineReader {
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    /// The start of the next line in the buffer, and the offset up to which its end has been searched.
    private var start = 0
    private var searched = 0
    private var isAtEnd = false

    /// Longer lines are discarded.
    static let maximumLineLength = 256 << 20

    package enum Line {
        case bytes([UInt8])
        /// The line had more than `maximumLineLength` bytes.
        case tooLong
    }

    package init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Returns the next line without its line feed; nil at the end.
    ///
    /// Non-empty text after the last line feed is also a line.
    ///
    /// - Throws: `UsageError` if the input cannot be read.
    package mutating func next() throws -> Line? {
        var isTooLong = false
        while true {
            if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                return consumeLine(upTo: end, continuingAt: end + 1, isTooLong)
            }
            searched = buffer.count
            if isAtEnd {
                return start < buffer.count || isTooLong
                    ? consumeLine(upTo: searched, continuingAt: searched, isTooLong) : nil
            }
            if buffer.count - start > LineReader.maximumLineLength {
                isTooLong = true
                buffer.removeAll()
                (start, searched) = (0, 0)
            }
            try fill()
        }
    }

    private mutating func consumeLine(upTo end: Int, continuingAt next: Int, _ isTooLong: Bool) -> Line {
        let line = isTooLong ? Line.tooLong : .bytes(Array(buffer[start..<end]))
        (start, searched) = (next, next)
        return line
    }

    /// Appends the available input; blocks only if none is available.
    private mutating func fill() throws {
        if start > 0 {
            buffer.removeSubrange(..<start)
            searched -= start
            start = 0
        }
        let chunk = 1 << 16
        let count = buffer.count
        var received = -1
        buffer.append(contentsOf: repeatElement(0, count: chunk))
        repeat {
            received = unsafe buffer.withUnsafeMutableBytes { bytes in
                unsafe read(descriptor, bytes.baseAddress.map { unsafe $0 + count }, chunk)
            }
        } while received < 0 && errno == EINTR
        let failure = errno
        buffer.removeLast(chunk - max(received, 0))
        if received < 0 {
            let cause = POSIXError(POSIXErrorCode(rawValue: failure) ?? .EIO)
            throw UsageError("standard input cannot be read: \(cause.localizedDescription)")
        }
        if received == 0 { isAtEnd = true }
    }
}
