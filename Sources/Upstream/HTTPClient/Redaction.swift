/// The parts of a call that may be logged or returned.
package enum Redaction {
    /// Headers are shown only if they are known to be harmless.
    package static func header(_ name: String, _ value: String) -> String {
        harmlessHeaders.contains(name.lowercased()) ? value : placeholder
    }

    /// An address with `…` in place of each secret value in its query.
    package static func address(_ text: String) -> String {
        guard let question = text.firstIndex(of: "?") else { return text }
        let items = text[text.index(after: question)...].split(
            separator: "&", omittingEmptySubsequences: false)
        return text[...question] + items.map(queryItem).joined(separator: "&")
    }

    /// Whether the value of a query item is a secret: its name contains "key", "token", "crumb" or the like.
    package static func isSecret(queryItem name: String) -> Bool {
        let name = name.lowercased()
        return name == "code" || name == "state" || secretKeywords.contains { name.contains($0) }
    }

    private static func queryItem(_ item: Substring) -> String {
        guard let equals = item.firstIndex(of: "="), isSecret(queryItem: String(item[..<equals])) else {
            return String(item)
        }
        return item[...equals] + placeholder
    }

    package static let placeholder = "…"

    private static let harmlessHeaders: Set<String> = [
        "accept", "accept-encoding", "accept-language", "cache-control", "content-length", "content-type",
        "date",
        "retry-after", "user-agent",
    ]
    /// Percent-encoded names (`%61pikey`) need no check, because Portico builds the URLs.
    private static let secretKeywords = [
        "key", "token", "crumb", "secret", "password", "auth", "signature", "credential", "session",
    ]
}
