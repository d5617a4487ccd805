package import Brokerage
package import Upstream

/// A source of market data with one credential: its capabilities, and the users who may see its data.
///
/// Each request iterates over the sources, and a source does not change, so it is a class.
package final class MarketDataSource: Sendable {
    package let provider: ProviderID
    package let environment: Environment
    package let audience: Visibility
    /// The scope in which its values are cached and shared.
    let scope: CacheScope
    package let symbolMapping: any SymbolMapping
    private let client: any Sendable
    let quotes: (any QuoteSource)?
    let quoteStream: (any QuoteStream)?
    let charts: (any ChartSource)?
    let instruments: (any InstrumentSource)?
    let permissions: (any TradingPermissionSource)?
    let fundamentals: (any FundamentalsSource)?
    let news: (any NewsSource)?
    let clock: (any MarketClockSource)?
    let corporateActions: (any CorporateActionSource)?
    let depth: (any MarketDepthSource)?
    /// The health of the connection; nil for the server's own key, whose health is that of the provider.
    let health: ConnectionHealth?

    /// The users who may see data that is read with the credential.
    package enum Visibility: Hashable, Sendable {
        /// All users: the credential is the server's own key.
        case everybody
        /// The owner of a connection: the data is licensed to this user.
        case owner(OwnerID, connection: String)
    }

    /// - Parameters:
    ///   - client: The client, with the capabilities to which it conforms.
    ///   - symbolMapping: The symbol mapping of the provider.
    ///   - provider: The provider.
    ///   - environment: The environment of the provider.
    ///   - audience: The users who may see the data.
    ///   - shareStream: Makes the stream of prices that replicas share; nil if this process has its own connection.
    package convenience init(
        _ client: any Sendable, symbolMapping: any SymbolMapping, provider: ProviderID,
        environment: Environment, for audience: Visibility,
        sharingStream shareStream: ((any QuoteStream) -> any QuoteStream)? = nil
    ) {
        self.init(
            client, symbolMapping: symbolMapping, provider: provider, environment: environment, for: audience,
            sharingStream: shareStream, health: nil)
    }

    private init(
        _ client: any Sendable, symbolMapping: any SymbolMapping, provider: ProviderID,
        environment: Environment, for audience: Visibility,
        sharingStream shareStream: ((any QuoteStream) -> any QuoteStream)?, health: ConnectionHealth?
    ) {
        self.client = client
        self.provider = provider
        self.environment = environment
        self.audience = audience
        self.symbolMapping = symbolMapping
        self.health = health
        scope =
            switch audience {
            case .everybody: .shared(provider)
            case .owner(let owner, let connection): .connection(connection, of: owner, at: provider)
            }
        let clients = MarketDataClients(client)
        quotes = clients.quotes
        quoteStream = clients.quoteStream.map { shareStream?($0) ?? $0 }
        charts = clients.charts
        instruments = clients.instruments
        permissions = clients.permissions
        fundamentals = clients.fundamentals
        news = clients.news
        clock = clients.clock
        corporateActions = clients.corporateActions
        depth = clients.depth
    }

    /// Returns the same source, whose calls are recorded in the health of a connection.
    func recordingHealth(in health: ConnectionHealth) -> MarketDataSource {
        MarketDataSource(
            client, symbolMapping: symbolMapping, provider: provider, environment: environment, for: audience,
            sharingStream: nil, health: health)
    }

    /// Whether the provider executes orders, and thus knows how an instrument is traded.
    var isBroker: Bool { provider.traits.isBroker }

    /// Whether it has instruments of the symbol's kind.
    func has(_ symbol: Symbol) -> Bool {
        symbolMapping.providerSymbol(for: symbol) != nil
    }
}

extension MarketDataCapability {
    /// Whether a source has this kind of data.
    func isServed(by source: MarketDataSource) -> Bool {
        switch self {
        case .quotes: source.quotes != nil
        case .charts: source.charts != nil
        case .instruments: source.instruments != nil
        case .fundamentals: source.fundamentals != nil
        case .news: source.news != nil
        case .clock: source.clock != nil
        case .corporateActions: source.corporateActions != nil
        }
    }

    /// The name for messages.
    package var name: String {
        switch self {
        case .quotes: "quotes"
        case .charts: "charts"
        case .instruments: "instruments"
        case .fundamentals: "company figures"
        case .news: "news"
        case .clock: "market hours"
        case .corporateActions: "dividends and splits"
        }
    }
}
