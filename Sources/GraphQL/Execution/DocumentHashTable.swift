/// Documents by their text: a table with open addresses, at most half full.
///
/// A dictionary would hash the digest of a text once more, and count references to compare keys: together as much as
/// all else that finding a document takes.
struct DocumentHashTable {
    private struct Slot {
        var digest: UInt64 = 0
        /// Nil where the place is free.
        var document: PreparedDocument?
        /// The document's weight when it was inserted.
        var weight = 0
    }

    /// A power of two many.
    private var places: [Slot]
    private(set) var count = 0

    /// - Parameter capacity: how many documents there will be at most.
    init(capacity: Int) {
        var size = 4
        while size < capacity * 2 { size *= 2 }
        places = Array(repeating: Slot(), count: size)
    }

    /// The document with this text, whose digest is given as well.
    func document(_ text: Span<UInt8>, _ digest: UInt64) -> PreparedDocument? {
        guard let document = places[place(of: digest)].document, text.isSame(as: document.text) else {
            return nil
        }
        return document
    }

    /// The weight with which this document was inserted; 0 if it is not here.
    func weight(of document: PreparedDocument, _ digest: UInt64) -> Int {
        let place = places[place(of: digest)]
        return place.document === document ? place.weight : 0
    }

    /// Inserts a document, and replaces the one with the same digest.
    ///
    /// - Returns: the weight of the replaced document; 0 if there was none.
    @discardableResult
    mutating func insert(_ document: PreparedDocument, _ digest: UInt64, weight: Int = 0) -> Int {
        let place = place(of: digest)
        if places[place].document == nil { count += 1 }
        let replaced = places[place].weight
        places[place] = Slot(digest: digest, document: document, weight: weight)
        return replaced
    }

    /// Where the document with this digest is, or would be: since half of the places are free, there is one.
    private func place(of digest: UInt64) -> Int {
        let mask = places.count - 1
        var place = Int(truncatingIfNeeded: digest) & mask
        while places[place].document != nil, places[place].digest != digest { place = (place + 1) & mask }
        return place
    }
}

extension Span<UInt8> {
    /// Whether another text has the same bytes.
    func isSame(as other: [UInt8]) -> Bool { isSame(as: other.span) }

    /// Whether another text has the same bytes.
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
