/// A schema definition, `schema { query: … }`, or its extension (specification, section 3.3).
public struct SchemaDefinition: Sendable {
    /// The description; nil if absent.
    public var description: StringValue?
    /// The applied directives.
    public var directives: NodeRange<Directive>
    /// The root operation types.
    public var operationTypes: NodeRange<OperationTypeDefinition>
    /// True if this is an extension (`extend`).
    public var isExtension: Bool
    /// The source range, from the first token to the last.
    public var span: SourceSpan
}

/// An entry of a schema definition, `query: Type`.
public struct OperationTypeDefinition: Sendable {
    /// The kind of operation.
    public var operation: OperationType
    /// The root object type.
    public var type: Name
    /// The source range, from the first token to the last.
    public var span: SourceSpan
}

/// The definition or extension of a named type (specification, sections 3.4 to 3.10).
public struct TypeDefinition: Sendable {
    /// The description; nil if absent.
    public var description: StringValue?
    /// The name.
    public var name: Name
    /// The applied directives.
    public var directives: NodeRange<Directive>
    /// The kind of type, with its members.
    public var body: TypeBody
    /// True if this is an extension (`extend`).
    public var isExtension: Bool
    /// The source range, from the first token to the last.
    public var span: SourceSpan
}

/// The kind of a type, with its members.
///
/// Interfaces and union members are in `Document.nameLists`.
public enum TypeBody: Sendable {
    case scalar
    case object(interfaces: NodeRange<Name>, fields: NodeRange<FieldDefinition>)
    case interface(interfaces: NodeRange<Name>, fields: NodeRange<FieldDefinition>)
    case union(members: NodeRange<Name>)
    case `enum`(values: NodeRange<EnumValueDefinition>)
    case inputObject(fields: NodeRange<InputValueDefinition>)
}

/// A field of an object or interface type (specification, section 3.6).
public struct FieldDefinition: Sendable {
    /// The description; nil if absent.
    public var description: StringValue?
    /// The name.
    public var name: Name
    /// The argument definitions.
    public var arguments: NodeRange<InputValueDefinition>
    /// The type.
    public var type: TypeReference
    /// The applied directives.
    public var directives: NodeRange<Directive>
    /// The source range, from the first token to the last.
    public var span: SourceSpan
}

/// An argument, or a field of an input object type (specification, sections 3.6.1 and 3.10).
public struct InputValueDefinition: Sendable {
    /// The description; nil if absent.
    public var description: StringValue?
    /// The name.
    public var name: Name
    /// The type.
    public var type: TypeReference
    /// The default value; nil if absent.
    public var defaultValue: Value?
    /// The applied directives.
    public var directives: NodeRange<Directive>
    /// The source range, from the first token to the last.
    public var span: SourceSpan
}

/// A value of an enum type (specification, section 3.9).
public struct EnumValueDefinition: Sendable {
    /// The description; nil if absent.
    public var description: StringValue?
    /// The name.
    public var name: Name
    /// The applied directives.
    public var directives: NodeRange<Directive>
    /// The source range, from the first token to the last.
    public var span: SourceSpan
}

/// A directive definition, `directive @name(…) repeatable on …` (specification, section 3.13).
///
/// Locations are in `Document.nameLists`.
public struct DirectiveDefinition: Sendable {
    /// The description; nil if absent.
    public var description: StringValue?
    /// The name, without the at sign.
    public var name: Name
    /// The argument definitions.
    public var arguments: NodeRange<InputValueDefinition>
    /// True if it may be applied more than once at one location.
    public var isRepeatable: Bool
    /// The locations where it may be applied.
    public var locations: NodeRange<Name>
    /// The source range, from the first token to the last.
    public var span: SourceSpan
}
