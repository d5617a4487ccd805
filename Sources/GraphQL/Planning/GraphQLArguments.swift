/// The arguments of a field as a Swift value, read from the coerced arguments of the request.
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
///
/// Default values are defined only in the schema.
public protocol GraphQLArguments: Sendable {
    /// Reads each argument by its name; the names must equal those of the schema.
    ///
    /// - Parameter arguments: The coerced arguments, or sample values while the schema is bound.
    /// - Throws: `InputError` for a value that a type rejects; all other errors are masked.
    init(_ arguments: ArgumentReader) throws
}

/// The arguments of one field of one execution, for its loads.
@usableFromInline
final class ArgumentStorage<Arguments: Sendable>: Sendable {
    @usableFromInline
    let result: Result<Arguments, any Error>

    init(_ result: Result<Arguments, any Error>) {
        self.result = result
    }
}

extension LoadSlots {
    /// Returns the arguments in a slot.
    ///
    /// - Throws: The error of the arguments.
    @inlinable
    func arguments<Arguments: Sendable>(in slot: Int, as type: Arguments.Type) throws -> Arguments {
        guard let box = unsafe read(slot, as: ArgumentStorage<Arguments>.self) else {
            throw MissingArguments()
        }
        return try unsafe box._withUnsafeGuaranteedRef { try $0.result.get() }
    }
}

/// The error that an execution started without filling its argument slots: an error of the engine.
@usableFromInline
struct MissingArguments: Error {
    @usableFromInline
    init() {}
}

/// The type-erased arguments of a field.
typealias ArgumentsObject = AnyObject & Sendable

/// Fills the argument slot of one field: once per plan if its arguments contain no variable, otherwise once
/// per execution.
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
    /// Returns true if these arguments contain a variable.
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

/// A reader for the fields of an input object or the arguments of a field, used by an initialiser.
///
/// The binder uses the same initialiser: it supplies sample values and records which fields are read.
public struct ArgumentReader {
    @usableFromInline
    let source: Source

    @usableFromInline
    enum Source {
        case values(InputObject)
        case recording(Recorder)
        case samples
    }

    /// Supplies sample values only.
    static var samples: ArgumentReader { ArgumentReader(.samples) }

    private init(_ source: Source) {
        self.source = source
    }

    init(_ values: InputObject) {
        source = .values(values)
    }

    init(recording recorder: Recorder) {
        source = .recording(recorder)
    }

    /// Returns the value of a field.
    ///
    /// - Throws: The error of the value, with its path.
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
                return try Value.sample
            case .samples: return try Value.sample
            }
        }
    }

    /// Returns true if a field has a value, possibly null.
    public func has(_ name: String) -> Bool {
        switch source {
        case .values(let values): values[name] != nil
        case .recording, .samples: false
        }
    }

    /// Records which fields an initialiser reads.
    ///
    /// An instance is used for one call, on one thread.
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
    /// Returns the arguments that the initialiser reads, by calling it with sample values.
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
    /// Compares the arguments that a Swift type reads with those of the schema.
    mutating func compare(
        _ bound: [BoundArgument], with arguments: [SchemaInputValue], at coordinate: String
    ) {
        for argument in bound {
            let argumentCoordinate = "\(coordinate)(\(argument.name):)"
            guard let definition = arguments.first(where: { $0.name == argument.name }) else {
                differ(at: argumentCoordinate, .notInSchema)
                continue
            }
            compare(argument.type, with: definition.type, at: argumentCoordinate)
        }
        for definition in arguments where !bound.contains(where: { $0.name == definition.name }) {
            differ(at: "\(coordinate)(\(definition.name):)", .notBound)
        }
    }

    /// Compares the fields of an input object type with those that a Swift type reads.
    mutating func bind<Value: GraphQLInputObject>(inputObject type: Value.Type) {
        let name = Value.graphQLName
        guard isFirstBinding(of: type) else { return }
        guard let definition = schema.type(named: name) else { return differ(at: name, .notInSchema) }
        guard case .inputObject(let inputObject) = definition.kind else {
            return differ(at: name, .kind(expected: "an input object type"))
        }
        let bound = Value.bound(to: &self, at: name)
        compare(bound, with: inputObject.fields, at: name)
    }

    /// Checks that all resolvers of a schema require the same context.
    @usableFromInline
    mutating func requireContext<Context: AnyObject & Sendable>(_ type: Context.Type, at coordinate: String) {
        recordLoad(at: coordinate)
        if ObjectIdentifier(type) != context { differ(at: coordinate, .context(String(describing: type))) }
    }
}
