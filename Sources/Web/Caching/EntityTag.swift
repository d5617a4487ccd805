import Cryptography
import NIOHTTP1

/// The entity tag of a response's content (RFC 9110, section 8.8.3).
///
/// It is weak, because the compressed and the uncompressed response have the same content.
struct EntityTag {
    let text: String

    init(of bytes: [UInt8]) {
        // Half of the digest is sufficient to distinguish contents.
        text = "W/\"\(HashFunction.sha256.hash(bytes.span).prefix(16).hexadecimal)\""
    }

    /// True if the `If-None-Match` field of a request contains the tag (RFC 9110, section 13.1.2).
    func matches(_ field: String?) -> Bool {
        guard let field else { return false }
        let name = text.dropFirst(2)
        return field.listMembers.contains { member in
            member == "*" || (member.hasPrefix("W/") ? member.dropFirst(2) : member) == name
        }
    }
}

extension HTTPResponse {
    /// Adds an entity tag to a response to GET or HEAD, and removes the body if the client has the same
    /// content.
    ///
    /// A response with `no-store` is not changed.
    mutating func validate(_ method: HTTPMethod, ifNoneMatch: String?) {
        guard method == .GET || method == .HEAD, status == .ok, case .complete(let bytes) = body,
            !headers.contains(where: { "\($0.name)" == "cache-control" && $0.value == "no-store" })
        else { return }
        let tag = prepared?.tag ?? EntityTag(of: bytes)
        headers.append(Header("etag", tag.text))
        guard tag.matches(ifNoneMatch) else { return }
        status = .notModified
        contentType = nil
        body = .complete([])
    }
}
