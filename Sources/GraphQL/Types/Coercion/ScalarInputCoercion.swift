/// The input coercion of a custom scalar (specification, section 3.5.5).
public struct ScalarInputCoercion: Sendable {
    /// Converts an input value, from a literal or a variable, to the value that resolvers receive.
    ///
    /// The input is never null. Clients see the message of a thrown error.
    public let read: @Sendable (InputValue) throws(GraphQLError) -> InputValue

    /// Creates a coercion that calls `read` for each non-null value.
    public init(_ read: @escaping @Sendable (InputValue) throws(GraphQLError) -> InputValue) {
        self.read = read
    }
}

extension BuiltInScalar {
    /// Coerces a literal that is neither null nor a variable (specification, sections 3.5.1 to 3.5.5).
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
                message: "\(literalErrorMessage): \(document.quoted(literal))", span: literal.span)
        }
    }

    private func int(_ digits: String, _ span: SourceSpan) throws(InputCoercionError) -> InputValue {
        guard let value = Int32(digits) else {
            throw InputCoercionError(
                message: "Int cannot represent non 32-bit signed integer value: \(digits.shortened())",
                span: span)
        }
        return .int(Int(value))
    }

    private func float(_ digits: String, _ span: SourceSpan) throws(InputCoercionError) -> InputValue {
        guard let value = Double(digits), value.isFinite else {
            throw InputCoercionError(
                message: "Float cannot represent non numeric value: \(digits.shortened())", span: span)
        }
        return InputValue(float: value)
    }

    private var literalErrorMessage: String {
        switch self {
        case .int: "Int cannot represent non-integer value"
        case .float: "Float cannot represent non numeric value"
        case .string: "String cannot represent a non string value"
        case .boolean: "Boolean cannot represent a non boolean value"
        case .id: "ID cannot represent a non-string and non-integer value"
        }
    }
}

extension BuiltInScalar {
    /// Coerces a non-null value of a variable (specification, sections 3.5.1 to 3.5.5).
    ///
    /// An integral number is an integer in any notation, for example `1.0` and `1e2`.
    func read(_ value: InputValue) throws(InputCoercionError) -> InputValue {
        switch (self, value) {
        case (.int, .int(let number)):
            return try int(number, value)
        case (.int, .number(let digits)):
            return try int(digits, value)
        case (.float, .int(let number)):
            return InputValue(float: Double(number))
        case (.float, .number(let digits)):
            guard let number = Double(digits), number.isFinite else { throw coercionError(for: value) }
            return InputValue(float: number)
        case (.string, .string), (.id, .string), (.boolean, .boolean):
            return value
        case (.id, .int(let number)):
            return .string(String(number))
        case (.id, .number(let digits)) where digits.isLongInteger:
            return .string(digits)
        case (.id, .number(let digits)):
            guard let number = Double(digits), number.isFinite, number == number.rounded() else {
                throw coercionError(for: value)
            }
            return .string(InputValue(float: number).inspected)
        case (.int, _), (.float, _), (.string, _), (.boolean, _), (.id, _):
            throw coercionError(for: value)
        }
    }

    private func int(_ number: Int, _ value: InputValue) throws(InputCoercionError) -> InputValue {
        guard let small = Int32(exactly: number) else { throw tooLarge(value) }
        return .int(Int(small))
    }

    private func int(_ digits: String, _ value: InputValue) throws(InputCoercionError) -> InputValue {
        guard let number = Double(digits), number.isFinite, number == number.rounded() else {
            throw coercionError(for: value)
        }
        guard let small = Int32(exactly: number) else { throw tooLarge(value) }
        return .int(Int(small))
    }

    private func tooLarge(_ value: InputValue) -> InputCoercionError {
        InputCoercionError(
            message: "Int cannot represent non 32-bit signed integer value: \(value.inspected)")
    }

    private func coercionError(for value: InputValue) -> InputCoercionError {
        let words =
            switch self {
            case .int: "Int cannot represent non-integer value"
            case .float: "Float cannot represent non numeric value"
            case .string: "String cannot represent a non string value"
            case .boolean: "Boolean cannot represent a non boolean value"
            case .id: "ID cannot represent value"
            }
        return InputCoercionError(message: "\(words): \(value.inspected)")
    }
}

extension BuiltInScalar {
    /// Returns true if `read` returns each of these values unchanged.
    func preserves(all values: [InputValue]) -> Bool {
        switch self {
        case .string, .id: values.allSatisfy(\.isString)
        case .boolean: values.allSatisfy(\.isBoolean)
        // Numbers have a range, and more than one notation.
        case .int, .float: values.isEmpty
        }
    }
}

extension InputValue {
    fileprivate var isString: Bool {
        if case .string = self { true } else { false }
    }

    fileprivate var isBoolean: Bool {
        if case .boolean = self { true } else { false }
    }
}

extension String {
    /// Whether it has an optional minus sign and digits alone, more than a `Double` holds.
    fileprivate var isLongInteger: Bool {
        utf8.count > 15
            && utf8.drop { $0 == UInt8(ascii: "-") }.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
            }
    }
}
