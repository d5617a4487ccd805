// The scalars that the specification defines (section 3.5), as Swift's types. A `String` serves for `ID` as well.

extension String: Leaf {
    public static var graphQLNames: [String] { [BuiltInScalar.string.rawValue, BuiltInScalar.id.rawValue] }

    @inlinable
    @inline(__always)
    public func write(to writer: inout ResponseWriter) throws(LeafError) {
        writer.write(self)
    }
}

extension Bool: Leaf {
    public static var graphQLNames: [String] { [BuiltInScalar.boolean.rawValue] }

    @inlinable
    @inline(__always)
    public func write(to writer: inout ResponseWriter) throws(LeafError) {
        writer.write(self)
    }
}

extension Int: Leaf {
    public static var graphQLNames: [String] { [BuiltInScalar.int.rawValue] }

    @inlinable
    @inline(__always)
    public func write(to writer: inout ResponseWriter) throws(LeafError) {
        guard Int(Int32(truncatingIfNeeded: self)) == self else {
            throw LeafError("Int cannot represent non 32-bit signed integer value: \(self)")
        }
        writer.write(self)
    }
}

extension Double: Leaf {
    public static var graphQLNames: [String] { [BuiltInScalar.float.rawValue] }

    @inlinable
    @inline(__always)
    public func write(to writer: inout ResponseWriter) throws(LeafError) {
        guard isFinite else { throw LeafError("Float cannot represent non numeric value: \(self)") }
        writer.write(self)
    }
}
