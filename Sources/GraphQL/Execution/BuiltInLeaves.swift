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
