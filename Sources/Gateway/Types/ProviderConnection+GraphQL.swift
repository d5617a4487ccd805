import Brokerage
package import GraphQL
import Upstream

extension ProviderConnection {
    private static let idPrefix = "Connection:"

    /// The `id` that the schema gives a connection.
    static func globalID(_ id: String) -> String { idPrefix + id }

    /// The connection that an `id` of the schema means; nil for the id of something else.
    static func id(ofGlobal globalID: String) -> String? {
        globalID.hasPrefix(idPrefix) ? String(globalID.dropFirst(idPrefix.count)) : nil
    }
}

extension ProviderConnection: GraphQLObject {
    package typealias Context = GatewayContext

    package static let graphQL = ObjectType<ProviderConnection>("Connection") {
        Field("id") { ProviderConnection.globalID($0.id) }
        Field("provider", \.provider)
        Field("environment", \.environment)
        Field("label", \.label)
        Field("connectedAt", \.connectedAt)
        Field("accounts", load: { connections, context in .each(connections) { context.accounts(of: $0) } })
        Field("status") {
            ConnectionStatus($0.health.facts, endsAt: $0.endsAt(), now: $0.health.clock.wallTime())
        }
        Field("expiresAt") { $0.endsAt() }
        Field("lastSuccessAt") { $0.health.facts.lastSuccessAt }
        Field("failure") { $0.failure }
        Field("capabilities") {
            Capabilities(
                of: $0.provider, [$0.market].compactMap(\.self), isAccountSource: $0.broker != nil,
                orders: $0.broker?.orders?.orderCapabilities)
        }
        Field("rateLimits") { $0.limits() }
    }

    /// Why it does not work now.
    private var failure: OngoingFailure? {
        if let end = endsAt(), end <= health.clock.wallTime() {
            return OngoingFailure(
                FieldError(
                    .reconnectRequired,
                    "The consent given to \(provider.rawValue) has ended: connect with it again.",
                    provider: provider),
                since: end)
        }
        guard let failure = health.facts.failure else { return nil }
        let error =
            switch failure.cause {
            // Never told by a call, which has no say about a connection then: see `ConnectionHealth.note`.
            case .unsupported:
                FieldError(
                    .unsupported, "This server's settings do not connect with \(provider.rawValue) any more.",
                    provider: provider)
            case .unavailable, .circuitOpen, .timedOut, .invalidResponse, .unauthorized, .notEntitled,
                .notFound,
                .rateLimited, .quotaExhausted, .overloaded, .feedFull, .cancelled, .notAllowed:
                FieldError(ProviderFailure(provider, failure.cause))
            }
        return OngoingFailure(error, since: failure.since)
    }
}

extension GatewayContext {
    /// The connection by which an account was read.
    func link(of account: ConnectedAccount) throws(FieldError) -> ProviderConnection {
        guard let link = link(of: account.connection) else {
            throw FieldError.noConnection(ProviderConnection.globalID(account.connection.id))
        }
        return link
    }
}
