/// A type without fields: a scalar or an enum (specification, sections 3.5 and 3.9).
public protocol GraphQLLeaf: GraphQLOutput where Node == Never, Selection == EmptySelection {
    /// The names that the schema may give the type; the first is the one that messages use.
    static var graphQLNames: [String] { get }

    /// Writes the value as JSON.
    ///
    /// - Throws: `LeafError` where the value has no form in the response (specification, 3.5 "Result Coercion").
    ///   Nothing may have been written then.
    func write(to writer: inout ResponseWriter) throws(LeafError)
}

/// What a plan keeps for a leaf: nothing.
@frozen
public struct EmptySelection: Sendable {
    @inlinable
    init() {}
}

/// A value that its type cannot represent in a response.
///
/// The message goes to the client.
public struct LeafError: Error, Hashable, Sendable {
    /// Why the value has no form in the response.
    public let message: String

    /// An error with its reason, which clients get to see.
    public init(_ message: String) {
        self.message = message
    }
}

extension GraphQLLeaf {
    /// Leads to no other types: the binder only compares the names.
    public static func bind(to binder: inout SchemaBinder) -> BoundType {
        BoundType(names: graphQLNames)
    }

    /// Plans nothing: validation lets no leaf have a selection set (specification, section 5.3.3).
    @inlinable
    public static func plan(
        _ selectionSets: [SelectionSet], with planner: inout Planner
    ) throws -> EmptySelection {
        EmptySelection()
    }

    /// False: a leaf is written from its value alone.
    @inlinable
    public static func hasLoads(_ selection: EmptySelection) -> Bool { false }

    /// Writes the value, or notes why it has no form in the response.
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

/// A scalar type of one's own (specification, section 3.5.6): conform a type to it and write its JSON form.
public protocol GraphQLScalar: GraphQLLeaf {}

/// An enum type: a Swift enum whose raw values are the names in the schema (specification, section 3.9).
public protocol GraphQLEnum: GraphQLLeaf, RawRepresentable, CaseIterable where RawValue == String {
    /// The name in the schema.
    static var graphQLName: String { get }
}

extension GraphQLEnum {
    /// The name of the Swift type, where no other is given.
    public static var graphQLName: String { String(describing: Self.self) }

    /// The one name of the enum type.
    public static var graphQLNames: [String] { [graphQLName] }

    /// Writes the raw value as a JSON string (specification, section 3.9).
    ///
    /// Never fails.
    @inlinable
    @inline(__always)
    public func write(to writer: inout ResponseWriter) throws(LeafError) {
        writer.write(rawValue)
    }
}

// The scalars that the specification defines (section 3.5), as Swift's types. A `String` serves for `ID` as well.

extension String: GraphQLLeaf {
    /// `String` first, and `ID`, whose results are strings too (specification, section 3.5.5).
    public static var graphQLNames: [String] { [BuiltInScalar.string.rawValue, BuiltInScalar.id.rawValue] }

    /// Writes a JSON string, escaped where RFC 8259 demands it.
    ///
    /// Never fails.
    @inlinable
    @inline(__always)
    public func write(to writer: inout ResponseWriter) throws(LeafError) {
        writer.write(self)
    }
}

extension Bool: GraphQLLeaf {
    /// `Boolean` alone.
    public static var graphQLNames: [String] { [BuiltInScalar.boolean.rawValue] }

    /// Writes `true` or `false`.
    ///
    /// Never fails.
    @inlinable
    @inline(__always)
    public func write(to writer: inout ResponseWriter) throws(LeafError) {
        writer.write(self)
    }
}

extension Int: GraphQLLeaf {
    /// `Int` alone: a schema's `Float` wants a `Double`.
    public static var graphQLNames: [String] { [BuiltInScalar.int.rawValue] }

    /// Writes the digits of a 32-bit integer (specification, section 3.5.1).
    ///
    /// - Throws: `LeafError` for a number that needs more than 32 bits.
    @inlinable
    @inline(__always)
    public func write(to writer: inout ResponseWriter) throws(LeafError) {
        guard Int(Int32(truncatingIfNeeded: self)) == self else {
            throw LeafError("Int cannot represent non 32-bit signed integer value: \(self)")
        }
        writer.write(self)
    }
}

extension Double: GraphQLLeaf {
    /// `Float` alone.
    public static var graphQLNames: [String] { [BuiltInScalar.float.rawValue] }

    /// Writes the shortest decimal that reads back as the same number (specification, section 3.5.2).
    ///
    /// - Throws: `LeafError` for infinities and NaN, which JSON does not have.
    @inlinable
    @inline(__always)
    public func write(to writer: inout ResponseWriter) throws(LeafError) {
        guard isFinite else { throw LeafError("Float cannot represent non numeric value: \(self)") }
        writer.write(self)
    }
}
