/// A broker or market-data service.
package enum ProviderID: Hashable, Sendable {
    case alpaca
    case saxo
    case alphaVantage
    case yahoo
    case polygon
    /// A provider that a provider file describes; `OTHER` in the schema.
    case other(ProviderName)
}

extension ProviderID: CaseIterable {
    /// The compiled providers.
    package static let allCases: [ProviderID] = [.alpaca, .saxo, .alphaVantage, .yahoo, .polygon]
}

extension ProviderID: RawRepresentable {
    /// The provider with this name; nil for a text that is no name of a provider.
    package init?(rawValue: String) {
        switch rawValue {
        case "ALPACA": self = .alpaca
        case "SAXO": self = .saxo
        case "ALPHA_VANTAGE": self = .alphaVantage
        case "YAHOO": self = .yahoo
        case "POLYGON": self = .polygon
        default:
            guard let name = ProviderName(rawValue) else { return nil }
            self = .other(name)
        }
    }

    /// The name, unique among all providers: in capitals that of the schema, or in small letters that of a provider file.
    package var rawValue: String {
        switch self {
        case .alpaca: "ALPACA"
        case .saxo: "SAXO"
        case .alphaVantage: "ALPHA_VANTAGE"
        case .yahoo: "YAHOO"
        case .polygon: "POLYGON"
        case .other(let name): name.text
        }
    }
}

/// The name of a provider that a file describes: 1 to 15 small letters, digits and hyphens, a letter first.
///
/// A name of a compiled provider has capitals only, so that the two are never equal. The text is stored in two
/// words, because each quote and each key of a cache contains its provider: a copy counts no references.
package struct ProviderName: Hashable, Sendable, CustomStringConvertible {
    private let head: UInt64
    private let tail: UInt64

    package static let maximumLength = 15

    /// Nil for a text that has not this form.
    package init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard (1...Self.maximumLength).contains(bytes.count), Self.isLetter(bytes[0]),
            bytes.allSatisfy({ Self.isLetter($0) || Self.isDigit($0) || $0 == UInt8(ascii: "-") })
        else { return nil }
        var words: (UInt64, UInt64) = (0, 0)
        for (index, byte) in bytes.enumerated() {
            if index < 8 {
                words.0 |= UInt64(byte) << UInt64(8 * index)
            } else {
                words.1 |= UInt64(byte) << UInt64(8 * (index - 8))
            }
        }
        (head, tail) = words
    }

    package var text: String {
        var bytes: [UInt8] = []
        for word in [head, tail] {
            for index in 0..<8 {
                let byte = UInt8(truncatingIfNeeded: word >> UInt64(8 * index))
                if byte != 0 { bytes.append(byte) }
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    package var description: String { text }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}

/// A kind of market data that a provider may have.
package enum MarketDataCapability: Hashable, Sendable, CaseIterable {
    case quotes
    case charts
    case instruments
    case fundamentals
    case news
    case clock
    /// Dividends and splits.
    case corporateActions
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
            case .other: other
            }
        }

        let alpaca = ProviderTraits(
            isBroker: true, hasEquityHistory: true, secondsOfQuote: 1, hasLowQuota: false,
            minimumAge: .seconds(1), unknownLifetime: .seconds(300),
            ranks: [.quotes: 1, .charts: 1, .instruments: 1, .news: 1, .clock: 1, .corporateActions: 1])
        let saxo = ProviderTraits(
            isBroker: true, hasEquityHistory: true, secondsOfQuote: 1, hasLowQuota: false,
            minimumAge: .seconds(1), unknownLifetime: .seconds(300),
            ranks: [.quotes: 2, .charts: 2, .instruments: 2, .clock: 2])
        let yahoo = ProviderTraits(
            isBroker: false, hasEquityHistory: false, secondsOfQuote: 5, hasLowQuota: false,
            minimumAge: .seconds(15), unknownLifetime: .seconds(3_600),
            ranks: [.quotes: 3, .charts: 3, .instruments: 3, .fundamentals: 3, .corporateActions: 3])
        // 5 calls a minute.
        let polygon = ProviderTraits(
            isBroker: false, hasEquityHistory: false, secondsOfQuote: 15, hasLowQuota: true,
            minimumAge: .seconds(15), unknownLifetime: .seconds(3_600),
            ranks: [
                .quotes: 4, .charts: 4, .instruments: 4, .fundamentals: 1, .news: 2, .corporateActions: 2,
            ])
        // 25 calls a day.
        let alphaVantage = ProviderTraits(
            isBroker: false, hasEquityHistory: false, secondsOfQuote: 15, hasLowQuota: true,
            minimumAge: .seconds(60), unknownLifetime: .seconds(3_600),
            ranks: [.quotes: 5, .charts: 5, .instruments: 5, .fundamentals: 2, .corporateActions: 4])
        // A provider file has no traits: those of a provider with a low quota spend the fewest calls. The file itself
        // has the ranks.
        let other = ProviderTraits(
            isBroker: false, hasEquityHistory: false, secondsOfQuote: 15, hasLowQuota: true,
            minimumAge: .seconds(15), unknownLifetime: .seconds(3_600), ranks: [:])
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
