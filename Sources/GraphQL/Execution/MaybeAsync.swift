/// The result of a resolver: available, or to be awaited.
///
/// If every load of an operation returns `ready`, the whole operation runs without a task or a suspension.
public enum MaybeAsync<Value: Sendable>: Sendable {
    /// The value is available.
    case ready(Value)
    /// The value must be awaited.
    case async(@Sendable () async throws -> Value)
}

extension MaybeAsync {
    /// Returns the result with a transformed value.
    @inlinable
    public func map<Other: Sendable>(
        _ transform: @escaping @Sendable (Value) throws -> Other
    ) rethrows -> MaybeAsync<Other> {
        switch self {
        case .ready(let value): .ready(try transform(value))
        case .async(let fetch): .async { try transform(try await fetch()) }
        }
    }

    /// Returns the value; suspends only if it must be awaited.
    @inlinable
    public func value() async throws -> Value {
        switch self {
        case .ready(let value): value
        case .async(let fetch): try await fetch()
        }
    }
}

extension MaybeAsync {
    /// Runs a load for each of several sources concurrently, and returns their results in order.
    ///
    /// The result is ready if all of them are.
    @inlinable
    public static func each<Source: Sendable, Output: Sendable>(
        _ sources: [Source], _ load: (Source) throws -> MaybeAsync<Output>
    ) -> MaybeAsync where Value == BatchResults<Output> {
        var results: BatchResults<Output> = []
        results.reserveCapacity(sources.count)
        var fetches: [PendingFetch<Output>] = []
        for source in sources {
            do {
                switch try load(source) {
                case .ready(let result): results.append(.success(result))
                case .async(let fetch):
                    fetches.append(PendingFetch(position: results.count, fetch: fetch))
                    results.append(.failure(PendingResult()))
                }
            } catch {
                results.append(.failure(error))
            }
        }
        if fetches.isEmpty { return .ready(results) }
        let (known, pending) = (results, fetches)
        return .async { await fill(known, from: pending) }
    }

    @usableFromInline
    static func fill<Output: Sendable>(
        _ results: BatchResults<Output>, from fetches: [PendingFetch<Output>]
    ) async -> BatchResults<Output> {
        // A single one is awaited in the current task, because a child task costs more than most loads.
        if fetches.count == 1, let only = fetches.first {
            var results = results
            results[only.position] = await only.result()
            return results
        }
        return await withTaskGroup(of: (Int, Result<Output, any Error>).self) { group in
            for pending in fetches {
                group.addImmediateTask { (pending.position, await pending.result()) }
            }
            var results = results
            for await (position, result) in group { results[position] = result }
            return results
        }
    }
}

/// An asynchronous result with its index among the others.
@usableFromInline
struct PendingFetch<Output: Sendable>: Sendable {
    @usableFromInline let position: Int
    @usableFromInline let fetch: @Sendable () async throws -> Output

    @usableFromInline
    func result() async -> Result<Output, any Error> {
        do {
            return .success(try await fetch())
        } catch {
            return .failure(error)
        }
    }

    @usableFromInline
    init(position: Int, fetch: @escaping @Sendable () async throws -> Output) {
        self.position = position
        self.fetch = fetch
    }
}

/// The placeholder of a result that is not available yet.
@usableFromInline
struct PendingResult: Error {
    @usableFromInline init() {}
}
