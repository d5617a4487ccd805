import GraphQL

/// Generates the root value of an operation: an object with every selected field, by its response key.
///
/// It recurses into selections, whose depth the parser limits. Each value reduces a budget, because
/// fragments that spread one another can expand to more values than memory can store.
struct MockGenerator {
    private let document: Document
    private let schema: Schema
    private let variables: VariableValues
    private let root: MockSeed
    private let responses: InputObject
    private var budget: Int
    private var isMutation = false

    /// True if the operation exceeded the budget; the value is then incomplete.
    var isExhausted: Bool { budget < 0 }

    init(
        _ valid: ValidDocument, variables: VariableValues, seed: MockSeed, responses: InputObject, budget: Int
    ) {
        document = valid.document
        schema = valid.schema
        self.variables = variables
        root = seed
        self.responses = responses
        self.budget = budget
    }

    /// Returns the root value of an operation.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - recorded: The data of a scenario, by response keys; nil if none is given.
    /// - Returns: The root value.
    /// - Throws: The error of an argument.
    mutating func rootValue(
        of operation: OperationDefinition, recorded: InputValue?
    ) throws(GraphQLError) -> InputValue {
        guard let type = schema.rootType(for: operation.type) else { return .null }
        isMutation = operation.type == .mutation
        return try object(
            of: type,
            Selected(sets: [operation.selectionSet], recorded: recorded, given: nil, arguments: .none),
            at: root)
    }

    /// What is known of a value before it is generated.
    private struct Selected {
        let sets: [SelectionSet]
        /// The value in a scenario, or a part of it, by response keys.
        var recorded: InputValue?
        /// The value in the responses file, or a part of it, by field names.
        var given: InputValue?
        var arguments: MockArguments
        /// Of a list: the id that precedes the number of each item, whose parent has the list.
        var itemIDs: String?
        /// Of a list: the field in which another list of the same object has each item.
        var itemField: String?
    }

    /// Returns the value of a field or item.
    private mutating func value(
        of type: GraphQLType, _ selected: Selected, at seed: MockSeed
    ) throws(GraphQLError) -> InputValue {
        budget -= 1
        if isExhausted { return .null }
        if let recorded = selected.recorded, recorded.isNullOrError { return recorded }
        if selected.recorded == nil, let given = selected.given, given.isNullOrError { return given }
        if let item = type.wrapping.item {
            return try list(of: GraphQLType(type.type, item), selected, at: seed)
        }
        switch schema[type.type].kind {
        case .scalar, .enum, .inputObject:
            return selected.recorded ?? selected.given ?? leaf(of: type.type, at: seed)
        case .object, .interface, .union:
            var selected = selected
            if selected.arguments.hasLists { selected.arguments = selected.arguments.item(root.event) }
            return try object(of: type.type, selected, at: seed)
        }
    }

    private mutating func list(
        of type: GraphQLType, _ selected: Selected, at seed: MockSeed
    ) throws(GraphQLError) -> InputValue {
        var items: [InputValue] = []
        let (recorded, given) = (selected.recorded?.items, selected.given?.items)
        let count = recorded?.count ?? given?.count ?? selected.arguments.listLength ?? seed.listLength
        for index in 0..<count {
            var item = selected
            item.recorded = recorded?[index]
            item.given = given.flatMap { $0.indices.contains(index) ? $0[index] : nil }
            item.arguments = selected.arguments.item(index)
            if let prefix = selected.itemIDs { item.arguments.identify(as: "\(prefix)\(index)") }
            let place = selected.itemField.map { seed.item(index).field($0) } ?? seed.item(index)
            items.append(try value(of: type, item, at: place))
            if isExhausted { break }
        }
        return .list(items)
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
        of type: TypeID, _ selected: Selected, at seed: MockSeed
    ) throws(GraphQLError) -> InputValue {
        guard let type = runtimeType(of: type, selected, at: seed) else { return .null }
        let name = schema[type].name
        // The fields of an object with an identity depend on it alone, wherever the object is.
        let identity = MockIdentity(
            of: schema[type], in: schema, selected.arguments, given: selected.recorded ?? selected.given,
            at: seed, root: root)
        let seed = identity.map { root.field($0.id) } ?? seed
        var names = SelectedNames()
        for set in selected.sets { collect(set, on: type, into: &names) }
        var fields: [(name: String, value: InputValue)] = [("__typename", .string(name))]
        for field in names.fields {
            guard let definition = schema[type].field(named: field.name) else { continue }
            let arguments = try schema.coerceArguments(
                definition.arguments, given: field.first.arguments, in: document, at: field.first.span,
                variables: variables)
            let given =
                selected.given.flatMap { $0[field.name] ?? $0.otherForm(of: field.name) }
                ?? responses["\(name).\(field.name)"] ?? identity?.values[field.name]
                ?? selected.arguments.value(of: definition, isLeaf: !schema[definition.type.type].isComposite)
            var child = Selected(
                sets: field.sets,
                recorded: selected.recorded.flatMap { $0[field.key] ?? $0.otherForm(of: field.name) },
                given: given,
                arguments: MockArguments(
                    arguments, inheriting: selected.arguments.pageSize, ofMutation: isMutation))
            var place = seed.field(field.name, arguments)
            if isMutation, definition.type.wrapping.item == nil {
                child.arguments.inherit(
                    selected.arguments, from: schema[type], to: schema[definition.type.type])
            }
            relate(&child, to: identity, by: definition, of: type)
            if field.name == "nodes", hasEdges(schema[type]) {
                place = seed.field("edges", arguments)
                child.itemField = "node"
            }
            fields.append((field.key, try value(of: definition.type, child, at: place)))
        }
        return .object(InputObject(fields))
    }

