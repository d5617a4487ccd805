/// The arguments of a field as a Swift value, read from what the request gave and coerced to the schema's types.
///
/// ```swift
/// struct ChartArguments: GraphQLArguments {
///     let interval: Interval
///     let last: Int?
///     init(_ arguments: ArgumentReader) throws {
///         interval = try arguments["interval"]
///         last = try arguments["last"]
///     }
/// }
/// ```
/// Defaults stand in the schema and nowhere else.
public protocol GraphQLArguments: Sendable {
    /// Reads each argument by its name; which ones it reads must be those that the schema has.
    ///
    /// - Parameter arguments: The coerced arguments, or samples while the schema is bound.
    /// - Throws: `InputError` for what a type forbids; anything else is masked.
    init(_ arguments: ArgumentReader) throws
}

/// The arguments of one field of one execution, for the loads that read them.
@usableFromInline
final class ArgumentStorage<Arguments: Sendable>: Sendable {
    @usableFromInline
    let result: Result<Arguments, any Error>

    init(_ result: Result<Arguments, any Error>) {
        self.result = result
    }
}

extension LoadSlots {
    /// The arguments in a slot.
    ///
    /// - Throws: what was wrong with them.
    @inlinable
    func arguments<Arguments: Sendable>(in slot: Int, as type: Arguments.Type) throws -> Arguments {
        guard let box = unsafe read(slot, as: ArgumentStorage<Arguments>.self) else {
            throw MissingArguments()
        }
        return try unsafe box._withUnsafeGuaranteedRef { try $0.result.get() }
    }
}

/// An execution ran without having filled its argument slots: a fault of the engine.
@usableFromInline
struct MissingArguments: Error {
    @usableFromInline
    init() {}
}

/// The arguments of a field, whatever their type.
typealias ArgumentsObject = AnyObject & Sendable

/// Fills the argument slot of one field: once a plan where its arguments hold no variable, else once an execution.
struct ArgumentStep: Sendable {
    let slot: Int
    private let make: @Sendable (VariableValues) -> any ArgumentsObject
    private let constant: (any ArgumentsObject)?

    init<Arguments: GraphQLArguments>(
        slot: Int, _ type: Arguments.Type, of selected: FieldSelection, in document: Document, schema: Schema
    ) {
        let field = selected.fieldGroup.first
        let definition = selected.definition
        let make: @Sendable (VariableValues) -> ArgumentStorage<Arguments> = { variables in
            ArgumentStorage(
                Result {
                    let coerced = try schema.coerceArguments(
                        definition.arguments, given: field.arguments, in: document, at: field.span,
                        variables: variables)
                    return try Arguments(ArgumentReader(coerced))
                })
        }
        self.slot = slot
        self.make = make
        constant = document.hasVariables(in: field.arguments) ? nil : make(.empty)
    }

    func fill(_ execution: Execution) {
        execution.slots.set(slot, to: constant ?? make(execution.variables))
    }
}

extension Document {
    /// Whether a variable stands anywhere in these arguments.
    func hasVariables(in run: NodeRange<Argument>) -> Bool {
        run.indices.contains { hasVariables(in: arguments[$0].value) }
    }

    private func hasVariables(in value: Value) -> Bool {
        switch value {
        case .variable: true
        case .list(let items, _): items.indices.contains { hasVariables(in: values[$0]) }
        case .object(let fields, _): fields.indices.contains { hasVariables(in: objectFields[$0].value) }
        case .int, .float, .string, .boolean, .null, .enum: false
        }
    }
}

/// The fields of an input object, or the arguments of a field, for an initialiser to read one by one.
///
/// The same initialiser serves the binder: it reads sample values, and so tells which fields it wants.
public struct ArgumentReader {
    @usableFromInline
    let source: Source

    @usableFromInline
    enum Source {
        case values(InputObject)
        case recording(Recorder)
    }

    init(_ values: InputObject) {
        source = .values(values)
    }

    init(recording recorder: Recorder) {
        source = .recording(recorder)
    }

    /// The value of a field.
    ///
    /// - Throws: what is wrong with it, and where.
    @inlinable
    public subscript<Value: GraphQLInput>(name: String) -> Value {
        get throws(InputError) {
            switch source {
            case .values(let values):
                do {
                    return try Value(input: values[name])
                } catch {
                    throw error.below(.key(name))
                }
            case .recording(let recorder):
                recorder.record(name, Value.self)
                return Value.sample
            }
        }
    }

    /// Whether a field was given, be it as null.
    public func has(_ name: String) -> Bool {
        switch source {
        case .values(let values): values[name] != nil
        case .recording: false
        }
    }

    /// Notes which fields an initialiser reads.
    ///
    /// It lives for one call, on one thread.
    @usableFromInline
    final class Recorder {
        private(set) var arguments: [BoundArgument] = []
        var binder: SchemaBinder

        init(_ binder: SchemaBinder) {
            self.binder = binder
        }

        @usableFromInline
        func record<Value: GraphQLInput>(_ name: String, _ type: Value.Type) {
            arguments.append(BoundArgument(name: name, type: Value.bindInput(to: &binder)))
        }
    }
}

/// An argument that a Swift type reads.
@usableFromInline
struct BoundArgument: Sendable {
    let name: String
    let type: BoundType
}

extension GraphQLArguments {
    /// The arguments that the initialiser reads, found by letting it read sample values.
    @usableFromInline
    static func bound(to binder: inout SchemaBinder, at coordinate: String) -> [BoundArgument] {
        let recorder = ArgumentReader.Recorder(binder)
        do {
            _ = try Self(ArgumentReader(recording: recorder))
        } catch {
            recorder.binder.differ(at: coordinate, .unreadable("reading its arguments failed: \(error)"))
        }
        binder = recorder.binder
        return recorder.arguments
    }
}

extension SchemaBinder {
    /// Compares the arguments that a Swift type reads with those that the schema has.
    mutating func compare(
        _ bound: [BoundArgument], with arguments: [SchemaInputValue], at coordinate: String
    ) {
        for argument in bound {
            let place = "\(coordinate)(\(argument.name):)"
            guard let definition = arguments.first(where: { $0.name == argument.name }) else {
                differ(at: place, .notInSchema)
                continue
            }
            compare(argument.type, with: definition.type, at: place)
        }
        for definition in arguments where !bound.contains(where: { $0.name == definition.name }) {
            differ(at: "\(coordinate)(\(definition.name):)", .notBound)
        }
    }

    /// Compares the fields of an input object type with those that a Swift type reads.
    mutating func bind<Value: GraphQLInputObject>(inputObject type: Value.Type) {
        let name = Value.graphQLName
        guard isFirstVisit(to: type) else { return }
        guard let definition = schema.type(named: name) else { return differ(at: name, .notInSchema) }
        guard case .inputObject(let inputObject) = definition.kind else {
            return differ(at: name, .kind(expected: "an input object type"))
        }
        let bound = Value.bound(to: &self, at: name)
        compare(bound, with: inputObject.fields, at: name)
    }

    /// All resolvers of a schema must ask for the same context.
    @usableFromInline
    mutating func requireContext<Context: AnyObject & Sendable>(_ type: Context.Type, at coordinate: String) {
        recordLoad(at: coordinate)
        if ObjectIdentifier(type) != context { differ(at: coordinate, .context(String(describing: type))) }
    }
}
