import Brokerage
import Gateway
import GraphQL
import Logging
import PorticoCore
import Sandbox
import Storage
import Upstream
import Web

/// What the settings put behind the schema: the sandbox or the configured providers, and who may see their private
/// data.
struct ApplicationDependencies {
    /// The embedded stand-in, where the server stands on it.
    let sandbox: Sandbox?
    let sessions: SessionAuthenticator
    /// The sessions of users and guests, to be kept up to date.
    let sessionStore: SessionStore
    let services: GatewayServices
    /// How the providers behind it fare.
    let condition: ProviderHealthReporter

    init(
        _ settings: ServeSettings, dataStores: DataStores, transport: HTTPClient, logger: Logger,
        observe: @escaping @Sendable (CallRecord) -> Void
    ) async throws {
        var wiring = ProviderAssembly(
            over: transport, counting: dataStores.ledger, persistentCache: dataStores.values,
            clock: settings.market.clock,
            observe: observe)
        let household = try UserData(
            in: dataStores.userDatabase, dataStores.masterKey, userPolicy: settings.userPolicy
        ) {
            logger.error(
                "What a user asked for could not be kept or read. \($0)",
                metadata: CurrentRequest.id.map { ["requestID": "\($0)"] })
        }
        do throws(StorageError) {
            try await household.abandonUnattendedWrites()
        } catch {
            logger.error("The outcome of orders of an earlier process cannot be recorded. \(error)")
        }
        let users = UserStore(in: dataStores.userDatabase)
        sessionStore = household.authentication.sessions
        switch settings.market {
        case .sandbox(let time):
            let sandbox = try await Sandbox.start(SandboxConfiguration(at: time, logger: logger))
            let owner = try ApplicationDependencies.owner("sandbox")
            try users.ensure(owner)
            self.sandbox = sandbox
            sessions = SessionAuthenticator(.sandbox(owner), sessionStore)
            try wiring.add(sandbox, of: owner)
            services = wiring.services(
                .standard, userData: household, symbolsPerClient: settings.symbolsPerClient)
        case .providers(let providers):
            let owner = try ApplicationDependencies.owner("owner")
            try users.ensure(owner)
            sandbox = nil
            sessions = SessionAuthenticator(.owner(owner, settings.ownerToken), sessionStore)
            try wiring.add(providers, of: owner)
            services = wiring.services(
                providers.routes, userData: household, symbolsPerClient: settings.symbolsPerClient)
        }
        condition = ProviderHealthReporter(wiring)
        try await services.connectionService.openAll()
    }

    private static func owner(_ name: String) throws -> OwnerID {
        guard let owner = OwnerID(name) else { throw UsageError("An owner needs a name.") }
        return owner
    }
}

extension SpanExporter {
    /// Sends spans to a collector over the transport that providers are called by.
    convenience init(to collector: HTTPURL, over transport: HTTPClient, logger: Logger) {
        let resource = ["service.name": "portico", "service.version": Version.current]
        self.init(of: resource, logger: logger) { body in
            var request = HTTPClientRequest(
                .post, collector, body: body, deadline: .now + .seconds(10), maximumResponseBytes: 64 << 10)
            request.headers.add("Content-Type", "application/json")
            let response = try await transport.send(request)
            guard response.isSuccess else { throw CollectorError(status: response.status) }
        }
    }
}

/// A collector that does not take what it is sent.
private struct CollectorError: Error, CustomStringConvertible {
    let status: Int

    var description: String { "It answered with status \(status)." }
}
