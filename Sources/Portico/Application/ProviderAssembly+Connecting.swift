import Alpaca
import Brokerage
import Gateway
import PorticoCore
import Saxo
import Upstream

import struct Sandbox.FakeSaxoSettings
import struct Sandbox.OAuthApplication
import struct Sandbox.Sandbox

extension ProviderAssembly {
    /// What users can be connected with, as the settings say.
    mutating func connect(_ settings: ConnectSettings) throws {
        do {
            connect(
                [
                    alpaca(settings.alpaca), try saxo(settings.saxo),
                    DataServiceConnector.alphaVantage(
                        at: try ProviderBaseURL(settings.alphaVantageURL), in: .live, over: channelFactory),
                    DataServiceConnector.polygon(
                        at: try ProviderBaseURL(settings.polygonURL), in: .live, over: channelFactory),
                ] as [any ProviderConnector],
                redirects: RedirectPolicy(
                    settings.redirectURIs, allowsLoopback: false,
                    remedy: "Whoever runs it can add it to \(SettingDefinition.redirectURIs.variable)."))
        } catch {
            throw UsageError("A provider's address cannot be used: \(error)")
        }
    }

    private func alpaca(_ settings: AlpacaConnecting) -> AlpacaConnector {
        let places = settings.environments.compactMap { environment -> AlpacaConnector.Endpoints? in
            guard let tradingURL = settings.tradingURL ?? AlpacaConfiguration.tradingURL(of: environment),
                let dataURL = settings.dataURL ?? AlpacaConfiguration.dataURL(of: environment)
            else { return nil }
            let isOwn = dataURL == AlpacaConfiguration.dataURL(of: environment)
            return AlpacaConnector.Endpoints(
                environment: environment, tradingURL: tradingURL, dataURL: dataURL,
                // Another address of the data says nothing of a stream: prices are polled there.
                dataStreamURL: settings.dataStreamURL
                    ?? (isOwn ? AlpacaConfiguration.dataStreamURL(of: environment) : nil),
                directory: AlpacaAssetCache(clock: channelFactory.clock))
        }
        return AlpacaConnector(
            endpoints: places, registration: settings.registration, channelFactory: channelFactory)
    }

    private func saxo(_ settings: SaxoConnecting) throws -> SaxoConnector {
        SaxoConnector(
            configuration: try SaxoConfiguration(
                environment: settings.environment, restURL: settings.restURL,
                streamingURL: settings.streamingURL),
            registration: settings.registration, directory: SaxoInstrumentCache(clock: channelFactory.clock),
            channelFactory: channelFactory)
    }

    /// What users can be connected with where the embedded sandbox stands for the providers: as its demonstration's
    /// applications, with browsers sent back to any address of this machine.
    mutating func connect(_ sandbox: Sandbox) throws {
        connect(
            [
                try alpaca(of: sandbox), try saxo(of: sandbox),
                DataServiceConnector.alphaVantage(
                    at: try ProviderBaseURL(HTTPURL(ofSandbox: sandbox.alphaVantage.baseURL)), in: .sandbox,
                    over: channelFactory),
                DataServiceConnector.polygon(
                    at: try ProviderBaseURL(HTTPURL(ofSandbox: sandbox.polygon.baseURL)), in: .sandbox,
                    over: channelFactory),
            ] as [any ProviderConnector],
            redirects: RedirectPolicy(
                [], allowsLoopback: true,
                remedy: "With the sandbox it is one of this machine, as http://localhost:3000/connected."))
    }

    private func alpaca(of sandbox: Sandbox) throws -> AlpacaConnector {
        let application = OAuthApplication.sandbox
        return AlpacaConnector(
            endpoints: [
                AlpacaConnector.Endpoints(
                    environment: .sandbox, tradingURL: try HTTPURL(ofSandbox: sandbox.alpaca.tradingURL),
                    dataURL: try HTTPURL(ofSandbox: sandbox.alpaca.dataURL),
                    dataStreamURL: HTTPURL(webSocket: sandbox.alpaca.dataStreamURL),
                    directory: AlpacaAssetCache(clock: channelFactory.clock))
            ],
            registration: AlpacaConnector.Registration(
                clientID: application.clientID, clientSecret: application.clientSecret ?? "",
                authorizeURL: try HTTPURL(ofSandbox: sandbox.alpaca.authorizeURL),
                tokenURL: try HTTPURL(ofSandbox: sandbox.alpaca.tokenURL)),
            channelFactory: channelFactory)
    }

    private func saxo(of sandbox: Sandbox) throws -> SaxoConnector {
        // The one without a secret, so that the code challenge is played too.
        let application = FakeSaxoSettings().nativeApplication
        return SaxoConnector(
            configuration: try SaxoConfiguration(
                environment: .sandbox, restURL: HTTPURL(ofSandbox: sandbox.saxo.gatewayURL),
                streamingURL: HTTPURL(ofSandbox: sandbox.saxo.streamingAuthorizeURL)),
            registration: SaxoConnector.Registration(
                key: application.clientID, secret: application.clientSecret,
                loginURL: try HTTPURL(ofSandbox: sandbox.saxo.authURL)),
            directory: SaxoInstrumentCache(clock: channelFactory.clock), channelFactory: channelFactory)
    }
}

extension FieldError {
    /// The server is not registered with a provider, so that users cannot consent.
    static func noApplication(of provider: ProviderID, _ setting: SettingDefinition) -> FieldError {
        FieldError(
            .unsupported,
            """
            This server is not registered as an application with \(provider.rawValue): whoever runs it sets \
            \(setting.variable), or users bring another credential that `connectProvider` takes.
            """, provider: provider)
    }

    /// The page of consent would have an address that is longer than one may be.
    static let tooLong = FieldError.argument(
        "redirectUri", "It makes the address of the page of consent too long.")
}
