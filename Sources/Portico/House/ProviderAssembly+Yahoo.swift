import Brokerage
import Gateway
import Sandbox
import Upstream
import Yahoo

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
    /// The embedded sandbox's.
    init(_ sandbox: Sandbox) throws {
        try self.init(
            base: HTTPURL(ofSandbox: sandbox.yahoo.queryURL),
            cookiePage: HTTPURL(ofSandbox: sandbox.yahoo.cookieURL))
    }

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
