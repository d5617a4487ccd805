/// Collects the Swift types bound to a schema, and the differences.
///
/// Binding starts at the root types and follows their fields. It runs once, when an `ExecutableSchema` is
/// created.
public struct SchemaBinder {
    let schema: Schema
    /// The context type that all resolvers must require.
    let context: ObjectIdentifier
    private(set) var differences: [SchemaDifference] = []
    /// The coordinates of the loaded fields, whose resolvers receive the context.
    private(set) var loads: Set<String> = []
    private var boundTypes: Set<ObjectIdentifier> = []

    init(schema: Schema, context: any (AnyObject & Sendable).Type) {
        self.schema = schema
        self.context = ObjectIdentifier(context)
    }

    /// Records a difference between the schema and the bound types.
    mutating func differ(at coordinate: String, _ reason: SchemaDifference.Reason) {
        differences.append(SchemaDifference(coordinate: coordinate, reason: reason))
    }

    /// Records that a field is loaded.
    mutating func recordLoad(at coordinate: String) {
        loads.insert(coordinate)
    }

    /// Returns true for the first call with a Swift type; each type is bound once.
    ///
    /// Two Swift types can be bound to one type of the schema. Each is checked, because
    /// `Execution.context(as:)` relies on it.
    mutating func isFirstBinding<Bound>(of type: Bound.Type) -> Bool {
        boundTypes.insert(ObjectIdentifier(type)).inserted
    }

    /// Compares a Swift type with the schema type at a coordinate.
    mutating func compare(_ bound: BoundType, with type: GraphQLType, at coordinate: String) {
        let name = schema[type.type].name
        if !bound.names.contains(name) || bound.wrapping != type.wrapping {
            differ(
                at: coordinate, .type(schema: schema.describe(type), bound: bound.description))
        }
    }
}

/// A Swift type in the form of a schema type.
public struct BoundType: Sendable {
    /// The accepted names in the schema.
    let names: [String]
    let wrapping: Wrapping

    /// Creates a non-null type with its names in the schema.
    init(names: [String], wrapping: Wrapping = Wrapping().nonNull) {
        self.names = names
        self.wrapping = wrapping
    }

    var nullable: BoundType { BoundType(names: names, wrapping: wrapping.nullable) }

    /// A non-null list of this type. (Swift types are not nested deeper than the maximum of `Wrapping`.)
    var list: BoundType { BoundType(names: names, wrapping: wrapping.list?.nonNull ?? wrapping) }

    var description: String { wrapping.description(around: names.first ?? "?") }
}

/// A difference between the bound Swift types and the schema.
public struct SchemaDifference: Hashable, Sendable, CustomStringConvertible {
    /// The schema coordinate: `Type`, `Type.field`, `Type.field(argument:)`.
    public let coordinate: String
    /// The reason.
    public let reason: Reason

    /// The kinds of differences.
    public enum Reason: Hashable, Sendable {
        /// An element of the schema is not bound.
        case notBound
        /// A bound element is missing in the schema.
        case notInSchema
        /// The schema type differs from that of the Swift type.
        case type(schema: String, bound: String)
        /// The kind of the schema type is different.
        case kind(expected: String)
        /// Its resolvers require another context than the schema.
        case context(String)
        /// The initialiser could not read its arguments from sample values.
        case unreadable(String)
    }

    /// The coordinate and the reason, in one line.
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
