import GraphQL

/// Generates the root value of an operation: an object with every selected field.
///
/// It recurses into selections, whose depth the parser limits. Each value reduces a budget, because
/// fragments that spread one another can expand to more values than memory can store.
struct MockGenerator {
    private let document: Document
    private let schema: Schema
    private let seed: UInt64
    private let responses: InputObject
    private var budget: Int

    /// True if the operation exceeded the budget; the value is then incomplete.
    var isExhausted: Bool { budget < 0 }

    init(_ valid: ValidDocument, seed: UInt64, responses: InputObject, budget: Int) {
        document = valid.document
        schema = valid.schema
        self.seed = seed
        self.responses = responses
        self.budget = budget
    }

    /// Returns the root value of an operation.
    mutating func root(of operation: OperationDefinition) -> InputValue {
        guard let type = schema.rootType(for: operation.type) else { return .null }
        return object(of: type, [operation.selectionSet], nil, at: MockSeed(seed: seed))
    }

    /// Returns the value of a field or item; `given` is its value in the responses file, if any.
    private mutating func value(
        of type: GraphQLType, _ sets: [SelectionSet], _ given: InputValue?, at seed: MockSeed
    ) -> InputValue {
        budget -= 1
        if isExhausted { return .null }
        if let given, given.isNullOrError { return given }
        if let item = type.wrapping.item {
            let itemType = GraphQLType(type.type, item)
            if case .list(let items)? = given {
                return .list(
                    items.enumerated().map { index, item in
                        value(of: itemType, sets, item, at: seed.item(index))
                    })
            }
            return .list(
                (0..<seed.listLength).map { index in
                    value(of: itemType, sets, nil, at: seed.item(index))
                })
        }
        switch schema[type.type].kind {
        case .scalar, .enum, .inputObject: return given ?? leaf(of: type.type, at: seed)
        case .object, .interface, .union: return object(of: type.type, sets, given, at: seed)
        }
    }

    private func leaf(of type: TypeID, at seed: MockSeed) -> InputValue {
        switch schema[type].kind {
        case .enum(let definition):
            let current = definition.values.filter { $0.deprecationReason == nil }
            return seed.choice(of: current.isEmpty ? definition.values : current).map { .string($0.name) }
                ?? .null
        case .scalar(let scalar): return MockScalar(seed).value(of: schema[type].name, scalar)
        case .object, .interface, .union, .inputObject: return .null
        }
    }

    private mutating func object(
        of type: TypeID, _ sets: [SelectionSet], _ given: InputValue?, at seed: MockSeed
    ) -> InputValue {
        guard let type = runtimeType(of: type, given, at: seed) else { return .null }
        var selected = SelectedNames()
        for set in sets { collect(set, on: type, into: &selected) }
        var fields: [(name: String, value: InputValue)] = [("__typename", .string(schema[type].name))]
        for (name, sets) in selected.fields {
            guard let field = schema[type].field(named: name) else { continue }
            let given = given?[name] ?? responses["\(schema[type].name).\(name)"]
            fields.append((name, value(of: field.type, sets, given, at: seed.field(name))))
        }
        return .object(InputObject(fields))
    }

    /// Returns the object type of a value: the given one, otherwise one of the possible types.
    private func runtimeType(of type: TypeID, _ given: InputValue?, at seed: MockSeed) -> TypeID? {
        let possible = schema.possibleTypes(of: type)
        if case .string(let name)? = given?["__typename"], let named = schema.typeID(named: name),
            possible.contains(named)
        {
            return named
        }
        return seed.choice(of: possible)
    }
}

// MARK: - What is selected

extension MockGenerator {
    /// The selected fields of one object, by name, each with its selection sets.
    private struct SelectedNames {
        private(set) var fields: [(name: String, sets: [SelectionSet])] = []
        private var positions: [String: Int] = [:]
        var fragments: Set<UInt32> = []

        mutating func add(_ name: String, _ set: SelectionSet?) {
            let sets = set.map { [$0] } ?? []
            if let position = positions[name] {
                fields[position].sets += sets
            } else {
                positions[name] = fields.count
                fields.append((name, sets))
            }
        }
    }

    /// Implements CollectFields of the specification (6.3.2) by name: aliases share one value.
    ///
    /// Fields that `@skip` or `@include` exclude are generated, too.
    private func collect(_ set: SelectionSet, on type: TypeID, into selected: inout SelectedNames) {
        for index in set.selections.indices {
            switch document.selections[index] {
            case .field(let field): selected.add(document.text(field.name), field.selectionSet)
            case .inlineFragment(let fragment):
                if applies(fragment.typeCondition, to: type) {
                    collect(fragment.selectionSet, on: type, into: &selected)
                }
            case .fragmentSpread(let spread):
                guard selected.fragments.insert(spread.name.id).inserted,
                    let fragment = fragment(named: spread.name), applies(fragment.typeCondition, to: type)
                else { continue }
                collect(fragment.selectionSet, on: type, into: &selected)
            }
        }
    }

    private func applies(_ condition: Name?, to type: TypeID) -> Bool {
        guard let condition else { return true }
        guard let supertype = schema.typeID(named: document.text(condition)) else { return false }
        return schema.isSubtype(type, of: supertype)
    }

    private func fragment(named name: Name) -> FragmentDefinition? {
        for case .fragment(let fragment) in document.definitions where fragment.name.id == name.id {
            return fragment
        }
        return nil
    }
}

extension InputValue {
    /// True if nothing is to be added: a null, or an intended error.
    fileprivate var isNullOrError: Bool { self == .null || self["__error"] != nil }

    fileprivate subscript(_ name: String) -> InputValue? {
        guard case .object(let object) = self else { return nil }
        return object[name]
    }
}
