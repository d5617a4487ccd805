/// Values that wait in the order in which they came, of each key only the latest, in the place of an earlier one.
struct ConflatingQueue<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// Keys in the order in which their first values came.
    private var keys: [Key] = []
    private var values: [Key: Value] = [:]

    var count: Int { keys.count }

    mutating func put(_ value: Value, for key: Key) {
        if values.updateValue(value, forKey: key) == nil { keys.append(key) }
    }

    /// The first one; nil where none waits.
    mutating func popFirst() -> (key: Key, value: Value)? {
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
