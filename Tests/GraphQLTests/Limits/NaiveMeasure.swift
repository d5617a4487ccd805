import GraphQL

/// An operation with its fragments expanded, field by field: a simple reference implementation of the
/// counts, whose time is proportional to the size of the expansion.
struct NaiveMeasure {
    struct Field {
        let place: SourceLocation
        let depth: Int
        let isAliased: Bool
    }

    /// All fields, in the order of the text with fragments expanded.
    private(set) var fields: [Field] = []
    /// The fields of each selection set, and the start of the set.
    private(set) var sets: [(start: UInt32, fields: [SourceLocation])] = []

    private let document: Document
    private var fragments: [String: FragmentDefinition] = [:]

    init(_ operation: OperationDefinition, in document: Document) {
        self.document = document
        for case .fragment(let fragment) in document.definitions {
            fragments[document.text(fragment.name)] = fragment
        }
        write(operation.selectionSet, depth: 1)
    }

    var root: [SourceLocation] { sets[0].fields }

    private mutating func write(_ set: SelectionSet, depth: Int) {
        let own = sets.count
        sets.append((set.span.start, []))
        write(set, depth: depth, into: own)
    }

    private mutating func write(_ set: SelectionSet, depth: Int, into own: Int) {
        for index in set.selections.indices {
            switch document.selections[index] {
            case .field(let field):
                let place = document.source.location(of: field.span)
                fields.append(Field(place: place, depth: depth, isAliased: field.alias != nil))
                sets[own].fields.append(place)
                if let inner = field.selectionSet { write(inner, depth: depth + 1) }
            case .inlineFragment(let fragment):
                write(fragment.selectionSet, depth: depth, into: own)
            case .fragmentSpread(let spread):
                if let fragment = fragments[document.text(spread.name)] {
                    write(fragment.selectionSet, depth: depth, into: own)
                }
            }
        }
    }
}

/// The cost of an operation with its fragments expanded, calculated directly from the schema's directives;
/// for schemas with integer weights and documents without input objects.
struct NaiveCost {
    let schema: Schema
    let document: Document
    let variables: [String: Int]
    let assumedListSize: Int

    struct Sum: Equatable {
        var field = 0
        var type = 0
    }

    /// The lists whose size is given by the parent field.
    struct Sized {
        var names: [String] = []
        var length = 0
    }

    func cost(of operation: OperationDefinition) -> Sum? {
        guard let root = schema.rootType(for: operation.type) else { return nil }
        var sum = cost(operation.selectionSet, on: schema[root], Sized())
        sum.type += weight(of: schema[root])
        return sum
    }

    private func cost(_ set: SelectionSet, on type: NamedType, _ sized: Sized) -> Sum {
        var sum = Sum()
        var alternatives: [String: Sum] = [:]
        for index in set.selections.indices {
            let (cost, condition) = cost(document.selections[index], on: type, sized)
            if type.isAbstract, let condition, case .object = condition.kind {
                alternatives[condition.name, default: Sum()].field += cost.field
                alternatives[condition.name, default: Sum()].type += cost.type
            } else {
                sum.field += cost.field
                sum.type += cost.type
            }
        }
        sum.field += alternatives.values.map(\.field).max() ?? 0
        sum.type += alternatives.values.map(\.type).max() ?? 0
        return sum
    }

    private func cost(_ selection: Selection, on type: NamedType, _ sized: Sized) -> (Sum, NamedType?) {
        switch selection {
        case .field(let field):
            return (cost(field, on: type, sized), nil)
        case .inlineFragment(let fragment):
            let condition = fragment.typeCondition.flatMap { schema.type(named: document.text($0)) }
            return (cost(fragment.selectionSet, on: condition ?? type, sized), condition)
        case .fragmentSpread(let spread):
            for case .fragment(let fragment) in document.definitions
            where document.text(fragment.name) == document.text(spread.name) {
                guard let condition = schema.type(named: document.text(fragment.typeCondition)) else { break }
                return (cost(fragment.selectionSet, on: condition, sized), condition)
            }
            return (Sum(), nil)
        }
    }

    private func cost(_ field: SelectedField, on type: NamedType, _ sized: Sized) -> Sum {
        let name = document.text(field.name)
        guard let definition = type.field(named: name) else { return Sum() }
        let result = schema[definition.type.type]
        var items = 1
        if definition.type.wrapping.isList {
            items = sized.names.contains(name) ? sized.length : length(name, on: type, of: field)
            for _ in 1..<definition.type.wrapping.lists { items *= assumedListSize }
        }
        let directive = definition.appliedDirectives.first(named: "listSize")
        let below = Sized(
            names: strings(directive?.arguments["sizedFields"]),
            length: length(name, on: type, of: field, sizes: true))
        let children = field.selectionSet.map { cost($0, on: result, below) } ?? Sum()
        return Sum(
            field: weight(of: name, on: type) + items * children.field,
            type: items * (weight(of: result) + children.type))
    }

    /// The length from `@listSize`, for the field itself or for the lists below it.
    private func length(_ name: String, on type: NamedType, of field: SelectedField, sizes: Bool = false)
        -> Int
    {
        if type.isAbstract {
            return schema.possibleTypes(of: type.id).map { length(name, on: schema[$0], of: field) }.max()
                ?? 0
        }
        guard let definition = type.field(named: name),
            let directive = definition.appliedDirectives.first(named: "listSize"),
            strings(directive.arguments["sizedFields"]).isEmpty != sizes
        else { return assumedListSize }
        let lengths = strings(directive.arguments["slicingArguments"]).compactMap {
            given($0, definition, field)
        }
        if let most = lengths.max() { return max(0, most) }
        if case .int(let assumed) = directive.arguments["assumedSize"] { return assumed }
        return assumedListSize
    }

    private func given(_ name: String, _ definition: SchemaField, _ field: SelectedField) -> Int? {
        var byDefault: Int?
        if case .int(let value) = definition.argument(named: name)?.defaultValue?.value { byDefault = value }
        for index in field.arguments.indices where document.text(document.arguments[index].name) == name {
            switch document.arguments[index].value {
            case .int(let span): return Int(document.source.text(span))
            case .variable(let variable, _): return variables[document.text(variable)] ?? byDefault
            default: return nil
            }
        }
        return byDefault
    }

    private func weight(of field: String, on type: NamedType) -> Int {
        if type.isAbstract {
            return schema.possibleTypes(of: type.id).map { weight(of: field, on: schema[$0]) }.max() ?? 0
        }
        guard let definition = type.field(named: field) else { return 0 }
        return weight(definition.appliedDirectives) ?? (schema[definition.type.type].isLeaf ? 0 : 1)
    }

    private func weight(of type: NamedType) -> Int {
        if type.isAbstract {
            return schema.possibleTypes(of: type.id).map { weight(of: schema[$0]) }.max() ?? 1
        }
        return weight(type.appliedDirectives) ?? (type.isLeaf ? 0 : 1)
    }

    private func weight(_ directives: [AppliedDirective]) -> Int? {
        guard case .string(let text) = directives.first(named: "cost")?.arguments["weight"] else {
            return nil
        }
        return Int(text)
    }

    private func strings(_ value: InputValue?) -> [String] {
        guard case .list(let items) = value else { return [] }
        return items.compactMap { if case .string(let text) = $0 { text } else { nil } }
    }
}
