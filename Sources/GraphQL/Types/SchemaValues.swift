/// The values in a schema's definitions: defaults, and the arguments of applied directives.
///
/// Coercing a default may need the defaults of input fields, so each default is computed on demand and
/// cached.
final class SchemaValues {
    private let syntax: SchemaDefinitions
    /// The schema without these values; it satisfies all rules.
    private let draft: Schema
    /// The coerced defaults, by the index of the input value's definition.
    private var defaults: [Int: InputValue] = [:]
    /// Definitions whose default is being coerced; the rules exclude cycles.
    private var inProgress: Set<Int> = []
    /// The definitions of the fields, by input object type.
    private var inputFields: [TypeID: [Int]] = [:]

    init(syntax: SchemaDefinitions, draft: Schema) {
        self.syntax = syntax
        self.draft = draft
        for type in syntax.types {
            guard case .inputObject = type.definition.body else { continue }
            guard let id = draft.typeID(named: syntax.document.text(type.definition.name)) else { continue }
            inputFields[id] = type.inputFields
        }
    }

    private var document: Document { syntax.document }

    private var literals: LiteralCoercion {
        var literals = LiteralCoercion(document: document, schema: draft)
        literals.inputDefault = { [unowned self] in inputDefault(of: $0, at: $1) }
        return literals
    }

    /// Returns the coerced default of an input value, by the index of its definition; nil if it has none.
    func defaultValue(_ index: Int, _ type: GraphQLType) -> InputValue? {
        guard let literal = document.inputValueDefinitions[index].defaultValue else { return nil }
        if let known = defaults[index] { return known }
        guard inProgress.insert(index).inserted else { return nil }
        defer { inProgress.remove(index) }
        let value = literals.coerce(literal, to: type)
        defaults[index] = value
        return value
    }

    private func inputDefault(of id: TypeID, at position: Int) -> InputValue? {
        guard case .inputObject(let object) = draft[id].kind, let indices = inputFields[id] else {
            return nil
        }
        guard indices.indices.contains(position), object.fields.indices.contains(position) else { return nil }
        return defaultValue(indices[position], object.fields[position].type)
    }

    /// Returns an applied directive, by its index in the document; nil if it is unknown.
    ///
    /// Arguments that do not fit their types are stored as written: the reference implementation accepts
    /// them in type system documents, and code that evaluates a directive must see it.
    func applied(_ index: Int) -> AppliedDirective? {
        let directive = document.directives[index]
        let name = document.text(directive.name)
        guard let definition = draft.directive(named: name) else { return nil }
        var values: [(name: String, value: InputValue)] = []
        for argument in definition.arguments {
            if let value = value(of: argument, in: directive) { values.append((argument.name, value)) }
        }
        return AppliedDirective(name: name, arguments: InputObject(values))
    }

    private func value(of argument: SchemaInputValue, in directive: Directive) -> InputValue? {
        for index in directive.arguments.indices
        where document.text(document.arguments[index].name) == argument.name {
            let literal = document.arguments[index].value
            return literals.coerce(literal, to: argument.type)
                ?? UntypedLiteral(document: document).value(of: literal)
        }
        return defaultValue(of: argument)
    }

    private func defaultValue(of argument: SchemaInputValue) -> InputValue? {
        // The draft contains the values of built-in defaults only.
        guard let node = argument.node else { return argument.defaultValue?.value }
        guard let index = argumentIndices[node.start] else { return nil }
        return defaultValue(index, argument.type)
    }

    /// The indices of the arguments of directive definitions, by start offset.
    private lazy var argumentIndices: [UInt32: Int] = Dictionary(
        syntax.directives.flatMap(\.arguments.indices).map {
            (document.inputValueDefinitions[$0].span.start, $0)
        },
        uniquingKeysWith: { first, _ in first })
}
