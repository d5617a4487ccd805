package import Upstream

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
package struct SaxoStreamMessage: Hashable, Sendable {
    /// Not for counting: it may begin again at 1.
    package let id: UInt64
    /// Of the subscription; of a control message, it begins with an underscore.
    package let referenceID: String
    /// JSON.
    let payload: [UInt8]

    /// A frame that is none, by the offset of the message at fault.
    package enum Malformed: Error, Hashable {
        /// It ends within a message.
        case truncated(offset: Int)
        /// A payload in a format that was not requested.
        case format(UInt8, offset: Int)
        /// A reference that is not ASCII.
        case reference(offset: Int)
    }

    /// The messages of a frame, in their order.
    package static func messages(in frame: [UInt8]) throws(Malformed) -> [SaxoStreamMessage] {
        var messages: [SaxoStreamMessage] = []
        var rest = frame[...]
        while !rest.isEmpty { messages.append(try parse(from: &rest)) }
        return messages
    }

    private static func parse(from rest: inout ArraySlice<UInt8>) throws(Malformed) -> SaxoStreamMessage {
        let offset = rest.startIndex
        /// The next bytes; a length in the message is checked against the remaining bytes.
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

/// The purpose of a control message.
package enum SaxoStreamControl: Hashable, Sendable {
    /// The subscriptions are alive without changes.
    case heartbeat([String])
    /// The subscriptions that must start again; all if the list is empty.
    case reset([String])
    /// The session has ended.
    case disconnect
    /// Of no concern.
    case other

    /// By the reference of its message, whose payload is an object or an array of one.
    package init(_ message: SaxoStreamMessage) throws(JSONError) {
        switch message.referenceID {
        case "_heartbeat":
            self = .heartbeat(
                try Self.references(in: message, "Heartbeats") { reader throws(JSONError) in
                    try reader.originatingReference()
                })
        case "_resetsubscriptions":
            self = .reset(
                try Self.references(in: message, "TargetReferenceIds") { reader throws(JSONError) in
                    try reader.string()
                })
        case "_disconnect": self = .disconnect
        default: self = .other
        }
    }

    /// Reads each item of the list under a key.
    private static func references(
        in message: SaxoStreamMessage, _ name: String,
        _ read: (inout JSONReader) throws(JSONError) -> String?
    ) throws(JSONError) -> [String] {
        var references: [String] = []
        try JSONReader.read(message.payload) { reader throws(JSONError) in
            try reader.eachObject { reader throws(JSONError) in
                try reader.object { key, reader throws(JSONError) in
                    guard key.string == name else { return try reader.skip() }
                    guard try !reader.null() else { return }
                    try reader.array { reader throws(JSONError) in
                        if let reference = try read(&reader) { references.append(reference) }
                    }
                }
            }
        }
        return references
    }
}

extension JSONReader {
    /// Reads an object, or each of an array of them.
    mutating func eachObject(
        _ body: (inout JSONReader) throws(JSONError) -> Void
    ) throws(JSONError) {
        if try kind() == .array {
            try array { reader throws(JSONError) in try body(&reader) }
        } else {
            try body(&self)
        }
    }

    /// Reads the subscription that a heartbeat is of.
    fileprivate mutating func originatingReference() throws(JSONError) -> String? {
        var reference: String?
        try object { key, reader throws(JSONError) in
            switch key {
            case "OriginatingReferenceId": reference = try reader.stringOrNil()
            default: try reader.skip()
            }
        }
        return reference
    }
}
