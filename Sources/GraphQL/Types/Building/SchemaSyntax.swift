/// What a document defines of a type system, sorted: each type with its extensions, in the order of the text.
///
/// Executable definitions in the same document are passed over.
struct SchemaSyntax: Sendable {
    let document: Document
    /// The schema definition; nil where root types go by their usual names.
    private(set) var schema: SchemaDefinition?
    private(set) var schemaExtensions: [SchemaDefinition] = []
    /// The types that have a definition.
    ///
    /// Of several with one name only the first is here.
    private(set) var types: [TypeSyntax] = []
    private(set) var directives: [DirectiveDefinition] = []
    /// By `Name.id`, the position in `types`.
    private var positions: [Int?]

    init(_ document: Document) {
        self.document = document
        positions = Array(repeating: nil, count: document.names.count)
        for definition in document.definitions {
            switch definition {
            case .schema(let schema) where schema.isExtension: schemaExtensions.append(schema)
            case .schema(let schema): self.schema = self.schema ?? schema
            case .directive(let directive): directives.append(directive)
            case .type(let type) where !type.isExtension: add(type)
            case .type, .operation, .fragment: break
            }
        }
        for case .type(let type) in document.definitions where type.isExtension {
            if let position = positions[Int(type.name.id)] { types[position].extensions.append(type) }
        }
    }

    private mutating func add(_ type: TypeDefinition) {
        let id = Int(type.name.id)
        guard positions[id] == nil else { return }
        positions[id] = types.count
        types.append(TypeSyntax(definition: type))
    }

    /// The definition of a type by a name of the document.
    func type(named name: Name) -> TypeSyntax? { positions[Int(name.id)].map { types[$0] } }

    /// The schema definition and its extensions.
    var schemaNodes: [SchemaDefinition] { (schema.map { [$0] } ?? []) + schemaExtensions }
}

/// A type's definition and what extends it.
struct TypeSyntax: Sendable {
    let definition: TypeDefinition
    var extensions: [TypeDefinition] = []

    /// The definition first, then its extensions.
    var nodes: [TypeDefinition] { [definition] + extensions }

    /// Fields of an object or interface type, as indices of the document.
    var fields: [Int] { nodes.flatMap(\.body.fields.indices) }

    /// Fields of an input object type, as indices of the document.
    var inputFields: [Int] { nodes.flatMap(\.body.inputFields.indices) }

    /// Values of an enum type, as indices of the document.
    var enumValues: [Int] { nodes.flatMap(\.body.enumValues.indices) }

    /// Names of implemented interfaces, as indices of the document.
    var interfaces: [Int] { nodes.flatMap(\.body.interfaces.indices) }

    /// Names of union members, as indices of the document.
    var members: [Int] { nodes.flatMap(\.body.members.indices) }
}

extension TypeBody {
    /// The fields of an object or interface type; none for other kinds.
    var fields: Run<FieldDefinition> {
        switch self {
        case .object(_, let fields), .interface(_, let fields): fields
        case .scalar, .union, .enum, .inputObject: .none
        }
    }

    /// The names of the interfaces of an object or interface type; none for other kinds.
    var interfaces: Run<Name> {
        switch self {
        case .object(let interfaces, _), .interface(let interfaces, _): interfaces
        case .scalar, .union, .enum, .inputObject: .none
        }
    }

    /// The names of a union's members; none for other kinds.
    var members: Run<Name> {
        switch self {
        case .union(let members): members
        case .scalar, .object, .interface, .enum, .inputObject: .none
        }
    }

    /// The values of an enum; none for other kinds.
    var enumValues: Run<EnumValueDefinition> {
        switch self {
        case .enum(let values): values
        case .scalar, .object, .interface, .union, .inputObject: .none
        }
    }

    /// The fields of an input object type; none for other kinds.
    var inputFields: Run<InputValueDefinition> {
        switch self {
        case .inputObject(let fields): fields
        case .scalar, .object, .interface, .union, .enum: .none
        }
    }
}
