/// A list or an input object before its closing delimiter.
struct OpenContainer {
    var isObject: Bool
    /// The offset of the opening delimiter.
    var start: UInt32
    /// The index of the first child in the open values or the open object fields.
    var first: Int
    /// The name of the current field; nil in lists.
    var fieldName: Name?

    var end: TokenKind { isObject ? .rightBrace : .rightBracket }
}

// Values and types (specification, sections 2.9 and 2.11).
extension Parser {
    /// Parses a `Value` with all nested values; a constant value contains no variables.
    mutating func value(isConstant: Bool) throws(SyntaxErrorReason) -> Value {
        guard try openContainer() else { return try leaf(isConstant: isConstant) }
        while let innermost = openContainers.last {
            if try skip(innermost.end) {
                let value = closeContainer(innermost)
                openContainers.removeLast()
                if openContainers.isEmpty { return value }
                add(value)
            } else {
                if innermost.isObject { try fieldName() }
                if try !openContainer() { add(try leaf(isConstant: isConstant)) }
            }
        }
        throw unexpected()
    }

    /// Consumes the opening delimiter of a list or an input object; returns false if the next token is
    /// neither.
    private mutating func openContainer() throws(SyntaxErrorReason) -> Bool {
        let isObject = token.kind == .leftBrace
        guard isObject || token.kind == .leftBracket else { return false }
        let start = token.span.start
        try descend(below: openSelectionSets.count &+ openContainers.count)
        let first = isObject ? openObjectFields.count : openValues.count
        openContainers.append(OpenContainer(isObject: isObject, start: start, first: first))
        return true
    }

    private mutating func closeContainer(_ container: OpenContainer) -> Value {
        let span = span(from: container.start)
        if container.isObject {
            return .object(
                Parser.close(&openObjectFields, from: container.first, into: &nodes.objectFields), span)
        }
        return .list(Parser.close(&openValues, from: container.first, into: &nodes.values), span)
    }

    /// Parses the name of the next field of the innermost input object, with its colon.
    private mutating func fieldName() throws(SyntaxErrorReason) {
        let name = try name()
        try expect(.colon)
        openContainers[openContainers.count - 1].fieldName = name
    }

    /// Adds a value as the next item or field of the innermost open container.
    private mutating func add(_ value: Value) {
        if let name = openContainers.last?.fieldName {
            openObjectFields.append(ObjectField(name: name, value: value, span: span(from: name.span.start)))
        } else {
            openValues.append(value)
        }
    }

    /// Parses a value that is neither a list nor an input object.
    private mutating func leaf(isConstant: Bool) throws(SyntaxErrorReason) -> Value {
        let token = token
        switch token.kind {
        case .dollar: return try variable(isConstant: isConstant)
        case .name: return try namedValue()
        case .int:
            try advance()
            return .int(token.span)
        case .float:
            try advance()
            return .float(token.span)
        case .string, .blockString:
            try advance()
            return .string(StringValue(span: token.span, isBlock: token.kind == .blockString))
        case .exclamationMark, .ampersand, .leftParenthesis, .rightParenthesis, .spread, .colon, .equals, .at,
            .leftBracket, .rightBracket, .leftBrace, .pipe, .rightBrace, .dot, .endOfText:
            throw unexpected()
        }
    }

    /// Parses an optional `DefaultValue`.
    mutating func defaultValue() throws(SyntaxErrorReason) -> Value? {
        try skip(.equals) ? try value(isConstant: true) : nil
    }

    private mutating func variable(isConstant: Bool) throws(SyntaxErrorReason) -> Value {
        let dollar = token
        try advance()
        if isConstant {
            guard token.kind == .name else { throw SyntaxErrorReason(.unexpected(dollar), at: dollar.span) }
            throw SyntaxErrorReason(.variableInConstant(name: token.span), at: dollar.span)
        }
        return .variable(try name(), span(from: dollar.span.start))
    }

    /// Parses `true`, `false`, `null` or the name of an enum value.
    private mutating func namedValue() throws(SyntaxErrorReason) -> Value {
        let span = token.span
        if hasText(span, "true") || hasText(span, "false") {
            try advance()
            // The two literals have different lengths.
            return .boolean(span.end &- span.start == 4, span)
        }
        if hasText(span, "null") {
            try advance()
            return .null(span)
        }
        return .enum(try name())
    }

    /// Parses a `Type` iteratively, from the outermost bracket to the name and back.
    mutating func typeReference() throws(SyntaxErrorReason) -> TypeReference {
        let start = token.span.start
        var lists = 0
        while token.kind == .leftBracket {
            lists += 1
            guard lists <= Wrapping.maximumLists else { throw tooManyLists() }
            try advance()
        }
        let name = try name()
        var wrapping = Wrapping()
        if try skip(.exclamationMark) { wrapping = wrapping.nonNull }
        for _ in 0..<lists {
            try expect(.rightBracket)
            guard let list = wrapping.list else { throw tooManyLists() }
            wrapping = try skip(.exclamationMark) ? list.nonNull : list
        }
        return TypeReference(name: name, wrapping: wrapping, span: span(from: start))
    }

    private func tooManyLists() -> SyntaxErrorReason {
        SyntaxErrorReason(.tooManyLists(limit: Wrapping.maximumLists), at: token.span)
    }

    /// Parses an optional `Description`.
    mutating func description() throws(SyntaxErrorReason) -> StringValue? {
        guard token.kind.isString else { return nil }
        let string = StringValue(span: token.span, isBlock: token.kind == .blockString)
        try advance()
        return string
    }

    /// Returns true if the next token is a name with one of these texts, or a string with such a value.
    ///
    /// The reference implementation compares only a token's value when it excludes a keyword from names.
    func isToken(_ texts: [String]) -> Bool {
        guard token.kind == .name || token.kind.isString else { return false }
        let source = nodes.source
        let text =
            token.kind == .name
            ? source.text(token.span) : source.string(at: token.span, isBlock: token.kind == .blockString)
        return texts.contains(text)
    }
}
