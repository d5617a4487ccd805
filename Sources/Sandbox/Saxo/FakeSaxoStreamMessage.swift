/// One message of Saxo's stream, in its binary layout (fact sheet, "Streaming").
struct FakeSaxoStreamMessage: Sendable, Hashable {
    let id: UInt64
    /// At most 50 ASCII characters; control messages begin with `_`.
    let referenceID: String
    let payload: JSONDocument

    /// Identity, two reserved bytes, reference, format 0 for JSON, payload; numbers have their lowest byte first.
    var bytes: [UInt8] {
        let reference = Array(referenceID.utf8.prefix(255))
        let payload = payload.bytes
        return Self.littleEndian(id) + [0, 0, UInt8(truncatingIfNeeded: reference.count)] + reference + [0]
            + Self.littleEndian(UInt32(truncatingIfNeeded: payload.count)) + payload
    }

    private static func littleEndian<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> Number($0 * 8)) }
    }
}
