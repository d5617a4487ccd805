/// The names that have come by in one place, to find those that come twice.
struct DuplicateNameFinder {
    private var first: [UInt32: Name] = [:]

    /// The name's first occurrence; nil where this is the first.
    mutating func firstOccurrence(of name: Name) -> Name? {
        if let earlier = first[name.id] { return earlier }
        first[name.id] = name
        return nil
    }

    /// Names that stand more than once among `names`: each with all its occurrences.
    static func repeated(_ names: [Name]) -> [[Name]] {
        if names.count < 2 { return [] }
        var groups: [UInt32: [Name]] = [:]
        for name in names { groups[name.id, default: []].append(name) }
        if groups.count == names.count { return [] }
        return groups.values.filter { $0.count > 1 }.sorted { $0[0].span.start < $1[0].span.start }
    }
}
