/// Tells whether all fields with the same response key can be merged, in time that grows with the document.
///
/// Instead of comparing fields pair by pair, it merges selection sets as an executor would: all fields of a set,
/// fragments followed, are grouped by response key, and the selection sets of one group become the next set. What
/// makes fields mergeable is an equivalence, so each field of a group is compared with the first alone. A group of
/// one field is merged once wherever it occurs, as is a group of several.
///
/// Where fields of one group lie on different object types, at most one of them is ever in a response. Their
/// selections need to have the same shape only; those on each one object type, together with those on abstract
/// types, need to be the same fields with the same arguments besides.
struct OverlapChecker {
    /// What merging came to.
    enum Outcome {
        case mergeable
        /// One conflict that was found, and the operation or fragment in which.
        case conflict(FieldConflict, SourceSpan)
        /// The merging of this operation or fragment was given up.
        case tooComplex(SourceSpan)
    }

    /// How much the fields of a set must have in common.
    private enum Demand: Int {
        /// The same shape of response.
        case shape
        /// The same field with the same arguments besides.
        case same
    }

    /// Selection sets of the fields of one group that are to be merged.
    private struct Task {
        var fields: [Int32]
        var demand: Demand
    }

    private struct TaskKey: Hashable {
        var fields: [Int32]
        var demand: Demand
    }

    private let document: TypedDocument
    /// The fields collected last, grouped by response key.
    private var groups: FieldGroups
    private var pending: [Task] = []
    /// By demand and by field: whether its selection set alone has been merged.
    private var mergedAlone: [[Bool]]
    private var mergedTogether: Set<TaskKey> = []
    /// By fragment: whether it was part of a set whose fields must be the same.
    private var coveredFragments: [Bool]
    /// How many more fields may be collected.
    ///
    /// Nested groups on several object types can multiply with each level; documents that are written to be
    /// run stay below a few times their size.
    private var budget: Int
    private var conflict: FieldConflict?

    init(_ document: TypedDocument) {
        self.document = document
        groups = FieldGroups(document)
        let unmerged = [Bool](repeating: false, count: document.selections.count)
        mergedAlone = [unmerged, unmerged]
        coveredFragments = Array(repeating: false, count: document.fragments.count)
        budget = 1_000_000 + 50 * document.selections.count
    }

    /// Merges all operations, then the fragments that none of them reaches.
    mutating func run() -> Outcome {
        for operation in document.operations {
            groups.begin()
            groups.follow(operation.definition.selectionSet)
            collect(.same)
            if let outcome = merge(below: operation.definition.span) { return outcome }
        }
        if coveredFragments.allSatisfy(\.self) { return .mergeable }
        // Fragments that nothing spreads come first: they cover most of the others. What is left are cycles.
        let spread = document.spreadFragments
        for onlyRoots in [true, false] {
            for (index, fragment) in document.fragments.enumerated()
            where !coveredFragments[index] && !(onlyRoots && spread[index]) {
                coveredFragments[index] = true
                groups.begin()
                groups.follow(fragment: index)
                collect(.same)
                if let outcome = merge(below: fragment.definition.span) { return outcome }
            }
        }
        return .mergeable
    }

    /// Merges what has been collected and all below it; nil where nothing stands in the way.
    private mutating func merge(below span: SourceSpan) -> Outcome? {
        while conflict == nil, budget > 0, let task = pending.popLast() {
            groups.begin()
            for field in task.fields {
                guard case .field(let node) = document.document.selections[Int(field)],
                    let set = node.selectionSet
                else { continue }
                groups.follow(set)
            }
            collect(task.demand)
        }
        if let conflict { return .conflict(conflict, span) }
        return budget > 0 ? nil : .tooComplex(span)
    }

    private mutating func collect(_ demand: Demand) {
        budget -= groups.collect { fragment in
            if demand == .same { coveredFragments[fragment] = true }
        }
        checkGroups(demand)
    }

    private mutating func checkGroups(_ demand: Demand) {
        for first in groups.firsts {
            let second = groups.next(after: first)
            if second < 0 {
                schedule(alone: first, demand)
            } else {
                check(group: groups.fields(from: first), demand)
            }
            if conflict != nil { return }
        }
    }

    private mutating func schedule(alone index: Int32, _ demand: Demand) {
        guard case .field(let field) = document.document.selections[Int(index)], field.selectionSet != nil,
            // What is the same has the same shape, too.
            !mergedAlone[Demand.same.rawValue][Int(index)], !mergedAlone[demand.rawValue][Int(index)]
        else { return }
        mergedAlone[demand.rawValue][Int(index)] = true
        pending.append(Task(fields: [index], demand: demand))
    }

