/// A type of a schema (specification, section 3.4).
///
/// Types and their fields are classes: an operation asks for them at each of its fields, and a value would be several
/// strings and arrays to retain each time.
public final class NamedType: Sendable {
    /// Its position among the types of its schema.
    public let id: TypeID
    /// Unique in the schema.
    public let name: String
    /// For people, in Markdown (specification, section 2.3); nil where it has none.
    public let description: String?
    /// What kind of type it is, and what such a type has.
    public let kind: Kind
    /// The directives on its definition and extensions, in their order.
    public let appliedDirectives: [AppliedDirective]
    /// Where the type is defined; nil for built-in types.
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

    /// The kinds of type, with what is particular to each.
    public enum Kind: Sendable {
        case scalar(ScalarType)
        case object(CompositeType)
        case interface(CompositeType)
        case union(UnionType)
        case `enum`(EnumType)
        case inputObject(InputObjectType)
    }

    /// The interfaces that an object or interface type says it implements; none for other kinds.
    public var interfaces: [TypeID] {
        switch kind {
        case .object(let composite), .interface(let composite): composite.interfaces
        case .scalar, .union, .enum, .inputObject: []
        }
    }

    /// The fields of an object or interface type; none for other kinds.
    public var fields: [SchemaField] {
        switch kind {
        case .object(let composite), .interface(let composite): composite.fields
        case .scalar, .union, .enum, .inputObject: []
        }
    }

    /// The field of an object or interface type with this name.
    public func field(named name: String) -> SchemaField? {
        switch kind {
        case .object(let composite), .interface(let composite): composite.field(named: name)
        case .scalar, .union, .enum, .inputObject: nil
        }
    }

    /// May be the type of an argument, input field or variable (specification, IsInputType).
    public var isInput: Bool {
        switch kind {
        case .scalar, .enum, .inputObject: true
        case .object, .interface, .union: false
        }
    }

    /// May be the type of a field (specification, IsOutputType).
    public var isOutput: Bool {
        switch kind {
        case .scalar, .enum, .object, .interface, .union: true
        case .inputObject: false
        }
    }

    /// Has no fields to select: a scalar or an enum.
    public var isLeaf: Bool {
        switch kind {
        case .scalar, .enum: true
        case .object, .interface, .union, .inputObject: false
        }
    }

    /// Has fields to select: an object, interface or union.
    public var isComposite: Bool {
        switch kind {
        case .object, .interface, .union: true
        case .scalar, .enum, .inputObject: false
        }
    }

    /// Is told by the value which object type it has: an interface or union.
    public var isAbstract: Bool {
        switch kind {
        case .interface, .union: true
        case .scalar, .object, .enum, .inputObject: false
        }
    }
}

/// A scalar type (specification, section 3.5).
public struct ScalarType: Sendable {
    /// The address of its specification, from `@specifiedBy`.
    public let specifiedByURL: String?
    /// One of the five that the specification defines; nil for a custom one.
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

/// What object and interface types have (specification, sections 3.6 and 3.7).
public final class CompositeType: Sendable {
    /// In the order in which they are declared.
    public let interfaces: [TypeID]
    /// In the order in which they are defined.
    public let fields: [SchemaField]
    private let index: [String: Int]

    package init(interfaces: [TypeID], fields: [SchemaField]) {
        self.interfaces = interfaces
        self.fields = fields
        index = Dictionary(fields.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The position in `fields` of the field with this name.
    public func fieldIndex(named name: String) -> Int? { index[name] }

    /// The field with this name.
    public func field(named name: String) -> SchemaField? { index[name].map { fields[$0] } }
}

/// A union type (specification, section 3.8).
public struct UnionType: Sendable {
    /// The object types that its values may have, in the order of the definition.
    public let members: [TypeID]

    package init(members: [TypeID]) {
        self.members = members
    }
}

/// An enum type (specification, section 3.9).
public struct EnumType: Sendable {
    /// In the order of the definition, deprecated ones included.
    public let values: [SchemaEnumValue]
    private let index: [String: Int]

    package init(values: [SchemaEnumValue]) {
        self.values = values
        index = Dictionary(values.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The value with this name.
    public func value(named name: String) -> SchemaEnumValue? {
        // Variables may contain any text for a value, and strings are equal also if their bytes differ.
        guard let position = index[name], values[position].name.hasSameBytes(as: name) else { return nil }
        return values[position]
    }
}

/// An input object type (specification, section 3.10).
public struct InputObjectType: Sendable {
    /// In the order of the definition, deprecated ones included.
    public let fields: [SchemaInputValue]
    /// Exactly one field must be given (`@oneOf`).
    public let isOneOf: Bool
    private let index: [String: Int]

    package init(fields: [SchemaInputValue], isOneOf: Bool) {
        self.fields = fields
        self.isOneOf = isOneOf
        index = Dictionary(fields.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The position in `fields` of the field with this name.
    public func fieldIndex(named name: String) -> Int? {
        // Variables may contain any text as the name of a field, and strings are equal also if their bytes
        // differ.
        guard let position = index[name], fields[position].name.hasSameBytes(as: name) else { return nil }
        return position
    }

    /// The field with this name.
    public func field(named name: String) -> SchemaInputValue? { fieldIndex(named: name).map { fields[$0] } }
}
