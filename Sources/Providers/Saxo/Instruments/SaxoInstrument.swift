import Brokerage
package import Upstream

/// An item of `GET /ref/v1/instruments`, where the Uic is called `Identifier`.
package struct SaxoInstrument: JSONDecodable, Hashable {
    package var key: SaxoInstrumentKey
    /// For display: `AAPL:xnas`.
    package var providerSymbol: String
    var name: String?
    package var currency: String?
    var exchangeID: String?
    var primaryListing: Int?
    /// Else it is a family of instruments, such as all options on a share, and ``key`` the family's.
    var isInstrument: Bool

    package init(json reader: inout JSONReader) throws(JSONError) {
        var (uic, assetType, spelling) = (Int?.none, String?.none, String?.none)
        var (name, currency, exchangeID) = (String?.none, String?.none, String?.none)
        var (primaryListing, kind) = (Int?.none, String?.none)
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "Identifier": uic = try reader.int()
            case "AssetType": assetType = try reader.string()
            case "Symbol": spelling = try reader.string()
            case "Description": name = try reader.stringOrNil()
            case "CurrencyCode": currency = try reader.stringOrNil()
            case "ExchangeId": exchangeID = try reader.stringOrNil()
            case "PrimaryListing": primaryListing = try reader.intOrNil()
            case "SummaryType": kind = try reader.stringOrNil()
            default: try reader.skip()
            }
        }
        key = SaxoInstrumentKey(
            uic: try reader.required(uic, "Identifier"),
            assetType: try reader.required(assetType, "AssetType"))
        self.providerSymbol = try reader.required(spelling, "Symbol")
        self.name = name
        self.currency = currency
        self.exchangeID = exchangeID
        self.primaryListing = primaryListing
        isInstrument = kind == nil || kind == "Instrument"
    }
}

extension SaxoInstrument {
    func listing(in dialect: SaxoSymbols) -> SaxoListing? {
        dialect.symbol(of: key, providerSymbol: providerSymbol).map {
            SaxoListing(key, symbol: $0, currencyName: currency)
        }
    }

    func hit(in dialect: SaxoSymbols, fetchedAt: Instant) -> SearchHit? {
        guard let symbol = dialect.symbol(of: key, providerSymbol: providerSymbol) else { return nil }
        var instrument = Instrument(
            symbol: symbol, assetClass: AssetClass(saxo: key.assetType),
            provenance: Provenance(source: .saxo, fetchedAt: fetchedAt))
        instrument.name = name
        instrument.exchange = SaxoSymbols.exchange(in: providerSymbol) ?? exchangeID
        instrument.currency = currency.map { SaxoCurrency($0).code }
        var listing = Listing(saxo: key)
        listing.exchange = exchangeID
        instrument.listing = listing
        return SearchHit(instrument: instrument)
    }
}

extension SaxoSymbols {
    /// The market identifier code of a spelling: `XNAS`.
    static func exchange(in spelling: String) -> String? {
        guard let colon = spelling.lastIndex(of: ":") else { return nil }
        let code = spelling[spelling.index(after: colon)...]
        return code.utf8.count == 4 ? code.uppercased() : nil
    }
}

/// Which instrument a symbol is at Saxo: what was looked up is kept for a day.
///
/// It is public data, one for all users: it holds who an instrument is, never who has it.
package struct SaxoInstrumentCache: Sendable {
    let bySymbol: ReadCache<Symbol, SaxoListing>
    let byKey: ReadCache<SaxoInstrumentKey, SaxoListing>
    let details: ReadCache<SaxoInstrumentKey, SaxoInstrumentDetails>
    /// Symbols that Saxo did not know a moment ago.
    let unknown: ReadCache<Symbol, Bool>

    private static let kindLimit = 2 << 20
    private static let unknownLimit = 1 << 20
    /// The most memory of all caches together, in bytes.
    package static let weightLimit = 3 * kindLimit + unknownLimit

    /// - Parameters:
    ///   - timeToLive: how long a listing is kept.
    ///   - unknownTimeToLive: how long a symbol that Saxo does not know is not looked up again.
    ///   - entries: how many of each kind are kept.
    ///   - clock: what times are measured by.
    package init(
        timeToLive: Duration = .seconds(86_400), unknownTimeToLive: Duration = .seconds(60),
        entries: Int = 20_000, clock: TimeSource = .system
    ) {
        let bounds = CacheBounds(entries: entries, bytes: Self.kindLimit)
        bySymbol = ReadCache(
            "listing", bounds, freshness: .fixed(timeToLive), weight: { _ in Self.listingWeight }, time: clock
        )
        byKey = ReadCache(
            "listing", bounds, freshness: .fixed(timeToLive), weight: { _ in Self.listingWeight }, time: clock
        )
        details = ReadCache(
            "instrument", bounds, freshness: .fixed(timeToLive), weight: { _ in Self.detailsWeight },
            time: clock)
        unknown = ReadCache(
            "listing", CacheBounds(entries: entries, bytes: Self.unknownLimit),
            freshness: .fixed(unknownTimeToLive), time: clock)
    }

    /// With its texts, about.
    private static let listingWeight = 256
    private static let detailsWeight = 1_024

    /// Keeps what an answer about something else told on the way.
    func learn(_ listings: [SaxoListing], now: ContinuousClock.Instant) async {
        // Nothing is waited for: the values are at hand.
        let context = CallContext(deadline: now + .seconds(1))
        let symbols = Dictionary(listings.map { ($0.symbol, $0) }) { first, _ in first }
        let keys = Dictionary(listings.map { ($0.key, $0) }) { first, _ in first }
        _ = await bySymbol.read(Array(symbols.keys), in: .shared(.saxo), for: context) { _, _ in
            KeyedResults(symbols)
        }
        _ = await byKey.read(Array(keys.keys), in: .shared(.saxo), for: context) { _, _ in
            KeyedResults(keys)
        }
    }

    /// Forgets an instrument that Saxo does not know any more by its Uic.
    func invalidate(_ listing: SaxoListing) {
        bySymbol.invalidate(listing.symbol, in: .shared(.saxo))
        byKey.invalidate(listing.key, in: .shared(.saxo))
        details.invalidate(listing.key, in: .shared(.saxo))
    }
}

extension SaxoInstrumentKey: CacheQuery {
    package var cacheName: String { "\(uic) \(assetType)" }
}
