import Brokerage
import Coordination
import Gateway
import GraphQL
import Logging
import OpenIDConnect
import PorticoCore
import Storage
import Upstream
import Web

/// The services behind the schema, as the settings define them: the providers, or the sandbox, and the sessions.
struct ApplicationDependencies {
    /// The embedded sandbox, if the server uses it.
    let sandbox: (any EmbeddedSandbox)?
    let sessions: SessionAuthenticator
    /// The sessions of users and guests.
    let sessionStore: SessionStore
    /// Those of other processes.
    let changes: any Changes
    /// Signs users in with the identity provider; nil if the server has none.
    let identityProvider: IdentityProviderService?
    let services: GatewayServices
    let condition: ProviderHealthReporter

    init(
        _ settings: ServeSettings, dataStores: DataStores, transport: HTTPClient, logger: Logger,
        observe: @escaping @Sendable (CallRecord) -> Void
    ) async throws {
        let coordination = dataStores.coordination
        var assembly = ProviderAssembly(
            over: transport, counting: coordination.quotas,
            makeCache: coordination.sharedCache.cache, shareStream: coordination.priceStreams.shared,
            clock: settings.market.clock, environment: settings.market.isSandbox ? .sandbox : nil,
            concurrency: settings.upstreamLimits.callsPerProvider, cacheMemory: settings.cacheMemory,
            observe: observe)
        var userData = try UserData(
            in: dataStores.userDatabase, dataStores.masterKey, userPolicy: settings.userPolicy,
            alertLimits: settings.alertLimits, webhookPolicy: settings.webhookPolicy,
            coordination: coordination
        ) {
            logger.error(
                "The data of a user could not be stored or read. \($0)",
                metadata: CurrentRequest.id.map { ["requestID": "\($0)"] })
        }
        do throws(StorageError) {
            try await userData.abandonUnattendedWrites()
        } catch {
            logger.error("The outcome of orders of an earlier process cannot be recorded. \(error)")
        }
        let users = UserStore(in: dataStores.userDatabase)
        sessionStore = userData.authentication.sessions
        changes = userData.authentication.changes
        let providers: ProviderSettings
        let owner: OwnerID
        let token: SessionAuthenticator.Token
        switch settings.market {
        case .sandbox(let executable, let options):
            let sandbox = try await executable.start(options, logger: logger)
            self.sandbox = sandbox
            providers = try ProviderSettings(
                SettingsLoader.load(environment: sandbox.environment), in: .sandbox)
            owner = try ApplicationDependencies.owner("sandbox")
            token = .sandbox(owner)
        case .providers(let configured):
            sandbox = nil
            providers = configured
            owner = try ApplicationDependencies.owner("owner")
            token = .owner(owner, settings.ownerToken)
        }
        try users.ensure(owner)
        assembly.add(providers, of: owner)
        identityProvider = settings.identityProvider.map {
            [sessionStore, changes, redirects = assembly.redirects] in
            IdentityProviderService(
                $0, redirects: redirects, sessions: sessionStore, changes: changes,
                over: transport, logger: logger)
        }
        userData.authentication.identityProvider = identityProvider
        sessions = SessionAuthenticator(token, sessionStore, changes, identityProvider)
        services = assembly.services(
            providers.routes, userData: userData, symbolsPerClient: settings.symbolsPerClient,
            toolOrderLimits: settings.httpServer.tools?.orderLimits ?? [:])
        condition = ProviderHealthReporter(assembly)
        try await services.connectionService.openAll()
    }

    private static func owner(_ name: String) throws -> OwnerID {
        guard let owner = OwnerID(name) else { throw UsageError("An owner needs a name.") }
        return owner
    }
}

extension IdentityProviderService {
    /// Creates the service of the settings; failures are logged.
    fileprivate convenience init(
        _ settings: IdentityProviderSettings, redirects: RedirectPolicy, sessions: SessionStore,
        changes: any Changes, over transport: HTTPClient, logger: Logger
    ) {
        self.init(
            settings.policy, redirects: redirects, sessions: sessions, changes: changes,
            report: { logger.error("The data of a sign-in could not be stored or read. \($0)") }
        ) { keysChanged in
            IdentityProvider(
                settings.configuration, over: transport,
                report: { logger.warning("The identity provider cannot be used. \($0)") },
                keysChanged: keysChanged)
        }
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
            guard response.isSuccess else { throw SpanExportError(status: response.status) }
        }
    }
}

/// A rejection of spans by the collector.
private struct SpanExportError: Error, CustomStringConvertible {
    let status: Int

    var description: String { "The collector responded with status \(status)." }
}
