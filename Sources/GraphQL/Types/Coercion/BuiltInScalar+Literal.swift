extension BuiltInScalar {
    /// Reads a literal that is neither null nor a variable (specification, sections 3.5.1 to 3.5.5).
    func read(_ literal: Value, in document: Document) throws(InputCoercionError) -> InputValue {
        switch (self, literal) {
        case (.int, .int(let span)):
            return try int(document.source.text(span), span)
        case (.float, .int(let span)), (.float, .float(let span)):
            return try float(document.source.text(span), span)
        case (.string, .string(let string)), (.id, .string(let string)):
            return .string(document.string(string))
        case (.id, .int(let span)):
            return .string(document.source.text(span))
        case (.boolean, .boolean(let value, _)):
            return .boolean(value)
        case (.int, _), (.float, _), (.string, _), (.boolean, _), (.id, _):
            throw InputCoercionError(
                message: "\(literalRefusal): \(document.print(literal))", span: literal.span)
        }
    }

    private func int(_ digits: String, _ span: SourceSpan) throws(InputCoercionError) -> InputValue {
        guard let value = Int32(digits) else {
            throw InputCoercionError(
                message: "Int cannot represent non 32-bit signed integer value: \(digits)", span: span)
        }
        return .int(Int(value))
    }

    private func float(_ digits: String, _ span: SourceSpan) throws(InputCoercionError) -> InputValue {
        guard let value = Double(digits), value.isFinite else {
            throw InputCoercionError(
                message: "Float cannot represent non numeric value: \(digits)", span: span)
        }
        return InputValue(float: value)
    }

    private var literalRefusal: String {
        switch self {
        case .int: "Int cannot represent non-integer value"
        case .float: "Float cannot represent non numeric value"
        case .string: "String cannot represent a non string value"
        case .boolean: "Boolean cannot represent a non boolean value"
        case .id: "ID cannot represent a non-string and non-integer value"
        }
    }
}
