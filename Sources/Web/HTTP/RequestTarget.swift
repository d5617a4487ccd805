/// What a request is for: a path and a query, both as sent (RFC 9112, section 3.2).
package struct RequestTarget: Sendable, Hashable {
    package let path: Substring
    /// What stands behind the first question mark; nil where there is none.
    package let query: Substring?

    /// Takes a path, or a URL as proxies send it; nil for anything else.
    package init?(_ text: String) {
        guard let origin = RequestTarget.origin(of: text) else { return nil }
        let mark = origin.utf8.firstIndex(of: UInt8(ascii: "?"))
        let path = origin[..<(mark ?? origin.endIndex)]
        // A URL without a path means that of the root (RFC 9110, section 4.2.3).
        self.path = path.isEmpty ? "/" : path
        query = mark.map { origin[origin.utf8.index(after: $0)...] }
    }

    /// The target from its path on; the scheme is in any case (RFC 9110, section 4.2.3).
    private static func origin(of text: String) -> Substring? {
        if text.utf8.first == UInt8(ascii: "/") { return text[...] }
        guard let mark = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let (scheme, rest) = (text[..<mark], text[mark...])
        guard scheme.matches("http") || scheme.matches("https"), rest.hasPrefix("://") else { return nil }
        let authority = rest.dropFirst(3)
        let end = authority.utf8.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
        let host = String(authority[..<(end ?? authority.endIndex)])
        guard HostName.isValid(host.utf8Span.span) else { return nil }
        return authority[(end ?? authority.endIndex)...]
    }
}
