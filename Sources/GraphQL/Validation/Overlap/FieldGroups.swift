/// Collects the fields of selection sets, fragments followed, and groups them by response key.
///
/// The groups are lists linked through columns of the document's size, which serve one collection after another.
struct FieldGroups {
    private let document: TypedDocument
    /// The number of the collection.
    private var collection: Int32 = 0
    /// By `Name.id`: the last collection that had the key, and the last field of the group in it.
    private var collectionOfKey: [Int32]
    private var lastOfKey: [Int32]
    /// By field: the next one with the same key, or -1.
    private var followers: [Int32]
    /// By fragment: the last collection that had it.
    private var collectionOfFragment: [Int32]
    private var pending: [Range<Int>] = []
    /// The first field of each group, in the order in which the keys came up.
    private(set) var firsts: [Int32] = []

    init(_ document: TypedDocument) {
        self.document = document
        collectionOfKey = Array(repeating: 0, count: document.document.names.count)
        lastOfKey = collectionOfKey
        followers = Array(repeating: -1, count: document.selections.count)
        collectionOfFragment = Array(repeating: 0, count: document.fragments.count)
    }

    /// Forgets the groups.
    mutating func begin() {
        collection &+= 1
        firsts.removeAll(keepingCapacity: true)
    }

    /// The next field of the same group; -1 behind the last.
    func next(after field: Int32) -> Int32 { followers[Int(field)] }

    /// All fields of a group.
    func fields(from first: Int32) -> [Int32] {
        var fields: [Int32] = []
        var field = first
        while field >= 0 {
            fields.append(field)
            field = followers[Int(field)]
        }
        return fields
    }

    /// Puts the fields of a selection set down for collection.
    ///
    /// No set may be put down twice.
    mutating func follow(_ set: SelectionSet) {
        pending.append(set.selections.indices)
    }

    /// Puts the fields of a fragment down for collection, unless that is done already.
    mutating func follow(fragment: Int) {
        guard collectionOfFragment[fragment] != collection else { return }
        collectionOfFragment[fragment] = collection
        follow(document.fragments[fragment].definition.selectionSet)
    }

    /// Adds the fields that are put down, and those of the fragments spread there, to the groups.
    ///
    /// Each fragment is followed once, without recursion: chains of fragments may be as long as the document.
    ///
    /// - Parameter visit: Called with each fragment that is spread.
    /// - Returns: How many selections were looked at.
    mutating func collect(_ visit: (Int) -> Void) -> Int {
        var count = 0
        while let range = pending.popLast() {
            count += range.count
            for index in range {
                switch document.document.selections[index] {
                case .field(let field): add(Int32(truncatingIfNeeded: index), key: Int(field.responseKey.id))
                case .inlineFragment(let fragment): follow(fragment.selectionSet)
                case .fragmentSpread:
                    guard let fragment = document.selections[index].fragment else { continue }
                    visit(fragment)
                    follow(fragment: fragment)
                }
            }
        }
        return count
    }

    private mutating func add(_ field: Int32, key: Int) {
        followers[Int(field)] = -1
        if collectionOfKey[key] == collection {
            followers[Int(lastOfKey[key])] = field
        } else {
            collectionOfKey[key] = collection
            firsts.append(field)
        }
        lastOfKey[key] = field
    }
}

/// The fields of selection sets, inline fragments flattened and other fragments left as they are; each set collected
/// once.
struct CollectedFieldSets {
    private let document: TypedDocument
    private var collected: [CollectedFieldSet] = []
    /// By the index of the set's first selection.
    private var indices: [UInt32: Int] = [:]

    init(_ document: TypedDocument) {
        self.document = document
    }

    subscript(index: Int) -> CollectedFieldSet { collected[index] }

    /// Collects the fields of a set, unless that is done already; returns where they are.
    mutating func collect(_ set: SelectionSet) -> Int {
        if let index = indices[set.selections.start] { return index }
        var fields = CollectedFieldSet()
        // What stands in an inline fragment comes in its place: the rest of the set waits.
        var pending = [set.selections.indices]
        while let rest = pending.popLast() {
            guard let index = rest.first else { continue }
            pending.append(rest.dropFirst())
            switch document.document.selections[index] {
            case .field(let field): fields.add(index, key: field.responseKey.id)
            case .fragmentSpread:
                if let fragment = document.selections[index].fragment { fields.add(fragment: fragment) }
            case .inlineFragment(let fragment): pending.append(fragment.selectionSet.selections.indices)
            }
        }
        collected.append(fields)
        indices[set.selections.start] = collected.count - 1
        return collected.count - 1
    }
}

/// The fields of one selection set by response key, and the fragments spread in it.
struct CollectedFieldSet {
    /// In the order in which the keys come up.
    private(set) var groups: [(key: UInt32, fields: [Int])] = []
    /// Each once, in the order of the text.
    private(set) var fragments: [Int] = []
    private var positions: [UInt32: Int] = [:]
    private var knownFragments: Set<Int> = []

    /// The fields with a response key, by their index in `document.selections`.
    func fields(ofKey key: UInt32) -> [Int] {
        positions[key].map { groups[$0].fields } ?? []
    }

    fileprivate mutating func add(_ field: Int, key: UInt32) {
        if let position = positions[key] {
            groups[position].fields.append(field)
        } else {
            positions[key] = groups.count
            groups.append((key, [field]))
        }
    }

    fileprivate mutating func add(fragment: Int) {
        if knownFragments.insert(fragment).inserted { fragments.append(fragment) }
    }
}

extension TypedDocument {
    /// The selection sets of operations, fragments and fields, in the order of the text.
    ///
    /// Those of inline fragments are part of the sets in which they stand.
    var selectionSetsInOrder: [SelectionSet] {
        var sets = operations.map(\.definition.selectionSet) + fragments.map(\.definition.selectionSet)
        forEachField { _, field in
            if let set = field.selectionSet { sets.append(set) }
        }
        return sets.sorted { $0.span.start < $1.span.start }
    }
}
