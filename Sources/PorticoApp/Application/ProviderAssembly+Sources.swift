import Alpaca
import AlphaVantage
import Brokerage
import Gateway
import Polygon
import PorticoCore
import Saxo
import Upstream
import Yahoo

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
    /// The account that the settings name.
    init(_ settings: AlpacaAccess, in environment: Environment?) throws {
        do {
            try self.init(
                environment: environment ?? settings.environment, tradingURL: settings.tradingURL,
                dataURL: settings.dataURL,
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

extension ProviderAssembly {
    /// Alpha Vantage by the server's own key.
    mutating func add(_ configuration: AlphaVantageConfiguration, in environment: Environment) {
        let client = AlphaVantageClient(configuration, over: channel(to: .alphaVantage))
        add(
            MarketDataSource(
                client, symbolMapping: client.symbolMapping, provider: .alphaVantage,
                environment: environment,
                for: .everybody))
    }
}

extension AlphaVantageConfiguration {
    /// The plan that the settings name.
    init(_ settings: AlphaVantageAccess) throws {
        do {
            let plan =
                settings.isPremium
                ? AlphaVantagePlan.premium(callsPerMinute: settings.perMinute ?? 75) : .free
            try self.init(
                base: ProviderBaseURL(settings.baseURL), key: APIKey(settings.key), plan: plan,
                windows: settings.windows(plan.windows))
        } catch {
            throw UsageError("The configuration of Alpha Vantage cannot be used: \(error)")
        }
        if base.exposesCredential {
            throw UsageError(
                "\(SettingDefinition.alphaVantageBaseURL.variable) would send the key over a network in clear; use https."
            )
        }
    }
}

extension AlphaVantageAccess {
    /// The plan's limits, with those that are set in the place of their own.
    fileprivate func windows(_ standard: [QuotaWindow]) -> [QuotaWindow] {
        let limits = ["minute": perMinute, "day": perDay]
        return standard.map { window in
            limits[window.name].flatMap(\.self)
                .map { QuotaWindow(window.name, limit: $0, per: window.period) } ?? window
        }
    }
}

extension ProviderAssembly {
    /// Polygon by the server's own key.
    mutating func add(_ configuration: PolygonConfiguration, in environment: Environment) {
        let client = PolygonClient(configuration, over: channel(to: .polygon))
        add(
            MarketDataSource(
                client, symbolMapping: client.symbolMapping, provider: .polygon, environment: environment,
                for: .everybody))
    }
}

extension PolygonConfiguration {
    /// The plan that the settings name.
    init(_ settings: PolygonAccess) throws {
        do {
            try self.init(
                base: ProviderBaseURL(settings.baseURL), key: APIKey(settings.key), windows: settings.windows)
        } catch {
            throw UsageError("The configuration of Polygon cannot be used: \(error)")
        }
        if base.exposesCredential {
            throw UsageError(
                "\(SettingDefinition.polygonBaseURL.variable) would send the key over a network in clear; use https."
            )
        }
    }
}

extension PolygonAccess {
    /// The free plan's limits, or the one that is set.
    fileprivate var windows: [QuotaWindow] {
        PolygonConfiguration.freePlan.map { window in
            perMinute.map { QuotaWindow(window.name, limit: $0, per: window.period) } ?? window
        }
    }
}

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

    /// The account that the settings name.
    mutating func add(_ settings: SaxoAccess, of owner: OwnerID) throws {
        let configuration: SaxoConfiguration
        let token: SaxoToken
        do {
            configuration = try SaxoConfiguration(
                environment: environment ?? settings.environment, restURL: settings.baseURL,
                streamingURL: settings.streamingURL)
            token = try SaxoToken(settings.token)
        } catch {
            throw UsageError("The configuration of Saxo cannot be used: \(error)")
        }
        if configuration.exposesCredential {
            throw UsageError(
                "\(SettingDefinition.saxoBaseURL.variable) or \(SettingDefinition.saxoStreamingURL.variable) would send the token over a network in clear; use https."
            )
        }
        add(configuration, by: token, of: owner)
    }
}

extension ProviderAssembly {
    /// Yahoo's endpoints of today.
    mutating func add(_ configuration: YahooConfiguration, in environment: Environment) {
        let client = YahooClient(configuration, over: channel(to: .yahoo))
        add(
            MarketDataSource(
                client, symbolMapping: client.symbolMapping, provider: .yahoo, environment: environment,
                for: .everybody)
        )
    }

    /// A server that speaks Yahoo's query language of 2017.
    mutating func add(_ configuration: YQLConfiguration, in environment: Environment) {
        let client = YQLClient(configuration, over: channel(to: .yahoo))
        add(
            MarketDataSource(
                client, symbolMapping: client.symbolMapping, provider: .yahoo, environment: environment,
                for: .everybody)
        )
    }
}

extension YahooConfiguration {
    /// The addresses that the settings name.
    init(base: HTTPURL, cookiePage: HTTPURL) throws {
        do {
            try self.init(base: ProviderBaseURL(base), cookiePage: ProviderBaseURL(cookiePage))
        } catch {
            throw UsageError("The configuration of Yahoo cannot be used: \(error)")
        }
    }
}

extension YQLConfiguration {
    /// The address that the settings name.
    init(base: HTTPURL) throws {
        do {
            try self.init(base: ProviderBaseURL(base))
        } catch {
            throw UsageError("The configuration of Yahoo cannot be used: \(error)")
        }
    }
}
