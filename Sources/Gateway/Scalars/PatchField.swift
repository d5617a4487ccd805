import GraphQL

/// A field of an input that changes something, where null has no meaning: left out, what it is about stays.
enum PatchField<Value: GraphQLInput>: GraphQLInput {
    case unchanged
    case set(Value)

    static func bindInput(to binder: inout SchemaBinder) -> BoundType {
        Optional<Value>.bindInput(to: &binder)
    }

    static var sample: PatchField { .unchanged }

    init(input: InputValue?) throws(InputError) {
        switch input {
        case nil: self = .unchanged
        case .null: throw InputError("It cannot be null; leave it out to keep what there is.")
        case .some(let value): self = .set(try Value(input: value))
        }
    }

    /// Nil for what stays.
    var value: Value? {
        switch self {
        case .unchanged: nil
        case .set(let value): value
        }
    }
}

/// A field of an input that changes something which may be absent: left out it stays, null takes it away.
enum RemovablePatchField<Value: GraphQLInput>: GraphQLInput {
    case unchanged
    case removed
    case set(Value)

    static func bindInput(to binder: inout SchemaBinder) -> BoundType {
        Optional<Value>.bindInput(to: &binder)
    }

    static var sample: RemovablePatchField { .unchanged }

    init(input: InputValue?) throws(InputError) {
        switch input {
        case nil: self = .unchanged
        case .null: self = .removed
        case .some(let value): self = .set(try Value(input: value))
        }
    }
}
