import Synchronization

/// A cache of parsed and validated documents, with a limit in number and in bytes.
///
/// It removes first those documents that have not been used for about the longest time.
///
/// It has two generations. A document that is used moves to the young generation. When that holds half the
/// capacity, or half of the bytes, it becomes the old generation, and the previous old generation is removed
/// as a whole. So a look-up needs one or two table look-ups, without sorting or linked lists.
final class DocumentCache: Sendable {
    private struct Generations {
        var young: DocumentHashTable
        var youngWeight = 0
        var old: DocumentHashTable
        var oldWeight = 0
    }

    private let halfCapacity: Int
    private let halfBytes: Int
    private let generations: Mutex<Generations>

    /// The memory that the plans of one document may take: a quarter of the size of a generation.
    var planBytes: Int { halfBytes / 4 }

    /// - Parameters:
    ///   - capacity: the most documents that are stored, from 2 to two million.
    ///   - bytes: the most memory that these documents take, by their `weight`.
    init(capacity: Int, bytes: Int = .max) {
        halfBytes = bytes / 2
        halfCapacity = min(max(1, capacity / 2), 1 << 20)
        let empty = DocumentHashTable(capacity: halfCapacity)
        generations = Mutex(Generations(young: empty, old: empty))
    }

    /// The document that has this very text; nil where it is not known.
    ///
    /// Texts are the same where all their bytes are. Strings are equal already where they look the same: `"é"` is one
    /// character or two, and a field that is given the one must not get the answer for the other.
    func document(_ text: String) -> PreparedDocument? {
        let bytes = text.utf8Span.span
        let digest = SeededHash.digest(of: bytes)
        return generations.withLock { generations in
            if let document = generations.young.document(bytes, digest) { return document }
            guard let document = generations.old.document(bytes, digest) else { return nil }
            keep(document, digest, in: &generations)
            return document
        }
    }

    /// Stores a document, or records that it takes more memory than before.
    func keep(_ document: PreparedDocument) {
        let text = document.text
        let digest = SeededHash.digest(of: text.span)
        generations.withLock { keep(document, digest, in: &$0) }
    }

    /// At most so many documents are kept now.
    var count: Int {
        generations.withLock { $0.young.count + $0.old.count }
    }

    /// The memory in bytes that the documents are known to take.
    var weight: Int {
        generations.withLock { $0.youngWeight + $0.oldWeight }
    }

    private func keep(_ document: PreparedDocument, _ digest: UInt64, in generations: inout Generations) {
        // The weight includes room for plans, so that a stored document never outgrows a generation.
        let weight = document.weight
        let known = generations.young.weight(of: document, digest)
        guard known > 0 || weight <= halfBytes - planBytes else { return }
        if known == 0 && generations.young.count == halfCapacity
            || generations.youngWeight > halfBytes - weight + known
        {
            generations.old = generations.young
            generations.oldWeight = generations.youngWeight
            generations.young = DocumentHashTable(capacity: halfCapacity)
            generations.youngWeight = 0
        }
        generations.youngWeight += weight - generations.young.insert(document, digest, weight: weight)
    }
}
