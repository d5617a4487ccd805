/// The parameters of a URL's query, decoded as forms are: `%41` is a letter, `+` is a space.
struct QueryParameters {
    private(set) var pairs: [(name: String, value: String)] = []

    /// - Throws: `.invalidParameter` where an escape is incomplete or the bytes are no UTF-8.
    init(_ query: Substring?) throws(HTTPError) {
        guard let query else { return }
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = QueryParameters.decoded(parts[0]) else {
                throw .invalidParameter("\(parts[0])", reason: "has an escape that is no UTF-8 character")
            }
            guard let value = parts.count > 1 ? QueryParameters.decoded(parts[1]) : "" else {
                throw .invalidParameter(name, reason: "has an escape that is no UTF-8 character")
            }
            pairs.append((name, value))
        }
    }

    /// The value of a parameter; nil where it is not given.
    ///
    /// - Throws: `.invalidParameter` where it is given twice.
    func value(of name: String) throws(HTTPError) -> String? {
        let given = pairs.filter { $0.name == name }
        guard given.count <= 1 else { throw .invalidParameter(name, reason: "is given \(given.count) times") }
        return given.first?.value
    }

    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = digit(rest.popFirst()), let low = digit(rest.popFirst()) else { return nil }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8?) -> UInt8? {
        byte.flatMap { Character(Unicode.Scalar($0)).hexDigitValue }.map(UInt8.init)
    }
}
