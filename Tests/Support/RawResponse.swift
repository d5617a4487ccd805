/// A response with its exact bytes.
package struct RawResponse: Sendable {
    package let status: Int
    package let reason: String
    /// Names in lower case.
    package let headers: [(name: String, value: String)]
    package let body: String

    /// The value of the first field of that name, which must be in lower case.
    package subscript(name: String) -> String? {
        headers.first { $0.name == name }?.value
    }

    /// The body as JSON; nil if it is not JSON.
    package var json: JSONValue? { try? JSONValue(parsing: body) }

    /// `message` of the first error; nil if the body is not a GraphQL error.
    package var message: String? { json?["errors"]?[0]?["message"]?.string }

    /// `extensions.code` of the first error.
    package var code: String? { json?["errors"]?[0]?["extensions"]?["code"]?.string }

    /// Removes a complete response from the start of the bytes; nil if bytes are missing.
    package static func take(from bytes: inout [UInt8], toHead: Bool) throws -> RawResponse? {
        guard let end = headEnd(of: bytes) else { return nil }
        let lines = lines(of: bytes[..<(end - 4)])
        let statusLine = (lines.first ?? "").split(separator: " ", maxSplits: 2)
        guard statusLine.count == 3, statusLine[0] == "HTTP/1.1", let status = Int(statusLine[1]) else {
            throw RawClient.Failure(description: "no status line: \(lines.first ?? "")")
        }
        let headers = try lines.dropFirst().map { line in
            guard let colon = line.firstIndex(of: ":") else {
                throw RawClient.Failure(description: "no header field: \(line)")
            }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            return (name: line[..<colon].lowercased(), value: String(value))
        }
        if !toHead, headers.contains(where: { $0.name == "transfer-encoding" && $0.value == "chunked" }) {
            guard let (body, length) = try RawChunks.body(in: bytes[end...]) else { return nil }
            bytes.removeFirst(end + length)
            return RawResponse(
                status: status, reason: String(statusLine[2]), headers: headers,
                body: String(decoding: body, as: UTF8.self))
        }
        guard let length = bodyLength(status, headers, toHead: toHead) else {
            throw RawClient.Failure(description: "no Content-Length")
        }
        guard bytes.count - end >= length else { return nil }
        let body = String(decoding: bytes[end..<end + length], as: UTF8.self)
        bytes.removeFirst(end + length)
        return RawResponse(status: status, reason: String(statusLine[2]), headers: headers, body: body)
    }

    private static func bodyLength(
        _ status: Int, _ headers: [(name: String, value: String)], toHead: Bool
    ) -> Int? {
        if status < 200 || status == 204 || status == 304 || toHead { return 0 }
        return headers.first { $0.name == "content-length" }.flatMap { Int($0.value) }.flatMap {
            $0 < 0 ? nil : $0
        }
    }

    private static func headEnd(of bytes: [UInt8]) -> Int? {
        let mark = Array("\r\n\r\n".utf8)
        return bytes.indices.first { bytes[$0...].starts(with: mark) }.map { $0 + 4 }
    }

    /// `\r ` is one `Character`, so lines are split as bytes.
    private static func lines(of head: ArraySlice<UInt8>) -> [String] {
        head.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
            String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
        }
    }
}