    /// Gives the items of a list the object as their `parent`, if they have its type.
    private func relate(
        _ child: inout Selected, to identity: MockIdentity?, by field: SchemaField, of type: TypeID
    ) {
        guard let identity, field.type.type == type,
            let parent = schema[type].field(named: "parent"), parent.type.type == type,
            parent.type.wrapping.item == nil
        else { return }
        if field.type.wrapping.item != nil {
            child.itemIDs = "\(identity.id)\(MockIdentity.itemMark)\(field.name)"
        } else if field.name == parent.name, let id = identity.parentID {
            child.arguments.identify(as: id)
        }
    }

    /// Whether a type has the same items in `edges` and in `nodes`.
    private func hasEdges(_ type: NamedType) -> Bool {
        guard let edges = type.field(named: "edges"), edges.type.wrapping.item != nil else { return false }
        return schema[edges.type.type].field(named: "node") != nil
    }

    /// Returns the object type of a value: the given one, that of the requested id, or one of the possible types.
    private func runtimeType(of type: TypeID, _ selected: Selected, at seed: MockSeed) -> TypeID? {
        let possible = schema.possibleTypes(of: type)
        var names: [String] = []
        for value in [selected.recorded, selected.given] {
            if case .string(let name)? = value?["__typename"] { names.append(name) }
        }
        if case .string(let id)? = selected.arguments.values["id"], let name = MockIdentity.typeName(of: id) {
            names.append(name)
        }
        for name in names {
            if let named = schema.typeID(named: name), possible.contains(named) { return named }
        }
        return seed.choice(of: possible)
    }
}

// MARK: - What is selected

extension MockGenerator {
    /// The selected fields of one object, by response key, each with its selection sets.
    private struct SelectedNames {
        struct Entry {
            let key: String
            let name: String
            let first: SelectedField
            var sets: [SelectionSet]
        }

        private(set) var fields: [Entry] = []
        private var positions: [String: Int] = [:]
        var fragments: Set<UInt32> = []

        mutating func add(_ field: SelectedField, key: String, name: String) {
            let sets = field.selectionSet.map { [$0] } ?? []
            if let position = positions[key] {
                fields[position].sets += sets
            } else {
                positions[key] = fields.count
                fields.append(Entry(key: key, name: name, first: field, sets: sets))
            }
        }
    }

    /// Implements CollectFields of the specification (6.3.2).
    ///
    /// Fields that `@skip` or `@include` exclude are generated, too.
    private func collect(_ set: SelectionSet, on type: TypeID, into selected: inout SelectedNames) {
        for index in set.selections.indices {
            switch document.selections[index] {
            case .field(let field):
                selected.add(field, key: document.text(field.responseKey), name: document.text(field.name))
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

    fileprivate var items: [InputValue]? {
        guard case .list(let items) = self else { return nil }
        return items
    }

    fileprivate subscript(_ name: String) -> InputValue? {
        guard case .object(let object) = self else { return nil }
        return object[name]
    }

    /// The items of a connection in the other of its two forms: `nodes` from `edges`, and the other way round.
    fileprivate func otherForm(of field: String) -> InputValue? {
        switch field {
        case "nodes": self["edges"]?.items.map { .list($0.map { $0["node"] ?? $0 }) }
        case "edges": self["nodes"]?.items.map { .list($0.map { $0 == .null ? $0 : .object(["node": $0]) }) }
        default: nil
        }
    }
}
