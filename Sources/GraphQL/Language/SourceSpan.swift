/// A run of UTF-8 bytes in a source text: where a node stands.
///
/// Positions stay byte offsets until an error is shown; `SourceText` turns them into line and column then.
@frozen
public struct SourceSpan: Hashable, Sendable {
    /// Offset of the first byte.
    public var start: UInt32
    /// Offset behind the last byte.
    public var end: UInt32

    /// A span from its first byte to the one behind its last.
    @inlinable
    public init(start: UInt32, end: UInt32) {
        self.start = start
        self.end = end
    }
}
