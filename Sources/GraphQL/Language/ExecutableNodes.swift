/// What an operation does (specification, section 2.3).
public enum OperationType: String, Sendable, CaseIterable {
    case query, mutation, subscription
}

/// An operation (specification, section 2.3). `name` is nil for an anonymous one.
public struct OperationDefinition: Sendable {
    public var description: StringValue?
    public var type: OperationType
    public var name: Name?
    public var variables: Run<VariableDefinition>
    public var directives: Run<Directive>
    public var selectionSet: SelectionSet
    /// True for `{ field }`, a query without its keyword.
    public var isShorthand: Bool
    public var span: SourceSpan
}

/// A named fragment (specification, section 2.8).
public struct FragmentDefinition: Sendable {
    public var description: StringValue?
    public var name: Name
    public var typeCondition: Name
    public var directives: Run<Directive>
    public var selectionSet: SelectionSet
    public var span: SourceSpan
}

/// The braces and what stands between them (specification, section 2.4).
public struct SelectionSet: Sendable {
    public var selections: Run<Selection>
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
    public var alias: Name?
    public var name: Name
    public var arguments: Run<Argument>
    public var directives: Run<Directive>
    /// Nil where the text has no braces.
    public var selectionSet: SelectionSet?
    public var span: SourceSpan

    /// The key of the field's value in the response: its alias, else its name.
    public var responseKey: Name { alias ?? name }
}

/// `...Name` (specification, section 2.8).
public struct FragmentSpread: Sendable {
    public var name: Name
    public var directives: Run<Directive>
    public var span: SourceSpan
}

/// `... on Type { }` (specification, section 2.8.2).
public struct InlineFragment: Sendable {
    public var typeCondition: Name?
    public var directives: Run<Directive>
    public var selectionSet: SelectionSet
    public var span: SourceSpan
}

/// `name: value` of a field or directive (specification, section 2.6).
public struct Argument: Sendable {
    public var name: Name
    public var value: Value
    public var span: SourceSpan
}

/// `@name(arguments)` (specification, section 2.12).
public struct Directive: Sendable {
    public var name: Name
    public var arguments: Run<Argument>
    public var span: SourceSpan
}

/// `$name: Type = default` (specification, section 2.10).
public struct VariableDefinition: Sendable {
    public var description: StringValue?
    /// The name without its dollar sign; its span has none either.
    public var name: Name
    /// `$name`, with the dollar sign.
    public var variableSpan: SourceSpan
    public var type: TypeReference
    public var defaultValue: Value?
    public var directives: Run<Directive>
    public var span: SourceSpan
}
