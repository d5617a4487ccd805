/// Collects what Swift types are bound to a schema, and what does not fit.
///
/// Binding begins at the root types and follows the fields; it happens once, when an `ExecutableSchema` is made.
public struct SchemaBinder {
    let schema: Schema
    /// What resolvers ask the context to be; all must ask for the same.
    let context: ObjectIdentifier
    private(set) var differences: [SchemaDifference] = []
    /// The coordinates of the fields whose resolvers are given the context: those that load.
    private(set) var loads: Set<String> = []
    private var boundTypes: Set<ObjectIdentifier> = []

    init(schema: Schema, context: any (AnyObject & Sendable).Type) {
        self.schema = schema
        self.context = ObjectIdentifier(context)
    }

    /// Notes a difference between the schema and what is bound to it.
    mutating func differ(at coordinate: String, _ reason: SchemaDifference.Reason) {
        differences.append(SchemaDifference(coordinate: coordinate, reason: reason))
    }

    /// Notes that a field is loaded.
    mutating func recordLoad(at coordinate: String) {
        loads.insert(coordinate)
    }

    /// Whether a Swift type is visited for the first time; a type is followed once.
    ///
    /// Two Swift types can stand for one type of the schema. Each is checked, because `Execution.context(as:)`
    /// relies on it.
    mutating func isFirstVisit<Bound>(to type: Bound.Type) -> Bool {
        boundTypes.insert(ObjectIdentifier(type)).inserted
    }

    /// Compares a Swift type with the type that the schema has at a place.
    mutating func compare(_ bound: BoundType, with type: WrappedType, at coordinate: String) {
        let name = schema[type.type].name
        if !bound.names.contains(name) || bound.wrapping != type.wrapping {
            differ(
                at: coordinate, .type(schema: schema.describe(type), bound: bound.description))
        }
    }
}

/// A Swift type as a schema would write it.
public struct BoundType: Sendable {
    /// The names that the schema may use for it.
    let names: [String]
    let wrapping: Wrapping

    /// A type that is never null, by its names in the schema.
    init(names: [String], wrapping: Wrapping = Wrapping().nonNull) {
        self.names = names
        self.wrapping = wrapping
    }

    var nullable: BoundType { BoundType(names: names, wrapping: wrapping.nullable) }

    /// A list of it that is never null. (Swift types do not nest as deep as `Wrapping` can count.)
    var list: BoundType { BoundType(names: names, wrapping: wrapping.list?.nonNull ?? wrapping) }

    var description: String { wrapping.description(around: names.first ?? "?") }
}

/// One thing in which the bound Swift types and the schema differ.
public struct SchemaDifference: Hashable, Sendable, CustomStringConvertible {
    /// Where, as a schema coordinate: `Type`, `Type.field`, `Type.field(argument:)`.
    public let coordinate: String
    /// In what respect they differ.
    public let reason: Reason

    /// In what respect schema and bound types can differ.
    public enum Reason: Hashable, Sendable {
        /// The schema has it, and nothing is bound to it.
        case notBound
        /// It is bound, and the schema does not have it.
        case notInSchema
        /// The schema says another type than the Swift type stands for.
        case type(schema: String, bound: String)
        /// The schema has a type of another kind there.
        case kind(expected: String)
        /// Its resolvers want another context than the schema is bound for.
        case context(String)
        /// Its arguments could not be read even from sample values.
        case unreadable(String)
    }

    /// The coordinate, and what differs there, in one line.
    public var description: String {
        switch reason {
        case .notBound: "\(coordinate): the schema has it, but nothing is bound to it"
        case .notInSchema: "\(coordinate): it is bound, but the schema does not have it"
        case .type(let schema, let bound):
            "\(coordinate): the schema says \(schema), the bound type is \(bound)"
        case .kind(let expected): "\(coordinate): it is bound as \(expected), but the schema has it otherwise"
        case .context(let name): "\(coordinate): its resolvers want \(name) as their context"
        case .unreadable(let message): "\(coordinate): \(message)"
        }
    }
}
