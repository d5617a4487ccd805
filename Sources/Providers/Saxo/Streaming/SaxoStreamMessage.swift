/// One message of Saxo's stream.
///
/// A frame holds one or several, each laid out as
///
/// | offset | bytes | |
/// |---|---|---|
/// | 0 | 8 | id, lowest byte first |
/// | 8 | 2 | reserved |
/// | 10 | 1 | length n of the reference |
/// | 11 | n | reference, ASCII |
/// | 11 + n | 1 | format: 0 for JSON |
/// | 12 + n | 4 | length m of the payload, lowest byte first |
/// | 16 + n | m | payload |
struct SaxoStreamMessage: Hashable, Sendable {
    /// Not for counting: it may begin again at 1.
    let id: UInt64
    /// Of the subscription; of a control message, it begins with an underscore.
    let referenceID: String
    /// JSON.
    let payload: [UInt8]

    /// A frame that is none, by the offset of the message at fault.
    enum Malformed: Error, Hashable {
        /// It ends within a message.
        case truncated(offset: Int)
        /// A payload in another format than was asked for.
        case format(UInt8, offset: Int)
        /// A reference that is not ASCII.
        case reference(offset: Int)
    }

    /// The messages of a frame, in their order.
    static func messages(in frame: [UInt8]) throws(Malformed) -> [SaxoStreamMessage] {
        var messages: [SaxoStreamMessage] = []
        var rest = frame[...]
        while !rest.isEmpty { messages.append(try parse(from: &rest)) }
        return messages
    }

    private static func parse(from rest: inout ArraySlice<UInt8>) throws(Malformed) -> SaxoStreamMessage {
        let offset = rest.startIndex
        /// The next bytes; what they say of the length of others is checked against what is there.
        func next(_ count: Int) throws(Malformed) -> ArraySlice<UInt8> {
            guard count <= rest.count else { throw .truncated(offset: offset) }
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }
        let id = littleEndian(try next(8))
        _ = try next(2)
        let reference = try next(Int(littleEndian(try next(1))))
        guard reference.allSatisfy({ $0 < 0x80 }) else { throw .reference(offset: offset) }
        let format = UInt8(littleEndian(try next(1)))
        guard format == 0 else { throw .format(format, offset: offset) }
        // Four bytes always fit.
        let payload = try next(Int(littleEndian(try next(4))))
        return SaxoStreamMessage(
            id: id, referenceID: String(decoding: reference, as: UTF8.self), payload: Array(payload))
    }

    /// At most eight bytes.
    private static func littleEndian(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
