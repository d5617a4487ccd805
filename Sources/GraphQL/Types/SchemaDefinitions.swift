/// What a document defines of a type system, sorted: each type with its extensions, in the order of the text.
///
/// Executable definitions in the same document are passed over. A class, since a document is expensive to copy.
final class SchemaDefinitions: Sendable {
    let document: Document
    /// The schema definition; nil where root types go by their usual names.
    let schema: SchemaDefinition?
    let schemaExtensions: [SchemaDefinition]
    /// The types that have a definition.
    ///
    /// Of several with one name only the first is here.
    let types: [TypeDefinitionGroup]
    let directives: [DirectiveDefinition]
    /// By `Name.id`, the position in `types`.
    private let positions: [Int?]

    init(_ document: Document) {
        self.document = document
        let schemas = document.definitions.compactMap(\.schema)
        schema = schemas.first { !$0.isExtension }
        schemaExtensions = schemas.filter(\.isExtension)
        directives = document.definitions.compactMap(\.directive)
        var types: [TypeDefinitionGroup] = []
        var positions = [Int?](repeating: nil, count: document.names.count)
        for case .type(let type) in document.definitions where !type.isExtension {
            let id = Int(type.name.id)
            guard positions[id] == nil else { continue }
            positions[id] = types.count
            types.append(TypeDefinitionGroup(definition: type))
        }
        for case .type(let type) in document.definitions where type.isExtension {
            if let position = positions[Int(type.name.id)] { types[position].extensions.append(type) }
        }
        self.types = types
        self.positions = positions
    }

    /// The definition of a type by a name of the document.
    func type(named name: Name) -> TypeDefinitionGroup? { positions[Int(name.id)].map { types[$0] } }

    /// The schema definition and its extensions.
    var schemaNodes: [SchemaDefinition] { (schema.map { [$0] } ?? []) + schemaExtensions }
}

extension Definition {
    /// The definition or extension of a schema; nil for other definitions.
    fileprivate var schema: SchemaDefinition? {
        guard case .schema(let schema) = self else { return nil }
        return schema
    }

    /// The definition of a directive; nil for other definitions.
    fileprivate var directive: DirectiveDefinition? {
        guard case .directive(let directive) = self else { return nil }
        return directive
    }
}

/// A type's definition and what extends it.
struct TypeDefinitionGroup: Sendable {
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
    var fields: NodeRange<FieldDefinition> {
        switch self {
        case .object(_, let fields), .interface(_, let fields): fields
        case .scalar, .union, .enum, .inputObject: .none
        }
    }

    /// The names of the interfaces of an object or interface type; none for other kinds.
    var interfaces: NodeRange<Name> {
        switch self {
        case .object(let interfaces, _), .interface(let interfaces, _): interfaces
        case .scalar, .union, .enum, .inputObject: .none
        }
    }

    /// The names of a union's members; none for other kinds.
    var members: NodeRange<Name> {
        switch self {
        case .union(let members): members
        case .scalar, .object, .interface, .enum, .inputObject: .none
        }
    }

    /// The values of an enum; none for other kinds.
    var enumValues: NodeRange<EnumValueDefinition> {
        switch self {
        case .enum(let values): values
        case .scalar, .object, .interface, .union, .inputObject: .none
        }
    }

    /// The fields of an input object type; none for other kinds.
    var inputFields: NodeRange<InputValueDefinition> {
        switch self {
        case .inputObject(let fields): fields
        case .scalar, .object, .interface, .union, .enum: .none
        }
    }
}
