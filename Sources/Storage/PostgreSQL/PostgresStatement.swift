import Foundation

/// SQL as ``SQLDatabase`` describes it, in PostgreSQL's form.
enum PostgresStatement {
    /// Replaces the placeholders `?` by `$1`, `$2` and so on, and `?1` by `$1`.
    ///
    /// Texts, names in quotes and comments stay as they are.
    static func translate(_ sql: String) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(sql.utf8.count + 16)
        var number = 0
        /// The character that ends the current text, name or comment.
        var end: UInt8?
        var previous: UInt8 = 0
        let bytes = Array(sql.utf8)
        for (index, byte) in bytes.enumerated() {
            defer { previous = byte }
            if let closing = end {
                if byte == closing { end = nil }
                result.append(byte)
                continue
            }
            switch byte {
            case UInt8(ascii: "'"), UInt8(ascii: "\""): end = byte
            case UInt8(ascii: "-") where previous == byte: end = UInt8(ascii: "\n")
            case UInt8(ascii: "?"):
                result.append(UInt8(ascii: "$"))
                let next = bytes.dropFirst(index + 1).first ?? 0
                if !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next) {
                    number += 1
                    result += Array(String(number).utf8)
                }
                continue
            default: break
            }
            result.append(byte)
        }
        return String(decoding: result, as: UTF8.self)
    }
}

/// The values of placeholders, as libpq takes them.
struct PostgresParameters {
    /// All values, one after the other, each with a final zero.
    private(set) var bytes: [CChar] = []
    /// Where each value begins; nil for null.
    private(set) var offsets: [Int?] = []
    private(set) var lengths: [Int32] = []
    /// 0 for a text, whose type the server knows from the statement; 1 for bytes as they are.
    private(set) var formats: [Int32] = []

    /// - Throws: `refused` for a text that PostgreSQL cannot store: its code 22021, for U+0000.
    init(_ values: [SQLValue]) throws(PostgresFailure) {
        for value in values {
            switch value {
            case .null:
                offsets.append(nil)
                lengths.append(0)
                formats.append(0)
            case .integer(let number): append(String(number).utf8, format: 0)
            case .boolean(let flag): append((flag ? "t" : "f").utf8, format: 0)
            case .bytes(let data): append(data, format: 1)
            case .text(let text):
                guard !text.utf8.contains(0) else { throw .refused(state: "22021") }
                append(text.utf8, format: 0)
            }
        }
    }

    private mutating func append(_ value: some Collection<UInt8>, format: Int32) {
        offsets.append(bytes.count)
        lengths.append(Int32(clamping: value.count))
        formats.append(format)
        bytes += value.lazy.map { CChar(bitPattern: $0) }
        bytes.append(0)
    }
}
