/// Collects the fields of selection sets and their fragments, grouped by response key.
///
/// The groups are linked lists in columns of the document's size, which all collections reuse.
struct FieldGroups {
    private let document: TypedDocument
    private var collection: Int32 = 0
    /// The last collection that contained the key, with the last field of its group, by `Name.id`.
    private var collectionOfKey: [Int32]
    private var lastOfKey: [Int32]
    /// The next field with the same key, or -1, by field.
    private var followers: [Int32]
    /// The last collection that contained the fragment, by fragment.
    private var collectionOfFragment: [Int32]
    private var pending: [Range<Int>] = []
    /// The first field of each group, in order of first occurrence.
    private(set) var firsts: [Int32] = []

    init(_ document: TypedDocument) {
        self.document = document
        collectionOfKey = Array(repeating: 0, count: document.document.names.count)
        lastOfKey = collectionOfKey
        followers = Array(repeating: -1, count: document.selections.count)
        collectionOfFragment = Array(repeating: 0, count: document.fragments.count)
    }

    /// Removes the groups.
    mutating func begin() {
        collection &+= 1
        firsts.removeAll(keepingCapacity: true)
    }

    /// Returns the next field of the same group; -1 after the last.
    func next(after field: Int32) -> Int32 { followers[Int(field)] }

    /// Returns all fields of a group.
    func fields(from first: Int32) -> [Int32] {
        var fields: [Int32] = []
        var field = first
        while field >= 0 {
            fields.append(field)
            field = followers[Int(field)]
        }
        return fields
    }

    /// Schedules the fields of a selection set for collection.
    ///
    /// A set must not be scheduled twice.
    mutating func follow(_ set: SelectionSet) {
        pending.append(set.selections.indices)
    }

    /// Schedules the fields of a fragment for collection, unless they are already scheduled.
    mutating func follow(fragment: Int) {
        guard collectionOfFragment[fragment] != collection else { return }
        collectionOfFragment[fragment] = collection
        follow(document.fragments[fragment].definition.selectionSet)
    }

    /// Adds the scheduled fields, and those of the fragments spread there, to the groups.
    ///
    /// Each fragment is followed once, without recursion: a chain of fragments can be as long as the
    /// document.
    ///
    /// - Parameter body: Called with each fragment that is spread.
    /// - Returns: The number of examined selections.
    mutating func collect(_ body: (Int) -> Void) -> Int {
        var count = 0
        while let range = pending.popLast() {
            count += range.count
            for index in range {
                switch document.document.selections[index] {
                case .field(let field): add(Int32(truncatingIfNeeded: index), key: Int(field.responseKey.id))
                case .inlineFragment(let fragment): follow(fragment.selectionSet)
                case .fragmentSpread:
                    guard let fragment = document.selections[index].fragment else { continue }
                    body(fragment)
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

/// The fields of selection sets, with flattened inline fragments and unresolved fragment spreads; each set
/// is collected once.
struct CollectedFieldSets {
    private let document: TypedDocument
    private var collected: [CollectedFieldSet] = []
    /// The positions of the sets, by the index of the set's first selection.
    private var indices: [UInt32: Int] = [:]

    init(_ document: TypedDocument) {
        self.document = document
    }

    subscript(index: Int) -> CollectedFieldSet { collected[index] }

    /// Collects the fields of a set unless it is already collected; returns the position of the result.
    mutating func collect(_ set: SelectionSet) -> Int {
        if let index = indices[set.selections.start] { return index }
        var fields = CollectedFieldSet()
        // The selections of an inline fragment replace the fragment; the rest of the set follows.
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

/// The fields of one selection set by response key, with the fragments spread in it.
struct CollectedFieldSet {
    /// The groups in order of first occurrence.
    private(set) var groups: [(key: UInt32, fields: [Int])] = []
    /// The fragments in source order, without duplicates.
    private(set) var fragments: [Int] = []
    private var positions: [UInt32: Int] = [:]
    private var knownFragments: Set<Int> = []

    /// Returns the fields with a response key, as indices of `document.selections`.
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
    /// The selection sets of operations, fragments and fields, in source order.
    ///
    /// Those of inline fragments are part of the enclosing sets.
    var selectionSetsInOrder: [SelectionSet] {
        var sets = operations.map(\.definition.selectionSet) + fragments.map(\.definition.selectionSet)
        forEachField { _, field in
            if let set = field.selectionSet { sets.append(set) }
        }
        return sets.sorted { $0.span.start < $1.span.start }
    }
}
