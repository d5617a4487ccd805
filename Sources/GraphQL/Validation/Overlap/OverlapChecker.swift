/// Checks whether all fields with the same response key can be merged, in time proportional to the document.
///
/// Instead of comparing fields pairwise, it merges selection sets like an executor. All fields of a set and
/// its fragments are grouped by response key, and the selection sets of one group become the next set.
/// Mergeability is an equivalence relation, so each field of a group is compared only with the first. Each
/// group is merged once, even if it occurs several times.
///
/// If the fields of a group are on different object types, at most one of them is in a response. Their
/// selections then only need the same shape. Those on each single object type, together with those on
/// abstract types, must also be the same fields with the same arguments.
struct OverlapChecker {
    /// The result of merging.
    enum Outcome {
        case mergeable
        /// The first conflict, with the operation or fragment that contains it.
        case conflict(FieldConflict, SourceSpan)
        /// Merging of this operation or fragment exceeded the budget.
        case tooComplex(SourceSpan)
    }

    /// The requirement for the fields of a set.
    private enum Requirement: Int {
        /// The same response shape.
        case shape
        /// The same response shape, the same field and the same arguments.
        case same
    }

    /// The selection sets of the fields of one group, to be merged.
    private struct Task {
        var fields: [Int32]
        var requirement: Requirement
    }

    private struct TaskKey: Hashable {
        var fields: [Int32]
        var requirement: Requirement
    }

    private let document: TypedDocument
    /// The most recently collected fields, grouped by response key.
    private var groups: FieldGroups
    private var pending: [Task] = []
    /// True if the selection set of the field was merged on its own, by requirement and by field.
    private var mergedAlone: [[Bool]]
    private var mergedTogether: Set<TaskKey> = []
    /// True if the fragment was part of a set whose fields must be the same, by fragment.
    private var coveredFragments: [Bool]
    /// The number of fields that may still be collected.
    ///
    /// Nested groups on several object types can multiply at each level. Practical documents stay below a
    /// few times their size.
    private var budget: Int
    private var conflict: FieldConflict?
    private let hasDirectives: Bool

    init(_ document: TypedDocument) {
        self.document = document
        hasDirectives = !document.document.directives.isEmpty
        groups = FieldGroups(document)
        let unmerged = [Bool](repeating: false, count: document.selections.count)
        mergedAlone = [unmerged, unmerged]
        coveredFragments = Array(repeating: false, count: document.fragments.count)
        budget = 1_000_000 + 50 * document.selections.count
    }

    /// Merges all operations, then the fragments that no operation reaches.
    mutating func run() -> Outcome {
        for operation in document.operations {
            groups.begin()
            groups.follow(operation.definition.selectionSet)
            collect(.same)
            if let outcome = merge(below: operation.definition.span) { return outcome }
        }
        if coveredFragments.allSatisfy(\.self) { return .mergeable }
        // Fragments that are never spread come first, because they reach most of the others. The remaining
        // ones are in cycles.
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

    /// Merges the collected fields and their selections; nil if there is no conflict.
    private mutating func merge(below span: SourceSpan) -> Outcome? {
        while conflict == nil, budget > 0, let task = pending.popLast() {
            groups.begin()
            for field in task.fields {
                guard case .field(let node) = document.document.selections[Int(field)],
                    let set = node.selectionSet
                else { continue }
                groups.follow(set)
            }
            collect(task.requirement)
        }
        if let conflict { return .conflict(conflict, span) }
        return budget > 0 ? nil : .tooComplex(span)
    }

    private mutating func collect(_ requirement: Requirement) {
        budget -= groups.collect { fragment in
            if requirement == .same { coveredFragments[fragment] = true }
        }
        checkGroups(requirement)
    }

    private mutating func checkGroups(_ requirement: Requirement) {
        for first in groups.firsts {
            let second = groups.next(after: first)
            if second < 0 {
                schedule(alone: first, requirement)
            } else {
                check(group: groups.fields(from: first), requirement)
            }
            if conflict != nil { return }
        }
    }

    private mutating func schedule(alone index: Int32, _ requirement: Requirement) {
        guard case .field(let field) = document.document.selections[Int(index)], field.selectionSet != nil,
            // The same field has the same shape, too.
            !mergedAlone[Requirement.same.rawValue][Int(index)],
            !mergedAlone[requirement.rawValue][Int(index)]
        else { return }
        mergedAlone[requirement.rawValue][Int(index)] = true
        pending.append(Task(fields: [index], requirement: requirement))
    }

    private mutating func schedule(_ fields: [Int32], _ requirement: Requirement) {
        if fields.isEmpty { return }
        if fields.count == 1 { return schedule(alone: fields[0], requirement) }
        guard mergedTogether.insert(TaskKey(fields: fields, requirement: requirement)).inserted else {
            return
        }
        pending.append(Task(fields: fields, requirement: requirement))
    }
}

// MARK: - Groups

extension OverlapChecker {
    private mutating func check(group: [Int32], _ requirement: Requirement) {
        let parts = FieldsByParentType(group, in: document)
        if requirement == .same, findsDifference(in: group, parts) { return }
        if hasDirectives, findsStreamConflict(in: group) { return }
        if findsShapeConflict(in: group) { return }
        let nested = group.filter { index in
            guard case .field(let field) = document.document.selections[Int(index)] else { return false }
            return field.selectionSet != nil
        }
        switch requirement {
        case .shape: schedule(nested, .shape)
        case .same:
            guard parts.objects.count > 1 else { return schedule(nested, .same) }
            schedule(nested, .shape)
            for fields in FieldsByParentType(nested, in: document).overlapping { schedule(fields, .same) }
        }
    }

    private mutating func findsStreamConflict(in group: [Int32]) -> Bool {
        // A field does not conflict with itself.
        for index in group where index != group[0] {
            guard let reason = document.streamConflict(Int(group[0]), Int(index)) else { continue }
            report(group[0], index, reason)
            return true
        }
        return false
    }

    private mutating func findsShapeConflict(in group: [Int32]) -> Bool {
        var first: (index: Int32, type: GraphQLType)?
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

    /// Fields on abstract types must be the same as all others; those on one object type must be the same as
    /// each other.
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

/// The fields of one group, by the kind of their parent type.
private struct FieldsByParentType {
    /// Fields on interfaces, unions and unknown types, which apply to any object.
    private(set) var abstract: [Int32] = []
    /// Fields on object types, by type.
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

    /// The sets of fields that can apply to one object together.
    var overlapping: [[Int32]] {
        objects.isEmpty ? [abstract] : objects.map { ($0 + abstract).sorted() }
    }
}

extension TypedDocument {
    /// Returns the difference between two fields in name or arguments; nil if they are the same.
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

    /// True if the fragment is spread anywhere, by fragment.
    fileprivate var spreadFragments: [Bool] {
        var spread = [Bool](repeating: false, count: fragments.count)
        for index in document.selections.indices {
            guard case .fragmentSpread = document.selections[index] else { continue }
            if let fragment = selections[index].fragment { spread[fragment] = true }
        }
        return spread
    }
}
