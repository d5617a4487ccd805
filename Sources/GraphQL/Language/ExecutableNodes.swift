/// What an operation does (specification, section 2.3).
public enum OperationType: String, Sendable, CaseIterable {
    case query, mutation, subscription
}

/// An operation (specification, section 2.3).
public struct OperationDefinition: Sendable {
    /// What stands in front of it for readers; nil where nothing does.
    public var description: StringValue?
    /// Whether it reads, writes or subscribes.
    public var type: OperationType
    /// Its name; nil for an anonymous one.
    public var name: Name?
    /// The variables that it takes.
    public var variables: NodeRange<VariableDefinition>
    /// The directives applied to it.
    public var directives: NodeRange<Directive>
    /// What is selected.
    public var selectionSet: SelectionSet
    /// True for `{ field }`, a query without its keyword.
    public var isShorthand: Bool
    /// From its first token to its last.
    public var span: SourceSpan
}

/// A named fragment (specification, section 2.8).
public struct FragmentDefinition: Sendable {
    /// What stands in front of it for readers; nil where nothing does.
    public var description: StringValue?
    /// Its name.
    public var name: Name
    /// The type that it selects from.
    public var typeCondition: Name
    /// The directives applied to it.
    public var directives: NodeRange<Directive>
    /// What is selected.
    public var selectionSet: SelectionSet
    /// From its first token to its last.
    public var span: SourceSpan
}

/// The braces and what stands between them (specification, section 2.4).
public struct SelectionSet: Sendable {
    /// What stands between the braces.
    public var selections: NodeRange<Selection>
    /// From brace to brace.
    public var span: SourceSpan
}

/// One entry of a selection set (specification, section 2.4).
public enum Selection: Sendable {
    case field(SelectedField)
    case fragmentSpread(FragmentSpread)
    case inlineFragment(InlineFragment)
}

/// A selected field (specification, section 2.5).
public struct SelectedField: Sendable {
    /// The name that the response uses instead; nil where there is none.
    public var alias: Name?
    /// Its name.
    public var name: Name
    /// Its arguments.
    public var arguments: NodeRange<Argument>
    /// The directives applied to it.
    public var directives: NodeRange<Directive>
    /// Nil where the text has no braces.
    public var selectionSet: SelectionSet?
    /// From its first token to its last.
    public var span: SourceSpan

    /// The key of the field's value in the response: its alias, else its name.
    public var responseKey: Name { alias ?? name }
}

/// `...Name` (specification, section 2.8).
public struct FragmentSpread: Sendable {
    /// The name of the fragment.
    public var name: Name
    /// The directives applied to it.
    public var directives: NodeRange<Directive>
    /// From its first token to its last.
    public var span: SourceSpan
}

/// `... on Type { }` (specification, section 2.8.2).
public struct InlineFragment: Sendable {
    /// The type that it selects from; nil where it is that of the parent.
    public var typeCondition: Name?
    /// The directives applied to it.
    public var directives: NodeRange<Directive>
    /// What is selected.
    public var selectionSet: SelectionSet
    /// From its first token to its last.
    public var span: SourceSpan
}

/// `name: value` of a field or directive (specification, section 2.6).
public struct Argument: Sendable {
    /// Its name.
    public var name: Name
    /// Its value.
    public var value: Value
    /// From its first token to its last.
    public var span: SourceSpan
}

/// `@name(arguments)` (specification, section 2.12).
public struct Directive: Sendable {
    /// Its name, without the at sign.
    public var name: Name
    /// Its arguments.
    public var arguments: NodeRange<Argument>
    /// From its first token to its last.
    public var span: SourceSpan
}

/// `$name: Type = default` (specification, section 2.10).
public struct VariableDefinition: Sendable {
    /// What stands in front of it for readers; nil where nothing does.
    public var description: StringValue?
    /// The name without its dollar sign; its span has none either.
    public var name: Name
    /// `$name`, with the dollar sign.
    public var variableSpan: SourceSpan
    /// Its type.
    public var type: TypeReference
    /// The value where none is given; nil where there is none.
    public var defaultValue: Value?
    /// The directives applied to it.
    public var directives: NodeRange<Directive>
    /// From its first token to its last.
    public var span: SourceSpan
}
