package import Brokerage

/// How values of one kind grow old.
package struct Ageing<Value: Sendable>: Sendable {
    let lifetime: @Sendable (_ value: Value, _ readAt: Instant) -> Lifetime
    let asStale: @Sendable (Value) -> Value
    let unknown: Duration?

    /// - Parameters:
    ///   - unknown: how long a provider's response that it does not know an object is stored; nil for the
    ///     provider's default (``Brokerage/Provider/unknownLifetime``). It prevents that an unknown object
    ///     costs each provider of a route a call each time.
    ///   - asStale: marks a value that has expired and could not be renewed.
    ///   - lifetime: how long a value is valid, from the wall-clock time of the read.
    package init(
        unknown: Duration? = nil, asStale: @escaping @Sendable (Value) -> Value,
        lifetime: @escaping @Sendable (_ value: Value, _ readAt: Instant) -> Lifetime
    ) {
        self.unknown = unknown
        self.asStale = asStale
        self.lifetime = lifetime
    }

    /// Of values that tell where they come from, by the key path of what tells.
    package init(
        _ reading: any WritableKeyPath<Value, Reading> & Sendable, unknown: Duration? = nil,
        lifetime: @escaping @Sendable (_ value: Value, _ readAt: Instant) -> Lifetime
    ) {
        self.init(unknown: unknown, asStale: { mark($0, reading) }, lifetime: lifetime)
    }

    /// Of lists whose elements tell where they come from.
    package init<Element>(
        each reading: any WritableKeyPath<Element, Reading> & Sendable, unknown: Duration? = nil,
        lifetime: @escaping @Sendable (_ value: Value, _ readAt: Instant) -> Lifetime
    ) where Value == [Element] {
        self.init(unknown: unknown, asStale: { list in list.map { mark($0, reading) } }, lifetime: lifetime)
    }
}

private func mark<Value>(_ value: Value, _ reading: WritableKeyPath<Value, Reading>) -> Value {
    var marked = value
    marked[keyPath: reading] = marked[keyPath: reading].asStale
    return marked
}
