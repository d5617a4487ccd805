extension SyntaxError: CustomStringConvertible {
    /// "Syntax Error: " and what is wrong, in the words of the reference implementation, graphql-js 17.
    public var message: String { "Syntax Error: \(reason)" }

    /// The message, and the line it speaks of with a caret below the place.
    public var description: String { "\(message)\n\n\(source.excerpt(at: location))" }

    private var reason: String {
        switch cause {
        case .unexpectedCharacter(let character): "Unexpected character: \(character.wording)."
        case .invalidCharacter(let character): "Invalid character: \(character.wording)."
        case .invalidCharacterInString(let character):
            "Invalid character within String: \(character.wording)."
        case .singleQuote:
            #"Unexpected single quote character ('), did you mean to use a double quote (")?"#
        case .twoDots: #"Unexpected "..", did you mean "..."?"#
        case .noDigitBeforePoint(let digits):
            #"Invalid number, expected digit before ".", did you mean "0.\#(source.text(digits))"?"#
        case .digitAfterZero(let character): "Invalid number, unexpected digit after 0: \(character.wording)."
        case .expectedDigit(let character): "Invalid number, expected digit but got: \(character.wording)."
        case .unterminatedString: "Unterminated string."
        case .invalidEscape(let escape): "Invalid character escape sequence: \"\(source.text(escape))\"."
        case .invalidUnicodeEscape(let escape): "Invalid Unicode escape sequence: \"\(source.text(escape))\"."
        case .unexpected(let token): "Unexpected \(wording(of: token))."
        case .expected(let kind, let token): "Expected \(kind.wording), found \(wording(of: token))."
        case .expectedKeyword(let keyword, let token):
            "Expected \"\(keyword.rawValue)\", found \(wording(of: token))."
        case .reservedEnumValue(let token):
            "\(wording(of: token)) is reserved and cannot be used for an enum value."
        case .variableInConstant(let name): "Unexpected variable \"$\(source.text(name))\" in constant value."
        case .descriptionOfShorthandQuery:
            "Unexpected description, descriptions are not supported on shorthand queries."
        case .descriptionOfNothing: "Unexpected description, only GraphQL definitions support descriptions."
        case .tooManyBytes(let limit): "Document contains more than \(limit) bytes. Parsing aborted."
        case .tooManyTokens(let limit): "Document contains more than \(limit) tokens. Parsing aborted."
        case .tooDeep(let limit): "Document is nested more than \(limit) levels deep. Parsing aborted."
        case .nameTooLong(let limit): "Name contains more than \(limit) bytes. Parsing aborted."
        case .tooManyLists(let limit): "Type is wrapped in more than \(limit) lists. Parsing aborted."
        }
    }

    /// A token by its kind, and by its value where it has one of its own.
    private func wording(of token: Token) -> String {
        switch token.kind {
        case .name, .int, .float: "\(token.kind.wording) \"\(source.text(token.span))\""
        case .string: "\(token.kind.wording) \"\(source.string(at: token.span, isBlock: false))\""
        case .blockString: "\(token.kind.wording) \"\(source.string(at: token.span, isBlock: true))\""
        case .exclamationMark, .dollar, .ampersand, .leftParenthesis, .rightParenthesis, .spread, .colon,
            .equals,
            .at, .leftBracket, .rightBracket, .leftBrace, .pipe, .rightBrace, .dot, .endOfText:
            token.kind.wording
        }
    }
}

extension TokenKind {
    var wording: String {
        switch self {
        case .exclamationMark: #""!""#
        case .dollar: #""$""#
        case .ampersand: #""&""#
        case .leftParenthesis: #""(""#
        case .rightParenthesis: #"")""#
        case .spread: #""...""#
        case .colon: #"":""#
        case .equals: #""=""#
        case .at: #""@""#
        case .leftBracket: #""[""#
        case .rightBracket: #""]""#
        case .leftBrace: #""{""#
        case .pipe: #""|""#
        case .rightBrace: #""}""#
        case .dot: #"".""#
        case .name: "Name"
        case .int: "Int"
        case .float: "Float"
        case .string: "String"
        case .blockString: "BlockString"
        case .endOfText: "<EOF>"
        }
    }
}

extension SourceCharacter {
    /// Printable ASCII in quotes, anything else by its number.
    var wording: String {
        switch self {
        case .scalar("\""): #"'"'"#
        case .scalar(let scalar) where (" "..."~").contains(scalar): "\"\(scalar)\""
        case .scalar(let scalar): "U+\(Self.hexadecimal(scalar.value, digits: 4))"
        case .surrogate(let unit): "U+\(Self.hexadecimal(UInt32(unit), digits: 4))"
        case .byte(let byte): "byte 0x\(Self.hexadecimal(UInt32(byte), digits: 2)), the text is not UTF-8"
        case .endOfText: TokenKind.endOfText.wording
        }
    }

    private static func hexadecimal(_ number: UInt32, digits: Int) -> String {
        let text = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}
