import Alpaca
import Brokerage
import Gateway
import PorticoCore
import Saxo
import Upstream

extension ProviderAssembly {
    /// What users can be connected with, as the settings say.
    mutating func connect(_ settings: ConnectSettings) throws {
        do {
            connect(
                [
                    alpaca(settings.alpaca), try saxo(settings.saxo),
                    DataServiceConnector.alphaVantage(
                        at: try ProviderBaseURL(settings.alphaVantageURL), in: environment ?? .live,
                        over: channelFactory),
                    DataServiceConnector.polygon(
                        at: try ProviderBaseURL(settings.polygonURL), in: environment ?? .live,
                        over: channelFactory),
                ] as [any ProviderConnector],
                redirects: redirectPolicy(settings))
        } catch {
            throw UsageError("A provider's address cannot be used: \(error)")
        }
    }

    private func redirectPolicy(_ settings: ConnectSettings) -> RedirectPolicy {
        environment == .sandbox
            ? RedirectPolicy(
                settings.redirectURIs, allowsLoopback: true,
                remedy: "With the sandbox it is one of this machine, as http://localhost:3000/connected.")
            : RedirectPolicy(
                settings.redirectURIs, allowsLoopback: false,
                remedy: "Whoever runs it can add it to \(SettingDefinition.redirectURIs.variable).")
    }

    private func alpaca(_ settings: AlpacaConnecting) -> AlpacaConnector {
        let endpoints = settings.environments.compactMap { environment -> AlpacaConnector.Endpoints? in
            guard let tradingURL = settings.tradingURL ?? AlpacaConfiguration.tradingURL(of: environment),
                let dataURL = settings.dataURL ?? AlpacaConfiguration.dataURL(of: environment)
            else { return nil }
            let isOwn = dataURL == AlpacaConfiguration.dataURL(of: environment)
            return AlpacaConnector.Endpoints(
                environment: self.environment ?? environment, tradingURL: tradingURL, dataURL: dataURL,
                // Another address of the data says nothing of a stream: prices are polled there.
                dataStreamURL: settings.dataStreamURL
                    ?? (isOwn ? AlpacaConfiguration.dataStreamURL(of: environment) : nil),
                directory: AlpacaAssetCache(clock: channelFactory.clock))
        }
        return AlpacaConnector(
            endpoints: endpoints, registration: settings.registration, channelFactory: channelFactory)
    }

    private func saxo(_ settings: SaxoConnecting) throws -> SaxoConnector {
        SaxoConnector(
            configuration: try SaxoConfiguration(
                environment: environment ?? settings.environment, restURL: settings.restURL,
                streamingURL: settings.streamingURL),
            registration: settings.registration, directory: SaxoInstrumentCache(clock: channelFactory.clock),
            channelFactory: channelFactory)
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
