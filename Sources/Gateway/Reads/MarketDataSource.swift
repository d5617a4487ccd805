package import Brokerage
package import Upstream

/// A provider of market data as it is asked with one credential: what it can do, and who may see what it tells.
///
/// Every request looks through those that it may ask, and nothing of one changes: so it is shared, not copied.
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
    let fundamentals: (any FundamentalsSource)?
    let news: (any NewsSource)?
    let clock: (any MarketClockSource)?
    /// Where it is noted how calls fare; nil for the server's own key, which its provider's health tells of.
    let health: ConnectionHealth?

    /// Who may see what is read with the credential.
    package enum Visibility: Hashable, Sendable {
        /// The server's own key: its market data is for everybody.
        case everybody
        /// A user's connection: what they are entitled to see is theirs.
        case owner(OwnerID, connection: String)
    }

    /// - Parameters:
    ///   - client: serves the capabilities that it conforms to.
    ///   - dialect: how the provider spells symbols.
    ///   - provider: whom the client asks.
    ///   - environment: which of the provider's worlds.
    ///   - audience: whose the credential is.
    package convenience init(
        _ client: any Sendable, symbolMapping dialect: any SymbolMapping, provider: ProviderID,
        environment: Environment, for audience: Visibility
    ) {
        self.init(
            client, symbolMapping: dialect, provider: provider, environment: environment, for: audience,
            health: nil)
    }

    private init(
        _ client: any Sendable, symbolMapping dialect: any SymbolMapping, provider: ProviderID,
        environment: Environment, for audience: Visibility, health: ConnectionHealth?
    ) {
        self.client = client
        self.provider = provider
        self.environment = environment
        self.audience = audience
        self.symbolMapping = dialect
        self.health = health
        scope =
            switch audience {
            case .everybody: .shared(provider)
            case .owner(let owner, let connection): .connection(connection, of: owner, at: provider)
            }
        quotes = client as? any QuoteSource
        quoteStream = client as? any QuoteStream
        charts = client as? any ChartSource
        instruments = client as? any InstrumentSource
        fundamentals = client as? any FundamentalsSource
        news = client as? any NewsSource
        clock = client as? any MarketClockSource
    }

    /// The same source, whose calls tell how a connection fares.
    func recordingHealth(in health: ConnectionHealth) -> MarketDataSource {
        MarketDataSource(
            client, symbolMapping: symbolMapping, provider: provider, environment: environment, for: audience,
            health: health)
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
        }
    }

    /// The name for messages.
    var name: String {
        switch self {
        case .quotes: "quotes"
        case .charts: "charts"
        case .instruments: "instruments"
        case .fundamentals: "company figures"
        case .news: "news"
        case .clock: "market hours"
        }
    }
}