    private mutating func schedule(_ fields: [Int32], _ demand: Demand) {
        if fields.isEmpty { return }
        if fields.count == 1 { return schedule(alone: fields[0], demand) }
        guard mergedTogether.insert(TaskKey(fields: fields, demand: demand)).inserted else { return }
        pending.append(Task(fields: fields, demand: demand))
    }
}

// MARK: - Groups

extension OverlapChecker {
    private mutating func check(group: [Int32], _ demand: Demand) {
        let parts = FieldsByParentType(group, in: document)
        if demand == .same, findsDifference(in: group, parts) { return }
        if findsShapeConflict(in: group) { return }
        let nested = group.filter { index in
            guard case .field(let field) = document.document.selections[Int(index)] else { return false }
            return field.selectionSet != nil
        }
        switch demand {
        case .shape: schedule(nested, .shape)
        case .same:
            guard parts.objects.count > 1 else { return schedule(nested, .same) }
            schedule(nested, .shape)
            for fields in FieldsByParentType(nested, in: document).overlapping { schedule(fields, .same) }
        }
    }

    private mutating func findsShapeConflict(in group: [Int32]) -> Bool {
        var first: (index: Int32, type: WrappedType)?
        for index in group {
            guard let type = document.returnType(at: Int(index)) else { continue }
            guard let known = first else {
                first = (index, type)
                continue
            }
            if document.shapesConflict(known.type, type) {
                report(
                    known.index, index,
                    "they return conflicting types \(document.quoted(known.type)) and \(document.quoted(type))"
                )
                return true
            }
        }
        return false
    }

    /// Fields on abstract types must be the same as all others, those on one object type the same among themselves.
    private mutating func findsDifference(in group: [Int32], _ parts: FieldsByParentType) -> Bool {
        let isOneSet = parts.objects.count < 2 || !parts.abstract.isEmpty
        for fields in isOneSet ? [group] : parts.objects {
            let reference = parts.abstract.first ?? fields[0]
            for index in fields {
                guard let reason = document.difference(Int(reference), Int(index)) else { continue }
                report(reference, index, reason)
                return true
            }
        }
        return false
    }

    private mutating func report(_ one: Int32, _ other: Int32, _ reason: String) {
        guard case .field(let field) = document.document.selections[Int(one)] else { return }
        conflict = FieldConflict(
            key: field.responseKey, reason: reason, fields: [Int(one)], otherFields: [Int(other)])
    }
}

/// The fields of one group, by the kind of type from which they are selected.
private struct FieldsByParentType {
    /// Those on interfaces, unions and unknown types: any object may have them.
    private(set) var abstract: [Int32] = []
    /// Those on object types, by type.
    private(set) var objects: [[Int32]] = []

    init(_ fields: [Int32], in document: TypedDocument) {
        var positions: [TypeID: Int] = [:]
        var lastType: TypeID?
        for index in fields {
            guard let type = document.selections[Int(index)].parentType, document.kind(of: type) == .object
            else {
                abstract.append(index)
                continue
            }
            if type == lastType || positions[type] != nil {
                objects[positions[type, default: 0]].append(index)
            } else {
                positions[type] = objects.count
                objects.append([index])
            }
            lastType = type
        }
    }

    /// The sets of fields that one object may have together.
    var overlapping: [[Int32]] {
        objects.isEmpty ? [abstract] : objects.map { ($0 + abstract).sorted() }
    }
}

extension TypedDocument {
    /// Why two fields are not the same field with the same arguments; nil where they are.
    func difference(_ one: Int, _ other: Int) -> String? {
        guard case .field(let field) = document.selections[one],
            case .field(let otherField) = document.selections[other]
        else { return nil }
        if field.name.id != otherField.name.id {
            return "\(quoted(field.name)) and \(quoted(otherField.name)) are different fields"
        }
        return document.sameArguments(field.arguments, otherField.arguments)
            ? nil : "they have differing arguments"
    }

    /// By fragment: whether anything spreads it.
    fileprivate var spreadFragments: [Bool] {
        var spread = [Bool](repeating: false, count: fragments.count)
        for index in document.selections.indices {
            guard case .fragmentSpread = document.selections[index] else { continue }
            if let fragment = selections[index].fragment { spread[fragment] = true }
        }
        return spread
    }
}
