extension BuiltInScalar {
    /// Whether `read` would give back each of these values as it is.
    func keeps(all values: [InputValue]) -> Bool {
        switch self {
        case .string, .id: values.allSatisfy(\.isString)
        case .boolean: values.allSatisfy(\.isBoolean)
        // Numbers have a range, and more than one form.
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
