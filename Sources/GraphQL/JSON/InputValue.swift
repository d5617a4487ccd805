/// An input of an operation: a variable of the request, a literal of the document, or the coerced value of
/// either.
///
/// Numbers retain their digits: a number that is not a 64-bit integer is stored as text, so that a `Decimal`
/// scalar reads it exactly.
///
/// Values are equal if their texts have the same bytes, while Swift's strings are equal if they are
/// canonically equivalent.
public enum InputValue: Hashable, Sendable {
    case null
    case boolean(Bool)
    case int(Int)
    /// A number that is not a 64-bit integer, as written: `1.50`, `1e400`. Its syntax is that of JSON.
    case number(String)
    case string(String)
    /// The name of an enum value. In JSON enum values are strings, which coercion converts to this case.
    case `enum`(String)
    case list([InputValue])
    case object(InputObject)

    /// Returns true if the values are equal; texts are compared by their bytes.
    public static func == (one: InputValue, other: InputValue) -> Bool {
        switch (one, other) {
        case (.null, .null): true
        case (.boolean(let one), .boolean(let other)): one == other
        case (.int(let one), .int(let other)): one == other
        case (.number(let one), .number(let other)), (.string(let one), .string(let other)),
            (.enum(let one), .enum(let other)):
            one.hasSameBytes(as: other)
        case (.list(let one), .list(let other)): one == other
        case (.object(let one), .object(let other)): one == other
        case (.null, _), (.boolean, _), (.int, _), (.number, _), (.string, _), (.enum, _), (.list, _),
            (.object, _):
            false
        }
    }

    /// Hashes the bytes of texts, consistent with `==`.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .boolean(let value): hasher.combine(value ? 1 : 2)
        case .int(let number):
            hasher.combine(3)
            hasher.combine(number)
        case .number(let text), .string(let text), .enum(let text):
            hasher.combine(4)
            text.hashBytes(into: &hasher)
        case .list(let items):
            hasher.combine(5)
            hasher.combine(items)
        case .object(let object):
            hasher.combine(6)
            hasher.combine(object)
        }
    }

    /// The number of items of all lists in the value together.
    var itemCount: Int {
        switch self {
        case .null, .boolean, .int, .number, .string, .enum: 0
        case .list(let items): items.reduce(items.count) { $0 + $1.itemCount }
        case .object(let object): object.fields.reduce(0) { $0 + $1.value.itemCount }
        }
    }

    /// The memory of the value in bytes, including referenced memory.
    package var weight: Int {
        switch self {
        case .null, .boolean, .int: MemoryLayout<InputValue>.stride
        case .number(let text), .string(let text), .enum(let text):
            MemoryLayout<InputValue>.stride + text.heapWeight
        case .list(let items): items.reduce(MemoryLayout<InputValue>.stride + 32) { $0 + $1.weight }
        case .object(let object):
            object.fields.reduce(MemoryLayout<InputValue>.stride + 32) {
                $0 + MemoryLayout<String>.stride + $1.name.heapWeight + $1.value.weight
            }
        }
    }
}

extension String {
    /// The memory of the text in bytes without the string itself, which stores up to 15 bytes.
    package var heapWeight: Int { utf8.count > 15 ? utf8.count + 32 : 0 }
}

/// The fields of an input object, in order.
///
/// A missing field has no entry; an explicit null is `.null`.
public struct InputObject: Hashable, Sendable {
    /// The names and values, in input order.
    public private(set) var fields: [(name: String, value: InputValue)]

    /// Creates an object with these fields.
    ///
    /// If a name occurs twice, its first value is used.
    public init(_ fields: [(name: String, value: InputValue)] = []) {
        self.fields = fields
    }

    /// The value of a field.
    ///
    /// Setting an existing field replaces its value and preserves its position.
    public subscript(name: String) -> InputValue? {
        get { fields.first { $0.name.hasSameBytes(as: name) }?.value }
        set {
            guard let position = fields.firstIndex(where: { $0.name.hasSameBytes(as: name) }) else {
                if let newValue { fields.append((name, newValue)) }
                return
            }
            if let newValue { fields[position].value = newValue } else { fields.remove(at: position) }
        }
    }

    /// Returns true if both have the same fields in the same order.
    public static func == (one: InputObject, other: InputObject) -> Bool {
        one.fields.elementsEqual(other.fields) {
            $0.name.hasSameBytes(as: $1.name) && $0.value == $1.value
        }
    }

    /// Hashes the fields in order, consistent with `==`.
    public func hash(into hasher: inout Hasher) {
        for field in fields {
            field.name.hashBytes(into: &hasher)
            hasher.combine(field.value)
        }
    }
}

extension InputObject: ExpressibleByDictionaryLiteral {
    /// Creates an object with the fields of the literal, in order.
    public init(dictionaryLiteral elements: (String, InputValue)...) {
        self.init(elements.map { (name: $0.0, value: $0.1) })
    }
}

extension InputValue {
    /// The value as in messages of the reference implementation: at most three levels deep and ten items
    /// long; and at most 256 bytes, because many messages can contain the same value.
    package var inspected: String { inspected(level: 1).shortened() }

    private static var maximumLevel: Int { 2 }
    private static var maximumListLength: Int { 10 }

