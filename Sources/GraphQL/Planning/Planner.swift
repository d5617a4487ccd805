/// Creates the plan of one operation.
///
/// The document is valid, so planning cannot fail because of the client.
///
/// The file is longer than 350 lines, because all methods change the state of one traversal.
public struct Planner {
    let document: Document
    let schema: Schema
    /// The values of the variables in directives that control selections.
    let conditions: PlanConditions
    /// The additional fields of an operation's root: `__schema` and `__type`.
    let introspection: Introspection
    /// The guards of the schema.
    private let guards: FieldGuards

    let conditionalDirectives: ConditionalDirectives
    let fragments: [UInt32: FragmentDefinition]
    /// The active uses of `@defer`, by the indices in `DeferScope`.
    var deferUsages: [DeferUsage] = []
    /// The number of active uses of `@stream`.
    var streamCount = 0
    private(set) var operationType = OperationType.query
    /// The deferred fragments around the selection sets that are planned now.
    var deferScope = DeferScope()
    /// True if an operation of this plan may have several payloads.
    var isIncremental: Bool { !deferUsages.isEmpty || streamCount > 0 }
    /// The fields of the response, indexed by their numbers in paths.
    private(set) var keys: [FieldGroup] = []
    private(set) var slotCount = 0
    private(set) var steps: [SetupStep] = []
    /// The objects that the references in the plan point to.
    private(set) var plans: [AnyObject] = []
    let keyBytes = ResponseKeyBytes()
    private var framePlans: [FragmentPlan.Key: FragmentPlan] = [:]

    /// The maximum number of fields in one plan.
    ///
    /// A document within the limits has far fewer. However, the selection sets that apply to a type can
    /// depend on all the types above it. The length of the document therefore does not limit the number.
    static let maximumFields = 100_000

    init(
        document: Document, schema: Schema, introspection: Introspection, guards: FieldGuards,
        conditions: PlanConditions
    ) {
        self.document = document
        self.schema = schema
        self.introspection = introspection
        self.guards = guards
        self.conditions = conditions
        conditionalDirectives = ConditionalDirectives(document)
        var fragments: [UInt32: FragmentDefinition] = [:]
        for case .fragment(let fragment) in document.definitions { fragments[fragment.name.id] = fragment }
        self.fragments = fragments
    }

    /// Reserves a slot for the data that a load stores for the write pass.
    @usableFromInline
    mutating func newSlot() -> Int {
        slotCount += 1
        return slotCount - 1
    }

    /// Reserves a slot for the arguments of a field, filled when an execution begins.
    @usableFromInline
    mutating func newArgumentSlot<Arguments: GraphQLArguments>(
        _ type: Arguments.Type, of selected: FieldSelection
    ) -> Int {
        let slot = newSlot()
        steps.append(
            .arguments(ArgumentStep(slot: slot, type, of: selected, in: document, schema: schema)))
        return slot
    }

    /// Adds an object that the plan owns.
    mutating func retain(_ plan: AnyObject) {
        plans.append(plan)
    }

    /// Plans the selection set of an operation.
    ///
    /// - Throws: In addition to the errors of other selections, that the selected fields cannot be
    ///   determined: then there is nothing to run.
    mutating func planOperation(_ operation: OperationDefinition, on root: AnyObjectType) throws -> ObjectPlan
    {
        operationType = operation.type
        let selection = try plan(root, [operation.selectionSet])
        if let failure = selection.failure { throw failure }
        return selection
    }

    /// Plans a selection on an object type.
    ///
    /// - Parameters:
    ///   - object: The bound fields; the plan is only run for objects of its Swift type.
    ///   - selectionSets: The selection sets of the merged fields.
    /// - Returns: The plan, which the operation's plan owns.
    /// - Throws: `PlanningError`, or that the plan grows too large.
    @usableFromInline
    mutating func plan(_ object: AnyObjectType, _ selectionSets: [SelectionSet]) throws -> ObjectPlan {
        guard let id = schema.typeID(named: object.name) else { throw PlanningError.unknownType(object.name) }
        if let format = conditions.format { return try plan(object, id, selectionSets, format) }
        let groups: [FieldGroup]
        do {
            groups = try collectFields(of: selectionSets, on: id)
        } catch {
            let plan = ObjectPlan(failing: error)
            retain(plan)
            return plan
        }
        guard keys.count + groups.count <= Planner.maximumFields else {
            throw CompletionError.planTooLarge(limit: Planner.maximumFields)
        }
        var steps: [FieldPlan] = []
        steps.reserveCapacity(groups.count)
        for group in groups {
            steps.append(try plan(group, of: object, id, isFirst: steps.isEmpty))
        }
        let plan = ObjectPlan(steps)
        retain(plan)
        return plan
    }

