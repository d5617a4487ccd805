import NIOHTTP1

/// The first line of a request: `POST /graphql HTTP/1.1` (RFC 9112, section 3).
struct RequestLine {
    /// The range of the target in the head.
    let target: Range<Int>
    let isHTTP10: Bool
    /// The start of the fields.
    let end: Int

    /// The maximum number of bytes of a line without the target: `OPTIONS `, and the bytes after the target.
    static let maximumLengthWithoutTarget = 8 + 1 + ending
    /// The bytes of `HTTP/1.1` and the end of the line.
    private static let ending = 10

    /// Reads the method at the start of a line.
    ///
    /// - Throws: `.unsupportedMethod` for a valid but unknown method (RFC 9110, section 9.1), or the defect.
    static func method(of head: Span<UInt8>) throws(HTTPError) -> HTTPMethod {
        guard let space = RequestLine.space(in: head, from: 0) else { throw .malformed(noMethod) }
        let name = head.extracting(0..<space)
        if let method = HTTPMethod(standard: name) { return method }
        for index in name.indices where !name[index].isTokenCharacter { throw .malformed(noMethod) }
        throw .unsupportedMethod
    }

    private static let noMethod = HTTPError.MalformedMessage.syntax("the method is unknown")

    /// Reads the rest of the first line of a head.
    ///
    /// - Throws: The defect.
    init(_ head: Span<UInt8>, after method: HTTPMethod) throws(HTTPError) {
        let start = method.rawValue.utf8.count + 1
        guard let space = RequestLine.space(in: head, from: start),
            head.count - space > RequestLine.ending
        else { throw .malformed(.syntax("the version of HTTP is missing")) }
        let version = space + 1
        target = start..<space
        guard RequestLine.isTarget(head.extracting(target)) else { throw .malformed(.target) }
        end = version + RequestLine.ending
        isHTTP10 = try RequestLine.isHTTP10(head.extracting(version..<end))
    }

    private static func space(in head: Span<UInt8>, from start: Int) -> Int? {
        var index = start
        while index < head.count {
            if head[index] == UInt8(ascii: " ") { return index }
            if head[index] == .carriageReturn { return nil }
            index += 1
        }
        return nil
    }

    /// Whether all bytes are characters of a URL without a fragment; their order is not checked.
    private static func isTarget(_ bytes: Span<UInt8>) -> Bool {
        for index in bytes.indices {
            let byte = bytes[index]
            guard byte > UInt8(ascii: " "), byte < 0x7F, byte != UInt8(ascii: "#") else { return false }
        }
        return !bytes.isEmpty
    }

    private static func isHTTP10(_ version: Span<UInt8>) throws(HTTPError) -> Bool {
        let (major, minor) = (version[5] &- UInt8(ascii: "0"), version[7] &- UInt8(ascii: "0"))
        guard version.extracting(0..<5).equals("HTTP/"), version.extracting(8..<10).equals("\r\n"),
            version[6] == UInt8(ascii: "."), major < 10, minor < 10
        else { throw .malformed(.syntax("the version of HTTP is malformed")) }
        guard major == 1, minor < 2 else { throw .unsupportedVersion }
        return minor == 0
    }
}

extension HTTPMethod {
    /// One of the methods of RFC 9110, section 9, or PATCH; nil for any other.
    fileprivate init?(standard name: Span<UInt8>) {
        switch name.count {
        case 3 where name.equals("GET"): self = .GET
        case 3 where name.equals("PUT"): self = .PUT
        case 4 where name.equals("POST"): self = .POST
        case 4 where name.equals("HEAD"): self = .HEAD
        case 5 where name.equals("PATCH"): self = .PATCH
        case 5 where name.equals("TRACE"): self = .TRACE
        case 6 where name.equals("DELETE"): self = .DELETE
        case 7 where name.equals("OPTIONS"): self = .OPTIONS
        case 7 where name.equals("CONNECT"): self = .CONNECT
        default: return nil
        }
    }
}
