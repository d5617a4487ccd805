/// The defaults of a schema in the form in which they are compared: on one line, the fields of objects in natural
/// order, so that two ways to write the same value are no change.
struct NormalizedDefaults {
    private let document: Document
    /// The position in `Document.inputValueDefinitions`, by where the definition begins.
    private let positions: [UInt32: Int]

    init(of schema: Schema) {
        document = schema.document
        positions = Dictionary(
            document.inputValueDefinitions.enumerated().map { ($1.span.start, $0) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Nil where the argument or input field has no default.
    func literal(of value: SchemaInputValue) -> String? {
        guard let written = value.defaultValue else { return nil }
        // Built-in directives stand in no document; their defaults are plain.
        guard let node = value.node, let position = positions[node.start],
            let literal = document.inputValueDefinitions[position].defaultValue
        else { return written.literal }
        return UntypedLiteral(document: document).value(of: literal).sorted.literal
    }
}

extension InputValue {
    fileprivate var sorted: InputValue {
        switch self {
        case .null, .boolean, .int, .number, .string, .enum: self
        case .list(let items): .list(items.map(\.sorted))
        case .object(let object):
            .object(
                InputObject(
                    object.fields.map { (name: $0.name, value: $0.value.sorted) }
                        .sorted { NaturalOrder.precedes($0.name, $1.name) }))
        }
    }
}
