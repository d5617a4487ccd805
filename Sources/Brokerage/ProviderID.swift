/// A broker or market-data service: one that is compiled, or one that a provider file describes.
///
/// The set is open: code that treats a provider specially asks for a capability or a trait.
package struct ProviderID: Hashable, Sendable, CustomStringConvertible {
    /// The name in the schema, in settings and in messages, unique among all providers.
    package let name: ProviderName

    package init(_ name: ProviderName) {
        self.name = name
    }

    /// The provider with a name; nil for a text that cannot be one.
    package init?(named text: String) {
        guard let name = ProviderName(text) else { return nil }
        self.name = name
    }

    package static let alpaca = ProviderID(ProviderName(compiled: "alpaca"))
    package static let saxo = ProviderID(ProviderName(compiled: "saxo"))
    package static let alphaVantage = ProviderID(ProviderName(compiled: "alpha-vantage"))
    package static let yahoo = ProviderID(ProviderName(compiled: "yahoo"))
    package static let polygon = ProviderID(ProviderName(compiled: "polygon"))

    package var description: String { name.text }
}

extension ProviderID: CaseIterable {
    /// The compiled providers with traits of their own.
    ///
    /// Another one declares its id in its target.
    package static let allCases: [ProviderID] = [.alpaca, .saxo, .alphaVantage, .yahoo, .polygon]
}

extension ProviderID {
    private static let storedTexts = Dictionary(
        uniqueKeysWithValues: allCases.map { provider in
            (provider, String(provider.name.text.uppercased().map { $0 == "-" ? "_" : $0 }))
        })

    /// The provider with this ``storedText``; nil for a text of none.
    package init?(stored text: String) {
        if let compiled = Self.storedTexts.first(where: { $0.value == text }) {
            self = compiled.key
        } else {
            self.init(named: text)
        }
    }

    /// The text in databases and in the data with which credentials are sealed: the name, in capitals for a provider of
    /// ``allCases``.
    package var storedText: String { Self.storedTexts[self] ?? name.text }
}

/// The name of a provider: 1 to 15 small letters, digits and hyphens, a letter first.
///
/// The text is stored in two words, because each quote and each key of a cache contains its provider: a copy counts no
/// references.
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
        self.init(valid: bytes)
    }

    /// A name in the code, which has this form.
    package init(compiled text: StaticString) {
        self.init(valid: Array(text.description.utf8))
    }

    private init(valid bytes: [UInt8]) {
        var words: (UInt64, UInt64) = (0, 0)
        for (index, byte) in bytes.prefix(Self.maximumLength).enumerated() {
            if index < 8 {
                words.0 |= UInt64(byte) << UInt64(8 * index)
            } else {
                words.1 |= UInt64(byte) << UInt64(8 * (index - 8))
            }
        }
        (head, tail) = words
    }

    package var text: String {
        // At most 15 bytes, which need no memory outside of the string.
        unsafe String(unsafeUninitializedCapacity: Self.maximumLength) { bytes in
            var count = 0
            for index in bytes.indices {
                let word = index < 8 ? head : tail
                let byte = UInt8(truncatingIfNeeded: word >> UInt64(8 * (index % 8)))
                if byte == 0 { break }
                unsafe bytes[index] = byte
                count += 1
            }
            return count
        }
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

/// The properties of a provider on which routes and caches depend; a provider without its own has the standard ones.
package struct ProviderTraits: Sendable {
    /// Whether the provider executes orders, and thus knows how an instrument is traded.
    package let isBroker: Bool
    /// The ranges of a history of an account's equity; empty without such a history.
    package let historyRanges: [DateRange]
    /// The IANA name of the time zone of the days of accounts; nil for UTC.
    package var accountTimeZone: String?
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
    /// The rank in the standard route of each kind of market data that the provider has; a provider with a lower rank is called
    /// first.
    package let ranks: [MarketDataCapability: Int]
}

extension ProviderID {
    package var traits: ProviderTraits { Self.traits[self] ?? .standard }

    /// Brokers have the lowest ranks, because their quotas are high; the lowest quota has the highest rank.
    private static let traits: [ProviderID: ProviderTraits] = [
        .alpaca: ProviderTraits(
            isBroker: true, historyRanges: DateRange.allCases, accountTimeZone: "America/New_York",
            secondsOfQuote: 1, hasLowQuota: false,
            minimumAge: .seconds(1), unknownLifetime: .seconds(300),
            ranks: [.quotes: 1, .charts: 1, .instruments: 1, .news: 1, .clock: 1, .corporateActions: 1]),
        // Saxo calculates the value of an account at the end of each day.
        .saxo: ProviderTraits(
            isBroker: true, historyRanges: DateRange.allCases.filter { $0 != .oneDay }, secondsOfQuote: 1,
            hasLowQuota: false,
            minimumAge: .seconds(1), unknownLifetime: .seconds(300),
            ranks: [.quotes: 2, .charts: 2, .instruments: 2]),
        .yahoo: ProviderTraits(
            isBroker: false, historyRanges: [], secondsOfQuote: 5, hasLowQuota: false,
            minimumAge: .seconds(15), unknownLifetime: .seconds(3_600),
            ranks: [.quotes: 3, .charts: 3, .instruments: 3, .fundamentals: 3, .corporateActions: 3]),
        // 5 calls a minute.
        .polygon: ProviderTraits(
            isBroker: false, historyRanges: [], secondsOfQuote: 15, hasLowQuota: true,
            minimumAge: .seconds(15), unknownLifetime: .seconds(3_600),
            ranks: [
                .quotes: 4, .charts: 4, .instruments: 4, .fundamentals: 1, .news: 2, .corporateActions: 2,
            ]),
        // 25 calls a day.
        .alphaVantage: ProviderTraits(
            isBroker: false, historyRanges: [], secondsOfQuote: 15, hasLowQuota: true,
            minimumAge: .seconds(60), unknownLifetime: .seconds(3_600),
            ranks: [.quotes: 5, .charts: 5, .instruments: 5, .fundamentals: 2, .corporateActions: 4]),
    ]
}

extension ProviderTraits {
    // Those of a provider with a low quota spend the fewest calls. A provider file, or the registry, has the places in the
    // routes.
    fileprivate static let standard = ProviderTraits(
        isBroker: false, historyRanges: [], secondsOfQuote: 15, hasLowQuota: true,
        minimumAge: .seconds(15), unknownLifetime: .seconds(3_600), ranks: [:])
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

/// The credential whose quota a call spends: the server's own key with a provider, or that of a connection.
package struct QuotaAccount: Hashable, Sendable {
    package let provider: ProviderID
    /// Identifies the credential; nil for the server's own key.
    ///
    /// Never the credential itself: a keyed hash of it, or the id of a connection whose credential is renewed
    /// or named by the settings.
    package let credential: String?

    package init(_ provider: ProviderID, credential: String? = nil) {
        self.provider = provider
        self.credential = credential
    }
}