    /// Plans a selection on one of the possible types of an interface or union.
    mutating func framePlan(
        _ object: AnyObjectType, _ selectionSets: [SelectionSet]
    ) throws -> FragmentPlan {
        let key = FragmentPlan.Key(object, selectionSets, deferScope)
        if let known = framePlans[key] { return known }
        let outer = (slotCount, steps)
        (slotCount, steps) = (0, [])
        let selection = try plan(object, selectionSets)
        let plan = FragmentPlan(selection, slotCount: slotCount, steps)
        (slotCount, steps) = outer
        framePlans[key] = plan
        return plan
    }

    mutating func plan(
        _ group: FieldGroup, of object: AnyObjectType, _ type: TypeID, isFirst: Bool
    ) throws -> FieldPlan {
        let key = keys.count
        keys.append(group)
        let name = document.text(group.first.name)
        if name == "__typename" {
            return step(
                key, isFirst: isFirst, constant: object.name, unsafe FieldClosures(emit: { _, _, _ in true }))
        }
        let planned: FieldClosures
        if let meta = introspection.field(named: name, of: type) {
            planned = try meta.field.plan(
                FieldSelection(fieldGroup: group, definition: meta.definition), &self)
        } else {
            guard let field = object.field(named: name), let definition = schema[type].field(named: name)
            else {
                throw PlanningError.unknownField(type: object.name, field: name)
            }
            var selected = FieldSelection(fieldGroup: group, definition: definition)
            if conditions.format != nil { selected.stream = try stream(of: group.first) }
            planned = try plan(field, selected)
        }
        return step(key, isFirst: isFirst, planned)
    }

    /// Plans a field with its guards.
    private mutating func plan(_ field: AnyField, _ selected: FieldSelection) throws -> FieldClosures {
        let checks = guards.checks(of: selected.definition)
        if checks.isEmpty { return try field.plan(selected, &self) }
        let guards = GuardedSlot(slot: newSlot(), checks: checks)
        let before = steps.count
        let planned = try field.plan(selected, &self)
        let own = Array(steps[before...])
        steps.removeSubrange(before...)
        steps.append(.guarded(GuardedSetupSteps(guards: guards, steps: own)))
        return planned.guarded(by: guards, isNonNull: selected.definition.type.wrapping.isNonNull)
    }

    private func step(
        _ key: Int, isFirst: Bool, constant: String? = nil, _ field: FieldClosures
    ) -> FieldPlan {
        let span = keys[key].key.span
        let text = document.source.bytes
        let name = text.span.extracting(Int(span.start)..<Int(span.end))
        let (bytes, length) = unsafe keyBytes.store(name, isFirst: isFirst, constant: constant)
        return unsafe FieldPlan(bytes: bytes, length: length, key: key, field)
    }
}

/// The error that the plan and the bound types do not match.
///
/// It is a programming error and independent of requests.
enum PlanningError: Error {
    case unknownType(String)
    case unknownField(type: String, field: String)
    case noOperation
}

// MARK: - Collecting fields

extension Planner {
    /// Collects the fields of selection sets on an object type, merged by response key in source order
    /// (specification, section 6.3.2, CollectFields).
    ///
    /// - Throws: An error if the value of `@skip` or `@include` is null.
    private func collectFields(
        of selectionSets: [SelectionSet], on type: TypeID
    ) throws(GraphQLError) -> [FieldGroup] {
        var collection = FieldCollection()
        for set in selectionSets { try collect(set, on: type, into: &collection) }
        return collection.groups
    }

    /// Returns the names of the fields that are selected on the objects of a field, including those of deferred
    /// fragments; none if the selected fields cannot be determined, which is an error of the plan.
    @usableFromInline
    func selectedNames(of selected: FieldSelection) -> Set<String> {
        let groups = try? collectFields(of: selected.selectionSets, on: selected.definition.type.type)
        return Set((groups ?? []).map { document.text($0.first.name) })
    }

    private func collect(
        _ set: SelectionSet, on type: TypeID, into collection: inout FieldCollection
    ) throws(GraphQLError) {
        for index in set.selections.indices {
            switch document.selections[index] {
            case .field(let field):
                if try isIncluded(field.directives) { collection.add(field) }
            case .inlineFragment(let fragment):
                guard try isIncluded(fragment.directives), applies(fragment.typeCondition, to: type) else {
                    continue
                }
                try collect(fragment.selectionSet, on: type, into: &collection)
            case .fragmentSpread(let spread):
                guard try isIncluded(spread.directives), let fragment = fragments[spread.name.id],
                    collection.isFirstSpread(of: spread.name.id), applies(fragment.typeCondition, to: type)
                else { continue }
                try collect(fragment.selectionSet, on: type, into: &collection)
            }
        }
    }

