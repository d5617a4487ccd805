// Definitions and extensions of schemas, types and directives (specification, chapter 3).
extension Parser {
    /// Parses a `SchemaDefinition` from its keyword on.
    mutating func schemaDefinition(
        description: StringValue?, start: UInt32
    ) throws(SyntaxErrorReason) -> SchemaDefinition {
        try advance()
        let directives = try directives(isConstant: true)
        guard token.kind == .leftBrace else {
            throw SyntaxErrorReason(.expected(.leftBrace, found: token), at: token.span)
        }
        return SchemaDefinition(
            description: description, directives: directives, operationTypes: try operationTypes(),
            isExtension: false, span: span(from: start))
    }

    /// Parses a `SchemaExtension` from its second keyword on.
    mutating func schemaExtension(start: UInt32) throws(SyntaxErrorReason) -> SchemaDefinition {
        try advance()
        let directives = try directives(isConstant: true)
        let operationTypes = try operationTypes()
        if directives.isEmpty && operationTypes.isEmpty { throw unexpected() }
        return SchemaDefinition(
            description: nil, directives: directives, operationTypes: operationTypes, isExtension: true,
            span: span(from: start))
    }

    private mutating func operationTypes() throws(SyntaxErrorReason) -> NodeRange<OperationTypeDefinition> {
        guard try skip(.leftBrace) else { return .none }
        let first = nodes.operationTypeDefinitions.count
        repeat {
            let start = token.span.start
            let operation = try operationType()
            try expect(.colon)
            let definition = OperationTypeDefinition(
                operation: operation, type: try name(), span: span(from: start))
            nodes.operationTypeDefinitions.append(definition)
        } while try !skip(.rightBrace)
        return run(of: nodes.operationTypeDefinitions, from: first)
    }

    private mutating func operationType() throws(SyntaxErrorReason) -> OperationType {
        let word = token
        try expect(.name)
        for type in OperationType.allCases where hasText(word.span, type.rawValue) { return type }
        throw SyntaxErrorReason(.unexpected(word), at: word.span)
    }

    /// Parses the definition of a named type from its keyword on.
    mutating func typeDefinition(
        _ keyword: Keyword, description: StringValue?, start: UInt32
    ) throws(SyntaxErrorReason) -> TypeDefinition {
        try namedType(keyword, description: description, isExtension: false, start: start)
    }

    /// Parses the extension of a named type from its second keyword on.
    mutating func typeExtension(_ keyword: Keyword, start: UInt32) throws(SyntaxErrorReason) -> TypeDefinition
    {
        let type = try namedType(keyword, description: nil, isExtension: true, start: start)
        if type.directives.isEmpty && type.body.isEmpty { throw unexpected() }
        return type
    }

    private mutating func namedType(
        _ keyword: Keyword, description: StringValue?, isExtension: Bool, start: UInt32
    ) throws(SyntaxErrorReason) -> TypeDefinition {
        try advance()
        let name = try name()
        let interfaces = keyword == .type || keyword == .interface ? try implementedInterfaces() : .none
        let directives = try directives(isConstant: true)
        let body = try typeBody(keyword, interfaces: interfaces)
        return TypeDefinition(
            description: description, name: name, directives: directives, body: body,
            isExtension: isExtension, span: span(from: start))
    }

    private mutating func typeBody(
        _ keyword: Keyword, interfaces: NodeRange<Name>
    ) throws(SyntaxErrorReason) -> TypeBody {
        switch keyword {
        case .scalar: .scalar
        case .type: .object(interfaces: interfaces, fields: try fieldDefinitions())
        case .interface: .interface(interfaces: interfaces, fields: try fieldDefinitions())
        case .union: .union(members: try skip(.equals) ? try nameList(separator: .pipe) : .none)
        case .enum: .enum(values: try enumValueDefinitions())
        case .input: .inputObject(fields: try inputValueDefinitions(between: .leftBrace, and: .rightBrace))
        case .query, .mutation, .subscription, .fragment, .on, .schema, .directive, .extend, .implements,
            .repeatable:
            throw unexpected()
        }
    }

    private mutating func implementedInterfaces() throws(SyntaxErrorReason) -> NodeRange<Name> {
        try skip(.implements) ? try nameList(separator: .ampersand) : .none
    }

