/// What a request is for: a path and a query, both as sent (RFC 9112, section 3.2).
package struct RequestTarget: Sendable, Hashable {
    package let path: Substring
    /// What stands behind the first question mark; nil where there is none.
    package let query: Substring?

    /// Takes a path, or a URL as proxies send it; nil for anything else.
    package init?(_ text: String) {
        guard let origin = RequestTarget.origin(of: text) else { return nil }
        guard let mark = origin.utf8.firstIndex(of: UInt8(ascii: "?")) else {
            path = origin
            query = nil
            return
        }
        path = origin[..<mark]
        query = origin[origin.utf8.index(after: mark)...]
    }

    /// The target from its path on.
    private static func origin(of text: String) -> Substring? {
        if text.utf8.first == UInt8(ascii: "/") { return text[...] }
        guard let scheme = ["http://", "https://"].first(where: { text.hasPrefix($0) }) else { return nil }
        let rest = text.dropFirst(scheme.count)
        guard let slash = rest.firstIndex(of: "/"), slash > rest.startIndex else { return nil }
        return rest[slash...]
    }
}
