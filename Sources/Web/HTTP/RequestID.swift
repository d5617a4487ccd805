import NIOCore
import Synchronization

/// The name of one request in logs and errors, and what `x-request-id` says.
package struct RequestID: Sendable, Hashable, CustomStringConvertible {
    private let number: UInt64

    fileprivate init(_ number: UInt64) {
        self.number = number
    }

    /// 16 hexadecimal digits.
    package var description: String { number.sixteenDigits }

    /// A number of all bits, another one for each salt, that no two requests share (SplitMix64).
    func scattered(salt: UInt64) -> UInt64 {
        var bits = number &+ salt &* 0x9E37_79B9_7F4A_7C15
        bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
        return bits ^ bits >> 31
    }

    func write(into buffer: inout ByteBuffer) {
        var rest = number
        for _ in 0..<16 {
            let digit = UInt8(truncatingIfNeeded: rest >> 60)
            buffer.writeInteger(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
            rest <<= 4
        }
    }
}

/// Numbers requests, from a random start, so that two runs of the server do not give the same ids.
final class RequestIDs: Sendable {
    private let next = Atomic<UInt64>(.random(in: 0...(.max)))

    func make() -> RequestID {
        RequestID(next.wrappingAdd(1, ordering: .relaxed).oldValue)
    }
}
