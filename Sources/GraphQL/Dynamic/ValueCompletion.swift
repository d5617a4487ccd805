/// How a field's value becomes a part of the response, told by the schema's type alone (specification, section
/// 6.4.3).
struct ValueCompletion: Sendable {
    /// The field as errors name it: `Type.field`.
    let coordinate: String
    let kind: Kind

    /// What a field's type is below all its lists.
    enum Kind: Sendable {
        /// A scalar: one of the specification's, or nil for a custom one.
        case scalar(BuiltInScalar?)
        case `enum`(String, EnumType)
        case object(ObjectPlanReference<DynamicValue>)
        case abstract(RuntimeTypes)
        /// Not null, it fails.
        case failing(CompletionError)
    }

    /// Writes a value; false where it failed and cannot be null.
    func write(_ value: DynamicValue, as type: Wrapping, to writer: inout ResponseWriter) -> Bool {
        guard !value.isNull else { return writeNull(as: type, to: &writer) }
        let mark = writer.mark
        if writeNotNull(value, as: type, to: &writer) { return true }
        if type.isNonNull || writer.isOverLimit { return false }
        // The failure stops here: this position may be null (specification, 6.4.4).
        writer.rewind(to: mark)
        writer.writeNull()
        return true
    }

    private func writeNull(as type: Wrapping, to writer: inout ResponseWriter) -> Bool {
        if type.isNonNull {
            writer.fail(CompletionError.nullInNonNull(coordinate))
            return false
        }
        writer.writeNull()
        return true
    }

    private func writeNotNull(_ value: DynamicValue, as type: Wrapping, to writer: inout ResponseWriter)
        -> Bool
    {
        do {
            if let item = type.item { return try writeList(value, of: item, to: &writer) }
            switch kind {
            case .scalar(.some(let scalar)): try scalar.write(value, to: &writer)
            case .scalar(nil): writer.write(value.inputValue)
            case .enum(let name, let type): try type.write(value, of: name, to: &writer)
            case .object(let plan): return write(value, plan, to: &writer)
            case .abstract(let types):
                return write(value, try types.plan(for: value, at: coordinate), to: &writer)
            case .failing(let error): throw error
            }
            return true
        } catch {
            writer.fail(error)
            return false
        }
    }

    private func writeList(
        _ value: DynamicValue, of item: Wrapping, to writer: inout ResponseWriter
    ) throws -> Bool {
        guard case .list(let items) = value else { throw CompletionError.notIterable(coordinate) }
        writer.write(byte: UInt8(ascii: "["))
        writer.path.enter()
        for (index, value) in items.enumerated() {
            if index > 0 { writer.write(byte: UInt8(ascii: ",")) }
            writer.path.set(index: index)
            guard write(value, as: item, to: &writer) else { return false }
        }
        writer.path.leave()
        writer.write(byte: UInt8(ascii: "]"))
        return !writer.isOverLimit
    }

    private func write(
        _ value: DynamicValue, _ plan: ObjectPlanReference<DynamicValue>, to writer: inout ResponseWriter
    ) -> Bool {
        unsafe withUnsafePointer(to: value) { unsafe plan.write($0, row: 0, to: &writer) }
    }
}
