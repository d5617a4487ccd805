/// What two lists of named things have in common, and what only one of them has.
struct NamedListDiff<Item> {
    /// Only the older list has them; in its order.
    private(set) var removed: [Item] = []
    /// Only the newer list has them; in its order.
    private(set) var added: [Item] = []
    /// Both have them, older and newer; in the order of the older.
    private(set) var kept: [(older: Item, newer: Item)] = []

    init(_ older: [Item], _ newer: [Item], by name: (Item) -> String) {
        let olderNames = Set(older.map(name))
        let newerItems = Dictionary(newer.map { (name($0), $0) }, uniquingKeysWith: { first, _ in first })
        for item in older {
            if let counterpart = newerItems[name(item)] {
                kept.append((item, counterpart))
            } else {
                removed.append(item)
            }
        }
        added = newer.filter { !olderNames.contains(name($0)) }
    }
}
