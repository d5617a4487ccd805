#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Where log lines go unless they are told otherwise.
package enum StandardError {
    /// Prints a line in one call where the system takes it whole, so that those of several threads do not mix.
    package static func print(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        var rest = bytes[...]
        while !rest.isEmpty {
            // The system reads the bytes, and no more than there are.
            let count = unsafe rest.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
            // Nobody could be told of a log that cannot be written.
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
