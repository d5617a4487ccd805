import Brokerage

/// The connections to brokers and data services of the request's user.
struct ConnectionDirectory: Sendable {
    private let scope: RequestScope

    init(_ scope: RequestScope) {
        self.scope = scope
    }

    /// The connections of the session's user; none without a session.
    var own: [ProviderConnection] { scope.session.owner.map { scope.services.links(of: $0) } ?? [] }

    /// The connections that the request may use.
    ///
    /// - Throws: `FieldError` UNAUTHENTICATED if the request has no session.
    func connections(with provider: ProviderID?) throws -> [BrokerConnection] {
        if let provider { try scope.services.check(provider) }
        guard let owner = scope.session.owner else { throw scope.session.unauthenticated }
        return scope.services.connections(of: owner, with: provider)
    }

    /// All properties of a connection; nil if it was removed in the meantime.
    func link(of connection: BrokerConnection) -> ProviderConnection? {
        scope.services.links(of: connection.owner).first { $0.id == connection.id }
    }

    /// The connection by which an account was read.
    func link(of account: ConnectedAccount) throws(FieldError) -> ProviderConnection {
        guard let link = link(of: account.connection) else {
            throw FieldError.noConnection(ProviderConnection.globalID(account.connection.id))
        }
        return link
    }
}
