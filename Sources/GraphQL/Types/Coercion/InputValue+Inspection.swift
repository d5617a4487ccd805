extension InputValue {
    /// The value as messages show it, in the words of the reference implementation: no more than three levels deep
    /// and ten items long.
    var inspected: String { inspected(level: 1) }

    private static var deepestLevel: Int { 2 }
    private static var longestList: Int { 10 }

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
        if level > deepestLevel { return "[Array]" }
        var shown = items.prefix(longestList).map { $0.inspected(level: level + 1) }
        let rest = items.count - shown.count
        if rest > 0 { shown.append("... \(rest) more item\(rest == 1 ? "" : "s")") }
        return "[" + shown.joined(separator: ", ") + "]"
    }

    private static func inspected(_ object: InputObject, level: Int) -> String {
        if object.fields.isEmpty { return "{}" }
        if level > deepestLevel { return "[Object]" }
        let shown = object.fields.map { "\($0.name): \($0.value.inspected(level: level + 1))" }
        return "{ " + shown.joined(separator: ", ") + " }"
    }
}

extension String {
    /// The text as a JSON string with its quotes.
    var quotedAsJSON: String {
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
