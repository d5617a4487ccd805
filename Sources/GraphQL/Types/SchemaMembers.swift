/// A field of an object or interface type (specification, section 3.6).
public final class SchemaField: Sendable {
    /// The name, unique among the fields of its type.
    public let name: String
    /// The description in Markdown (specification, section 2.3); nil if absent.
    public let description: String?
    /// The type of its values.
    public let type: GraphQLType
    /// The arguments, in the order of definition.
    public let arguments: [SchemaInputValue]
    /// The deprecation reason; nil if not deprecated.
    public let deprecationReason: String?
    /// The directives applied to the definition, in source order.
    public let appliedDirectives: [AppliedDirective]
    /// The position of the definition; nil for built-in fields.
    public let node: SourceSpan?

    package init(
        name: String, description: String? = nil, type: GraphQLType, arguments: [SchemaInputValue] = [],
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

    /// Returns the argument with this name.
    public func argument(named name: String) -> SchemaInputValue? { arguments.first { $0.name == name } }
}

/// An argument, or a field of an input object type (specification, sections 3.6.1 and 3.10).
public struct SchemaInputValue: Sendable {
    /// The name, unique among the arguments of its field or directive, or the fields of its input object.
    public let name: String
    /// The description in Markdown (specification, section 2.3); nil if absent.
    public let description: String?
    /// The type of its values: an input type.
    public let type: GraphQLType
    /// The default as written in the SDL and as coerced to the type; nil if absent.
    public let defaultValue: DefaultValue?
    /// The deprecation reason; nil if not deprecated.
    public let deprecationReason: String?
    /// The directives applied to the definition, in source order.
    public let appliedDirectives: [AppliedDirective]
    /// The position of the definition; nil if built in.
    public let node: SourceSpan?

    package init(
        name: String, description: String? = nil, type: GraphQLType, defaultValue: DefaultValue? = nil,
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

    /// True if a value is required: non-null and without a default (specification, 5.4.2.1).
    public var isRequired: Bool { type.wrapping.isNonNull && defaultValue == nil }
}

/// The default of an argument or input field.
public struct DefaultValue: Sendable {
    /// The literal in canonical GraphQL syntax, as in introspection.
    public let literal: String
    /// The value coerced to the type, with defaults of input fields filled in.
    public let value: InputValue

    package init(literal: String, value: InputValue) {
        self.literal = literal
        self.value = value
    }
}

/// A value of an enum type (specification, section 3.9).
public struct SchemaEnumValue: Sendable {
    /// The name, unique in its type; never `true`, `false` or `null`.
    public let name: String
    /// The description in Markdown (specification, section 2.3); nil if absent.
    public let description: String?
    /// The deprecation reason; nil if not deprecated.
    public let deprecationReason: String?
    /// The directives applied to the definition, in source order.
    public let appliedDirectives: [AppliedDirective]
    /// The position of the definition; nil if built in.
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
public struct SchemaDirective: Sendable {
    /// The name, without the `@`.
    public let name: String
    /// The description in Markdown (specification, section 2.3); nil if absent.
    public let description: String?
    /// The arguments, in the order of definition.
    public let arguments: [SchemaInputValue]
    /// True if it may be applied more than once at one location.
    public let isRepeatable: Bool
    /// The locations where it may be applied, in the order of definition.
    public let locations: [DirectiveLocation]
    /// The position of the definition; nil if built in.
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

    /// Returns the argument with this name.
    public func argument(named name: String) -> SchemaInputValue? { arguments.first { $0.name == name } }
}

/// A directive applied to a part of the schema, with coerced arguments and defaults filled in.
public struct AppliedDirective: Sendable {
    /// The name, without the `@`.
    public let name: String
    /// The arguments that have a value, by name, in the order of the directive's definition.
    public let arguments: InputObject

    package init(name: String, arguments: InputObject) {
        self.name = name
        self.arguments = arguments
    }
}

extension [AppliedDirective] {
    /// Returns the first application of the directive with this name.
    public func first(named name: String) -> AppliedDirective? { first { $0.name == name } }
}

/// A location where a directive may be applied (specification, section 3.13).
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
