import Brokerage
import Gateway
import Saxo
import Upstream

import struct Sandbox.Sandbox
import struct Sandbox.SandboxUser

extension ProviderAssembly {
    /// A Saxo account: all that it tells is for its owner alone, prices too, which exchanges license to each user.
    mutating func add(_ configuration: SaxoConfiguration, by token: SaxoToken, of owner: OwnerID) {
        let (id, environment) = ("saxo", configuration.environment)
        let line = channel(to: .saxo, connection: id)
        let client = SaxoClient(
            configuration, access: .token(token), over: line,
            directory: SaxoInstrumentCache(clock: line.clock))
        let market = MarketDataSource(
            client, symbolMapping: configuration.symbolMapping, provider: .saxo, environment: environment,
            for: .owner(owner, connection: id))
        add(
            BrokerConnection(
                id: id, owner: owner, provider: .saxo, environment: environment, accounts: client,
                orders: client, market: market))
    }

    /// The embedded sandbox's Saxo, as its demo user.
    mutating func addSaxo(of sandbox: Sandbox, for owner: OwnerID) throws {
        guard let user = SandboxUser.demo.saxo else {
            throw UsageError("The sandbox's demo user is no client of Saxo.")
        }
        add(
            try SaxoConfiguration(
                environment: .sandbox, restURL: HTTPURL(ofSandbox: sandbox.saxo.gatewayURL),
                streamingURL: HTTPURL(ofSandbox: sandbox.saxo.streamingAuthorizeURL)),
            by: try SaxoToken(user.credentials.accessToken), of: owner)
    }

    /// The account that the settings name.
    mutating func add(_ settings: SaxoAccess, of owner: OwnerID) throws {
        let configuration: SaxoConfiguration
        let token: SaxoToken
        do {
            // Another address says nothing of a stream: prices are polled there.
            let isOwn = settings.baseURL == SaxoConfiguration.restURL(of: settings.environment)
            configuration = try SaxoConfiguration(
                environment: settings.environment, restURL: settings.baseURL,
                streamingURL: isOwn ? SaxoConfiguration.streamingURL(of: settings.environment) : nil)
            token = try SaxoToken(settings.token)
        } catch {
            throw UsageError("The configuration of Saxo cannot be used: \(error)")
        }
        if configuration.exposesCredential {
            throw UsageError(
                "\(SettingDefinition.saxoBaseURL.variable) would send the token over a network in clear; use https."
            )
        }
        add(configuration, by: token, of: owner)
    }
}
