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
    private var work = 0
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

    /// How many selections have been looked at since this was asked last.
    mutating func takeWork() -> Int {
        defer { work = 0 }
        return work
    }

    /// Adds the fields of a selection set to the groups. Each fragment is followed once in a collection, without
    /// recursion: chains of fragments may be as long as the document.
    ///
    /// - Returns: The fragments that were followed.
    mutating func collect(_ run: Run<Selection>) -> [Int] {
        var fragments: [Int] = []
        pending.append(run.indices)
        while let range = pending.popLast() {
            work += range.count
            for index in range {
                switch document.document.selections[index] {
                case .field(let field): add(Int32(truncatingIfNeeded: index), key: Int(field.responseKey.id))
                case .inlineFragment(let fragment): pending.append(fragment.selectionSet.selections.indices)
                case .fragmentSpread:
                    guard let fragment = document.selections[index].fragment,
                        collectionOfFragment[fragment] != collection
                    else { continue }
                    collectionOfFragment[fragment] = collection
                    fragments.append(fragment)
                    pending.append(document.fragments[fragment].definition.selectionSet.selections.indices)
                }
            }
        }
        return fragments
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
