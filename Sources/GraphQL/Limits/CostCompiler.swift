/// Compiles the cost plan of an operation.
struct CostCompiler {
    private let model: SchemaCosts
    private let typed: TypedDocument
    private let limits: OperationLimits
    /// True if constant costs are summed at compile time.
    ///
    /// To locate the field that exceeds a limit, the plan is compiled without this.
    private let folds: Bool
    private var steps: [CostStep] = []
    private var fragments: [SizedFragment: CostPart] = [:]

    /// A fragment, with the number of the parent field's `sizedFields`.
    private struct SizedFragment: Hashable {
        let fragment: Int
        let sizing: Int
    }

    private init(_ model: SchemaCosts, _ typed: TypedDocument, _ limits: OperationLimits, folds: Bool) {
        self.model = model
        self.typed = typed
        self.limits = limits
        self.folds = folds
    }

    /// Returns the plan of an operation; `order` contains the reachable fragments, each after those that it
    /// spreads.
    static func plan(
        _ operation: OperationDefinition, in typed: TypedDocument, order: FragmentOrder, _ model: SchemaCosts,
        _ limits: OperationLimits, folds: Bool = true
    ) -> CostPlan {
        var compiler = CostCompiler(model, typed, limits, folds: folds)
        for fragment in order.fragments { compiler.add(fragment) }
        let root = compiler.part(operation.selectionSet, sizing: SizedFieldSets.none)
        let type = model.schema.rootType(for: operation.type)
        return CostPlan(
            model: model, document: typed.document, steps: compiler.steps, root: root,
            rootWeight: type.map { model.types[$0.index] } ?? .zero)
    }

    private mutating func add(_ fragment: Int) {
        guard let type = typed.fragments[fragment].type else { return }
        let set = typed.fragments[fragment].definition.selectionSet
        for sizing in model.sizings.all(on: type) {
            fragments[SizedFragment(fragment: fragment, sizing: sizing)] = part(set, sizing: sizing)
        }
    }

    /// Returns the cost of a selection set.
    ///
    /// Recurses into nested sets, whose depth the parser limits.
    private mutating func part(_ set: SelectionSet, sizing: Int) -> CostPart {
        var parts: [CostPart] = []
        var alternatives = FragmentsByType()
        for index in set.selections.indices {
            let part = part(index, sizing: sizing)
            if let type = exclusiveType(of: index) {
                alternatives.add(part, for: type)
            } else {
                parts.append(part)
            }
        }
        guard alternatives.parts.count > 1 else { return sum(parts + alternatives.parts.joined()) }
        parts.append(maximum(alternatives.parts.map { sum($0) }))
        return sum(parts)
    }

    /// Returns the only object type to which a fragment applies, if its parent type allows others, too.
    private func exclusiveType(of index: Int) -> TypeID? {
        if case .field = typed.document.selections[index] { return nil }
        guard let parent = typed.selections[index].parentType, model.schema[parent].isAbstract,
            let type = typed.selections[index].type, case .object = model.schema[type].kind
        else { return nil }
        return type
    }

    private mutating func part(_ index: Int, sizing: Int) -> CostPart {
        switch typed.document.selections[index] {
        case .field(let field):
            return part(field, at: index, sizing: sizing)
        case .inlineFragment(let fragment):
            return part(fragment.selectionSet, sizing: sizing)
        case .fragmentSpread:
            guard let fragment = typed.selections[index].fragment else { return .known(SelectionCost()) }
            // A fragment on a type that the parent field never returns applies to no object.
            return fragments[SizedFragment(fragment: fragment, sizing: sizing)] ?? .known(SelectionCost())
        }
    }

    private mutating func part(_ field: SelectedField, at index: Int, sizing: Int) -> CostPart {
        // Introspection has separate limits, and `__typename` is free.
        guard case .defined(let position) = typed.selections[index].field,
            let parent = typed.selections[index].parentType
        else { return .known(SelectionCost()) }
        let costDefinition = model.fields[parent.index][position]
        let children = field.selectionSet.map { part($0, sizing: costDefinition.sizing) }
        let isSizedByParent = model.sizings.sizes(costDefinition.name, in: sizing)
        if folds, costDefinition.isPlain, field.directives.isEmpty, let below = CostCompiler.known(children) {
            let cost = ResolvedCost(
                plain: costDefinition, assumedListSize: limits.assumedListSize,
                isSizedByParent: isSizedByParent)
            return .known(cost.cost(children: below))
        }
        return part(
            FieldCost(
                field, position, of: parent, in: typed, model, assumedListSize: limits.assumedListSize,
                isSizedByParent: isSizedByParent, children: children))
    }

    /// Returns the cost of a field's selections if it is constant; zero for a leaf.
    private static func known(_ children: CostPart?) -> SelectionCost? {
        switch children {
        case .known(let cost): cost
        case .step: nil
        case nil: SelectionCost()
        }
    }

    private mutating func part(_ field: FieldCost) -> CostPart {
        let cost = known(field)
        if let cost, folds || cost == SelectionCost() { return .known(cost) }
        return step(.field(field))
    }

    /// Returns the cost of a field if it is independent of the variables; nil if it is not, or if it is
    /// invalid.
    private func known(_ field: FieldCost) -> SelectionCost? {
        guard field.isConstant, let below = CostCompiler.known(field.children) else { return nil }
        let literals = LiteralCoercion(document: typed.document, schema: model.schema)
        // The evaluation of the plan reports this error, like those that depend on variables.
        guard let resolved = try? field.resolved(literals, model) else { return nil }
        return resolved.cost(children: below)
    }

    private mutating func sum(_ parts: [CostPart]) -> CostPart {
        var known = SelectionCost()
        var rest: [CostPart] = []
        for part in parts {
            if case .known(let cost) = part { known = known + cost } else { rest.append(part) }
        }
        if rest.isEmpty { return .known(known) }
        if known != SelectionCost() { rest.append(.known(known)) }
        return rest.count == 1 ? rest[0] : step(.sum(rest))
    }

    private mutating func maximum(_ parts: [CostPart]) -> CostPart {
        var known = SelectionCost()
        var rest: [CostPart] = []
        for part in parts {
            if case .known(let cost) = part { known = known.maximum(with: cost) } else { rest.append(part) }
        }
        if rest.isEmpty { return .known(known) }
        if known != SelectionCost() { rest.append(.known(known)) }
        return rest.count == 1 ? rest[0] : step(.maximum(rest))
    }

    private mutating func step(_ step: CostStep) -> CostPart {
        steps.append(step)
        return .step(steps.count - 1)
    }
}

/// Fragments by their object type, in the order in which the types first occur.
private struct FragmentsByType {
    private(set) var parts: [[CostPart]] = []
    private var positions: [TypeID: Int] = [:]

    mutating func add(_ part: CostPart, for type: TypeID) {
        if let position = positions[type] {
            parts[position].append(part)
        } else {
            positions[type] = parts.count
            parts.append([part])
        }
    }
}
