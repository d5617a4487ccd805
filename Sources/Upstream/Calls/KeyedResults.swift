/// What came of things that were asked for together, each by itself: one that failed leaves the others standing.
///
/// What is in neither of the two is not known to whoever was asked.
package struct KeyedResults<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// What was got.
    package var found: [Key: Value]
    /// Why others could not be; they might exist.
    package var failures: [Key: ProviderFailure]

    package init() {
        (found, failures) = ([:], [:])
    }

    package init(_ found: [Key: Value], failures: [Key: ProviderFailure] = [:]) {
        self.found = found
        self.failures = failures
    }

    package init(failures: [Key: ProviderFailure]) {
        (found, self.failures) = ([:], failures)
    }

    /// What was got under a key; setting it takes a failure of the key away.
    package subscript(key: Key) -> Value? {
        get { found[key] }
        set {
            found[key] = newValue
            failures[key] = nil
        }
    }

    /// Notes why some could not be got.
    package mutating func fail(_ keys: some Sequence<Key>, _ failure: ProviderFailure) {
        for key in keys { failures[key] = failure }
    }

    /// Takes in what came of one thing; nil, and a failure with the cause `notFound`, are of one that is not known.
    package mutating func add(_ result: Result<Value?, ProviderFailure>, for key: Key) {
        switch result {
        case .success(let value?): self[key] = value
        case .success(nil): break
        case .failure(let failure) where failure.cause == .notFound: break
        case .failure(let failure): failures[key] = failure
        }
    }

    /// Takes in what came of a part of the things, or why nothing came of it.
    package mutating func merge(_ part: Result<KeyedResults, ProviderFailure>, for keys: some Sequence<Key>) {
        switch part {
        case .success(let batch):
            found.merge(batch.found) { _, latest in latest }
            failures.merge(batch.failures) { _, latest in latest }
        case .failure(let failure): fail(keys, failure)
        }
    }

    /// The same under other keys; what has no other key is left out.
    package func keyed<Other: Hashable & Sendable>(by key: (Key) -> Other?) -> KeyedResults<Other, Value> {
        var batch = KeyedResults<Other, Value>()
        for (old, value) in found { if let new = key(old) { batch.found[new] = value } }
        for (old, failure) in failures { if let new = key(old) { batch.failures[new] = failure } }
        return batch
    }
}

extension KeyedResults: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (Key, Value)...) {
        self.init(Dictionary(elements) { _, latest in latest })
    }
}

/// Does something with each item, so many at the same time, and returns what came of them in order.
///
/// It ends when all have ended; one that fails does not stop the others.
package func concurrently<Item: Sendable, Value: Sendable>(
    _ items: [Item], atMost width: Int,
    _ body: @escaping @Sendable (Item) async throws(ProviderFailure) -> Value
) async -> [Result<Value, ProviderFailure>] {
    await withTaskGroup(of: (Int, Result<Value, ProviderFailure>).self) { group in
        var results: [Int: Result<Value, ProviderFailure>] = [:]
        for (index, item) in items.enumerated() {
            if index >= width, let (done, result) = await group.next() { results[done] = result }
            group.addTask {
                do throws(ProviderFailure) {
                    return (index, .success(try await body(item)))
                } catch {
                    return (index, .failure(error))
                }
            }
        }
        for await (done, result) in group { results[done] = result }
        return items.indices.compactMap { results[$0] }
    }
}
