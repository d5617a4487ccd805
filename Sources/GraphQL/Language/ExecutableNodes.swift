/// The kind of an operation (specification, section 2.3).
public enum OperationType: String, Sendable, CaseIterable {
    case query, mutation, subscription
}

/// An operation (specification, section 2.3).
public struct OperationDefinition: Sendable {
    /// The description; nil if absent.
    public var description: StringValue?
    /// The kind of operation: query, mutation or subscription.
    public var type: OperationType
    /// The name; nil for an anonymous operation.
    public var name: Name?
    /// The variable definitions.
    public var variables: NodeRange<VariableDefinition>
    /// The applied directives.
    public var directives: NodeRange<Directive>
    /// The selection set.
    public var selectionSet: SelectionSet
    /// True for `{ field }`, a query without its keyword.
    public var isShorthand: Bool
    /// The source range, from the first token to the last.
    public var span: SourceSpan
}

/// A named fragment (specification, section 2.8).
public struct FragmentDefinition: Sendable {
    /// The description; nil if absent.
    public var description: StringValue?
    /// The name.
    public var name: Name
    /// The type of the type condition.
    public var typeCondition: Name
    /// The applied directives.
    public var directives: NodeRange<Directive>
    /// The selection set.
    public var selectionSet: SelectionSet
    /// The source range, from the first token to the last.
    public var span: SourceSpan
}

/// A selection set with its braces (specification, section 2.4).
public struct SelectionSet: Sendable {
    /// The selections between the braces.
    public var selections: NodeRange<Selection>
    /// The range from brace to brace.
    public var span: SourceSpan
}

/// An entry of a selection set (specification, section 2.4).
public enum Selection: Sendable {
    case field(SelectedField)
    case fragmentSpread(FragmentSpread)
    case inlineFragment(InlineFragment)
}

/// A selected field (specification, section 2.5).
public struct SelectedField: Sendable {
    /// The response name that replaces the field name; nil if absent.
    public var alias: Name?
    /// The name.
    public var name: Name
    /// The arguments.
    public var arguments: NodeRange<Argument>
    /// The applied directives.
    public var directives: NodeRange<Directive>
    /// The selection set; nil if the text has no braces.
    public var selectionSet: SelectionSet?
    /// The source range, from the first token to the last.
    public var span: SourceSpan

    /// The key of the field's value in the response: the alias if present, otherwise the name.
    public var responseKey: Name { alias ?? name }
}

/// A fragment spread, `...Name` (specification, section 2.8).
public struct FragmentSpread: Sendable {
    /// The name of the fragment.
    public var name: Name
    /// The applied directives.
    public var directives: NodeRange<Directive>
    /// The source range, from the first token to the last.
    public var span: SourceSpan
}

/// An inline fragment, `... on Type { }` (specification, section 2.8.2).
public struct InlineFragment: Sendable {
    /// The type condition; nil if the parent's type applies.
    public var typeCondition: Name?
    /// The applied directives.
    public var directives: NodeRange<Directive>
    /// The selection set.
    public var selectionSet: SelectionSet
    /// The source range, from the first token to the last.
    public var span: SourceSpan
}

/// An argument, `name: value`, of a field or directive (specification, section 2.6).
public struct Argument: Sendable {
    /// The name.
    public var name: Name
    /// The value.
    public var value: Value
    /// The source range, from the first token to the last.
    public var span: SourceSpan
}

/// An applied directive, `@name(arguments)` (specification, section 2.12).
public struct Directive: Sendable {
    /// The name, without the at sign.
    public var name: Name
    /// The arguments.
    public var arguments: NodeRange<Argument>
    /// The source range, from the first token to the last.
    public var span: SourceSpan
}

/// A variable definition, `$name: Type = default` (specification, section 2.10).
public struct VariableDefinition: Sendable {
    /// The description; nil if absent.
    public var description: StringValue?
    /// The name; neither it nor its span contains the dollar sign.
    public var name: Name
    /// The span of `$name`, with the dollar sign.
    public var variableSpan: SourceSpan
    /// The type.
    public var type: TypeReference
    /// The default value; nil if absent.
    public var defaultValue: Value?
    /// The applied directives.
    public var directives: NodeRange<Directive>
    /// The source range, from the first token to the last.
    public var span: SourceSpan
}
