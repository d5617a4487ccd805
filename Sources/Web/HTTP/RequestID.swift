import NIOCore
import Synchronization

/// The id of one request in logs and errors, and the value of `x-request-id`.
package struct RequestID: Sendable, Hashable, CustomStringConvertible {
    private let number: UInt64

    fileprivate init(_ number: UInt64) {
        self.number = number
    }

    /// 16 hexadecimal digits.
    package var description: String { number.sixteenDigits }

    func write(into buffer: inout ByteBuffer) {
        buffer.writeMultipleIntegers(
            UInt32(truncatingIfNeeded: number >> 32).hexadecimalDigits,
            UInt32(truncatingIfNeeded: number).hexadecimalDigits)
    }
}

extension UInt32 {
    /// The eight hexadecimal digits as bytes of ASCII, the first one in the highest byte.
    ///
    /// All are computed at once, since every response has two of them: the digits are spread over the bytes
    /// of a word, and those above 9 are moved to the letters.
    fileprivate var hexadecimalDigits: UInt64 {
        var digits = UInt64(self)
        digits = (digits | digits << 16) & 0x0000_FFFF_0000_FFFF
        digits = (digits | digits << 8) & 0x00FF_00FF_00FF_00FF
        digits = (digits | digits << 4) & 0x0F0F_0F0F_0F0F_0F0F
        let areLetters = ((digits + 0x0606_0606_0606_0606) >> 4) & 0x0101_0101_0101_0101
        // From behind "9" to "a".
        let toLetters: UInt64 = 0x61 - 0x3A
        return digits + 0x3030_3030_3030_3030 + areLetters * toLetters
    }
}

/// Numbers requests, from a random start, so that two runs of the server do not give the same ids.
package final class RequestIDGenerator: Sendable {
    private let next = Atomic<UInt64>(.random(in: 0...(.max)))

    package init() {}

    package func make() -> RequestID {
        RequestID(next.wrappingAdd(1, ordering: .relaxed).oldValue)
    }
}
