// Values and types (specification, sections 2.9 and 2.11).
extension Parser {
    /// `Value`. A constant one has no variables in it.
    mutating func value(isConstant: Bool) throws(SyntaxFault) -> Value {
        let token = token
        switch token.kind {
        case .leftBracket: return try list(isConstant: isConstant)
        case .leftBrace: return try object(isConstant: isConstant)
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
            .rightBracket, .pipe, .rightBrace, .dot, .endOfText:
            throw unexpected()
        }
    }

    /// `DefaultValue`, or nothing.
    mutating func defaultValue() throws(SyntaxFault) -> Value? {
        try skip(.equals) ? try value(isConstant: true) : nil
    }

    private mutating func list(isConstant: Bool) throws(SyntaxFault) -> Value {
        let start = token.span.start
        try descend()
        try advance()
        let first = openValues.count
        while try !skip(.rightBracket) {
            let item = try value(isConstant: isConstant)
            openValues.append(item)
        }
        ascend()
        let items = Parser.close(&openValues, from: first, into: &document.values)
        return .list(items, span(from: start))
    }

    private mutating func object(isConstant: Bool) throws(SyntaxFault) -> Value {
        let start = token.span.start
        try descend()
        try advance()
        let first = openObjectFields.count
        while try !skip(.rightBrace) {
            let start = token.span.start
            let name = try name()
            try expect(.colon)
            let field = ObjectField(name: name, value: try value(isConstant: isConstant), span: span(from: start))
            openObjectFields.append(field)
        }
        ascend()
        let fields = Parser.close(&openObjectFields, from: first, into: &document.objectFields)
        return .object(fields, span(from: start))
    }

    private mutating func variable(isConstant: Bool) throws(SyntaxFault) -> Value {
        let dollar = token
        try advance()
        if isConstant {
            guard token.kind == .name else { throw SyntaxFault(.unexpected(dollar), at: dollar.span) }
            throw SyntaxFault(.variableInConstant(name: token.span), at: dollar.span)
        }
        return .variable(try name(), span(from: dollar.span.start))
    }

    /// `true`, `false`, `null` or the name of an enum value.
    private mutating func namedValue() throws(SyntaxFault) -> Value {
        let span = token.span
        if hasText(span, "true") || hasText(span, "false") {
            try advance()
            // The two differ in length already.
            return .boolean(span.end &- span.start == 4, span)
        }
        if hasText(span, "null") {
            try advance()
            return .null(span)
        }
        return .enum(try name())
    }

    /// `Type`, from the outermost bracket in and out again.
    mutating func typeReference() throws(SyntaxFault) -> TypeReference {
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

    private func tooManyLists() -> SyntaxFault {
        SyntaxFault(.tooManyLists(limit: Wrapping.maximumLists), at: token.span)
    }

    /// `Description`, or nothing.
    mutating func description() throws(SyntaxFault) -> StringValue? {
        guard token.kind == .string || token.kind == .blockString else { return nil }
        let string = StringValue(span: token.span, isBlock: token.kind == .blockString)
        try advance()
        return string
    }

    /// True where the next token is a name with one of these texts, or a string that means one. The reference
    /// implementation looks at a token's value alone where it keeps a word from being a name.
    func tokenMeans(_ texts: [String]) -> Bool {
        switch token.kind {
        case .name: texts.contains { hasText(token.span, $0) }
        case .string, .blockString:
            texts.contains(document.source.string(at: token.span, isBlock: token.kind == .blockString))
        case .exclamationMark, .dollar, .ampersand, .leftParenthesis, .rightParenthesis, .spread, .colon, .equals,
            .at, .leftBracket, .rightBracket, .leftBrace, .pipe, .rightBrace, .dot, .int, .float, .endOfText:
            false
        }
    }
}
