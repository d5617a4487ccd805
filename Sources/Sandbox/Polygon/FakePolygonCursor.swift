/// The cursor of a `next_url`: the query's pairs, in Base64 with the alphabet for URLs (RFC 4648, section 5).
enum FakePolygonCursor {
    static func text(_ pairs: [(name: String, value: String)]) -> String {
        encoded(Array(pairs.map { "\($0.name)=\(escaped($0.value))" }.joined(separator: "&").utf8))
    }

    /// Without what would end a value.
    private static func escaped(_ value: String) -> String {
        value.replacing("%", with: "%25").replacing("&", with: "%26")
    }

    /// The pairs of a cursor; nil when it is none.
    static func pairs(_ cursor: String) -> [(name: String, value: String)]? {
        guard let bytes = decoded(cursor), let text = String(validating: bytes, as: UTF8.self) else {
            return nil
        }
        return text.split(separator: "&").compactMap { pair in
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { return nil }
            return PercentEncoding.decoded(parts[1]).map { (String(parts[0]), $0) }
        }
    }

    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    private static func encoded(_ bytes: [UInt8]) -> String {
        var digits: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for place in 0...group.count { digits.append(alphabet[bits >> (18 - 6 * place) & 63]) }
        }
        return String(decoding: digits, as: UTF8.self)
    }

    private static func decoded(_ text: String) -> [UInt8]? {
        let digits = text.utf8.compactMap { byte in alphabet.firstIndex(of: byte) }
        guard digits.count == text.utf8.count, digits.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: digits.count, by: 4) {
            let group = digits[start..<min(start + 4, digits.count)]
            let bits = group.reduce(0) { $0 << 6 | $1 } << (6 * (4 - group.count))
            for place in 0..<(group.count - 1) {
                bytes.append(UInt8(truncatingIfNeeded: bits >> (16 - 8 * place)))
            }
        }
        return bytes
    }
}
