/// `schema { query: … }`, or its extension (specification, section 3.3).
public struct SchemaDefinition: Sendable {
    /// What stands in front of it for readers; nil where nothing does.
    public var description: StringValue?
    /// The directives applied to it.
    public var directives: NodeRange<Directive>
    /// The root operation types.
    public var operationTypes: NodeRange<OperationTypeDefinition>
    /// True after `extend`.
    public var isExtension: Bool
    /// From its first token to its last.
    public var span: SourceSpan
}

/// `query: Type` in a schema definition.
public struct OperationTypeDefinition: Sendable {
    /// Which operation.
    public var operation: OperationType
    /// The object type that it starts from.
    public var type: Name
    /// From its first token to its last.
    public var span: SourceSpan
}

/// The definition or extension of a named type (specification, sections 3.4 to 3.10).
public struct TypeDefinition: Sendable {
    /// What stands in front of it for readers; nil where nothing does.
    public var description: StringValue?
    /// Its name.
    public var name: Name
    /// The directives applied to it.
    public var directives: NodeRange<Directive>
    /// Its kind, and what it holds.
    public var body: TypeBody
    /// True after `extend`.
    public var isExtension: Bool
    /// From its first token to its last.
    public var span: SourceSpan
}

/// What kind of type is defined, and what it holds; interfaces and members stand in `Document.nameLists`.
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
    /// What stands in front of it for readers; nil where nothing does.
    public var description: StringValue?
    /// Its name.
    public var name: Name
    /// The arguments that it takes.
    public var arguments: NodeRange<InputValueDefinition>
    /// Its type.
    public var type: TypeReference
    /// The directives applied to it.
    public var directives: NodeRange<Directive>
    /// From its first token to its last.
    public var span: SourceSpan
}

/// An argument, or a field of an input object type (specification, sections 3.6.1 and 3.10).
public struct InputValueDefinition: Sendable {
    /// What stands in front of it for readers; nil where nothing does.
    public var description: StringValue?
    /// Its name.
    public var name: Name
    /// Its type.
    public var type: TypeReference
    /// The value where none is given; nil where there is none.
    public var defaultValue: Value?
    /// The directives applied to it.
    public var directives: NodeRange<Directive>
    /// From its first token to its last.
    public var span: SourceSpan
}

/// A value of an enum type (specification, section 3.9).
public struct EnumValueDefinition: Sendable {
    /// What stands in front of it for readers; nil where nothing does.
    public var description: StringValue?
    /// Its name.
    public var name: Name
    /// The directives applied to it.
    public var directives: NodeRange<Directive>
    /// From its first token to its last.
    public var span: SourceSpan
}

/// `directive @name(…) repeatable on …` (specification, section 3.13); locations stand in `Document.nameLists`.
public struct DirectiveDefinition: Sendable {
    /// What stands in front of it for readers; nil where nothing does.
    public var description: StringValue?
    /// Its name, without the at sign.
    public var name: Name
    /// The arguments that it takes.
    public var arguments: NodeRange<InputValueDefinition>
    /// True where it may be applied more than once in one place.
    public var isRepeatable: Bool
    /// Where it may be applied.
    public var locations: NodeRange<Name>
    /// From its first token to its last.
    public var span: SourceSpan
}
