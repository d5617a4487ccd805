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
