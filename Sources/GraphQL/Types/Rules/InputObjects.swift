extension TypeSystemRules {
    /// Checks that an input object type has fields of input types, and that fields of a oneOf type are
    /// optional (specification, 3.10).
    func inputFields(of type: NamedType, _ object: InputObjectType) -> [SchemaValidationError] {
        if object.fields.isEmpty {
            return [
                SchemaValidationError(
                    "Input Object type \(type.name) must define one or more fields.",
                    at: nodes(of: type).map(\.span))
            ]
        }
        var faults: [SchemaValidationError] = []
        for field in object.fields {
            let coordinate = "\(type.name).\(field.name)"
            faults += reservedName(field.name, at: field.node)
            faults += inputType(of: field, coordinate, at: typeSpan(of: field))
            faults += requiredButDeprecated(field, "input field", coordinate)
            faults += defaultValue(of: field, coordinate)
            if object.isOneOf { faults += oneOfField(field, coordinate) }
        }
        return faults
    }

    private func oneOfField(_ field: SchemaInputValue, _ coordinate: String) -> [SchemaValidationError] {
        var faults: [SchemaValidationError] = []
        if field.type.wrapping.isNonNull {
            faults.append(
                SchemaValidationError(
                    "OneOf input field \(coordinate) must be nullable.", at: [typeSpan(of: field)]))
        }
        if field.defaultValue != nil {
            faults.append(
                SchemaValidationError(
                    "OneOf input field \(coordinate) cannot have a default value.", at: [field.node]))
        }
        return faults
    }
}

extension TypeSystemRules {
    /// Checks that every input object type has a value of finite size (specification, section 3.10,
    /// InputObjectHasUnbreakableCycle).
    ///
    /// A type whose values must contain a value of the same type, directly or indirectly, has none. The
    /// algorithm propagates the types with a finite value backwards along required fields; the remaining
    /// types are in cycles.
    func inputObjectCycles() -> [SchemaValidationError] {
        var cycles = InputObjectCycles(rules: self)
        cycles.spreadFiniteValues()
        return cycles.faults()
    }
}

private struct InputObjectCycles {
    private let rules: TypeSystemRules
    private var states: [TypeID: State] = [:]
    /// The types in schema order.
    private var order: [TypeID] = []

    private struct State {
        let isOneOf: Bool
        /// The fields through which a value of the type must (in a oneOf type: may) contain another input
        /// object.
        var targets: [(field: SchemaInputValue, type: TypeID)] = []
        /// The types that have this type as a target, once for each field.
        var dependents: [TypeID] = []
        /// The number of targets that are not yet known to have a finite value.
        var unresolved = 0
        var isFinite = false
    }

    init(rules: TypeSystemRules) {
        self.rules = rules
        for type in rules.schema.types {
            guard case .inputObject(let object) = type.kind else { continue }
            order.append(type.id)
            states[type.id] = State(isOneOf: object.isOneOf)
        }
        for id in order {
            guard case .inputObject(let object) = rules.schema[id].kind else { continue }
            for field in object.fields where isTarget(field, of: object) {
                states[id]?.targets.append((field, field.type.type))
                states[field.type.type]?.dependents.append(id)
            }
            let targets = states[id]?.targets.count ?? 0
            states[id]?.unresolved = targets
            states[id]?.isFinite =
                object.isOneOf ? object.fields.isEmpty || targets < object.fields.count : targets == 0
        }
    }

    /// Returns true if a value of the type contains a value of the field's type.
    ///
    /// This applies to non-null fields and to the selected field of a oneOf type. Lists may be empty.
    private func isTarget(_ field: SchemaInputValue, of object: InputObjectType) -> Bool {
        guard case .inputObject = rules.schema[field.type.type].kind, !field.type.wrapping.isList else {
            return false
        }
        return field.type.wrapping.isNonNull != object.isOneOf
    }

    mutating func spreadFiniteValues() {
        var finite = order.filter { states[$0]?.isFinite == true }
        while let id = finite.popLast() {
            for dependent in states[id]?.dependents ?? [] {
                guard var state = states[dependent], !state.isFinite else { continue }
                state.unresolved -= 1
                state.isFinite = state.isOneOf || state.unresolved == 0
                states[dependent] = state
                if state.isFinite { finite.append(dependent) }
            }
        }
    }

    /// Returns one error for each reference back to a type on the current path.
    func faults() -> [SchemaValidationError] {
        var finder = CycleFinder()
        for id in order where states[id]?.isFinite == false { traverse(id, &finder) }
        return finder.faults
    }

    private struct CycleFinder {
        var visited: Set<TypeID> = []
        /// The fields from the root to the current position.
        var path: [(coordinate: String, node: SourceSpan?)] = []
        /// The path length at each type on the path.
        var depths: [TypeID: Int] = [:]
        var faults: [SchemaValidationError] = []
    }

    /// Traverses depth-first with an explicit stack: a chain of types can be as long as the document.
    private func traverse(_ root: TypeID, _ finder: inout CycleFinder) {
        guard finder.visited.insert(root).inserted else { return }
        var stack: [(type: TypeID, next: Int)] = [(root, 0)]
        finder.depths[root] = finder.path.count
        while let (id, next) = stack.last, finder.faults.count <= rules.limit {
            let targets = states[id]?.targets ?? []
            guard next < targets.count else {
                finder.depths[id] = nil
                stack.removeLast()
                // Removes the field that led to this type; the root has none.
                if !stack.isEmpty { finder.path.removeLast() }
                continue
            }
            stack[stack.count - 1].next += 1
            let (field, target) = targets[next]
            if states[target]?.isFinite != false { continue }
            finder.path.append(("\(rules.schema[id].name).\(field.name)", field.node))
            if let depth = finder.depths[target] {
                finder.faults.append(fault(target, finder.path[depth...]))
                finder.path.removeLast()
            } else if finder.visited.insert(target).inserted {
                finder.depths[target] = finder.path.count
                stack.append((target, 0))
            } else {
                finder.path.removeLast()
            }
        }
    }

    private func fault(_ type: TypeID, _ cycle: ArraySlice<(coordinate: String, node: SourceSpan?)>)
        -> SchemaValidationError
    {
        let fields = cycle.map(\.coordinate).joined(separator: ", ")
        return SchemaValidationError(
            """
            Input Object \(rules.schema[type].name) cannot be provided a finite value because it references itself \
            through fields: \(fields).
            """, at: cycle.map(\.node))
    }
}
