import Crypto
import NIOHTTP1

/// The name of what an answer says (RFC 9110, section 8.8.3).
///
/// It is weak: compressed or not, an answer says the same.
struct EntityTag {
    let text: String

    init(of bytes: [UInt8]) {
        var hasher = SHA256()
        hasher.update(data: bytes)
        // Half of it names as surely, for this purpose.
        let digits = hasher.finalize().prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        text = "W/\"\(digits.joined())\""
    }

    /// Whether a client that sends this `If-None-Match` has what the answer says (RFC 9110, section 13.1.2).
    func matches(_ field: String?) -> Bool {
        guard let field else { return false }
        let name = text.dropFirst(2)
        return field.listMembers.contains { member in
            member == "*" || (member.hasPrefix("W/") ? member.dropFirst(2) : member) == name
        }
    }
}

extension HTTPResponse {
    /// Names what an answer to GET says, and leaves it out where the client has it already.
    ///
    /// Not where nothing may be kept.
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
