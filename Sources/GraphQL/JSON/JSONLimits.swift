/// How much JSON is read before it is refused.
public struct JSONLimits: Hashable, Sendable {
    /// How many arrays and objects may stand inside one another; the reader recurses once for each.
    public var depth: Int
    /// How many bytes a text may have.
    public var bytes: Int
    /// The most values of a text, including arrays and objects.
    ///
    /// A value can take forty times as much memory as its text, for example `[]`.
    public var values: Int

    /// 64 levels, 1 MiB, 20,000 values.
    public static let `default` = JSONLimits()

    /// - Parameters:
    ///   - depth: levels of arrays and objects, at least 0.
    ///   - bytes: length of the text, at least 0.
    ///   - values: the most values; at least 0.
    public init(depth: Int = 64, bytes: Int = 1 << 20, values: Int = 20_000) {
        self.depth = depth
        self.bytes = bytes
        self.values = values
    }
}
