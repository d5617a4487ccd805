/// A Swift type bound to an object type of the schema (specification, section 3.6).
///
/// ```swift
/// extension Position: GraphQLObject {
///     static let graphQL = ObjectType<Position>("Position") {
///         Field("symbol", \.symbol)
///         Field("marketValue") { $0.quantity * $0.price }
///         Field("quote", load: { positions, context in context.quotes(for: positions) })
///     }
/// }
/// ```
public protocol GraphQLObject: GraphQLOutput where Node == Self, Selection == ObjectPlanReference<Self> {
    /// The class of the contexts that loaders receive with each request.
    ///
    /// All types of a schema that declare one have the same one. A type without loaded fields need not declare it.
    associatedtype Context: AnyObject & Sendable = EmptyContext

    /// The type's name and fields, as a stored constant, because it is read whenever an operation is
    /// planned.
    static var graphQL: ObjectType<Self> { get }
}

/// The name and the fields of an object type, bound to a Swift type.
public final class ObjectType<Source: Sendable>: Sendable {
    @usableFromInline
    let bound: AnyObjectType
    /// The name in the schema.
    public var name: String { bound.name }

    /// Creates an object type with its name in the schema and all its schema fields, in any order.
    public init(_ name: String, @FieldsBuilder<Source> _ fields: () -> [Field<Source>]) {
        bound = unsafe AnyObjectType(
            name, fields().map(\.bound),
            copy: { unsafe RootValue($0.assumingMemoryBound(to: Source.self).pointee) })
    }
}

/// An object type whose Swift type is known only to its fields.
@usableFromInline
@safe
final class AnyObjectType: Sendable {
    let name: String
    let fields: [AnyField]
    /// Copies an object of the type.
    let copy: @Sendable (UnsafeRawPointer) -> RootValue
    private let index: [String: Int]

    init(_ name: String, _ fields: [AnyField], copy: @escaping @Sendable (UnsafeRawPointer) -> RootValue) {
        self.name = name
        self.fields = fields
        unsafe self.copy = copy
        index = Dictionary(fields.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    func field(named name: String) -> AnyField? {
        index[name].map { fields[$0] }
    }
}

/// The result builder for the fields of an `ObjectType`.
@resultBuilder
public enum FieldsBuilder<Source: Sendable> {
    /// Returns a single field.
    public static func buildExpression(_ field: Field<Source>) -> [Field<Source>] { [field] }
    /// Returns several fields, such as those that types have in common.
    public static func buildExpression(_ fields: [Field<Source>]) -> [Field<Source>] { fields }
    /// Returns all fields, in source order.
    public static func buildBlock(_ parts: [Field<Source>]...) -> [Field<Source>] { parts.flatMap(\.self) }
}

extension GraphQLObject {
    /// Compares the fields with those of the schema type, and binds their types recursively.
    public static func bind(to binder: inout SchemaBinder) -> BoundType {
        if binder.isFirstBinding(of: Self.self) { graphQL.bound.bind(to: &binder) }
        return BoundType(names: [graphQL.name])
    }

    /// Merges the selection sets into one plan (specification, section 6.3.2, CollectFields).
    @inlinable
    public static func plan(
        _ selectionSets: [SelectionSet], with planner: inout Planner
    ) throws -> ObjectPlanReference<Self> {
        ObjectPlanReference(try planner.plan(graphQL.bound, selectionSets))
    }

    /// Returns true if a field of the plan, or one below it, is loaded.
    @inlinable
    public static func hasLoads(_ selection: ObjectPlanReference<Self>) -> Bool {
        selection.hasLoads
    }

    /// Writes the object in row `row`, and increments the row.
    @inlinable
    @inline(__always)
    public static func write(
        _ value: UnsafePointer<Self>, _ selection: ObjectPlanReference<Self>, row: inout Int,
        to writer: inout ResponseWriter
    ) -> Bool {
        let ownRow = row
        row = ownRow &+ 1
        return unsafe selection.write(value, row: ownRow, to: &writer)
    }

    /// Appends the object itself, which is a node of its layer.
    @inlinable
    public static func collect(_ value: Self, into nodes: inout [Self]) {
        nodes.append(value)
    }

    /// Starts the loads of the plan for all objects of the layer.
    @inlinable
    public static func prepare(
        _ nodes: [Self], _ selection: ObjectPlanReference<Self>, in execution: Execution,
        pending: inout [@Sendable () async -> Void]
    ) {
        selection.prepare(nodes, in: execution, pending: &pending)
    }
}

extension AnyObjectType {
    /// Compares the bound fields with those of the schema, and binds their types recursively.
    func bind(to binder: inout SchemaBinder) {
        guard let type = binder.schema.type(named: name) else {
            return binder.differ(at: name, .notInSchema)
        }
        guard case .object(let definition) = type.kind else {
            return binder.differ(at: name, .kind(expected: "an object type"))
        }
        for field in fields {
            let coordinate = "\(name).\(field.name)"
            guard let schemaField = definition.field(named: field.name) else {
                binder.differ(at: coordinate, .notInSchema)
                continue
            }
            field.bind(&binder, schemaField, coordinate)
        }
        for schemaField in definition.fields where field(named: schemaField.name) == nil {
            binder.differ(at: "\(name).\(schemaField.name)", .notBound)
        }
    }
}
