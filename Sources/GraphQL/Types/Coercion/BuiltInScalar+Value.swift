extension BuiltInScalar {
    /// Reads a value of a variable that is not null (specification, sections 3.5.1 to 3.5.5).
    ///
    /// An integral number is an integer however it is written: `1.0` and `1e2` are.
    func read(_ value: InputValue) throws(InputCoercionError) -> InputValue {
        switch (self, value) {
        case (.int, .int(let number)):
            return try int(number, value)
        case (.int, .number(let digits)):
            return try int(digits, value)
        case (.float, .int(let number)):
            return InputValue(float: Double(number))
        case (.float, .number(let digits)):
            guard let number = Double(digits), number.isFinite else { throw refusal(of: value) }
            return InputValue(float: number)
        case (.string, .string), (.id, .string), (.boolean, .boolean):
            return value
        case (.id, .int(let number)):
            return .string(String(number))
        case (.id, .number(let digits)):
            guard let number = Double(digits), number.isFinite, number == number.rounded() else {
                throw refusal(of: value)
            }
            return .string(InputValue(float: number).inspected)
        case (.int, _), (.float, _), (.string, _), (.boolean, _), (.id, _):
            throw refusal(of: value)
        }
    }

    private func int(_ number: Int, _ value: InputValue) throws(InputCoercionError) -> InputValue {
        guard let small = Int32(exactly: number) else { throw tooLarge(value) }
        return .int(Int(small))
    }

    private func int(_ digits: String, _ value: InputValue) throws(InputCoercionError) -> InputValue {
        guard let number = Double(digits), number.isFinite, number == number.rounded() else {
            throw refusal(of: value)
        }
        guard let small = Int32(exactly: number) else { throw tooLarge(value) }
        return .int(Int(small))
    }

    private func tooLarge(_ value: InputValue) -> InputCoercionError {
        InputCoercionError(
            message: "Int cannot represent non 32-bit signed integer value: \(value.inspected)")
    }

    private func refusal(of value: InputValue) -> InputCoercionError {
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
