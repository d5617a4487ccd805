import Synchronization

/// How long the responses of an operation have been, so that the next one's buffer need not grow.
final class SizeHint: Sendable {
    private let longest = Atomic<Int>(0)

    /// Beyond the longest response: what is last in it may ask for more room than it fills.
    private static let margin = 64

    /// As much as the longest response so far has needed, within reason: one that was huge once makes not all of them huge.
    var expected: Int { min(longest.load(ordering: .relaxed) + SizeHint.margin, 256 * 1024) }

    func learn(_ count: Int) {
        if count > longest.load(ordering: .relaxed) { longest.store(count, ordering: .relaxed) }
    }
}
