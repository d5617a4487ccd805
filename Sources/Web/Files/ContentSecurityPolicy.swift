/// The content security policy of Portico's pages: it prevents foreign scripts, requests to other servers,
/// and embedding.
package enum ContentSecurityPolicy {
    /// Everything comes from this server (Content Security Policy Level 3).
    ///
    /// No script or style in line, no other host, no frame around it. Images may be data, which GraphiQL's style sheet
    /// has.
    static let contentSecurity = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'",
        "img-src 'self' data:", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
    ].joined(separator: "; ")

    /// The header fields of a file, or of a page.
    package static func headers(isPage: Bool) -> [HTTPResponse.Header] {
        let all = [
            HTTPResponse.Header("x-content-type-options", "nosniff"),
            HTTPResponse.Header("referrer-policy", "no-referrer"),
            HTTPResponse.Header("cross-origin-resource-policy", "same-origin"),
        ]
        guard isPage else { return all }
        return all + [
            HTTPResponse.Header("content-security-policy", contentSecurity),
            HTTPResponse.Header("cross-origin-opener-policy", "same-origin"),
        ]
    }
}
