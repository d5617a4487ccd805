/// Bytes that are not to be seen: tokens, keys.
///
/// However it is printed, it shows nothing.
package struct Secret: Sendable, Equatable {
    /// The bytes themselves, for the one call that needs them.
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    package init(_ text: String) {
        bytes = Array(text.utf8)
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "…" }
    package var debugDescription: String { "…" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
