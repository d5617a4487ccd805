/// Where a provider's paths begin.
package struct ProviderBaseURL: Sendable, Hashable {
    package let url: HTTPURL

    /// An address that paths cannot be put behind, because it has a query.
    package struct Invalid: Error, Hashable, CustomStringConvertible {
        package let url: HTTPURL

        package var description: String {
            "\(url) cannot be the base address of a provider: paths are put behind it, so it must end before"
                + " the \"?\"."
        }
    }

    package init(_ url: HTTPURL) throws(Invalid) {
        guard !url.text.contains("?") else { throw Invalid(url: url) }
        self.url = url
    }

    /// Whether a key would go over a network in clear: a reason to warn, or to refuse to start.
    package var exposesCredential: Bool { !url.isSecure && !url.isLoopback }
}
