import Brokerage
import PorticoCore

/// MessagePack, in which Alpaca's data stream writes if the client's handshake has `Content-Type: application/msgpack`.
///
/// It has the types of JSON and times: those of the messages, `t`, are of the extension -1.
enum MessagePack {
    /// The most levels of arrays and maps in a client's message.
    private static let maximumDepth = 16

    struct SyntaxError: Error {}

    // MARK: Writing

    static func bytes(of document: JSONDocument) -> [UInt8] {
        var bytes: [UInt8] = []
        append(document, to: &bytes)
        return bytes
    }

    private static func append(_ document: JSONDocument, to bytes: inout [UInt8]) {
        switch document {
        case .null: bytes.append(0xc0)
        case .bool(let value): bytes.append(value ? 0xc3 : 0xc2)
        case .number(let value), .scientific(let value): append(value, to: &bytes)
        case .string(let text): append(text, to: &bytes)
        case .array(let items):
            appendHead(0x90, 16, 0xdc, count: items.count, to: &bytes)
            for item in items { append(item, to: &bytes) }
        case .object(let members):
            appendHead(0x80, 16, 0xde, count: members.count, to: &bytes)
            for member in members {
                append(member.name, to: &bytes)
                if member.name == "t", let time = member.value.string.flatMap({ Instant($0) }) {
                    append(time, to: &bytes)
                } else {
                    append(member.value, to: &bytes)
                }
            }
        }
    }

    private static func append(_ number: Decimal, to bytes: inout [UInt8]) {
        let number = number.withoutTrailingZeros
        if number.scale == 0, let whole = Int64(exactly: number.coefficient) {
            bytes.append(0xd3)
            append(UInt64(bitPattern: whole), count: 8, to: &bytes)
        } else {
            bytes.append(0xcb)
            append(number.doubleValue.bitPattern, count: 8, to: &bytes)
        }
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        let utf8 = Array(text.utf8)
        if (32..<256).contains(utf8.count) {
            bytes += [0xd9, UInt8(utf8.count)]
        } else {
            appendHead(0xa0, 32, 0xda, count: utf8.count, to: &bytes)
        }
        bytes += utf8
    }

    private static func append(_ time: Instant, to bytes: inout [UInt8]) {
        bytes += [0xc7, 12, 0xff]
        append(UInt64(time.nanoseconds), count: 4, to: &bytes)
        append(UInt64(bitPattern: time.secondsSince1970), count: 8, to: &bytes)
    }

    /// The type and the count: in one byte below a limit, else with two or four bytes.
    private static func appendHead(
        _ short: UInt8, _ limit: Int, _ long: UInt8, count: Int, to bytes: inout [UInt8]
    ) {
        if count < limit {
            bytes.append(short | UInt8(count))
        } else if count <= 0xffff {
            bytes.append(long)
            append(UInt64(count), count: 2, to: &bytes)
        } else {
            bytes.append(long + 1)
            append(UInt64(count), count: 4, to: &bytes)
        }
    }

    private static func append(_ bits: UInt64, count: Int, to bytes: inout [UInt8]) {
        for place in (0..<count).reversed() { bytes.append(UInt8(truncatingIfNeeded: bits >> (8 * place))) }
    }

    // MARK: Reading

    /// The document of a client's message, which has no binary numbers and no extensions.
    static func document(of bytes: [UInt8]) throws(SyntaxError) -> JSONDocument {
        var rest = bytes[...]
        let document = try read(&rest, depth: 0)
        guard rest.isEmpty else { throw SyntaxError() }
        return document
    }

    private static func read(_ rest: inout ArraySlice<UInt8>, depth: Int) throws(SyntaxError) -> JSONDocument
    {
        guard depth < maximumDepth, let type = rest.popFirst() else { throw SyntaxError() }
        switch type {
        case 0xc0: return .null
        case 0xc2, 0xc3: return .bool(type == 0xc3)
        case 0x00...0x7f: return .number(Decimal(Int(type)))
        case 0xcc...0xcf:
            guard let number = Int(exactly: try number(&rest, 1 << Int(type - 0xcc))) else {
                throw SyntaxError()
            }
            return .number(Decimal(number))
        case 0xa0...0xbf: return .string(try text(&rest, Int(type & 0x1f)))
        case 0xd9...0xdb: return .string(try text(&rest, try count(&rest, 1 << Int(type - 0xd9))))
        case 0x90...0x9f: return .array(try items(&rest, Int(type & 0x0f), depth))
        case 0xdc, 0xdd: return .array(try items(&rest, try count(&rest, type == 0xdc ? 2 : 4), depth))
        case 0x80...0x8f: return .object(try members(&rest, Int(type & 0x0f), depth))
        case 0xde, 0xdf: return .object(try members(&rest, try count(&rest, type == 0xde ? 2 : 4), depth))
        default: throw SyntaxError()
        }
    }

    private static func number(_ rest: inout ArraySlice<UInt8>, _ size: Int) throws(SyntaxError) -> UInt64 {
        guard rest.count >= size else { throw SyntaxError() }
        defer { rest = rest.dropFirst(size) }
        return rest.prefix(size).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// A number of bytes or items, each of which takes at least a byte.
    private static func count(_ rest: inout ArraySlice<UInt8>, _ size: Int) throws(SyntaxError) -> Int {
        let count = try number(&rest, size)
        guard count <= UInt64(rest.count) else { throw SyntaxError() }
        return Int(count)
    }

    private static func text(_ rest: inout ArraySlice<UInt8>, _ count: Int) throws(SyntaxError) -> String {
        guard count <= rest.count, let text = String(validating: rest.prefix(count), as: UTF8.self) else {
            throw SyntaxError()
        }
        rest = rest.dropFirst(count)
        return text
    }

    private static func items(
        _ rest: inout ArraySlice<UInt8>, _ count: Int, _ depth: Int
    ) throws(SyntaxError) -> [JSONDocument] {
        var items: [JSONDocument] = []
        for _ in 0..<count { items.append(try read(&rest, depth: depth + 1)) }
        return items
    }

    private static func members(
        _ rest: inout ArraySlice<UInt8>, _ count: Int, _ depth: Int
    ) throws(SyntaxError) -> [JSONDocument.Member] {
        var members: [JSONDocument.Member] = []
        for _ in 0..<count {
            guard let name = try read(&rest, depth: depth + 1).string else { throw SyntaxError() }
            members.append(name, try read(&rest, depth: depth + 1))
        }
        return members
    }
}
