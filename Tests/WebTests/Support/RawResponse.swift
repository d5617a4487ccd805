import GraphQL

/// A response as it came over the wire.
struct RawResponse: Sendable {
    let status: Int
    let reason: String
    /// Names in lower case.
    let headers: [(name: String, value: String)]
    let body: String

    subscript(name: String) -> String? {
        headers.first { $0.name == name }?.value
    }

    /// `message` of the first error; nil where the body is no GraphQL error.
    var message: String? {
        guard case .string(let text) = firstError?["message"] else { return nil }
        return text
    }

    /// `extensions.code` of the first error.
    var code: String? {
        guard case .object(let extensions) = firstError?["extensions"],
            case .string(let code) = extensions["code"]
        else { return nil }
        return code
    }

    private var firstError: InputObject? {
        guard case .object(let object) = try? InputValue(json: Array(body.utf8)),
            case .list(let errors) = object["errors"], case .object(let first) = errors.first
        else { return nil }
        return first
    }

    /// Takes a whole response from the front of what was received; nil where more is needed.
    static func take(from bytes: inout [UInt8], toHead: Bool) throws -> RawResponse? {
        guard let end = headEnd(of: bytes) else { return nil }
        let lines = String(decoding: bytes[..<(end - 4)], as: UTF8.self).components(separator: "\r\n")
        let statusLine = lines[0].split(separator: " ", maxSplits: 2)
        guard statusLine.count == 3, statusLine[0] == "HTTP/1.1", let status = Int(statusLine[1]) else {
            throw RawClient.Failure(description: "no status line: \(lines[0])")
        }
        let headers = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            return (name: parts[0].lowercased(), value: String(parts[1].drop { $0 == " " }))
        }
        let length =
            status == 100 || toHead
            ? 0 : headers.first { $0.name == "content-length" }.flatMap { Int($0.value) }
        guard let length else { throw RawClient.Failure(description: "no Content-Length") }
        guard bytes.count >= end + length else { return nil }
        let body = String(decoding: bytes[end..<end + length], as: UTF8.self)
        bytes.removeFirst(end + length)
        return RawResponse(status: status, reason: String(statusLine[2]), headers: headers, body: body)
    }

    private static func headEnd(of bytes: [UInt8]) -> Int? {
        let mark = Array("\r\n\r\n".utf8)
        return bytes.indices.first { bytes[$0...].starts(with: mark) }.map { $0 + 4 }
    }
}

extension String {
    fileprivate func components(separator: String) -> [String] {
        var parts: [String] = [""]
        var rest = self[...]
        while !rest.isEmpty {
            if rest.unicodeScalars.starts(with: separator.unicodeScalars) {
                rest =
                    rest[
                        rest.unicodeScalars.index(
                            rest.startIndex, offsetBy: separator.unicodeScalars.count)...]
                parts.append("")
            } else {
                parts[parts.count - 1].unicodeScalars.append(rest.unicodeScalars.removeFirst())
            }
        }
        return parts
    }
}
