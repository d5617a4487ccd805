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
