/// A value literal in a document (specification, section 2.9).
public enum Value: Sendable {
    /// A variable. The name excludes the dollar sign; the span includes it.
    case variable(Name, SourceSpan)
    /// An integer; the span contains its digits.
    case int(SourceSpan)
    /// A float; the span contains its digits.
    case float(SourceSpan)
    case string(StringValue)
    case boolean(Bool, SourceSpan)
    case null(SourceSpan)
    case `enum`(Name)
    /// A list; its items are in `Document.values`.
    case list(NodeRange<Value>, SourceSpan)
    /// An input object; its fields are in `Document.objectFields`.
    case object(NodeRange<ObjectField>, SourceSpan)

    /// The position of the value.
    public var span: SourceSpan {
        switch self {
        case .variable(_, let span), .int(let span), .float(let span), .boolean(_, let span), .null(let span),
            .list(_, let span), .object(_, let span):
            span
        case .string(let string): string.span
        case .enum(let name): name.span
        }
    }
}

/// A string literal with its quotes; `Document.string(_:)` returns its value.
public struct StringValue: Sendable {
    /// The position, including the quotes.
    public var span: SourceSpan
    /// True for a block string (`"""`).
    public var isBlock: Bool
}

/// A field of an input object value, `name: value`.
public struct ObjectField: Sendable {
    /// The name.
    public var name: Name
    /// The value.
    public var value: Value
    /// The source range, from the first token to the last.
    public var span: SourceSpan
}
