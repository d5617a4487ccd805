/// What a literal means where no type says how to read it: input for a custom scalar.
struct UntypedLiteral {
    let document: Document
    var variables: VariableValues?

    /// The value; numbers keep their digits.
    ///
    /// A variable without a value is null in a list, and no field in an object.
    func value(of literal: Value) -> InputValue {
        switch literal {
        case .variable(let name, _): return variables?[name] ?? .null
        case .int(let span):
            let digits = document.source.text(span)
            return Int(digits).map { .int($0) } ?? .number(digits)
        case .float(let span): return .number(document.source.text(span))
        case .string(let string): return .string(document.string(string))
        case .boolean(let value, _): return .boolean(value)
        case .null: return .null
        case .enum(let name): return .enum(document.text(name))
        case .list(let run, _): return .list(run.indices.map { value(of: document.values[$0]) })
        case .object(let run, _): return .object(object(run))
        }
    }

    private func object(_ run: NodeRange<ObjectField>) -> InputObject {
        var fields: [(name: String, value: InputValue)] = []
        for index in run.indices {
            let field = document.objectFields[index]
            if case .variable(let name, _) = field.value, variables?[name] == nil { continue }
            fields.append((document.text(field.name), value(of: field.value)))
        }
        return InputObject(fields)
    }
}
