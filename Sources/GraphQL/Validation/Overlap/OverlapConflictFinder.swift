/// Finds the conflicts between fields that the reference implementation reports, in its order.
///
/// Like the reference implementation, it compares pairwise: the fields of each selection set with each other
/// and with those of each fragment spread there, and the fragments with one another. Each pair of fragments,
/// and each pair of a field set and a fragment, is compared once. The time is quadratic in the size of the
/// document. Therefore this type runs only if `OverlapChecker` has found a conflict, and stops when enough
/// are found.
struct OverlapConflictFinder {
    /// The maximum depth of comparisons, which fragments nest deeper than the text.
    private static let maximumDepth = 300
    /// The maximum number of compared fields and fragments.
    private static let maximumComparisons = 500_000
    /// The maximum length of the reasons within one conflict, in characters.
    private static let maximumReasonLength = 1000
    /// The maximum number of fields that a conflict lists on each side.
    private static let maximumFields = 20

    private let document: TypedDocument
    private var sets: CollectedFieldSets
    private var comparedFragments: [Pair: Bool] = [:]
    private var comparedSetsAndFragments: [Pair: Bool] = [:]
    private var comparisons = 0
    private var depth = 0

    /// Two compared elements, by index; the dictionary value is true if they were compared only as mutually
    /// exclusive.
    private struct Pair: Hashable {
        var one: Int
        var other: Int
    }

    init(_ document: TypedDocument) {
        self.document = document
        sets = CollectedFieldSets(document)
    }

    /// Returns the conflicts of the whole document, at most one more than are reported.
    mutating func run() -> [ValidationFinding] {
        var findings: [ValidationFinding] = []
        for set in document.selectionSetsInOrder {
            for conflict in conflicts(within: set) {
                findings.append(conflict.finding(.entering(set.span), in: document))
                if findings.count > document.options.maximumErrors { return findings }
            }
            if isExhausted { break }
        }
        return findings
    }

    private var isExhausted: Bool { comparisons >= OverlapConflictFinder.maximumComparisons }

    /// Counts a comparison; returns false if there are too many, or if they are nested too deep.
    private mutating func mayCompare() -> Bool {
        comparisons += 1
        return !isExhausted && depth < OverlapConflictFinder.maximumDepth
    }
}

// MARK: - Within one selection set

extension OverlapConflictFinder {
    private mutating func conflicts(within selectionSet: SelectionSet) -> [FieldConflict] {
        var found: [FieldConflict] = []
        let set = sets.collect(selectionSet)
        for group in sets[set].groups where group.fields.count > 1 {
            for (position, field) in group.fields.enumerated() {
                for other in group.fields[(position + 1)...] {
                    if let conflict = conflict(false, field, other) { found.append(conflict) }
                    if isEnough(found) { return found }
                }
            }
        }
        let spreads = sets[set].fragments
        for (position, fragment) in spreads.enumerated() {
            compare(set, withFragment: fragment, false, &found)
            for other in spreads[(position + 1)...] { compareFragments(fragment, other, false, &found) }
        }
        return found
    }

    private func isEnough(_ found: [FieldConflict]) -> Bool {
        isExhausted
            || found.count
                > max(document.options.maximumErrors, OverlapConflictFinder.maximumReasonLength / 10)
    }
}

// MARK: - Between sets and fragments

extension OverlapConflictFinder {
    private mutating func compare(
        _ set: Int, withFragment fragment: Int, _ areExclusive: Bool, _ found: inout [FieldConflict]
    ) {
        guard mayCompare(), !sets[set].groups.isEmpty else { return }
        let pair = Pair(one: set, other: fragment)
        if let onlyAsExclusive = comparedSetsAndFragments[pair], areExclusive || !onlyAsExclusive { return }
        comparedSetsAndFragments[pair] = areExclusive

        let fragmentSet = sets.collect(document.fragments[fragment].definition.selectionSet)
        guard fragmentSet != set else { return }
        compare(set, fragmentSet, areExclusive, &found)
        depth += 1
        defer { depth -= 1 }
        for nested in sets[fragmentSet].fragments { compare(set, withFragment: nested, areExclusive, &found) }
    }

