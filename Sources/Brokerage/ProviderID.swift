/// A broker or market-data service; the raw value is its name in the schema.
package enum ProviderID: String, Sendable, CaseIterable {
    case alpaca = "ALPACA"
    case saxo = "SAXO"
    case alphaVantage = "ALPHA_VANTAGE"
    case yahoo = "YAHOO"
    case polygon = "POLYGON"
}

/// A kind of market data that a provider may have.
package enum MarketDataCapability: Hashable, Sendable, CaseIterable {
    case quotes
    case charts
    case instruments
    case fundamentals
    case news
    case clock
}

/// The properties of a provider on which routes and caches depend.
package struct ProviderTraits: Sendable {
    /// Whether the provider executes orders, and thus knows how an instrument is traded.
    package let isBroker: Bool
    /// Whether the provider has a history of an account's equity.
    package let hasEquityHistory: Bool
    /// The freshness of a price during trading, in seconds.
    package let secondsOfQuote: Int
    /// Whether its usual plan allows so few calls that shared reads are stored in the persistent cache.
    package let hasLowQuota: Bool
    /// The age below which a value is returned even for a request that demands a new one (`Cache-Control:
    /// no-cache`), since otherwise each such request would cost a call.
    ///
    /// It is the time in which the provider's usual plan allows one call of its calls per minute, and longer
    /// if there are few calls a day.
    package let minimumAge: Duration
    /// The lifetime of a response that the provider does not know a symbol.
    ///
    /// A symbol that is listed in the meantime is found after that time. An unknown symbol costs one call in
    /// that time.
    package let unknownLifetime: Duration
    /// The rank in the standard route of each kind of market data; a provider with a lower rank is called first.
    package let ranks: [MarketDataCapability: Int]
}

extension ProviderID {
    package var traits: ProviderTraits { ProviderID.table[self] }

    /// Brokers have the lowest ranks, because their quotas are high; the lowest quota has the highest rank.
    private static let table = TraitsTable()

    private struct TraitsTable {
        subscript(provider: ProviderID) -> ProviderTraits {
            switch provider {
            case .alpaca: alpaca
            case .saxo: saxo
            case .alphaVantage: alphaVantage
            case .yahoo: yahoo
            case .polygon: polygon
            }
        }

        let alpaca = ProviderTraits(
            isBroker: true, hasEquityHistory: true, secondsOfQuote: 1, hasLowQuota: false,
            minimumAge: .seconds(1), unknownLifetime: .seconds(300),
            ranks: [.quotes: 1, .charts: 1, .instruments: 1, .news: 1, .clock: 1])
        let saxo = ProviderTraits(
            isBroker: true, hasEquityHistory: false, secondsOfQuote: 1, hasLowQuota: false,
            minimumAge: .seconds(1), unknownLifetime: .seconds(300),
            ranks: [.quotes: 2, .charts: 2, .instruments: 2, .clock: 2])
        let yahoo = ProviderTraits(
            isBroker: false, hasEquityHistory: false, secondsOfQuote: 5, hasLowQuota: false,
            minimumAge: .seconds(15), unknownLifetime: .seconds(3_600),
            ranks: [.quotes: 3, .charts: 3, .instruments: 3, .fundamentals: 3])
        // 5 calls a minute.
        let polygon = ProviderTraits(
            isBroker: false, hasEquityHistory: false, secondsOfQuote: 15, hasLowQuota: true,
            minimumAge: .seconds(15), unknownLifetime: .seconds(3_600),
            ranks: [.charts: 4, .instruments: 4, .fundamentals: 1, .news: 2])
        // 25 calls a day.
        let alphaVantage = ProviderTraits(
            isBroker: false, hasEquityHistory: false, secondsOfQuote: 15, hasLowQuota: true,
            minimumAge: .seconds(60), unknownLifetime: .seconds(3_600),
            ranks: [.quotes: 4, .charts: 5, .instruments: 5, .fundamentals: 2])
    }
}

/// The environment of an account at a provider.
package enum Environment: String, Sendable, CaseIterable {
    /// Real money.
    case live = "LIVE"
    /// The broker's own practice environment: Alpaca paper, Saxo SIM.
    case paper = "PAPER"
    /// Portico's embedded sandbox.
    case sandbox = "SANDBOX"
}

/// The source of a live value and its age.
package struct Provenance: Hashable, Sendable {
    /// The provider that returned it.
    package let source: ProviderID
    /// The time at which Portico read it; the price may be older.
    package let fetchedAt: Instant
    /// The time of the value by the source's clock; nil if the source does not report it.
    package let asOf: Instant?
    /// Whether the value has expired and the last refresh failed.
    package let isStale: Bool

    package init(source: ProviderID, fetchedAt: Instant, asOf: Instant? = nil, isStale: Bool = false) {
        self.source = source
        self.fetchedAt = fetchedAt
        self.asOf = asOf
        self.isStale = isStale
    }
}

extension Provenance {
    /// The same provenance, marked as stale.
    package var markedStale: Provenance {
        Provenance(source: source, fetchedAt: fetchedAt, asOf: asOf, isStale: true)
    }
}
