import Synchronization

/// Plans an operation on JSON values: creates an `ObjectType` for each selected object type for the engine's
/// planner.
///
/// A plan is for one execution, whose variables and data are known. Therefore arguments are coerced during
/// planning, and only types that occur in the data are planned. The same selection on the same type is
/// planned once, even through several fragments: a short document with fragments that spread one another
/// cannot produce a huge plan.
final class DynamicPlanner: Sendable {
    private let schema: Schema
    private let variables: VariableValues
    /// The type names in the objects of the data.
    private let typeNames: Set<String>
    /// A mutex, because fields, which are Sendable, keep the planner, although one thread plans at a time.
    private let plannedTypes = Mutex(PlannedTypes())

    /// The types planned so far.
    ///
    /// The objects refer to their planning; `discardPlannedTypes` breaks this reference cycle.
    private struct PlannedTypes {
        var objects: [TypeID: ObjectType<DynamicValue>] = [:]
        var plans: [SelectionOnType: ObjectPlanReference<DynamicValue>] = [:]
    }

    /// A selection on a type, identified by the positions of the selection sets in the document.
    private struct SelectionOnType: Hashable {
        let type: TypeID
        let starts: [UInt32]
        let scope: DeferScope
    }

    private let usesResponseKeys: Bool

    init(schema: Schema, variables: VariableValues, typeNames: Set<String>, usesResponseKeys: Bool) {
        self.schema = schema
        self.variables = variables
        self.typeNames = typeNames
        self.usesResponseKeys = usesResponseKeys
    }

    /// Plans an operation of a valid document.
    func plan(
        _ operation: OperationDefinition, of document: Document, from root: DynamicValue,
        _ settings: OperationPlan.Settings, _ conditions: PlanConditions
    ) throws -> OperationPlan {
        // Validation rejects operations without a root type in the schema.
        guard let type = schema.rootType(for: operation.type) else { throw PlanningError.noOperation }
        var planner = Planner(
            document: document, schema: schema, introspection: Introspection(schema: schema),
            guards: .none, conditions: conditions)
        let plan = try planner.planOperation(operation, on: object(of: type).bound)
        return OperationPlan(operation, plan, from: RootValue(root), settings, planner)
    }

    /// Releases the planned types, which the finished plan no longer needs.
    func discardPlannedTypes() {
        plannedTypes.withLock { $0 = PlannedTypes() }
    }

    private func plan(
        _ type: TypeID, _ selectionSets: [SelectionSet], with planner: inout Planner
    ) throws -> ObjectPlanReference<DynamicValue> {
        let selection = SelectionOnType(
            type: type, starts: selectionSets.map(\.selections.start), scope: planner.deferScope)
        if let known = plannedTypes.withLock({ $0.plans[selection] }) { return known }
        let plan = ObjectPlanReference<DynamicValue>(
            try planner.plan(object(of: type).bound, selectionSets))
        plannedTypes.withLock { $0.plans[selection] = plan }
        return plan
    }

    private func object(of id: TypeID) -> ObjectType<DynamicValue> {
        if let known = plannedTypes.withLock({ $0.objects[id] }) { return known }
        let type = schema[id]
        let object = ObjectType<DynamicValue>(type.name) {
            type.fields.map { definition in
                Field(definition.name, bind: { _, _, _ in }) { [self] selected, planner in
                    try field(selected, of: type.name, with: &planner).planned
                }
            }
        }
        plannedTypes.withLock { $0.objects[id] = object }
        return object
    }

    private func field(
        _ selected: FieldSelection, of parent: String, with planner: inout Planner
    ) throws -> DynamicField {
        let definition = selected.definition
        let first = selected.fieldGroup.first
        let arguments = Result { () throws(GraphQLError) in
            try schema.coerceArguments(
                definition.arguments, given: first.arguments, in: planner.document, at: first.span,
                variables: variables)
        }
        let type = definition.type.type
        var completion = ValueCompletion(
            coordinate: "\(parent).\(definition.name)",
            kind: try kind(of: type, selected.selectionSets, with: &planner))
        if let stream = selected.stream {
            let kind = try planner.planningTail { planner throws -> ValueCompletion.Kind in
                try self.kind(of: type, selected.selectionSets, with: &planner)
            }
            completion.tail = ValueCompletion.Tail(
                label: stream.label, initialCount: Result { try stream.initialCount(variables) }, kind: kind)
        }
        return DynamicField(
            name: usesResponseKeys ? planner.document.text(first.responseKey) : definition.name,
            type: definition.type.wrapping, arguments: arguments,
            completion: completion)
    }

    private func kind(
        of id: TypeID, _ selectionSets: [SelectionSet], with planner: inout Planner
    ) throws -> ValueCompletion.Kind {
        let type = schema[id]
        do {
            switch type.kind {
            case .scalar(let scalar): return .scalar(scalar.builtIn)
            case .enum(let values): return .enum(type.name, values)
            case .object: return .object(try plan(id, selectionSets, with: &planner))
            case .interface, .union:
                var plans: [String: ObjectPlanReference<DynamicValue>] = [:]
                for possible in schema.possibleTypes(of: id) where typeNames.contains(schema[possible].name) {
                    plans[schema[possible].name] = try plan(possible, selectionSets, with: &planner)
                }
                return .abstract(RuntimeTypes(schema: schema, name: type.name, plans: plans))
            // No field of a valid schema has an input type.
            case .inputObject: throw PlanningError.unknownType(type.name)
            }
        } catch let error as CompletionError {
            return .failing(error)
        }
    }
}
