package import Upstream

/// Where browsers may be sent back to with a user's consent.
///
/// An address that anybody could name would hand the code of whoever is lured to it to whoever named it (RFC 9700,
/// section 4.1): so they are listed, and compared to the letter.
package struct RedirectPolicy: Sendable {
    private let addresses: Set<HTTPURL>
    private let allowsLoopback: Bool
    private let remedy: String

    /// - Parameters:
    ///   - addresses: Those that the settings name.
    ///   - allowsLoopback: Whether any address of this machine will do: for the sandbox.
    ///   - wayOut: What to do about a refusal, for messages.
    package init(_ addresses: Set<HTTPURL>, allowsLoopback: Bool, remedy: String) {
        self.addresses = addresses
        self.allowsLoopback = allowsLoopback
        self.remedy = remedy
    }

    /// The address that an argument names.
    ///
    /// - Throws: `FieldError` for one that browsers are not sent back to.
    func address(_ text: String, argument: String) throws(FieldError) -> HTTPURL {
        guard let url = HTTPURL(text), text.utf8.count <= Self.maximumLength else {
            throw .argument(
                argument,
                "It is no http or https address without a fragment, of \(Self.maximumLength) bytes at most.")
        }
        guard addresses.contains(url) || (allowsLoopback && url.isLoopback) else {
            throw .argument(argument, "It is none that this server sends browsers back to. \(remedy)")
        }
        return url
    }

    private static let maximumLength = 2_000
}
