/// The static token of the one to whom a server's broker keys belong.
struct OwnerToken: Sendable {
    private let bytes: [UInt8]

    /// As short as a token may be, in bytes: shorter ones can be guessed.
    static let minimumLength = 16

    /// - Throws: `UsageError` where the token is too short, or could not stand in a header.
    init(_ text: String) throws {
        guard text.utf8.count >= OwnerToken.minimumLength else {
            throw UsageError(
                "The owner's token has \(text.utf8.count) bytes; it needs at least \(OwnerToken.minimumLength). "
                    + "`head -c 32 /dev/urandom | base64` makes a good one.")
        }
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw UsageError(
                "The owner's token has a character that cannot stand in an Authorization header.")
        }
        bytes = Array(text.utf8)
    }

    /// Whether a request's token is this one, in a time that does not tell how much of it is right.
    func matches(_ token: String) -> Bool {
        let other = Array(token.utf8)
        guard other.count == bytes.count else { return false }
        return zip(bytes, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

extension OwnerToken: CustomStringConvertible {
    var description: String { "OwnerToken(…)" }
}
