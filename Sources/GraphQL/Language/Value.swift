/// A value as written in a document (specification, section 2.9).
public enum Value: Sendable {
    /// The name has no dollar sign; the span has.
    case variable(Name, SourceSpan)
    /// The digits are the span's text.
    case int(SourceSpan)
    /// The digits are the span's text.
    case float(SourceSpan)
    case string(StringValue)
    case boolean(Bool, SourceSpan)
    case null(SourceSpan)
    case `enum`(Name)
    /// The items, in `Document.values`.
    case list(NodeRange<Value>, SourceSpan)
    /// The fields, in `Document.objectFields`.
    case object(NodeRange<ObjectField>, SourceSpan)

    /// Where the value stands.
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

/// A string as written, with its quotes; `Document.string(_:)` gives what it means.
public struct StringValue: Sendable {
    /// Where it stands, with its quotes.
    public var span: SourceSpan
    /// True between `"""`.
    public var isBlock: Bool
}

/// `name: value` in an input object value.
public struct ObjectField: Sendable {
    /// Its name.
    public var name: Name
    /// Its value.
    public var value: Value
    /// From its first token to its last.
    public var span: SourceSpan
}
