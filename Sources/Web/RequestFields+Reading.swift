import NIOHTTP1

extension RequestFields {
    /// Picks the known fields, in one pass.
    ///
    /// - Throws: `.malformed` for a field twice that has one value (RFC 9110, section 5.3). Lists are joined.
    init(_ headers: HTTPHeaders) throws(HTTPProblem) {
        self.init()
        for (name, value) in headers {
            switch name.utf8.count {
            case 4: if name.matches("host") { hosts += 1 }
            case 6:
                if name.matches("accept") {
                    accept = RequestFields.joined(accept, value)
                } else if name.matches("expect") {
                    expect = RequestFields.joined(expect, value)
                }
            case 7: if name.matches("upgrade") { asksForUpgrade = true }
            case 10: if name.matches("connection") { connection = RequestFields.joined(connection, value) }
            case 12: if name.matches("content-type") { try contentType.set(value, of: "Content-Type") }
            case 13:
                if name.matches("authorization") {
                    try authorization.set(value, of: "Authorization")
                } else if name.matches("cache-control") {
                    cacheControl = RequestFields.joined(cacheControl, value)
                }
            case 14: if name.matches("content-length") { try contentLength.set(value, of: "Content-Length") }
            case 16:
                if name.matches("content-encoding") {
                    contentEncoding = RequestFields.joined(contentEncoding, value)
                }
            case 17:
                if name.matches("transfer-encoding") {
                    try transferEncoding.set(value, of: "Transfer-Encoding")
                }
            default: break
            }
        }
    }

    /// Whether the client wants nothing that was read before it asked (RFC 9111, section 5.2.1.4).
    var demandsFresh: Bool {
        cacheControl?.listMembers.contains { $0.matches("no-cache") } ?? false
    }

    private static func joined(_ list: String?, _ more: String) -> String {
        guard let list else { return more }
        return "\(list), \(more)"
    }
}

extension String? {
    fileprivate mutating func set(_ value: String, of name: String) throws(HTTPProblem) {
        guard self == nil else { throw .malformed(.repeatedField(name)) }
        self = value
    }
}

extension StringProtocol {
    /// Whether the text is the given one, in any mix of ASCII cases; that one is given in lower case.
    func matches(_ lowercased: StaticString) -> Bool {
        guard utf8.count == lowercased.utf8CodeUnitCount else { return false }
        return lowercased.withUTF8Buffer { expected in
            var position = 0
            for byte in utf8 {
                let letter = unsafe expected[position]
                guard byte == letter || (byte &- UInt8(ascii: "A") < 26 && byte | 0x20 == letter) else {
                    return false
                }
                position += 1
            }
            return true
        }
    }

    /// Without spaces and tabs around it.
    var trimmed: SubSequence {
        let end = lastIndex { $0 != " " && $0 != "\t" }
        guard let start = firstIndex(where: { $0 != " " && $0 != "\t" }), let end else {
            return self[endIndex...]
        }
        return self[start...end]
    }

    /// The members of a comma-separated list.
    var listMembers: some Sequence<SubSequence.SubSequence> {
        split(separator: ",").lazy.map(\.trimmed)
    }
}
