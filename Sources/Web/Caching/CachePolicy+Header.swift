import GraphQL

extension CachePolicy {
    /// The value of `Cache-Control` (RFC 9111, section 5.2.2).
    var headerValue: String {
        maxAge > 0 ? "\(isPrivate ? "private" : "public"), max-age=\(maxAge)" : "no-store"
    }
}
