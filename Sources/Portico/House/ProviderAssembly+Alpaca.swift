import Alpaca
import Brokerage
import Gateway
import Sandbox
import Upstream

extension ProviderAssembly {
    /// An Alpaca account: private to its owner, its market data for everybody.
    mutating func add(_ configuration: AlpacaConfiguration, of owner: OwnerID) {
        let client = AlpacaClient(configuration, over: channel(to: .alpaca, connection: "alpaca"))
        add(
            MarketDataSource(
                client, symbolMapping: AlpacaSymbols(), provider: .alpaca,
                environment: configuration.environment,
                for: .everybody))
        add(
            BrokerConnection(
                id: "alpaca", owner: owner, provider: .alpaca, environment: configuration.environment,
                accounts: client, orders: client, watchlists: client))
    }
}

extension AlpacaConfiguration {
    /// The embedded sandbox's Alpaca, as its demo user.
    init(_ sandbox: Sandbox) throws {
        let user = SandboxUser.demo.alpaca
        // Keys, since the data stream takes no tokens.
        try self.init(
            environment: .sandbox, tradingURL: HTTPURL(ofSandbox: sandbox.alpaca.tradingURL),
            dataURL: HTTPURL(ofSandbox: sandbox.alpaca.dataURL),
            dataStreamURL: HTTPURL(webSocket: sandbox.alpaca.dataStreamURL),
            credential: .keys(id: user.keyID, secret: user.secretKey))
    }

    /// The account that the settings name.
    init(_ settings: AlpacaAccess) throws {
        do {
            try self.init(
                environment: settings.environment, tradingURL: settings.tradingURL, dataURL: settings.dataURL,
                dataStreamURL: settings.dataStreamURL, credential: settings.credential.proof,
                callsPerMinute: settings.callsPerMinute)
        } catch {
            throw UsageError("The configuration of Alpaca cannot be used: \(error)")
        }
        if exposesCredential {
            throw UsageError(
                """
                \(SettingDefinition.alpacaBaseURL.variable), \(SettingDefinition.alpacaDataURL.variable) or \
                \(SettingDefinition.alpacaDataStreamURL.variable) would send the credential over a network in clear; use https.
                """)
        }
    }
}

extension AlpacaAccess.Credential {
    fileprivate var proof: AlpacaCredential {
        get throws {
            switch self {
            case .key(let id, let secret): try .keys(id: id, secret: secret)
            case .token(let token): try .token(token)
            }
        }
    }
}
