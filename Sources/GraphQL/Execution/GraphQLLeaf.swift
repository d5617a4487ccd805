/// A type without fields: a scalar or an enum (specification, sections 3.5 and 3.9).
public protocol GraphQLLeaf: GraphQLOutput where Node == Never, Selection == EmptySelection {
    /// The accepted type names in the schema; messages use the first.
    static var graphQLNames: [String] { get }

    /// Writes the value as JSON.
    ///
    /// - Throws: `ResultCoercionError` if the value has no response form (specification, 3.5 "Result Coercion").
    ///   Nothing may have been written in this case.
    func write(to writer: inout ResponseWriter) throws(ResultCoercionError)
}

/// The empty selection of a leaf in a plan.
@frozen
public struct EmptySelection: Sendable {
    @inlinable
    init() {}
}

/// A value that its type cannot represent in a response.
///
/// Clients see the message.
public struct ResultCoercionError: Error, Hashable, Sendable {
    /// The reason why the value has no response form.
    public let message: String

    /// Creates an error with its reason, which clients see.
    public init(_ message: String) {
        self.message = message
    }
}

extension GraphQLLeaf {
    /// Returns the names; a leaf refers to no other types.
    public static func bind(to binder: inout SchemaBinder) -> BoundType {
        BoundType(names: graphQLNames)
    }

    /// Plans nothing: after validation, no leaf has a selection set (specification, section 5.3.3).
    @inlinable
    public static func plan(
        _ selectionSets: [SelectionSet], with planner: inout Planner
    ) throws -> EmptySelection {
        EmptySelection()
    }

    /// Returns false: only the value of a leaf is written.
    @inlinable
    public static func hasLoads(_ selection: EmptySelection) -> Bool { false }

    /// Writes the value, or records why it has no response form.
    ///
    /// It takes no row.
    @inlinable
    @inline(__always)
    public static func write(
        _ value: UnsafePointer<Self>, _ selection: EmptySelection, row: inout Int,
        to writer: inout ResponseWriter
    ) -> Bool {
        do {
            unsafe try value.pointee.write(to: &writer)
            return true
        } catch {
            writer.fail(error)
            return false
        }
    }

    /// Appends nothing: nothing is loaded below a leaf.
    @inlinable
    public static func collect(_ value: Self, into nodes: inout [Never]) {}

    /// Starts nothing: nothing is loaded below a leaf.
    @inlinable
    public static func prepare(
        _ nodes: [Never], _ selection: EmptySelection, in execution: Execution,
        pending: inout [@Sendable () async -> Void]
    ) {}
}

/// A custom scalar type (specification, section 3.5.6): a conforming type writes its JSON form.
public protocol GraphQLScalar: GraphQLLeaf {}

/// An enum type: a Swift enum whose raw values are the names in the schema (specification, section 3.9).
public protocol GraphQLEnum: GraphQLLeaf, RawRepresentable, CaseIterable where RawValue == String {
    /// The name in the schema.
    static var graphQLName: String { get }
}

extension GraphQLEnum {
    /// The name of the Swift type, by default.
    public static var graphQLName: String { String(describing: Self.self) }

    /// The single name of the enum type.
    public static var graphQLNames: [String] { [graphQLName] }

    /// Writes the raw value as a JSON string (specification, section 3.9).
    ///
    /// Never fails.
    @inlinable
    @inline(__always)
    public func write(to writer: inout ResponseWriter) throws(ResultCoercionError) {
        writer.write(rawValue)
    }
}

// The scalars of the specification (section 3.5) as Swift types. A `String` is also used for `ID`.

extension String: GraphQLLeaf {
    /// `String` first, and `ID`, whose results are also strings (specification, section 3.5.5).
    public static var graphQLNames: [String] { [BuiltInScalar.string.rawValue, BuiltInScalar.id.rawValue] }

    /// Writes a JSON string, escaped only if RFC 8259 requires it.
    ///
    /// Never fails.
    @inlinable
    @inline(__always)
    public func write(to writer: inout ResponseWriter) throws(ResultCoercionError) {
        writer.write(self)
    }
}

extension Bool: GraphQLLeaf {
    /// Only `Boolean`.
    public static var graphQLNames: [String] { [BuiltInScalar.boolean.rawValue] }

    /// Writes `true` or `false`.
    ///
    /// Never fails.
    @inlinable
    @inline(__always)
    public func write(to writer: inout ResponseWriter) throws(ResultCoercionError) {
        writer.write(self)
    }
}

extension Int: GraphQLLeaf {
    /// Only `Int`: a schema's `Float` requires a `Double`.
    public static var graphQLNames: [String] { [BuiltInScalar.int.rawValue] }

    /// Writes the digits of a 32-bit integer (specification, section 3.5.1).
    ///
    /// - Throws: `ResultCoercionError` for a number that needs more than 32 bits.
    @inlinable
    @inline(__always)
    public func write(to writer: inout ResponseWriter) throws(ResultCoercionError) {
        guard Int(Int32(truncatingIfNeeded: self)) == self else {
            throw ResultCoercionError("Int cannot represent non 32-bit signed integer value: \(self)")
        }
        writer.write(self)
    }
}

extension Double: GraphQLLeaf {
    /// Only `Float`.
    public static var graphQLNames: [String] { [BuiltInScalar.float.rawValue] }

    /// Writes the shortest decimal that parses to the same number (specification, section 3.5.2).
    ///
    /// - Throws: `ResultCoercionError` for infinities and NaN, which JSON does not have.
    @inlinable
    @inline(__always)
    public func write(to writer: inout ResponseWriter) throws(ResultCoercionError) {
        guard isFinite else { throw ResultCoercionError("Float cannot represent non numeric value: \(self)") }
        writer.write(self)
    }
}
