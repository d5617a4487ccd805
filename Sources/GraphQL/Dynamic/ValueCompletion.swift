/// Completes a field's value to a part of the response, based only on the schema's type (specification,
/// section 6.4.3).
struct ValueCompletion: Sendable {
    /// The field in errors: `Type.field`.
    let coordinate: String
    let kind: Kind
    /// The items that are not in the payload of the list; nil if the field is not streamed.
    var tail: Tail?

    /// The items of a streamed list after the first ones.
    struct Tail: Sendable {
        let label: String?
        /// The number of items in the payload of the list.
        let initialCount: Result<Int, any Error>
        let kind: Kind
    }

    /// The kind of a field's innermost type.
    enum Kind: Sendable {
        /// A scalar: one of the specification, or nil for a custom one.
        case scalar(BuiltInScalar?)
        case `enum`(String, EnumType)
        case object(ObjectPlanReference<DynamicValue>)
        case abstract(RuntimeTypes)
        /// Any non-null value fails.
        case failing(CompletionError)
    }

    /// Writes a value; returns false if it failed and cannot be null.
    func write(_ value: DynamicValue, as type: Wrapping, to writer: inout ResponseWriter) -> Bool {
        guard !value.isNull else { return writeNull(as: type, to: &writer) }
        let mark = writer.checkpoint
        if writeNotNull(value, as: type, to: &writer) { return true }
        if type.isNonNull || writer.isOverLimit { return false }
        // The error stops here, because this position is nullable (specification, 6.4.4).
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
        if let tail { return try writeStreamed(items, of: item, tail, to: &writer) }
        return write(items[...], of: item, to: &writer)
    }

    private func write(
        _ items: ArraySlice<DynamicValue>, of item: Wrapping, to writer: inout ResponseWriter
    ) -> Bool {
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

    /// Writes the first items, and records the others.
    private func writeStreamed(
        _ items: [DynamicValue], of item: Wrapping, _ tail: Tail, to writer: inout ResponseWriter
    ) throws -> Bool {
        let count = try tail.initialCount.get()
        // Lists in the list are not streamed.
        let inner = ValueCompletion(coordinate: coordinate, kind: kind)
        guard inner.write(items.prefix(count), of: item, to: &writer) else { return false }
        guard let recorder = writer.increments,
            items.count > count || items.count == count && recorder.announcesEmptyStreams
        else { return true }
        let rest = Array(items.dropFirst(count))
        let completion = ValueCompletion(coordinate: coordinate, kind: tail.kind)
        let part = StreamedPart(
            label: tail.label, path: writer.path.copy, slots: writer.slots, load: nil, initialCount: count,
            count: rest.count, firstRow: 0
        ) { position, _, writer in
            completion.write(rest[position], as: item, to: &writer)
        }
        recorder.add(part, to: &writer)
        return !writer.isOverLimit
    }

    private func write(
        _ value: DynamicValue, _ plan: ObjectPlanReference<DynamicValue>, to writer: inout ResponseWriter
    ) -> Bool {
        unsafe withUnsafePointer(to: value) { unsafe plan.write($0, row: 0, to: &writer) }
    }
}

/// The possible object types of an interface or union, with the plan for each (specification, section 6.4.3,
/// ResolveAbstractType).
struct RuntimeTypes: Sendable {
    let schema: Schema
    /// The interface's or union's name.
    let name: String
    /// The plans by the name of the object type; only types that occur in the data.
    let plans: [String: ObjectPlanReference<DynamicValue>]

    /// Returns the plan for the type of a value.
    ///
    /// - Throws: An error if the value has no type, or none that is possible.
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

/// The reason why a value cannot be completed to its schema type, with the wording of the reference
/// implementation.
enum CompletionError: ClientVisibleError, Hashable {
    /// The data contain an error with this message, and these extensions, for the field.
    case resolver(String, InputObject)
    case nullInNonNull(_ coordinate: String)
    case notIterable(_ coordinate: String)
    /// The value of an interface or union has no type name.
    case unresolvedType(of: String, at: String)
    case unknownType(String, of: String)
    case notAnObjectType(String, of: String)
    case impossibleType(String, of: String)
    /// The selections expand to more fields than the planner allows.
    case planTooLarge(limit: Int)
    /// The selections expand to more deferred fragments than the planner allows.
    case tooManyDeferredFragments(limit: Int)

    var message: String {
        switch self {
        case .resolver(let message, _): message
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
        case .tooManyDeferredFragments(let limit):
            "The operation has more than \(limit) deferred fragments on the types that it meets; defer fewer."
        }
    }

    var extensions: InputObject {
        switch self {
        case .resolver(_, let extensions): extensions
        case .planTooLarge(let limit), .tooManyDeferredFragments(let limit):
            ["code": .string(OperationLimit.fields.code), "limit": .int(limit)]
        default: InputObject()
        }
    }
}
