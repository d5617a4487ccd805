/// A type of a schema (specification, section 3.4).
///
/// Types and their fields are classes: an operation reads them for each of its fields, and each copy of a
/// value would retain several strings and arrays.
public final class NamedType: Sendable {
    /// The index among the types of the schema.
    public let id: TypeID
    /// The name, unique in the schema.
    public let name: String
    /// The description in Markdown (specification, section 2.3); nil if absent.
    public let description: String?
    /// The kind of type, with its members.
    public let kind: Kind
    /// The directives applied to the definition and its extensions, in source order.
    public let appliedDirectives: [AppliedDirective]
    /// The position of the definition; nil for built-in types.
    public let node: SourceSpan?

    package init(
        id: TypeID, name: String, description: String?, kind: Kind,
        appliedDirectives: [AppliedDirective] = [], node: SourceSpan? = nil
    ) {
        self.id = id
        self.name = name
        self.description = description
        self.kind = kind
        self.appliedDirectives = appliedDirectives
        self.node = node
    }

    /// The kinds of types, with their specific data.
    public enum Kind: Sendable {
        case scalar(ScalarType)
        case object(FieldsContainer)
        case interface(FieldsContainer)
        case union(UnionType)
        case `enum`(EnumType)
        case inputObject(InputObjectType)
    }

    /// The declared interfaces of an object or interface type; empty for other kinds.
    public var interfaces: [TypeID] {
        switch kind {
        case .object(let composite), .interface(let composite): composite.interfaces
        case .scalar, .union, .enum, .inputObject: []
        }
    }

    /// The fields of an object or interface type; empty for other kinds.
    public var fields: [SchemaField] {
        switch kind {
        case .object(let composite), .interface(let composite): composite.fields
        case .scalar, .union, .enum, .inputObject: []
        }
    }

    /// Returns the field of an object or interface type with this name.
    public func field(named name: String) -> SchemaField? {
        switch kind {
        case .object(let composite), .interface(let composite): composite.field(named: name)
        case .scalar, .union, .enum, .inputObject: nil
        }
    }

    /// True if arguments, input fields and variables may have this type (specification, IsInputType).
    public var isInput: Bool {
        switch kind {
        case .scalar, .enum, .inputObject: true
        case .object, .interface, .union: false
        }
    }

    /// True if fields may have this type (specification, IsOutputType).
    public var isOutput: Bool {
        switch kind {
        case .scalar, .enum, .object, .interface, .union: true
        case .inputObject: false
        }
    }

    /// True for scalars and enums, which have no selectable fields.
    public var isLeaf: Bool {
        switch kind {
        case .scalar, .enum: true
        case .object, .interface, .union, .inputObject: false
        }
    }

    /// True for objects, interfaces and unions, which have selectable fields.
    public var isComposite: Bool {
        switch kind {
        case .object, .interface, .union: true
        case .scalar, .enum, .inputObject: false
        }
    }

    /// True for interfaces and unions: the object type is determined at run time.
    public var isAbstract: Bool {
        switch kind {
        case .interface, .union: true
        case .scalar, .object, .enum, .inputObject: false
        }
    }
}

/// A scalar type (specification, section 3.5).
public struct ScalarType: Sendable {
    /// The URL of its specification, from `@specifiedBy`.
    public let specifiedByURL: String?
    /// The built-in scalar of the specification; nil for a custom scalar.
    public let builtIn: BuiltInScalar?

    package init(specifiedByURL: String? = nil, builtIn: BuiltInScalar? = nil) {
        self.specifiedByURL = specifiedByURL
        self.builtIn = builtIn
    }
}

/// The scalars of the specification (section 3.5).
public enum BuiltInScalar: String, Sendable, CaseIterable {
    case int = "Int"
    case float = "Float"
    case string = "String"
    case boolean = "Boolean"
    case id = "ID"
}

/// The members of an object or interface type (specification, sections 3.6 and 3.7).
public final class FieldsContainer: Sendable {
    /// The implemented interfaces, in the order of declaration.
    public let interfaces: [TypeID]
    /// The fields, in the order of definition.
    public let fields: [SchemaField]
    private let index: [String: Int]

    package init(interfaces: [TypeID], fields: [SchemaField]) {
        self.interfaces = interfaces
        self.fields = fields
        index = Dictionary(fields.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the position in `fields` of the field with this name.
    public func fieldIndex(named name: String) -> Int? { index[name] }

    /// Returns the field with this name.
    public func field(named name: String) -> SchemaField? { index[name].map { fields[$0] } }
}

/// A union type (specification, section 3.8).
public struct UnionType: Sendable {
    /// The member object types, in the order of definition.
    public let members: [TypeID]

    package init(members: [TypeID]) {
        self.members = members
    }
}

/// An enum type (specification, section 3.9).
public struct EnumType: Sendable {
    /// The values in the order of definition, including deprecated ones.
    public let values: [SchemaEnumValue]
    private let index: [UTF8Key: Int]

    package init(values: [SchemaEnumValue]) {
        self.values = values
        index = Dictionary(
            values.enumerated().map { (UTF8Key($1.name), $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the value with this name.
    public func value(named name: String) -> SchemaEnumValue? {
        // Variables may contain any text as an enum value.
        index[UTF8Key(name)].map { values[$0] }
    }
}

/// An input object type (specification, section 3.10).
public struct InputObjectType: Sendable {
    /// The fields in the order of definition, including deprecated ones.
    public let fields: [SchemaInputValue]
    /// True if exactly one field must have a value (`@oneOf`).
    public let isOneOf: Bool
    private let index: [UTF8Key: Int]

    package init(fields: [SchemaInputValue], isOneOf: Bool) {
        self.fields = fields
        self.isOneOf = isOneOf
        index = Dictionary(
            fields.enumerated().map { (UTF8Key($1.name), $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the position in `fields` of the field with this name.
    public func fieldIndex(named name: String) -> Int? {
        // Variables may contain any text as a field name.
        index[UTF8Key(name)]
    }

    /// Returns the field with this name.
    public func field(named name: String) -> SchemaInputValue? { fieldIndex(named: name).map { fields[$0] } }
}