    private mutating func compareFragments(
        _ one: Int, _ other: Int, _ areExclusive: Bool, _ found: inout [FieldConflict]
    ) {
        guard one != other, mayCompare() else { return }
        let pair = Pair(one: min(one, other), other: max(one, other))
        if let onlyAsExclusive = comparedFragments[pair], areExclusive || !onlyAsExclusive { return }
        comparedFragments[pair] = areExclusive

        let set = sets.collect(document.fragments[one].definition.selectionSet)
        let otherSet = sets.collect(document.fragments[other].definition.selectionSet)
        compare(set, otherSet, areExclusive, &found)
        depth += 1
        defer { depth -= 1 }
        for nested in sets[otherSet].fragments { compareFragments(one, nested, areExclusive, &found) }
        for nested in sets[set].fragments { compareFragments(nested, other, areExclusive, &found) }
    }

    private mutating func compare(
        _ one: Int, _ other: Int, _ areExclusive: Bool, _ found: inout [FieldConflict]
    ) {
        for group in sets[one].groups {
            for field in group.fields {
                for otherField in sets[other].fields(ofKey: group.key) {
                    if let conflict = conflict(areExclusive, field, otherField) { found.append(conflict) }
                    if isEnough(found) { return }
                }
            }
        }
    }
}

// MARK: - Between two fields

extension OverlapConflictFinder {
    private mutating func conflict(_ areParentsExclusive: Bool, _ one: Int, _ other: Int) -> FieldConflict? {
        guard mayCompare(), case .field(let field) = document.document.selections[one],
            case .field(let otherField) = document.document.selections[other]
        else { return nil }
        func conflict(_ reason: String) -> FieldConflict {
            FieldConflict(key: field.responseKey, reason: reason, fields: [one], otherFields: [other])
        }
        let areExclusive =
            areParentsExclusive
            || document.areExclusive(
                document.selections[one].parentType, document.selections[other].parentType)
        if !areExclusive, let difference = document.difference(one, other) { return conflict(difference) }
        if let reason = document.streamConflict(one, other) { return conflict(reason) }
        if let type = document.returnType(at: one), let otherType = document.returnType(at: other),
            document.shapesConflict(type, otherType)
        {
            return conflict(
                "they return conflicting types \(document.quoted(type)) and \(document.quoted(otherType))")
        }
        guard let set = field.selectionSet, let otherSet = otherField.selectionSet else { return nil }
        let nested = conflicts(between: set, otherSet, areExclusive)
        return nested.isEmpty ? nil : summary(of: nested, below: one, other)
    }

    private mutating func conflicts(
        between one: SelectionSet, _ other: SelectionSet, _ areExclusive: Bool
    ) -> [FieldConflict] {
        depth += 1
        defer { depth -= 1 }
        var found: [FieldConflict] = []
        let (set, otherSet) = (sets.collect(one), sets.collect(other))
        compare(set, otherSet, areExclusive, &found)
        for fragment in sets[otherSet].fragments {
            compare(set, withFragment: fragment, areExclusive, &found)
        }
        for fragment in sets[set].fragments {
            compare(otherSet, withFragment: fragment, areExclusive, &found)
        }
        for fragment in sets[set].fragments {
            for otherFragment in sets[otherSet].fragments {
                compareFragments(fragment, otherFragment, areExclusive, &found)
            }
        }
        return found
    }

    /// Returns the conflict of two fields whose selections conflict.
    ///
    /// Its size is bounded, because the nested conflicts can be numerous.
    private func summary(of nested: [FieldConflict], below one: Int, _ other: Int) -> FieldConflict? {
        guard case .field(let field) = document.document.selections[one] else { return nil }
        var reason = ""
        for conflict in nested {
            reason += reason.isEmpty ? "" : " and "
            reason += "subfields \(document.quoted(conflict.key)) conflict because \(conflict.reason)"
            if reason.utf16.count > OverlapConflictFinder.maximumReasonLength { break }
        }
        if reason.count > OverlapConflictFinder.maximumReasonLength {
            reason = reason.prefix(OverlapConflictFinder.maximumReasonLength) + "..."
        }
        func fields(_ first: Int, _ lists: [[Int]]) -> [Int] {
            var fields = [first]
            for list in lists where fields.count < OverlapConflictFinder.maximumFields {
                fields += list.suffix(OverlapConflictFinder.maximumFields - fields.count)
            }
            return fields
        }
        return FieldConflict(
            key: field.responseKey, reason: reason, fields: fields(one, nested.map(\.fields)),
            otherFields: fields(other, nested.map(\.otherFields)))
    }
}

