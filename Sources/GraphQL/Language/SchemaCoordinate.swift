/// A schema coordinate, which identifies one element of a schema (specification, section 3.14).
public enum SchemaCoordinate: Hashable, Sendable, CustomStringConvertible {
    /// `Type`
    case type(String)
    /// `Type.member`: a field, an input field, or an enum value.
    case member(type: String, name: String)
    /// `Type.field(argument:)`
    case argument(type: String, field: String, name: String)
    /// `@directive`
    case directive(String)
    /// `@directive(argument:)`
    case directiveArgument(directive: String, name: String)

    /// Parses a coordinate.
    ///
    /// A coordinate contains no ignored tokens: no space, no comment.
    ///
    /// - Throws: `SyntaxError` for the first syntax error, or if the text is longer than `limits.bytes`.
    public init(parsing source: SourceText, limits: ParserLimits = .default) throws(SyntaxError) {
        do throws(SyntaxErrorReason) {
            try limits.check(source)
            var parser = try SchemaCoordinateParser(source)
            self = try parser.coordinate()
        } catch {
            throw SyntaxError(error, in: source)
        }
    }

    /// Parses a coordinate.
    ///
    /// A coordinate contains no ignored tokens: no space, no comment.
    ///
    /// - Throws: `SyntaxError` for the first syntax error.
    public init(_ text: String) throws(SyntaxError) {
        try self.init(parsing: SourceText(text))
    }

    /// The text of the coordinate.
    public var description: String {
        switch self {
        case .type(let type): type
        case .member(let type, let name): "\(type).\(name)"
        case .argument(let type, let field, let name): "\(type).\(field)(\(name):)"
        case .directive(let directive): "@\(directive)"
        case .directiveArgument(let directive, let name): "@\(directive)(\(name):)"
        }
    }
}

/// A parser for the grammar of coordinates, which has a separate lexer.
private struct SchemaCoordinateParser {
    private let source: SourceText
    private var token: Token

    init(_ source: SourceText) throws(SyntaxErrorReason) {
        self.source = source
        token = try SchemaCoordinateParser.token(from: 0, in: source.bytes.span)
    }

    mutating func coordinate() throws(SyntaxErrorReason) -> SchemaCoordinate {
        let coordinate = try skip(.at) ? try directive() : try type()
        guard try skip(.endOfText) else { throw expected(.endOfText) }
        return coordinate
    }

    private mutating func type() throws(SyntaxErrorReason) -> SchemaCoordinate {
        let type = try name()
        guard try skip(.dot) else { return .type(type) }
        let member = try name()
        guard let argument = try argument() else { return .member(type: type, name: member) }
        return .argument(type: type, field: member, name: argument)
    }

    private mutating func directive() throws(SyntaxErrorReason) -> SchemaCoordinate {
        let directive = try name()
        guard let argument = try argument() else { return .directive(directive) }
        return .directiveArgument(directive: directive, name: argument)
    }

    /// Parses an optional `(name:)`.
    private mutating func argument() throws(SyntaxErrorReason) -> String? {
        guard try skip(.leftParenthesis) else { return nil }
        let argument = try name()
        guard try skip(.colon) else { throw expected(.colon) }
        guard try skip(.rightParenthesis) else { throw expected(.rightParenthesis) }
        return argument
    }

    private mutating func name() throws(SyntaxErrorReason) -> String {
        let text = source.text(token.span)
        guard try skip(.name) else { throw expected(.name) }
        return text
    }

    private mutating func skip(_ kind: TokenKind) throws(SyntaxErrorReason) -> Bool {
        guard token.kind == kind else { return false }
        token = try SchemaCoordinateParser.token(from: Int(token.span.end), in: source.bytes.span)
        return true
    }

    private func expected(_ kind: TokenKind) -> SyntaxErrorReason {
        SyntaxErrorReason(.expected(kind, found: token), at: token.span)
    }

    private static func token(from start: Int, in bytes: Span<UInt8>) throws(SyntaxErrorReason) -> Token {
        guard start < bytes.count else {
            return Token(kind: .endOfText, span: SourceSpan(bytes.count, bytes.count))
        }
        var end = start + 1
        let kind: TokenKind
        switch bytes[start] {
        case UInt8(ascii: "."): kind = .dot
        case UInt8(ascii: "("): kind = .leftParenthesis
        case UInt8(ascii: ")"): kind = .rightParenthesis
        case UInt8(ascii: ":"): kind = .colon
        case UInt8(ascii: "@"): kind = .at
        case let byte where byte.isNameStart:
            kind = .name
            while end < bytes.count && bytes[end].isNameContinue { end += 1 }
        default: throw Lexer.characterFault(at: start, in: bytes) { .invalidCharacter($0) }
        }
        return Token(kind: kind, span: SourceSpan(start, end))
    }
}