    private func inspected(level: Int) -> String {
        switch self {
        case .null: "null"
        case .boolean(let value): value ? "true" : "false"
        case .int(let number): String(number)
        case .number(let digits): InputValue.inspected(number: digits)
        case .string(let text), .enum(let text): text.quotedAsJSON
        case .list(let items): InputValue.inspected(items, level: level)
        case .object(let object): InputValue.inspected(object, level: level)
        }
    }

    private static func inspected(number digits: String) -> String {
        guard let number = Double(digits) else { return digits }
        if number.isInfinite { return number < 0 ? "-Infinity" : "Infinity" }
        return InputValue.digits(of: number)
    }

    private static func inspected(_ items: [InputValue], level: Int) -> String {
        if items.isEmpty { return "[]" }
        if level > maximumLevel { return "[Array]" }
        var shown = items.prefix(maximumListLength).map { $0.inspected(level: level + 1) }
        let rest = items.count - shown.count
        if rest > 0 { shown.append("... \(rest) more item\(rest == 1 ? "" : "s")") }
        return "[" + shown.joined(separator: ", ") + "]"
    }

    private static func inspected(_ object: InputObject, level: Int) -> String {
        if object.fields.isEmpty { return "{}" }
        if level > maximumLevel { return "[Object]" }
        let shown = object.fields.map { "\($0.name): \($0.value.inspected(level: level + 1))" }
        return "{ " + shown.joined(separator: ", ") + " }"
    }
}

extension String {
    /// The text as a JSON string with its quotes.
    package var quotedAsJSON: String {
        var quoted = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case "\u{8}": quoted += "\\b"
            case "\u{C}": quoted += "\\f"
            case "\u{0}"..."\u{1F}":
                let code = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - code.count) + code
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}

extension InputValue {
    /// Creates a value from a finite binary number: an integer if a double represents it exactly, otherwise
    /// the fewest digits that distinguish it from its neighbours.
    init(float number: Double) {
        if let integer = Int(exactly: number), integer.magnitude <= 1 << 53 {
            self = .int(integer)
        } else {
            // Swift's notation is valid JSON: `1.5`, `1e-07`, `1.2e+20`.
            self = .number(number.description)
        }
    }

    /// Returns a finite number in JavaScript's notation, for messages.
    static func digits(of number: Double) -> String {
        let (digits, exponent) = shortestDigits(of: number.magnitude)
        let sign = number < 0 ? "-" : ""
        // The number of digits before the decimal point.
        let point = exponent + 1
        if point > 21 || point < -5 {
            let fraction = digits.count > 1 ? "." + digits.dropFirst() : ""
            return sign + digits.prefix(1) + fraction + "e" + (exponent < 0 ? "-" : "+")
                + String(exponent.magnitude)
        }
        if point <= 0 { return sign + "0." + String(repeating: "0", count: -point) + digits }
        if digits.count <= point {
            return sign + digits + String(repeating: "0", count: point - digits.count)
        }
        return sign + digits.prefix(point) + "." + digits.dropFirst(point)
    }

    /// Returns the significant digits, and the power of ten of the first digit.
    private static func shortestDigits(of number: Double) -> (digits: String, exponent: Int) {
        // Swift's description has the fewest digits that parse to the same number, such as `1.5e-07` or
        // `150.0`.
        let parts = number.description.split(separator: "e", maxSplits: 1)
        let mantissa = (parts.first ?? "0").split(separator: ".", maxSplits: 1)
        let whole = mantissa.first ?? "0"
        let fraction = mantissa.count > 1 ? mantissa[1] : ""
        let written = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
        let all = whole + fraction
        let leadingZeros = all.prefix { $0 == "0" }.count
        var digits = all.dropFirst(leadingZeros)
        while digits.last == "0" { digits.removeLast() }
        if digits.isEmpty { return ("0", 0) }
        return (String(digits), written + whole.count - 1 - leadingZeros)
    }
}

extension InputValue {
    /// The value in GraphQL syntax, on one line.
    package var literal: String {
        switch self {
        case .null: "null"
        case .boolean(let value): value ? "true" : "false"
        case .int(let number): String(number)
        case .number(let digits): digits
        case .string(let text): StringLiteral.quoted(text)
        case .enum(let name): name
        case .list(let items): "[" + items.map(\.literal).joined(separator: ", ") + "]"
        case .object(let object):
            "{ " + object.fields.map { "\($0.name): \($0.value.literal)" }.joined(separator: ", ") + " }"
        }
    }
}

extension InputValue {
    /// Parses a JSON text (RFC 8259) strictly: one value, surrounded by optional white space.
    ///
    /// Integers of 64 bits become `.int`; all other numbers retain their digits in `.number`. Strings remain
    /// strings, even for enum values.
    ///
    /// - Throws: `JSONError`, also for an object with a duplicate name.
    public init(json bytes: Span<UInt8>, limits: JSONLimits = .default) throws(JSONError) {
        do {
            var reader = try JSONReader(bytes, limits: limits)
            self = try reader.value(in: bytes)
            try reader.end(in: bytes)
        } catch {
            throw JSONError(error, in: bytes)
        }
    }

    /// Parses a JSON text from an array of bytes.
    ///
    /// - Throws: `JSONError`, also for an object with a duplicate name.
    public init(json bytes: [UInt8], limits: JSONLimits = .default) throws(JSONError) {
        try self.init(json: bytes.span, limits: limits)
    }

    /// The value as JSON text in UTF-8, without white space.
    public var json: [UInt8] {
        ResponseWriter.bytes(expecting: 256) { $0.write(self) }
    }
}
