/// The links of providers, which clients show to users: of articles, images and companies.
package enum WebLink {
    /// The longest link in bytes.
    private static let maximumLength = 4_096

    /// Returns a link that a page can show.
    ///
    /// A link with another scheme, such as `javascript:`, could run code in the page of a client. Browsers remove spaces and
    /// control characters before they read the scheme, so that a text with them is no link.
    ///
    /// - Parameter text: The text of a provider.
    /// - Returns: The text; nil unless it is an address of `http` or `https` with a host.
    package static func checked(_ text: String?) -> String? {
        guard let text, text.utf8.count <= maximumLength,
            text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F })
        else { return nil }
        let scheme = text.prefix { $0 != ":" }
        guard ["http", "https"].contains(scheme.lowercased()) else { return nil }
        let rest = text[scheme.endIndex...]
        guard rest.hasPrefix("://"), let first = rest.dropFirst(3).first, !"/\\?#:@".contains(first) else {
            return nil
        }
        return text
    }
}
