/// A field of an object or interface type (specification, section 3.6).
public final class SchemaField: Sendable {
    /// Unique among the fields of its type.
    public let name: String
    /// For people, in Markdown (specification, section 2.3); nil where it has none.
    public let description: String?
    /// What its values have.
    public let type: WrappedType
    /// What it takes, in the order of the definition.
    public let arguments: [SchemaInputValue]
    /// Why it should not be used any more; nil where it is not deprecated.
    public let deprecationReason: String?
    /// The directives on its definition, in their order.
    public let appliedDirectives: [AppliedDirective]
    /// Where it is defined; nil for built-in fields.
    public let node: SourceSpan?

    package init(
        name: String, description: String? = nil, type: WrappedType, arguments: [SchemaInputValue] = [],
        deprecationReason: String? = nil, appliedDirectives: [AppliedDirective] = [], node: SourceSpan? = nil
    ) {
        self.name = name
        self.description = description
        self.type = type
        self.arguments = arguments
        self.deprecationReason = deprecationReason
        self.appliedDirectives = appliedDirectives
        self.node = node
    }

    /// The argument with this name.
    public func argument(named name: String) -> SchemaInputValue? { arguments.first { $0.name == name } }
}

/// An argument, or a field of an input object type (specification, sections 3.6.1 and 3.10).
public struct SchemaInputValue: Sendable {
    /// Unique among the arguments of its field or directive, or the fields of its input object.
    public let name: String
    /// For people, in Markdown (specification, section 2.3); nil where it has none.
    public let description: String?
    /// What its values must have: an input type.
    public let type: WrappedType
    /// As written in the SDL and as coerced to the type; nil where there is none.
    public let defaultValue: DefaultValue?
    /// Why it should not be used any more; nil where it is not deprecated.
    public let deprecationReason: String?
    /// The directives on its definition, in their order.
    public let appliedDirectives: [AppliedDirective]
    /// Where it is defined; nil for built-in ones.
    public let node: SourceSpan?

    package init(
        name: String, description: String? = nil, type: WrappedType, defaultValue: DefaultValue? = nil,
        deprecationReason: String? = nil, appliedDirectives: [AppliedDirective] = [], node: SourceSpan? = nil
    ) {
        self.name = name
        self.description = description
        self.type = type
        self.defaultValue = defaultValue
        self.deprecationReason = deprecationReason
        self.appliedDirectives = appliedDirectives
        self.node = node
    }

    /// Must be given: non-null and without a default (specification, 5.4.2.1).
    public var isRequired: Bool { type.wrapping.isNonNull && defaultValue == nil }
}

/// The default of an argument or input field.
public struct DefaultValue: Sendable {
    /// In canonical GraphQL syntax, as introspection shows it.
    public let literal: String
    /// Coerced to the type, defaults of input fields filled in.
    public let value: InputValue

    package init(literal: String, value: InputValue) {
        self.literal = literal
        self.value = value
    }
}

/// A value of an enum type (specification, section 3.9).
public struct SchemaEnumValue: Sendable {
    /// Unique in its type; never `true`, `false` or `null`.
    public let name: String
    /// For people, in Markdown (specification, section 2.3); nil where it has none.
    public let description: String?
    /// Why it should not be used any more; nil where it is not deprecated.
    public let deprecationReason: String?
    /// The directives on its definition, in their order.
    public let appliedDirectives: [AppliedDirective]
    /// Where it is defined; nil for built-in ones.
    public let node: SourceSpan?

    package init(
        name: String, description: String? = nil, deprecationReason: String? = nil,
        appliedDirectives: [AppliedDirective] = [], node: SourceSpan? = nil
    ) {
        self.name = name
        self.description = description
        self.deprecationReason = deprecationReason
        self.appliedDirectives = appliedDirectives
        self.node = node
    }
}

/// A directive that a schema defines (specification, section 3.13).
public struct DirectiveType: Sendable {
    /// Without the `@`.
    public let name: String
    /// For people, in Markdown (specification, section 2.3); nil where it has none.
    public let description: String?
    /// What it takes, in the order of the definition.
    public let arguments: [SchemaInputValue]
    /// Whether it may be applied to one place more than once.
    public let isRepeatable: Bool
    /// Where it may be applied, in the order of the definition.
    public let locations: [DirectiveLocation]
    /// Where it is defined; nil for built-in ones.
    public let node: SourceSpan?

    package init(
        name: String, description: String? = nil, arguments: [SchemaInputValue] = [],
        isRepeatable: Bool = false, locations: [DirectiveLocation],
        node: SourceSpan? = nil
    ) {
        self.name = name
        self.description = description
        self.arguments = arguments
        self.isRepeatable = isRepeatable
        self.locations = locations
        self.node = node
    }

    /// The argument with this name.
    public func argument(named name: String) -> SchemaInputValue? { arguments.first { $0.name == name } }
}

/// A directive as applied to a part of the schema, its arguments coerced and defaults filled in.
public struct AppliedDirective: Sendable {
    /// Without the `@`.
    public let name: String
    /// The arguments that have a value, by name, in the order of the directive's definition.
    public let arguments: InputObject

    package init(name: String, arguments: InputObject) {
        self.name = name
        self.arguments = arguments
    }
}

extension [AppliedDirective] {
    /// The first application of the directive with this name.
    public func first(named name: String) -> AppliedDirective? { first { $0.name == name } }
}

/// Where a directive may stand (specification, section 3.13).
public enum DirectiveLocation: String, Sendable, CaseIterable {
    case query = "QUERY"
    case mutation = "MUTATION"
    case subscription = "SUBSCRIPTION"
    case field = "FIELD"
    case fragmentDefinition = "FRAGMENT_DEFINITION"
    case fragmentSpread = "FRAGMENT_SPREAD"
    case inlineFragment = "INLINE_FRAGMENT"
    case variableDefinition = "VARIABLE_DEFINITION"
    case schema = "SCHEMA"
    case scalar = "SCALAR"
    case object = "OBJECT"
    case fieldDefinition = "FIELD_DEFINITION"
    case argumentDefinition = "ARGUMENT_DEFINITION"
    case interface = "INTERFACE"
    case union = "UNION"
    case `enum` = "ENUM"
    case enumValue = "ENUM_VALUE"
    case inputObject = "INPUT_OBJECT"
    case inputFieldDefinition = "INPUT_FIELD_DEFINITION"
}
