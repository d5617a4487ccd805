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
        let mark = writer.checkpoint
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
        writer.path.exit()
        writer.write(byte: UInt8(ascii: "]"))
        return !writer.isOverLimit
    }

    private func write(
        _ value: DynamicValue, _ plan: ObjectPlanReference<DynamicValue>, to writer: inout ResponseWriter
    ) -> Bool {
        unsafe withUnsafePointer(to: value) { unsafe plan.write($0, row: 0, to: &writer) }
    }
}

/// The object types that values of an interface or union may turn out to have, with the plan for each
/// (specification, section 6.4.3, ResolveAbstractType).
struct RuntimeTypes: Sendable {
    let schema: Schema
    /// The interface's or union's name.
    let name: String
    /// By the name of the object type; only types that occur in the data.
    let plans: [String: ObjectPlanReference<DynamicValue>]

    /// The plan for the type that a value says it has.
    ///
    /// - Throws: why the value has no type, or none that is possible here.
    func plan(
        for value: DynamicValue, at coordinate: String
    ) throws(CompletionError) -> ObjectPlanReference<DynamicValue> {
        guard case .string(let typeName) = value[DynamicValue.typeNameProperty] else {
            throw .unresolvedType(of: name, at: coordinate)
        }
        if let plan = plans[typeName] { return plan }
        guard let type = schema.type(named: typeName) else { throw .unknownType(typeName, of: name) }
        guard case .object = type.kind else { throw .notAnObjectType(typeName, of: name) }
        throw .impossibleType(typeName, of: name)
    }
}

/// Why a value cannot become what the schema says it is, in the words of the reference implementation.
enum CompletionError: ClientVisibleError, Hashable {
    /// The data say that the field fails, with this message.
    case resolver(String)
    case nullInNonNull(_ coordinate: String)
    case notIterable(_ coordinate: String)
    /// The value of an interface or union does not say which type it has.
    case unresolvedType(of: String, at: String)
    case unknownType(String, of: String)
    case notAnObjectType(String, of: String)
    case impossibleType(String, of: String)
    /// The selections come to more fields than are planned.
    case planTooLarge(limit: Int)

    var message: String {
        switch self {
        case .resolver(let message): message
        case .nullInNonNull(let coordinate): "Cannot return null for non-nullable field \(coordinate)."
        case .notIterable(let coordinate):
            "Expected Iterable, but did not find one for field \"\(coordinate)\"."
        case .unresolvedType(let name, let coordinate):
            """
            Abstract type "\(name)" must resolve to an Object type at runtime for field "\(coordinate)". \
            Either the "\(name)" type should provide a "resolveType" function or each possible type should \
            provide an "isTypeOf" function.
            """
        case .unknownType(let type, let name):
            "Abstract type \"\(name)\" was resolved to a type \"\(type)\" that does not exist inside the schema."
        case .notAnObjectType(let type, let name):
            "Abstract type \"\(name)\" was resolved to a non-object type \"\(type)\"."
        case .impossibleType(let type, let name):
            "Runtime Object type \"\(type)\" is not a possible type for \"\(name)\"."
        case .planTooLarge(let limit):
            "The operation selects more than \(limit) fields on the types that it meets; select less at once."
        }
    }

    var extensions: InputObject {
        guard case .planTooLarge(let limit) = self else { return InputObject() }
        return ["code": .string(OperationLimit.fields.code), "limit": .int(limit)]
    }
}
