import Brokerage
package import Coordination
import GraphQL
package import Upstream

/// The context of a request, which resolvers receive: its session, its client, and the services.
package final class GatewayContext: Sendable {
    package let session: Session
    package let services: GatewayServices
    /// The deadline of calls to providers for the request, and what records them.
    package let call: CallContext
    /// The client that sent the request.
    package let client: ClientOrigin
    /// Whether a language model executes the operation as a tool: rules of ``ToolOrders`` apply to its orders.
    let isToolCall: Bool
    /// The value that an event of a subscription carries, in the context of its message; nil in every other
    /// context.
    let event: EventValue?

    package convenience init(
        session: Session, services: GatewayServices, call: CallContext, client: ClientOrigin = .unknown,
        isToolCall: Bool = false
    ) {
        self.init(
            session: session, services: services, call: call, client: client, isToolCall: isToolCall,
            event: nil)
    }

    private init(
        session: Session, services: GatewayServices, call: CallContext, client: ClientOrigin,
        isToolCall: Bool, event: EventValue?
    ) {
        (self.session, self.services, self.call) = (session, services, call)
        (self.client, self.isToolCall, self.event) = (client, isToolCall, event)
    }

    /// The same context for the message of an event.
    ///
    /// The value that the event carries is not read again.
    func showing(_ event: EventValue?) -> GatewayContext {
        GatewayContext(
            session: session, services: services, call: call, client: client, isToolCall: isToolCall,
            event: event)
    }

    /// The connections that the request may use.
    ///
    /// - Throws: `FieldError` UNAUTHENTICATED if the request has no session.
    func connections(with provider: ProviderID?) throws -> [BrokerConnection] {
        if let provider { try check(provider) }
        guard let owner = session.owner else { throw session.unauthenticated }
        return services.connections(of: owner, with: provider)
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
        guard let link = link(of: connection) else {
            return .async { throw FieldError.noConnection(ProviderConnection.globalID(connection.id)) }
        }
        return .async { [call, health = link.health] in
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
        cache.cached(query, in: connection.scope, for: call)
    }

    /// All properties of a connection; nil if it was removed in the meantime.
    func link(of connection: BrokerConnection) -> ProviderConnection? {
        services.links(of: connection.owner).first { $0.id == connection.id }
    }

    /// The client of the accounts of a connection, with its current credential, which may be newer than the
    /// cached value.
    private func accountSource(of connection: BrokerConnection) -> any AccountSource {
        link(of: connection)?.broker?.accounts ?? connection.accounts
    }
}
