// Result coercion of JSON values (specification, sections 3.5 and 3.9): the accepted values of each type,
// and the errors with the wording of the reference implementation.

extension BuiltInScalar {
    /// Writes a non-null value as this scalar.
    func write(_ value: DynamicValue, to writer: inout ResponseWriter) throws(ResultCoercionError) {
        switch self {
        case .int: writer.write(try BuiltInScalar.int(value))
        case .float: writer.write(InputValue(float: try BuiltInScalar.float(value)))
        case .string: writer.write(try BuiltInScalar.text(value))
        case .boolean: writer.write(try BuiltInScalar.truth(value))
        case .id: writer.write(try BuiltInScalar.identifier(value))
        }
    }

    /// Accepts 32-bit integers, strings of these, and booleans as 1 and 0.
    private static func int(_ value: DynamicValue) throws(ResultCoercionError) -> Int {
        if case .boolean(let flag) = value { return flag ? 1 : 0 }
        guard let number = value.numericValue, number.isFinite, number == number.rounded(.towardZero) else {
            throw value.coercionError("Int cannot represent non-integer value")
        }
        guard let integer = Int32(exactly: number) else {
            throw value.coercionError("Int cannot represent non 32-bit signed integer value")
        }
        return Int(integer)
    }

    /// Accepts finite numbers, strings of these, and booleans as 1 and 0.
    private static func float(_ value: DynamicValue) throws(ResultCoercionError) -> Double {
        if case .boolean(let flag) = value { return flag ? 1 : 0 }
        guard let number = value.numericValue, number.isFinite else {
            throw value.coercionError("Float cannot represent non numeric value")
        }
        return number
    }

    /// Accepts strings, booleans and numbers.
    private static func text(_ value: DynamicValue) throws(ResultCoercionError) -> String {
        switch value {
        case .string(let text): return text
        case .boolean(let flag): return flag ? "true" : "false"
        case .int(let number): return String(number)
        case .number(let digits):
            if let number = Double(digits), number.isFinite { return InputValue.digits(of: number) }
        case .null, .list, .object: break
        }
        throw value.coercionError("String cannot represent value")
    }

    /// Accepts booleans, and finite numbers: true if not zero.
    private static func truth(_ value: DynamicValue) throws(ResultCoercionError) -> Bool {
        switch value {
        case .boolean(let flag): return flag
        case .int(let number): return number != 0
        case .number(let digits):
            if let number = Double(digits), number.isFinite { return number != 0 }
        case .null, .string, .list, .object: break
        }
        throw value.coercionError("Boolean cannot represent a non boolean value")
    }

    /// Accepts strings, and the digits of integers.
    private static func identifier(_ value: DynamicValue) throws(ResultCoercionError) -> String {
        switch value {
        case .string(let text): return text
        case .int(let number): return String(number)
        case .number(let digits):
            if let number = Double(digits), number.isFinite, number == number.rounded(.towardZero) {
                return InputValue.digits(of: number)
            }
        case .null, .boolean, .list, .object: break
        }
        throw value.coercionError("ID cannot represent value")
    }
}

extension EnumType {
    /// Writes the name of an enum value; throws if `name`, the enum, has no such value.
    func write(_ value: DynamicValue, of name: String, to writer: inout ResponseWriter)
        throws(ResultCoercionError)
    {
        guard case .string(let text) = value, self.value(named: text) != nil else {
            throw value.coercionError("Enum \"\(name)\" cannot represent value")
        }
        writer.write(text)
    }
}

extension DynamicValue {
    /// The numeric value of a number or a string.
    fileprivate var numericValue: Double? {
        switch self {
        case .int(let number): Double(number)
        case .number(let digits): Double(digits)
        case .string(let text): DynamicValue.number(in: text)
        case .null, .boolean, .list, .object: nil
        }
    }

    /// Parses a decimal number. (`Double` would also parse `nan`, `infinity` and hexadecimal digits.)
    private static func number(in text: String) -> Double? {
        let isDecimal = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
                UInt8(ascii: "."),
                UInt8(ascii: "e"), UInt8(ascii: "E"):
                true
            default: false
            }
        }
        return isDecimal ? Double(text) : nil
    }

    fileprivate func coercionError(_ reason: String) -> ResultCoercionError {
        ResultCoercionError("\(reason): \(inputValue.inspected)")
    }
}
