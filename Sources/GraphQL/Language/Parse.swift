/// Parses a document: executable definitions, type system definitions and extensions, in any mixture.
///
/// Follows the specification of September 2025: descriptions may stand on executable definitions too.
///
/// - Throws: `SyntaxError` for the first thing that is no GraphQL, or for a limit that the text exceeds.
public func parse(_ source: SourceText, limits: ParserLimits = .default) throws(SyntaxError) -> Document {
    do throws(SyntaxErrorReason) {
        var parser = try Parser(source, limits: limits)
        try parser.definitions()
        return parser.finished()
    } catch {
        throw SyntaxError(error, in: source)
    }
}

/// Parses a document that error messages call "GraphQL request".
///
/// - Throws: `SyntaxError` for the first thing that is no GraphQL, or for a limit that the text exceeds.
public func parse(_ text: String, limits: ParserLimits = .default) throws(SyntaxError) -> Document {
    try parse(SourceText(text), limits: limits)
}

/// A part of a document that was parsed alone, and a document without definitions that holds what it refers to.
public struct ParsedNode<Node: Sendable>: Sendable {
    /// The part that was parsed.
    public let node: Node
    /// What its children and names are found in.
    public let document: Document
}

/// Parses a value that stands alone (specification, section 2.9).
///
/// Where `isConstant`, variables are refused in it.
///
/// - Throws: `SyntaxError` for the first thing that does not belong to it, or for a limit that the text exceeds.
public func parseValue(
    _ source: SourceText, isConstant: Bool = true, limits: ParserLimits = .default
) throws(SyntaxError) -> ParsedNode<Value> {
    do throws(SyntaxErrorReason) {
        var parser = try Parser(source, limits: limits)
        let value = try parser.value(isConstant: isConstant)
        try parser.expect(.endOfText)
        return ParsedNode(node: value, document: parser.finished())
    } catch {
        throw SyntaxError(error, in: source)
    }
}

/// Parses a reference to a type, such as `[Int!]` (specification, section 2.11).
///
/// - Throws: `SyntaxError` for the first thing that does not belong to it, or for a limit that the text exceeds.
public func parseType(
    _ source: SourceText, limits: ParserLimits = .default
) throws(SyntaxError) -> ParsedNode<TypeReference> {
    do throws(SyntaxErrorReason) {
        var parser = try Parser(source, limits: limits)
        let type = try parser.typeReference()
        try parser.expect(.endOfText)
        return ParsedNode(node: type, document: parser.finished())
    } catch {
        throw SyntaxError(error, in: source)
    }
}
