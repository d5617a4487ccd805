/// A provider's API key.
///
/// `print`, `dump` and interpolation do not show it.
package struct APIKey: Sendable, Hashable {
    /// As it is sent: for the request that carries it, and nothing else.
    package let text: String

    /// A key that cannot be sent: it would break out of its header or address, or is not there.
    package struct Malformed: Error, Hashable, Sendable, CustomStringConvertible {
        package var description: String {
            "The key is empty, too long, or has characters other than visible ASCII;"
                + " copy it again without quotes and line breaks."
        }
    }

    package init(_ text: String) throws(Malformed) {
        guard (1...Self.maximumLength).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw Malformed() }
        self.text = text
    }

    private static let maximumLength = 1_024
}

extension APIKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "API key \(Redaction.placeholder)" }

    package var debugDescription: String { description }

    package var customMirror: Mirror { Mirror(self, children: ["key": Redaction.placeholder]) }
}
