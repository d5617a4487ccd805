import Synchronization

/// The documents that were sent last, parsed and validated: bounded, and it forgets what has not been used for
/// longest, about.
///
/// Documents live in two generations. What is used moves to the young one; when that holds half the capacity it
/// becomes the old one, and the old one is forgotten whole. So a look-up costs one or two of a table, and nothing is
/// ever sorted or linked.
final class DocumentCache: Sendable {
    private struct Generations {
        var young: DocumentTable
        var old: DocumentTable
    }

    private let halfCapacity: Int
    private let generations: Mutex<Generations>

    /// - Parameter capacity: the most documents that are ever kept, from 2 to two million.
    init(capacity: Int) {
        halfCapacity = min(max(1, capacity / 2), 1 << 20)
        let empty = DocumentTable(capacity: halfCapacity)
        generations = Mutex(Generations(young: empty, old: empty))
    }

    /// The document that has this very text; nil where it is not known.
    ///
    /// Texts are the same where all their bytes are. Strings are equal already where they look the same: `"é"` is one
    /// character or two, and a field that is given the one must not get the answer for the other.
    func document(_ text: String) -> PreparedDocument? {
        let bytes = text.utf8Span.span
        let digest = SeededDigest.digest(of: bytes)
        return generations.withLock { generations in
            if let document = generations.young.document(bytes, digest) { return document }
            guard let document = generations.old.document(bytes, digest) else { return nil }
            keep(document, digest, in: &generations)
            return document
        }
    }

    /// Keeps a document for the next who sends its text.
    func keep(_ document: PreparedDocument) {
        let text = document.text
        let digest = SeededDigest.digest(of: text.span)
        generations.withLock { keep(document, digest, in: &$0) }
    }

    /// At most so many documents are kept now.
    var count: Int {
        generations.withLock { $0.young.count + $0.old.count }
    }

    private func keep(_ document: PreparedDocument, _ digest: UInt64, in generations: inout Generations) {
        if generations.young.count == halfCapacity {
            generations.old = generations.young
            generations.young = DocumentTable(capacity: halfCapacity)
        }
        generations.young.insert(document, digest)
    }
}
