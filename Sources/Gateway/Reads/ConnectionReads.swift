import Brokerage
import GraphQL
import Upstream

/// Reads of values that belong to a connection of the request's user.
struct ConnectionReads: Sendable {
    private let scope: RequestScope

    init(_ scope: RequestScope) {
        self.scope = scope
    }

    /// Returns a value that belongs to a connection's owner: from the cache, or by one call that all waiting
    /// readers share.
    ///
    /// - Parameters:
    ///   - query: The parameters of the read, a part of the key.
    ///   - connection: The connection that the value belongs to.
    ///   - cache: The cache of these values.
    ///   - fetch: The call that reads the value if it is not cached.
    /// - Returns: The value, or the pending read; it fails if the connection is removed meanwhile.
    func read<Query: CacheQuery, Value: Sendable>(
        _ query: Query, of connection: BrokerConnection, in cache: ReadCache<Query, Value>,
        _ fetch: @escaping @Sendable (CallContext) async throws(ProviderFailure) -> Value
    ) -> MaybeAsync<Value> {
        if let value = cached(query, of: connection, in: cache) { return .ready(value) }
        guard let link = ConnectionDirectory(scope).link(of: connection) else {
            return .async { throw FieldError.noConnection(ProviderConnection.globalID(connection.id)) }
        }
        return .async { [call = scope.call, health = link.health] in
            do throws(ProviderFailure) {
                return try await cache.read(query, in: connection.scope, for: call) {
                    call throws(ProviderFailure) in
                    do throws(ProviderFailure) {
                        let value = try await fetch(call)
                        health.recordSuccess()
                        return value
                    } catch {
                        health.recordFailure(error)
                        throw error
                    }
                }
            } catch {
                throw FieldError(error)
            }
        }
    }

    /// Returns a value of the accounts of a connection, as above; `fetch` gets the client of the current
    /// credential.
    func readFromAccountSource<Query: CacheQuery, Value: Sendable>(
        _ query: Query, _ connection: BrokerConnection, in cache: ReadCache<Query, Value>,
        _ fetch:
            @escaping @Sendable (any AccountSource, CallContext) async throws(ProviderFailure) -> Value
    ) -> MaybeAsync<Value> {
        // Before a closure is made for a call that is mostly not needed.
        if let value = cached(query, of: connection, in: cache) { return .ready(value) }
        return read(query, of: connection, in: cache) { [self] call throws(ProviderFailure) in
            try await fetch(accountSource(of: connection), call)
        }
    }

    /// A value that belongs to a connection's owner, if it is in memory and young enough.
    func cached<Query: CacheQuery, Value: Sendable>(
        _ query: Query, of connection: BrokerConnection, in cache: ReadCache<Query, Value>
    ) -> Value? {
        cache.cached(query, in: connection.scope, for: scope.call)
    }

    /// The client of the accounts of a connection, with its current credential, which may be newer than the
    /// cached value.
    private func accountSource(of connection: BrokerConnection) -> any AccountSource {
        ConnectionDirectory(scope).link(of: connection)?.broker?.accounts ?? connection.accounts
    }
}

extension Array {
    /// The items of several lists, and behind them a failure for each list that failed.
    func valuesThenFailures<Item>() -> BatchResults<Item> where Element == Result<[Item], any Error> {
        var items: BatchResults<Item> = []
        items.reserveCapacity(reduce(0) { $0 + ((try? $1.get().count) ?? 1) })
        var failures: BatchResults<Item> = []
        for list in self {
            switch list {
            case .success(let list):
                for item in list { items.append(.success(item)) }
            case .failure(let error): failures.append(.failure(error))
            }
        }
        items += failures
        return items
    }
}
