import Brokerage
import Upstream

extension ConnectionService {
    /// A connection that its user has made.
    func connection(
        _ globalID: String, of owner: OwnerID, with provider: ProviderID?
    ) throws(FieldError) -> ProviderConnection {
        guard let id = ProviderConnection.id(ofGlobal: globalID),
            let connection = registry.connections(of: owner).first(where: { $0.id == id }),
            provider == nil || connection.provider == provider
        else { throw FieldError.noConnection(globalID) }
        guard connection.stored != nil else {
            throw FieldError(
                .forbidden, "This connection is part of the server's settings: it can be changed there only.")
        }
        return connection
    }

    func connector(
        of provider: ProviderID, argument: String
    ) throws(FieldError) -> any ProviderConnector {
        if let connector = connectors[provider] { return connector }
        let names = connectors.keys.map(\.rawValue).sorted().joined(separator: ", ")
        throw FieldError(
            .unsupported,
            names.isEmpty
                ? "This server connects users with no provider."
                : "`\(argument)` is \(provider.rawValue); users can be connected with \(names).",
            provider: provider)
    }

    static func environment(
        _ environment: Environment?, of connector: any ProviderConnector, argument: String
    ) throws(FieldError) -> Environment {
        let names = connector.environments.map(\.rawValue).joined(separator: ", ")
        guard let environment = environment ?? connector.environments.first,
            connector.environments.contains(environment)
        else {
            throw .argument(
                argument, "It can be \(names) for \(connector.provider.rawValue).",
                provider: connector.provider)
        }
        return environment
    }
}