    /// Returns true if a fragment with this condition applies to an object type (DoesFragmentTypeApply).
    func applies(_ condition: Name?, to type: TypeID) -> Bool {
        guard let condition else { return true }
        guard let conditionType = schema.typeID(named: document.text(condition)) else { return false }
        return schema.isSubtype(type, of: conditionType)
    }

    /// Evaluates `@skip` and `@include` (specification, sections 3.13.1 and 3.13.2).
    ///
    /// `@skip` is evaluated first; `@include` of a skipped selection is not evaluated.
    func isIncluded(_ directives: NodeRange<Directive>) throws(GraphQLError) -> Bool {
        if directives.isEmpty { return true }
        if try condition(conditionalDirectives.skip, in: directives) == true { return false }
        return try condition(conditionalDirectives.include, in: directives) ?? true
    }

    /// Returns the value of a directive's `if` argument; nil if the directive or the argument is absent.
    func condition(
        _ directive: UInt32?, in directives: NodeRange<Directive>
    ) throws(GraphQLError) -> Bool? {
        guard let directive,
            let index = directives.indices.first(where: { document.directives[$0].name.id == directive }),
            let argument = conditionalDirectives.condition(of: document.directives[index], in: document)
        else { return nil }
        switch argument {
        case .boolean(let value, _): return value
        case .variable(let name, let span):
            if let value = conditions.values[name.id] { return value }
            // `@defer` and `@stream` have a default, which a variable without a value does not replace.
            if conditionalDirectives.hasDefault(directive), !conditions.nulls.contains(name.id) { return nil }
            throw nullCondition(name, span)
        // Validation rejects all other values for a Boolean.
        case .int, .float, .string, .null, .enum, .list, .object: return nil
        }
    }

    /// Returns the error for a null variable whose type is nullable because it has a default (specification,
    /// section 5.8.5).
    private func nullCondition(_ name: Name, _ span: SourceSpan) -> GraphQLError {
        GraphQLError(
            """
            Argument "if" has invalid value: Expected variable "$\(document.text(name))" provided to non-null type \
            "Boolean!" not to be null.
            """, locations: [document.source.location(of: span)],
            extensions: RequestErrorCode.badUserInput.extensions)
    }
}

/// The fields by response key.
///
/// Selection sets are usually short, so keys are searched linearly; long ones have an index.
private struct FieldCollection {
    private(set) var groups: [FieldGroup] = []
    private var collectedFragments: Set<UInt32> = []
    private var positions: [UInt32: Int] = [:]

    mutating func add(_ field: SelectedField) {
        let key = field.responseKey
        if let position = position(of: key.id) {
            groups[position].append(field)
        } else {
            groups.append(FieldGroup(field))
            if groups.count > FieldCollection.maximumLinearSearch { index() }
        }
    }

    mutating func isFirstSpread(of fragment: UInt32) -> Bool {
        collectedFragments.insert(fragment).inserted
    }

    private static let maximumLinearSearch = 16

    private func position(of key: UInt32) -> Int? {
        if groups.count <= FieldCollection.maximumLinearSearch {
            return groups.firstIndex { $0.key.id == key }
        }
        return positions[key]
    }

    /// Updates the index from the first missing group.
    private mutating func index() {
        for position in positions.count..<groups.count { positions[groups[position].key.id] = position }
    }
}

/// The name ids of the directives that control selections in a document; nil if it does not use them.
struct ConditionalDirectives {
    let skip: UInt32?
    let include: UInt32?
    let `defer`: UInt32?
    let stream: UInt32?
    private let argument: UInt32?

    init(_ document: Document) {
        func id(_ name: String) -> UInt32? { document.names.firstIndex(of: name).map(UInt32.init) }
        skip = id("skip")
        include = id("include")
        `defer` = id("defer")
        stream = id("stream")
        argument = id("if")
    }

    /// Returns true if the `if` argument of the directive has a default.
    func hasDefault(_ directive: UInt32) -> Bool { directive == `defer` || directive == stream }

    /// Returns true if the document contains `@defer` or `@stream`.
    func areIncremental(in document: Document) -> Bool {
        guard `defer` != nil || stream != nil else { return false }
        return document.directives.contains { hasDefault($0.name.id) }
    }

    /// Returns the `if` argument of a directive.
    func condition(of directive: Directive, in document: Document) -> Value? {
        directive.arguments.indices.first { document.arguments[$0].name.id == argument }
            .map { document.arguments[$0].value }
    }

    private func isCondition(_ directive: Directive) -> Bool {
        directive.name.id == skip || directive.name.id == include || hasDefault(directive.name.id)
    }

    /// Returns the variables that control selections, in source order.
    func conditionalVariables(in document: Document) -> [Name] {
        var variables: [Name] = []
        for directive in document.directives where isCondition(directive) {
            guard case .variable(let name, _) = condition(of: directive, in: document) else { continue }
            if !variables.contains(where: { $0.id == name.id }) { variables.append(name) }
        }
        return variables
    }
}