extension Document {
    /// Returns true if two fields have the same arguments in any order (specification, 5.3.2).
    ///
    /// Values are compared as written, except for the order of input fields.
    func sameArguments(_ one: NodeRange<Argument>, _ other: NodeRange<Argument>) -> Bool {
        guard one.count == other.count else { return false }
        if one.isEmpty { return true }
        var isInOrder = true
        for (index, otherIndex) in zip(one.indices, other.indices) {
            if arguments[index].name.id != arguments[otherIndex].name.id {
                isInOrder = false
                break
            }
            if !sameValue(arguments[index].value, arguments[otherIndex].value) { return false }
        }
        return isInOrder || sameInAnyOrder(one, other)
    }

    private func sameInAnyOrder(_ one: NodeRange<Argument>, _ other: NodeRange<Argument>) -> Bool {
        let values = Dictionary(
            arguments[other.indices].map { ($0.name.id, $0.value) }, uniquingKeysWith: { _, last in last })
        return arguments[one.indices].allSatisfy { argument in
            values[argument.name.id].map { sameValue(argument.value, $0) } ?? false
        }
    }

    /// Recurses into nested values; the parser limits their depth.
    private func sameValue(_ one: Value, _ other: Value) -> Bool {
        switch (one, other) {
        case (.variable(let name, _), .variable(let otherName, _)): name.id == otherName.id
        case (.enum(let name), .enum(let otherName)): name.id == otherName.id
        case (.int(let span), .int(let otherSpan)), (.float(let span), .float(let otherSpan)):
            sameText(span, otherSpan)
        case (.string(let string), .string(let otherString)):
            string.isBlock == otherString.isBlock
                && (sameText(string.span, otherString.span)
                    || self.string(string).hasSameBytes(as: self.string(otherString)))
        case (.boolean(let value, _), .boolean(let otherValue, _)): value == otherValue
        case (.null, .null): true
        case (.list(let items, _), .list(let otherItems, _)):
            items.count == otherItems.count
                && zip(items.indices, otherItems.indices).allSatisfy { sameValue(values[$0], values[$1]) }
        case (.object(let fields, _), .object(let otherFields, _)): sameFields(fields, otherFields)
        case (.variable, _), (.enum, _), (.int, _), (.float, _), (.string, _), (.boolean, _), (.null, _),
            (.list, _),
            (.object, _):
            false
        }
    }

    private func sameFields(_ one: NodeRange<ObjectField>, _ other: NodeRange<ObjectField>) -> Bool {
        guard one.count == other.count else { return false }
        // Any deterministic order aligns equal fields.
        func sorted(_ run: NodeRange<ObjectField>) -> [Int] {
            run.indices.sorted { (objectFields[$0].name.id, $0) < (objectFields[$1].name.id, $1) }
        }
        return zip(sorted(one), sorted(other)).allSatisfy { index, otherIndex in
            objectFields[index].name.id == objectFields[otherIndex].name.id
                && sameValue(objectFields[index].value, objectFields[otherIndex].value)
        }
    }

    private func sameText(_ one: SourceSpan, _ other: SourceSpan) -> Bool {
        let bytes = source.bytes
        guard one.end <= bytes.count, other.end <= bytes.count else { return false }
        return bytes[Int(one.start)..<Int(one.end)].elementsEqual(bytes[Int(other.start)..<Int(other.end)])
    }
}

extension TypedDocument {
    /// Returns the type of a selected field; nil if unknown.
    ///
    /// `__typename` and the other introspection fields have no type here, as in the reference
    /// implementation: on different object types, `__typename` may share its response key with a field of
    /// another type.
    func returnType(at index: Int) -> GraphQLType? {
        guard case .defined(let position) = selections[index].field, let parent = selections[index].parentType
        else {
            return nil
        }
        switch schema.types[parent.index].kind {
        case .object(let composite), .interface(let composite): return composite.fields[position].type
        case .scalar, .union, .enum, .inputObject: return nil
        }
    }

    /// Returns true if values of two types have different response shapes: different wrappings, or different
    /// scalars or enums (specification, SameResponseShape).
    func shapesConflict(_ one: GraphQLType, _ other: GraphQLType) -> Bool {
        if one == other { return false }
        if one.wrapping != other.wrapping { return true }
        if one.type == other.type { return false }
        return kind(of: one.type).isLeaf || kind(of: other.type).isLeaf
    }

    /// Returns true if no object can have both types, so that a response contains at most one of two fields
    /// on them.
    func areExclusive(_ one: TypeID?, _ other: TypeID?) -> Bool {
        guard let one, let other, one != other else { return false }
        return kind(of: one) == .object && kind(of: other) == .object
    }
}
