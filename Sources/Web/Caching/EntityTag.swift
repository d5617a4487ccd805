import Crypto

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
