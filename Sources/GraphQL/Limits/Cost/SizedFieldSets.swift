/// The different `sizedFields` of a schema, and the types on whose fields each may bear.
///
/// What a selection set costs depends on which of its fields get their length from the field around it, and so does
/// what a fragment costs. There are one or two such sets of names for a type as a rule (`edges` and `nodes` of a
/// connection), so a fragment is priced once for each that may hold for its type.
struct SizedFieldSets: Sendable {
    /// No field gets its length from the field around it.
    static let none = 0

    /// By number, from 1: the names of the fields.
    private var names: [Set<String>] = []
    /// By `TypeID.index`: the numbers that may hold for its fields.
    private var numbers: [[Int]]

    init(typeCount: Int) {
        numbers = Array(repeating: [SizedFieldSets.none], count: typeCount)
    }

    /// Whether the length of a field's list is told by the field around its selection set.
    func sizes(_ field: String, in sizing: Int) -> Bool {
        sizing != SizedFieldSets.none && names[sizing - 1].contains(field)
    }

    /// What may hold for the fields of a type.
    func all(on type: TypeID) -> [Int] { numbers[type.index] }

    /// The number for these names on the fields of a type; it may hold for every type that has values in common.
    mutating func id(of sized: Set<String>, below type: TypeID, _ schema: Schema) -> Int {
        if sized.isEmpty { return SizedFieldSets.none }
        let number: Int
        if let known = names.firstIndex(of: sized) {
            number = known + 1
        } else {
            names.append(sized)
            number = names.count
        }
        for other in schema.types where other.isComposite && !numbers[other.id.index].contains(number) {
            if schema.overlap(type, other.id) { numbers[other.id.index].append(number) }
        }
        return number
    }
}
