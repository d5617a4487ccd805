import Brokerage
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
    /// The value that an event of a subscription carries, in the context of its message; nil in every other
    /// context.
    let event: EventValue?

    package convenience init(
        session: Session, services: GatewayServices, call: CallContext, client: ClientOrigin = .unknown
    ) {
        self.init(session: session, services: services, call: call, client: client, event: nil)
    }

    private init(
        session: Session, services: GatewayServices, call: CallContext, client: ClientOrigin,
        event: EventValue?
    ) {
        (self.session, self.services, self.call) = (session, services, call)
        (self.client, self.event) = (client, event)
    }

    /// The same context for the message of an event.
    ///
    /// The value that the event carries is not read again.
    func showing(_ event: EventValue?) -> GatewayContext {
        GatewayContext(session: session, services: services, call: call, client: client, event: event)
    }

    /// The connections that the request may use.
    ///
    /// - Throws: `FieldError` UNAUTHENTICATED if the request has no session.
    func connections(with provider: ProviderID?) throws -> [BrokerConnection] {
        guard let owner = session.owner else { throw session.unauthenticated }
        return services.connections(of: owner, with: provider)
    }

    /// A value that belongs to a connection's owner: from memory, else by one call that all who ask share.
    ///
    /// - Parameters:
    ///   - subject: what is asked for, parameters included: part of the key under which the value is kept.
    ///   - connection: whose value it is.
    ///   - reads: where such values are kept.
    ///   - fetch: the call that gets the value where there is none at hand.
    /// - Returns: the value, or what waits for the call; it fails for a connection that has gone meanwhile.
    func read<Value: Sendable>(
        _ subject: String, of connection: BrokerConnection, in reads: ReadCache<Value>,
        _ fetch: @escaping @Sendable (CallContext) async throws(ProviderFailure) -> Value
    ) -> MaybeAsync<Value> {
        let key = Self.key(of: subject, connection)
        if let value = reads.cached(key, in: call) { return .ready(value) }
        guard let link = link(of: connection) else {
            return .async { throw FieldError.noConnection(ProviderConnection.globalID(connection.id)) }
        }
        return .async { [call, health = link.health] in
            do throws(ProviderFailure) {
                return try await reads.value(for: key, in: call) { call throws(ProviderFailure) in
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

    /// A value of the accounts behind a connection, as above; `fetch` is given whom to ask, by the credential of now.
    func readFromAccountSource<Value: Sendable>(
        _ subject: String, _ connection: BrokerConnection, in reads: ReadCache<Value>,
        _ fetch:
            @escaping @Sendable (any AccountSource, CallContext) async throws(ProviderFailure) -> Value
    ) -> MaybeAsync<Value> {
        // Before a closure is made for a call that is mostly not needed.
        if let value = cached(subject, of: connection, in: reads) { return .ready(value) }
        return read(subject, of: connection, in: reads) { [self] call throws(ProviderFailure) in
            try await fetch(accountSource(of: connection), call)
        }
    }

    /// A value that belongs to a connection's owner, if it is in memory and young enough.
    func cached<Value: Sendable>(
        _ subject: String, of connection: BrokerConnection, in reads: ReadCache<Value>
    ) -> Value? {
        reads.cached(Self.key(of: subject, connection), in: call)
    }

    private static func key(of subject: String, _ connection: BrokerConnection) -> CacheKey {
        .private(of: connection.owner, connection.provider, "\(connection.id)/\(subject)")
    }

    /// All that is known of a connection; nil for one that has gone meanwhile.
    func link(of connection: BrokerConnection) -> ProviderConnection? {
        services.links(of: connection.owner).first { $0.id == connection.id }
    }

    /// Whom to ask for what is behind a connection: by its credential of now, which may be newer than the value at hand.
    private func accountSource(of connection: BrokerConnection) -> any AccountSource {
        link(of: connection)?.broker?.accounts ?? connection.accounts
    }
}
