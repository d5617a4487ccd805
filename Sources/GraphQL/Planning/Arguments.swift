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
        let field = selected.places.first
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
