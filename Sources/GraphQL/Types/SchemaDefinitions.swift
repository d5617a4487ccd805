/// The type system definitions of a document: each type with its extensions, in source order.
///
/// Executable definitions in the same document are ignored. The type is a class, because a document is
/// expensive to copy.
final class SchemaDefinitions: Sendable {
    let document: Document
    /// The schema definition; nil if the root types have their default names.
    let schema: SchemaDefinition?
    let schemaExtensions: [SchemaDefinition]
    /// The types that have a definition.
    ///
    /// Of several types with one name, only the first is included.
    let types: [TypeDefinitionGroup]
    let directives: [DirectiveDefinition]

    init(_ document: Document) {
        self.document = document
        let schemas = document.definitions.compactMap(\.schema)
        schema = schemas.first { !$0.isExtension }
        schemaExtensions = schemas.filter(\.isExtension)
        directives = document.definitions.compactMap(\.directive)
        var types: [TypeDefinitionGroup] = []
        // By `Name.id`.
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
    }

    /// The schema definition and its extensions.
    var schemaNodes: [SchemaDefinition] { (schema.map { [$0] } ?? []) + schemaExtensions }
}

extension Definition {
    /// This definition if it is a definition or extension of a schema, otherwise nil.
    fileprivate var schema: SchemaDefinition? {
        guard case .schema(let schema) = self else { return nil }
        return schema
    }

    /// This definition if it is a directive definition, otherwise nil.
    fileprivate var directive: DirectiveDefinition? {
        guard case .directive(let directive) = self else { return nil }
        return directive
    }
}

/// A type's definition with its extensions.
struct TypeDefinitionGroup: Sendable {
    let definition: TypeDefinition
    var extensions: [TypeDefinition] = []

    /// The definition first, then its extensions.
    var nodes: [TypeDefinition] { [definition] + extensions }

    /// The fields of an object or interface type, as indices of the document.
    var fields: [Int] { nodes.flatMap(\.body.fields.indices) }

    /// The fields of an input object type, as indices of the document.
    var inputFields: [Int] { nodes.flatMap(\.body.inputFields.indices) }

    /// The values of an enum type, as indices of the document.
    var enumValues: [Int] { nodes.flatMap(\.body.enumValues.indices) }

    /// The names of implemented interfaces, as indices of the document.
    var interfaces: [Int] { nodes.flatMap(\.body.interfaces.indices) }

    /// The names of union members, as indices of the document.
    var members: [Int] { nodes.flatMap(\.body.members.indices) }
}

extension TypeBody {
    /// The fields of an object or interface type; empty for other kinds.
    var fields: NodeRange<FieldDefinition> {
        switch self {
        case .object(_, let fields), .interface(_, let fields): fields
        case .scalar, .union, .enum, .inputObject: .none
        }
    }

    /// The interface names of an object or interface type; empty for other kinds.
    var interfaces: NodeRange<Name> {
        switch self {
        case .object(let interfaces, _), .interface(let interfaces, _): interfaces
        case .scalar, .union, .enum, .inputObject: .none
        }
    }

    /// The names of a union's members; empty for other kinds.
    var members: NodeRange<Name> {
        switch self {
        case .union(let members): members
        case .scalar, .object, .interface, .enum, .inputObject: .none
        }
    }

    /// The values of an enum; empty for other kinds.
    var enumValues: NodeRange<EnumValueDefinition> {
        switch self {
        case .enum(let values): values
        case .scalar, .object, .interface, .union, .inputObject: .none
        }
    }

    /// The fields of an input object type; empty for other kinds.
    var inputFields: NodeRange<InputValueDefinition> {
        switch self {
        case .inputObject(let fields): fields
        case .scalar, .object, .interface, .union, .enum: .none
        }
    }
}
