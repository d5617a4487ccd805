/// `schema { query: … }`, or its extension (specification, section 3.3).
public struct SchemaDefinition: Sendable {
    public var description: StringValue?
    public var directives: Run<Directive>
    public var operationTypes: Run<OperationTypeDefinition>
    public var isExtension: Bool
    public var span: SourceSpan
}

/// `query: Type` in a schema definition.
public struct OperationTypeDefinition: Sendable {
    public var operation: OperationType
    public var type: Name
    public var span: SourceSpan
}

/// The definition or extension of a named type (specification, sections 3.4 to 3.10).
public struct TypeDefinition: Sendable {
    public var description: StringValue?
    public var name: Name
    public var directives: Run<Directive>
    public var body: TypeBody
    public var isExtension: Bool
    public var span: SourceSpan
}

/// What kind of type is defined, and what it holds. Interfaces and members stand in `Document.nameLists`.
public enum TypeBody: Sendable {
    case scalar
    case object(interfaces: Run<Name>, fields: Run<FieldDefinition>)
    case interface(interfaces: Run<Name>, fields: Run<FieldDefinition>)
    case union(members: Run<Name>)
    case `enum`(values: Run<EnumValueDefinition>)
    case inputObject(fields: Run<InputValueDefinition>)
}

/// A field of an object or interface type (specification, section 3.6).
public struct FieldDefinition: Sendable {
    public var description: StringValue?
    public var name: Name
    public var arguments: Run<InputValueDefinition>
    public var type: TypeReference
    public var directives: Run<Directive>
    public var span: SourceSpan
}

/// An argument, or a field of an input object type (specification, sections 3.6.1 and 3.10).
public struct InputValueDefinition: Sendable {
    public var description: StringValue?
    public var name: Name
    public var type: TypeReference
    public var defaultValue: Value?
    public var directives: Run<Directive>
    public var span: SourceSpan
}

/// A value of an enum type (specification, section 3.9).
public struct EnumValueDefinition: Sendable {
    public var description: StringValue?
    public var name: Name
    public var directives: Run<Directive>
    public var span: SourceSpan
}

/// `directive @name(…) repeatable on …` (specification, section 3.13). Locations stand in `Document.nameLists`.
public struct DirectiveDefinition: Sendable {
    public var description: StringValue?
    public var name: Name
    public var arguments: Run<InputValueDefinition>
    public var isRepeatable: Bool
    public var locations: Run<Name>
    public var span: SourceSpan
}
