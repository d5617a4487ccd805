#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The system's words for its error numbers.
enum SystemError {
    static func text(of code: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        // Writes into the buffer, within its length.
        _ = unsafe strerror_r(code, &buffer, buffer.count)
        let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
