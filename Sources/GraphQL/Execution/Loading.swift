/// The answer of a resolver: at hand, or still to be fetched.
///
/// Where every load of an operation answers `ready`, the whole operation runs without a task or a suspension.
public enum Loading<Value: Sendable>: Sendable {
    /// The value is at hand.
    case ready(Value)
    /// The value must be waited for.
    case later(@Sendable () async throws -> Value)
}

extension Loading {
    /// The same, with another value made of it.
    @inlinable
    public func map<Other: Sendable>(_ transform: @escaping @Sendable (Value) throws -> Other) rethrows -> Loading<Other> {
        switch self {
        case .ready(let value): .ready(try transform(value))
        case .later(let fetch): .later { try transform(try await fetch()) }
        }
    }

    /// The value, waited for where it must be.
    @inlinable
    public func value() async throws -> Value {
        switch self {
        case .ready(let value): value
        case .later(let fetch): try await fetch()
        }
    }
}
