/// The bytes of a token or key.
///
/// `print`, `dump` and interpolation do not show them.
package struct Secret: Sendable, Equatable {
    /// The bytes, for the call that sends or encrypts them.
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    package init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// The bytes as UTF-8 text.
    package var text: String { String(decoding: bytes, as: UTF8.self) }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "…" }
    package var debugDescription: String { "…" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
