/// A built-in scalar stored directly in its object: the write pass writes it without a closure.
///
/// Most values of a response are of this kind, and a closure call takes longer than writing a price.
@usableFromInline
enum InlineScalar: Sendable {
    case double, optionalDouble
    case string, optionalString
    case int, optionalInt
    case bool, optionalBool

    /// Creates the scalar for a type; nil for all other types.
    @inlinable
    init?<Value>(_ type: Value.Type) {
        if type == Double.self {
            self = .double
        } else if type == Double?.self {
            self = .optionalDouble
        } else if type == String.self {
            self = .string
        } else if type == String?.self {
            self = .optionalString
        } else if type == Int.self {
            self = .int
        } else if type == Int?.self {
            self = .optionalInt
        } else if type == Bool.self {
            self = .bool
        } else if type == Bool?.self {
            self = .optionalBool
        } else {
            return nil
        }
    }

    /// Writes the value at this address; returns false if it failed and cannot be null.
    @inline(__always)
    func write(_ value: UnsafeRawPointer, to writer: inout ResponseWriter) -> Bool {
        switch self {
        case .double: unsafe InlineScalar.write(Double.self, value, to: &writer)
        case .optionalDouble: unsafe InlineScalar.write(Double?.self, value, to: &writer)
        case .string: unsafe InlineScalar.write(String.self, value, to: &writer)
        case .optionalString: unsafe InlineScalar.write(String?.self, value, to: &writer)
        case .int: unsafe InlineScalar.write(Int.self, value, to: &writer)
        case .optionalInt: unsafe InlineScalar.write(Int?.self, value, to: &writer)
        case .bool: unsafe InlineScalar.write(Bool.self, value, to: &writer)
        case .optionalBool: unsafe InlineScalar.write(Bool?.self, value, to: &writer)
        }
    }

    @inline(__always)
    private static func write<Value: GraphQLOutput>(
        _ type: Value.Type, _ value: UnsafeRawPointer, to writer: inout ResponseWriter
    ) -> Bool where Value.Selection == EmptySelection {
        var row = 0
        return unsafe Value.write(
            value.assumingMemoryBound(to: Value.self), EmptySelection(), row: &row, to: &writer)
    }
}
