/// A queue that stores only the latest value of each key, at the position of the key's first value.
package struct ConflatingQueue<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// The keys in the order of their first values.
    private var keys: [Key] = []
    private var values: [Key: Value] = [:]

    package var count: Int { keys.count }

    package init() {}

    /// Adds a value, or replaces the value of the same key.
    package mutating func put(_ value: Value, for key: Key) {
        if values.updateValue(value, forKey: key) == nil { keys.append(key) }
    }

    /// Removes the first value; nil if the queue is empty.
    package mutating func popFirst() -> (key: Key, value: Value)? {
        guard let key = keys.first else { return nil }
        let value = values.removeValue(forKey: key)
        if keys.count == 1 {
            // Releases the capacity: for a fast reader the queue is empty most of the time.
            (keys, values) = ([], [:])
        } else {
            keys.removeFirst()
        }
        return value.map { (key, $0) }
    }
}
