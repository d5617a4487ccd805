/// A planned field whose value is a property of a JSON object.
struct DynamicField: Sendable {
    /// The name of the property.
    let name: String
    /// The lists and non-null markers of its type.
    let type: Wrapping
    /// The coerced arguments, or their error.
    let arguments: Result<InputObject, GraphQLError>
    let completion: ValueCompletion

    /// The field as part of the engine's plans.
    var planned: FieldClosures {
        unsafe FieldClosures(emit: { source, _, writer in
            do {
                let object = unsafe source.assumingMemoryBound(to: DynamicValue.self)
                let value = unsafe try resolve(in: object.pointee)
                return completion.write(value, as: type, to: &writer)
            } catch {
                writer.fail(error)
            }
            guard !type.isNonNull else { return false }
            writer.writeNull()
            return true
        })
    }

    /// Returns the value of the field before completion (specification, section 6.4.2).
    private func resolve(in source: DynamicValue) throws -> DynamicValue {
        let arguments = try arguments.get()
        let value = source[name]
        guard case .object(let object) = value else { return value }
        if case .string(let message) = object["__error"] {
            guard case .object(let extensions)? = object["__extensions"]?.inputValue else {
                throw CompletionError.resolver(message, InputObject())
            }
            throw CompletionError.resolver(message, extensions)
        }
        if case .boolean(true) = object["__args"] {
            return .string(
                String(decoding: InputValue.object(arguments).withShortestNumbers.json, as: UTF8.self))
        }
        return value
    }
}

extension InputValue {
    /// This value with non-integers in the fewest digits, as printed by implementations without exact
    /// decimals.
    fileprivate var withShortestNumbers: InputValue {
        switch self {
        case .null, .boolean, .int, .string, .enum: return self
        case .number(let digits):
            guard let number = Double(digits), number.isFinite else { return self }
            return InputValue(float: number)
        case .list(let items): return .list(items.map(\.withShortestNumbers))
        case .object(let object):
            return .object(InputObject(object.fields.map { ($0.name, $0.value.withShortestNumbers) }))
        }
    }
}