    /// Parses one or more names with separators; a leading separator is allowed.
    private mutating func nameList(separator: TokenKind) throws(SyntaxErrorReason) -> NodeRange<Name> {
        let first = nodes.nameLists.count
        _ = try skip(separator)
        repeat {
            let name = try name()
            nodes.nameLists.append(name)
        } while try skip(separator)
        return run(of: nodes.nameLists, from: first)
    }

    private mutating func fieldDefinitions() throws(SyntaxErrorReason) -> NodeRange<FieldDefinition> {
        guard try skip(.leftBrace) else { return .none }
        let first = nodes.fieldDefinitions.count
        repeat {
            let definition = try fieldDefinition()
            nodes.fieldDefinitions.append(definition)
        } while try !skip(.rightBrace)
        return run(of: nodes.fieldDefinitions, from: first)
    }

    private mutating func fieldDefinition() throws(SyntaxErrorReason) -> FieldDefinition {
        let start = token.span.start
        let description = try description()
        let name = try name()
        let arguments = try inputValueDefinitions(between: .leftParenthesis, and: .rightParenthesis)
        try expect(.colon)
        return FieldDefinition(
            description: description, name: name, arguments: arguments, type: try typeReference(),
            directives: try directives(isConstant: true), span: span(from: start))
    }

    /// Parses an optional `ArgumentsDefinition` or `InputFieldsDefinition`.
    private mutating func inputValueDefinitions(
        between open: TokenKind, and close: TokenKind
    ) throws(SyntaxErrorReason) -> NodeRange<InputValueDefinition> {
        guard try skip(open) else { return .none }
        let first = nodes.inputValueDefinitions.count
        repeat {
            let definition = try inputValueDefinition()
            nodes.inputValueDefinitions.append(definition)
        } while try !skip(close)
        return run(of: nodes.inputValueDefinitions, from: first)
    }

    private mutating func inputValueDefinition() throws(SyntaxErrorReason) -> InputValueDefinition {
        let start = token.span.start
        let description = try description()
        let name = try name()
        try expect(.colon)
        return InputValueDefinition(
            description: description, name: name, type: try typeReference(), defaultValue: try defaultValue(),
            directives: try directives(isConstant: true), span: span(from: start))
    }

    private mutating func enumValueDefinitions() throws(SyntaxErrorReason) -> NodeRange<EnumValueDefinition> {
        guard try skip(.leftBrace) else { return .none }
        let first = nodes.enumValueDefinitions.count
        repeat {
            let start = token.span.start
            let description = try description()
            if isToken(["true", "false", "null"]) {
                throw SyntaxErrorReason(.reservedEnumValue(token), at: token.span)
            }
            let definition = EnumValueDefinition(
                description: description, name: try name(), directives: try directives(isConstant: true),
                span: span(from: start))
            nodes.enumValueDefinitions.append(definition)
        } while try !skip(.rightBrace)
        return run(of: nodes.enumValueDefinitions, from: first)
    }

    /// Parses a `DirectiveDefinition` from its keyword on.
    mutating func directiveDefinition(
        description: StringValue?, start: UInt32
    ) throws(SyntaxErrorReason) -> DirectiveDefinition {
        try advance()
        try expect(.at)
        let name = try name()
        let arguments = try inputValueDefinitions(between: .leftParenthesis, and: .rightParenthesis)
        let isRepeatable = try skip(.repeatable)
        try expect(.on)
        return DirectiveDefinition(
            description: description, name: name, arguments: arguments, isRepeatable: isRepeatable,
            locations: try directiveLocations(), span: span(from: start))
    }

    private mutating func directiveLocations() throws(SyntaxErrorReason) -> NodeRange<Name> {
        let first = nodes.nameLists.count
        _ = try skip(.pipe)
        repeat {
            let word = token
            let location = try name()
            guard DirectiveLocation(rawValue: nodes.source.text(word.span)) != nil else {
                throw SyntaxErrorReason(.unexpected(word), at: word.span)
            }
            nodes.nameLists.append(location)
        } while try skip(.pipe)
        return run(of: nodes.nameLists, from: first)
    }
}

extension TypeBody {
    /// True if an extension with this body adds nothing.
    fileprivate var isEmpty: Bool {
        switch self {
        case .scalar: true
        case .object(let interfaces, let fields), .interface(let interfaces, let fields):
            interfaces.isEmpty && fields.isEmpty
        case .union(let members): members.isEmpty
        case .enum(let values): values.isEmpty
        case .inputObject(let fields): fields.isEmpty
        }
    }
}
