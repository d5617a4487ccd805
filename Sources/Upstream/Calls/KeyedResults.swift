package import Brokerage
import PorticoCore

/// The results of items that were requested together.
///
/// The failure of one item does not affect the others.
///
/// An item with neither a value nor a failure is unknown to the provider.
public struct KeyedResults<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// The values.
    @usableFromInline package var found: [Key: Value]
    /// The failures of the other keys, which may exist.
    @usableFromInline package var failures: [Key: ProviderFailure]

    @inlinable
    package init() {
        (found, failures) = ([:], [:])
    }

    @inlinable
    package init(_ found: [Key: Value], failures: [Key: ProviderFailure] = [:]) {
        self.found = found
        self.failures = failures
    }

    package init(failures: [Key: ProviderFailure]) {
        (found, self.failures) = ([:], failures)
    }

    /// The value of a key; setting it removes a failure of the key.
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

    /// Adds the result of one item; nil, and a failure with the cause `notFound`, mean that the item is
    /// unknown.
    package mutating func add(_ result: Result<Value?, ProviderFailure>, for key: Key) {
        switch result {
        case .success(let value?): self[key] = value
        case .success(nil): break
        case .failure(let failure) where failure.cause == .notFound: break
        case .failure(let failure): failures[key] = failure
        }
    }

    /// Adds the results of some of the items, or the failure of all of them.
    package mutating func merge(_ part: Result<KeyedResults, ProviderFailure>, for keys: some Sequence<Key>) {
        switch part {
        case .success(let batch):
            found.merge(batch.found) { _, latest in latest }
            failures.merge(batch.failures) { _, latest in latest }
        case .failure(let failure): fail(keys, failure)
        }
    }

    /// The same results under other keys; results without another key are omitted.
    package func keyed<Other: Hashable & Sendable>(by key: (Key) -> Other?) -> KeyedResults<Other, Value> {
        var batch = KeyedResults<Other, Value>()
        for (old, value) in found { if let new = key(old) { batch.found[new] = value } }
        for (old, failure) in failures { if let new = key(old) { batch.failures[new] = failure } }
        return batch
    }
}

extension KeyedResults where Key == Symbol {
    /// Fails each symbol without a readable row, if a row could not be read: such a row may be of any of them.
    ///
    /// - Parameters:
    ///   - wanted: The requested symbols, by the provider's names of them.
    ///   - read: The names in the rows that could be read.
    ///   - failures: The errors of the other rows.
    ///   - provider: The provider.
    package mutating func fail(
        _ wanted: [String: Symbol], except read: [String], _ failures: [JSONError], of provider: ProviderID
    ) {
        guard let error = failures.first else { return }
        let read = Set(read)
        fail(
            wanted.filter { !read.contains($0.key) }.values,
            ProviderFailure(provider, .invalidResponse(error)))
    }
}

extension KeyedResults: ExpressibleByDictionaryLiteral {
    /// Creates results without failures; of equal keys the last one counts.
    @inlinable
    public init(dictionaryLiteral elements: (Key, Value)...) {
        self.init(Dictionary(elements) { _, latest in latest })
    }
}

extension Array {
    /// The values of the items that exist: those with the cause `notFound` are left out.
    ///
    /// - Throws: The first other failure.
    package func found<Value>() throws(ProviderFailure) -> [Value]
    where Element == Result<Value, ProviderFailure> {
        var values: [Value] = []
        for result in self {
            do throws(ProviderFailure) {
                values.append(try result.get())
            } catch {
                guard error.cause == .notFound else { throw error }
            }
        }
        return values
    }

    /// The found values, where a response that cannot be read does not remove the others.
    ///
    /// - Parameters:
    ///   - name: The name of a response, with which the places of errors begin.
    ///   - unreadable: The errors of responses that are JSON with other content than required are added to it.
    /// - Returns: The found values.
    /// - Throws: The first other failure except `notFound`.
    package func found<Value>(
        _ name: String, unreadable: inout [String]
    ) throws(ProviderFailure) -> [Value] where Element == Result<Value, ProviderFailure> {
        var others: [Element] = []
        for result in self {
            if case .failure(let failure) = result, failure.isUnreadableContent,
                case .invalidResponse(let error?) = failure.cause
            {
                unreadable.append(error.inside(.key(name)).description)
            } else {
                others.append(result)
            }
        }
        return try others.found()
    }
}

/// Performs an operation for each item, a limited number at the same time, and returns the results in order.
///
/// It returns when all have ended; a failure does not stop the others.
package func concurrently<Item: Sendable, Value: Sendable>(
    _ items: [Item], atMost width: Int,
    _ body: @escaping @Sendable (Item) async throws(ProviderFailure) -> Value
) async -> [Result<Value, ProviderFailure>] {
    await withTaskGroup(of: (Int, Result<Value, ProviderFailure>).self) { group in
        var results: [Int: Result<Value, ProviderFailure>] = [:]
        for (index, item) in items.enumerated() {
            if index >= width, let (done, result) = await group.next() { results[done] = result }
            group.addTask {
                (index, await .of { () throws(ProviderFailure) in try await body(item) })
            }
        }
        for await (done, result) in group { results[done] = result }
        return items.indices.compactMap { results[$0] }
    }
}
