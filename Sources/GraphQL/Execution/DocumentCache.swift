import Synchronization

/// A cache of parsed and validated documents, with limits on number and bytes.
///
/// It removes first those documents that have not been used for about the longest time.
///
/// It has two generations. A document that is used moves to the young generation. When that holds half the
/// capacity or half of the bytes, it becomes the old generation. The previous old generation is then removed
/// as a whole. So a look-up needs one or two table look-ups, without sorting or linked lists.
package final class DocumentCache: Sendable {
    private struct Generations {
        var young: DocumentHashTable
        var youngWeight = 0
        var old: DocumentHashTable
        var oldWeight = 0
    }

    private let halfCapacity: Int
    private let halfBytes: Int
    /// A mutex, because the requests of all threads share the documents.
    private let generations: Mutex<Generations>

    /// The memory limit for the plans of one document: a quarter of the size of a generation.
    var planBytes: Int { halfBytes / 4 }

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - capacity: The maximum number of stored documents, from 2 to two million.
    ///   - bytes: The maximum memory of these documents, by their `weight`.
    package init(capacity: Int, bytes: Int = .max) {
        halfBytes = bytes / 2
        halfCapacity = min(max(1, capacity / 2), 1 << 20)
        let empty = DocumentHashTable(capacity: halfCapacity)
        generations = Mutex(Generations(young: empty, old: empty))
    }

    /// Returns the document with this text; nil if it is not stored.
    ///
    /// Texts are equal if all their bytes are equal. Swift strings can be equal although their bytes differ:
    /// `"é"` is one character or two, and the results for the two differ.
    package func document(_ text: String) -> PreparedDocument? {
        let bytes = text.utf8Span.span
        let digest = SeededHash.digest(of: bytes)
        return generations.withLock { generations in
            if let document = generations.young.document(bytes, digest) { return document }
            guard let document = generations.old.document(bytes, digest) else { return nil }
            store(document, digest, in: &generations)
            return document
        }
    }

    /// Stores a document, or records that it takes more memory than before.
    package func store(_ document: PreparedDocument) {
        generations.withLock { store(document, document.digest, in: &$0) }
    }

    /// The maximum number of documents that are stored now.
    package var count: Int {
        generations.withLock { $0.young.count + $0.old.count }
    }

    /// The recorded memory of the documents in bytes.
    package var weight: Int {
        generations.withLock { $0.youngWeight + $0.oldWeight }
    }

    private func store(_ document: PreparedDocument, _ digest: UInt64, in generations: inout Generations) {
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

/// A hash table of documents by their text, with open addressing, at most half full.
///
/// A dictionary would hash the digest of a text once more, and retain keys to compare them. This takes as
/// long as the rest of finding a document.
package struct DocumentHashTable {
    private struct Slot {
        var digest: UInt64 = 0
        /// The document; nil for a free slot.
        var document: PreparedDocument?
        /// The document's weight when it was inserted.
        var weight = 0
    }

    /// The slots; their number is a power of two.
    private var slots: [Slot]
    package private(set) var count = 0

    /// Creates an empty table.
    ///
    /// - Parameter capacity: The maximum number of documents.
    package init(capacity: Int) {
        var size = 4
        while size < capacity * 2 { size *= 2 }
        slots = Array(repeating: Slot(), count: size)
    }

    /// Returns the document with this text and digest; nil if absent.
    func document(_ text: Span<UInt8>, _ digest: UInt64) -> PreparedDocument? {
        guard let document = slots[slotIndex(for: digest)].document, text.isSame(as: document.text) else {
            return nil
        }
        return document
    }

    /// Returns the weight with which this document was inserted; 0 if it is absent.
    func weight(of document: PreparedDocument, _ digest: UInt64) -> Int {
        let slot = slots[slotIndex(for: digest)]
        return slot.document === document ? slot.weight : 0
    }

    /// Inserts a document, and replaces the one with the same digest.
    ///
    /// - Returns: The weight of the replaced document; 0 if there was none.
    @discardableResult
    package mutating func insert(_ document: PreparedDocument, _ digest: UInt64, weight: Int = 0) -> Int {
        let index = slotIndex(for: digest)
        if slots[index].document == nil { count += 1 }
        let replaced = slots[index].weight
        slots[index] = Slot(digest: digest, document: document, weight: weight)
        return replaced
    }

    /// Returns the slot of the document with this digest, or a free one; there is one, because half of the
    /// slots are free.
    private func slotIndex(for digest: UInt64) -> Int {
        let mask = slots.count - 1
        var index = Int(truncatingIfNeeded: digest) & mask
        while slots[index].document != nil, slots[index].digest != digest { index = (index + 1) & mask }
        return index
    }
}

extension Span<UInt8> {
    /// Returns true if another text has the same bytes.
    package func isSame(as other: [UInt8]) -> Bool { isSame(as: other.span) }

    /// Returns true if another text has the same bytes.
    func isSame(as other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        return unsafe withUnsafeBytes { left in
            unsafe other.withUnsafeBytes { right in
                var offset = 0
                while offset &+ 8 <= left.count {
                    let one = unsafe left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                    let two = unsafe right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                    if one != two { return false }
                    offset &+= 8
                }
                while offset < left.count {
                    let (one, two) = unsafe (left[offset], right[offset])
                    if one != two { return false }
                    offset &+= 1
                }
                return true
            }
        }
    }
}

/// A hash of bytes for tables: eight bytes at a time, each folded in by a wide multiplication.
///
/// The seed is random per process, so that clients cannot prepare texts that collide. In addition, a table
/// with entries from clients has a size limit.
package enum SeededHash {
    package static func digest(of bytes: Span<UInt8>) -> UInt64 {
        unsafe bytes.withUnsafeBytes { bytes in
            let key = key
            var digest = key.seed ^ UInt64(bytes.count)
            var offset = 0
            while offset &+ 8 <= bytes.count {
                let word = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                digest = key.fold(digest ^ word)
                offset &+= 8
            }
            var rest: UInt64 = 0
            while offset < bytes.count {
                let byte = unsafe bytes[offset]
                rest = rest << 8 | UInt64(byte)
                offset &+= 1
            }
            return key.fold(digest ^ rest)
        }
    }

    /// The secret seed of the process.
    private struct Key {
        let seed = UInt64.random(in: .min ... .max)
        /// Odd, so that no two words have the same product.
        let multiplier = UInt64.random(in: .min ... .max) | 1

        @inline(__always)
        func fold(_ word: UInt64) -> UInt64 {
            let product = word.multipliedFullWidth(by: multiplier)
            return product.high ^ product.low
        }
    }

    private static let key = Key()
}
