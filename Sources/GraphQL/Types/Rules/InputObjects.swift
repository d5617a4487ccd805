extension TypeSystemRules {
    /// An input object type has fields of input types; those of a oneOf type are all optional (specification, 3.10).
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
            let place = "\(type.name).\(field.name)"
            faults += reservedName(field.name, at: field.node)
            faults += inputType(of: field, place, at: typeSpan(of: field))
            faults += requiredButDeprecated(field, "input field", place)
            faults += defaultValue(of: field, place)
            if object.isOneOf { faults += oneOfField(field, place) }
        }
        return faults
    }

    private func oneOfField(_ field: SchemaInputValue, _ place: String) -> [SchemaValidationError] {
        var faults: [SchemaValidationError] = []
        if field.type.wrapping.isNonNull {
            faults.append(
                SchemaValidationError(
                    "OneOf input field \(place) must be nullable.", at: [typeSpan(of: field)]))
        }
        if field.defaultValue != nil {
            faults.append(
                SchemaValidationError(
                    "OneOf input field \(place) cannot have a default value.", at: [field.node]))
        }
        return faults
    }
}

extension TypeSystemRules {
    /// Every input object type has a value of finite size (specification, section 3.10,
    /// InputObjectHasUnbreakableCycle).
    ///
    /// A type that must hold a value of itself, however far inside, has none. Types known to have one are spread
    /// backwards along the fields that ask for them; what is left runs in circles.
    func inputObjectCycles() -> [SchemaValidationError] {
        var cycles = InputObjectCycles(rules: self)
        cycles.spreadFiniteValues()
        return cycles.faults()
    }
}

private struct InputObjectCycles {
    private let rules: TypeSystemRules
    private var states: [TypeID: State] = [:]
    /// The types in the order of the schema.
    private var order: [TypeID] = []

    private struct State {
        let isOneOf: Bool
        /// The fields through which a value of the type must, or in a oneOf type may, hold another input object.
        var targets: [(field: SchemaInputValue, type: TypeID)] = []
        /// The types that have this one among their targets, once for each field.
        var dependents: [TypeID] = []
        /// How many targets are not yet known to have a finite value.
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

    /// Whether a value of the type holds a value of the field's type.
    ///
    /// It does where the field is non-null, or the one that is chosen. Lists may be empty.
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

    /// One fault for each way back to a type that is still being walked through.
    func faults() -> [SchemaValidationError] {
        var walk = CycleFinder()
        for id in order where states[id]?.isFinite == false { visit(id, &walk) }
        return walk.faults
    }

    private struct CycleFinder {
        var visited: Set<TypeID> = []
        /// The fields that led to where the walk is.
        var path: [(place: String, node: SourceSpan?)] = []
        /// How long the path was at each type on it.
        var depths: [TypeID: Int] = [:]
        var faults: [SchemaValidationError] = []
    }

    /// Walks in depth with a stack of its own: chains of types may be as long as a document.
    private func visit(_ root: TypeID, _ walk: inout CycleFinder) {
        guard walk.visited.insert(root).inserted else { return }
        var stack: [(type: TypeID, next: Int)] = [(root, 0)]
        walk.depths[root] = walk.path.count
        while let (id, next) = stack.last, walk.faults.count <= rules.limit {
            let targets = states[id]?.targets ?? []
            guard next < targets.count else {
                walk.depths[id] = nil
                stack.removeLast()
                // The field that led here is done with; the root has none.
                if !stack.isEmpty { walk.path.removeLast() }
                continue
            }
            stack[stack.count - 1].next += 1
            let (field, target) = targets[next]
            if states[target]?.isFinite != false { continue }
            walk.path.append(("\(rules.schema[id].name).\(field.name)", field.node))
            if let depth = walk.depths[target] {
                walk.faults.append(fault(target, walk.path[depth...]))
                walk.path.removeLast()
            } else if walk.visited.insert(target).inserted {
                walk.depths[target] = walk.path.count
                stack.append((target, 0))
            } else {
                walk.path.removeLast()
            }
        }
    }

    private func fault(_ type: TypeID, _ cycle: ArraySlice<(place: String, node: SourceSpan?)>)
        -> SchemaValidationError
    {
        let fields = cycle.map(\.place).joined(separator: ", ")
        return SchemaValidationError(
            """
            Input Object \(rules.schema[type].name) cannot be provided a finite value because it references itself \
            through fields: \(fields).
            """, at: cycle.map(\.node))
    }
}
