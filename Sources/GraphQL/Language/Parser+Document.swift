// Documents and their definitions (specification, section 2.2).
extension Parser {
    /// `Document`, to the end of the text.
    mutating func definitions() throws(SyntaxErrorReason) {
        repeat {
            let definition = try definition()
            nodes.definitions.append(definition)
        } while token.kind != .endOfText
    }

    private mutating func definition() throws(SyntaxErrorReason) -> Definition {
        limitNames(true)
        if token.kind == .leftBrace { return .operation(try shorthandQuery()) }
        let start = token.span.start
        let description = try description()
        guard let keyword = definitionKeyword() else {
            guard let description else { throw unexpected() }
            if token.kind == .leftBrace {
                throw SyntaxErrorReason(.descriptionOfShorthandQuery, at: description.span)
            }
            if token.kind == .name { throw SyntaxErrorReason(.descriptionOfNothing, at: description.span) }
            throw unexpected()
        }
        limitNames(keyword.isExecutable)
        switch keyword {
        case .query: return .operation(try operation(.query, description: description, start: start))
        case .mutation: return .operation(try operation(.mutation, description: description, start: start))
        case .subscription:
            return .operation(try operation(.subscription, description: description, start: start))
        case .fragment: return .fragment(try fragment(description: description, start: start))
        case .directive: return .directive(try directiveDefinition(description: description, start: start))
        case .schema: return .schema(try schemaDefinition(description: description, start: start))
        case .scalar, .type, .interface, .union, .enum, .input:
            return .type(try typeDefinition(keyword, description: description, start: start))
        case .extend:
            if let description { throw SyntaxErrorReason(.descriptionOfNothing, at: description.span) }
            return try typeSystemExtension()
        case .on, .implements, .repeatable: throw unexpected()
        }
    }

    /// The word that a definition begins with, the most frequent first.
    private func definitionKeyword() -> Keyword? {
        guard token.kind == .name else { return nil }
        if isNext(.query) { return .query }
        if isNext(.fragment) { return .fragment }
        if isNext(.mutation) { return .mutation }
        if isNext(.subscription) { return .subscription }
        if isNext(.extend) { return .extend }
        if isNext(.schema) { return .schema }
        if isNext(.directive) { return .directive }
        return typeKeyword()
    }

    /// The word that the definition of a named type begins with.
    private func typeKeyword() -> Keyword? {
        if isNext(.type) { return .type }
        if isNext(.interface) { return .interface }
        if isNext(.enum) { return .enum }
        if isNext(.input) { return .input }
        if isNext(.union) { return .union }
        if isNext(.scalar) { return .scalar }
        return nil
    }

    /// `TypeSystemExtension`: what it extends must get something new.
    private mutating func typeSystemExtension() throws(SyntaxErrorReason) -> Definition {
        let start = token.span.start
        try advance()
        if isNext(.schema) { return .schema(try schemaExtension(start: start)) }
        guard let keyword = typeKeyword() else { throw unexpected() }
        return .type(try typeExtension(keyword, start: start))
    }
}
