package import Brokerage

/// How values of one kind grow old.
package struct FreshnessPolicy<Value: Sendable>: Sendable {
    let lifetime: @Sendable (_ value: Value, _ readAt: Instant) -> CacheLifetime
    let markedStale: @Sendable (Value) -> Value
    let unknown: Duration?

    /// - Parameters:
    ///   - unknown: how long a provider's response that it does not know an object is stored; nil for the
    ///     provider's default (``Brokerage/Provider/unknownLifetime``). It prevents that an unknown object
    ///     costs each provider of a route a call each time.
    ///   - asStale: marks a value that has expired and could not be renewed.
    ///   - lifetime: how long a value is valid, from the wall-clock time of the read.
    package init(
        unknown: Duration? = nil, markedStale: @escaping @Sendable (Value) -> Value,
        lifetime: @escaping @Sendable (_ value: Value, _ readAt: Instant) -> CacheLifetime
    ) {
        self.unknown = unknown
        self.markedStale = markedStale
        self.lifetime = lifetime
    }

    /// Of values that tell where they come from, by the key path of what tells.
    package init(
        _ reading: any WritableKeyPath<Value, Provenance> & Sendable, unknown: Duration? = nil,
        lifetime: @escaping @Sendable (_ value: Value, _ readAt: Instant) -> CacheLifetime
    ) {
        self.init(unknown: unknown, markedStale: { markStale($0, reading) }, lifetime: lifetime)
    }

    /// Of lists whose elements tell where they come from.
    package init<Element>(
        each reading: any WritableKeyPath<Element, Provenance> & Sendable, unknown: Duration? = nil,
        lifetime: @escaping @Sendable (_ value: Value, _ readAt: Instant) -> CacheLifetime
    ) where Value == [Element] {
        self.init(
            unknown: unknown, markedStale: { list in list.map { markStale($0, reading) } }, lifetime: lifetime
        )
    }
}

private func markStale<Value>(_ value: Value, _ reading: WritableKeyPath<Value, Provenance>) -> Value {
    var marked = value
    marked[keyPath: reading] = marked[keyPath: reading].markedStale
    return marked
}
