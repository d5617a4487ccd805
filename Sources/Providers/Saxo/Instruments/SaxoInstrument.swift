package import Brokerage
package import Upstream

/// An item of `GET /ref/v1/instruments`, in which the Uic is called `Identifier`.
package struct SaxoInstrument: JSONObjectDecodable, Hashable {
    package var key = SaxoInstrumentKey()
    /// For display: `AAPL:xnas`.
    package var providerSymbol = ""
    var name: String?
    package var currency: String?
    var exchangeID: String?
    var primaryListing: Int?
    /// False for a family of instruments, such as all options on a share, whose key ``key`` is.
    var isInstrument = true

    package static let json = JSONFields(Self()) {
        $0.required("Identifier", \.key.uic)
        $0.required("AssetType", \.key.assetType)
        $0.required("Symbol", \.providerSymbol)
        $0.optional("Description", \.name)
        $0.optional("CurrencyCode", \.currency)
        $0.optional("ExchangeId", \.exchangeID)
        $0.optional("PrimaryListing", \.primaryListing)
        $0.optional("SummaryType", \.isInstrument) { reader throws(JSONError) in
            try reader.string() == "Instrument"
        }
    }
}

extension SaxoInstrument {
    func listing(in symbolMapping: SaxoSymbols) -> SaxoListing? {
        symbolMapping.symbol(of: key, providerSymbol: providerSymbol).map {
            SaxoListing(key, symbol: $0, currencyName: currency)
        }
    }

    func hit(in symbolMapping: SaxoSymbols, fetchedAt: Instant) -> SearchHit? {
        guard let symbol = symbolMapping.symbol(of: key, providerSymbol: providerSymbol) else { return nil }
        var instrument = Instrument(
            symbol: symbol, assetClass: AssetClass(saxo: key),
            provenance: Provenance(source: .saxo, fetchedAt: fetchedAt))
        instrument.name = name
        instrument.marketCode = SaxoSymbols.exchange(in: providerSymbol)
        instrument.exchange = instrument.marketCode ?? exchangeID
        instrument.currency = currency.map { SaxoCurrency($0).code }
        var listing = Listing(saxo: key)
        listing.exchange = exchangeID
        instrument.listing = listing
        return SearchHit(instrument: instrument)
    }
}

extension SaxoSymbols {
    /// The market identifier code in one of Saxo's symbols: `XNAS`.
    static func exchange(in spelling: String) -> String? {
        guard let colon = spelling.lastIndex(of: ":") else { return nil }
        let code = spelling[spelling.index(after: colon)...].uppercased()
        return Exchange(code: code)?.code ?? (code.utf8.count == 4 ? code : nil)
    }
}

/// The instruments of symbols at Saxo, stored for a day after they were looked up.
///
/// The data is public and shared by all users: it contains instruments, not who owns them.
package struct SaxoInstrumentCache: Sendable {
    package let bySymbol: ReadCache<Symbol, SaxoListing>
    let byKey: ReadCache<SaxoInstrumentKey, SaxoListing>
    let details: ReadCache<SaxoInstrumentKey, SaxoInstrumentDetails>
    /// Listings of watchlists, whose currency is unknown.
    let listed: ReadCache<Symbol, SaxoListing>
    /// Symbols that Saxo did not know when they were looked up.
    let unknown: ReadCache<Symbol, Bool>

    /// How long a listing is stored.
    private static let timeToLive = Duration.seconds(86_400)
    /// How long a symbol that Saxo does not know is not looked up again.
    private static let unknownTimeToLive = Duration.seconds(60)
    /// The maximum number of entries of each kind.
    private static let entries = 20_000
    private static let kindLimit = 2 << 20
    private static let unknownLimit = 512 << 10
    private static let listedLimit = 512 << 10
    /// The most memory of all caches together, in bytes.
    package static let weightLimit = 3 * kindLimit + listedLimit + unknownLimit

    package init(clock: TimeSource = .system) {
        let bounds = CacheBounds(entries: Self.entries, bytes: Self.kindLimit)
        bySymbol = ReadCache(
            "listing", bounds, freshness: .fixed(Self.timeToLive), weight: { _ in Self.listingWeight },
            loadsWithCallersCredential: true, time: clock)
        byKey = ReadCache(
            "listing", bounds, freshness: .fixed(Self.timeToLive), weight: { _ in Self.listingWeight },
            time: clock
        )
        details = ReadCache(
            "instrument", bounds, freshness: .fixed(Self.timeToLive), weight: { _ in Self.detailsWeight },
            loadsWithCallersCredential: true, time: clock)
        listed = ReadCache(
            "listing", CacheBounds(entries: Self.entries, bytes: Self.listedLimit),
            freshness: .fixed(Self.timeToLive), weight: { _ in Self.listingWeight }, time: clock)
        unknown = ReadCache(
            "listing", CacheBounds(entries: Self.entries, bytes: Self.unknownLimit),
            freshness: .fixed(Self.unknownTimeToLive), time: clock)
    }

    /// With its texts, about.
    private static let listingWeight = 256
    private static let detailsWeight = 1_024

    /// Stores listings that a response about another subject contained, without a unit of prices that only details state.
    ///
    /// Those of watchlists without a currency are stored separately: the number of look-ups of other reads does not depend
    /// on whether a list was read before.
    func learn(_ listings: [SaxoListing], now: ContinuousClock.Instant) async {
        // It does not wait: the values are available.
        let context = CallContext(deadline: now + .seconds(1))
        let complete = listings.filter { $0.currencyName != nil }
        let symbols = Dictionary(complete.map { ($0.symbol, $0) }) { first, _ in first }
        let keys = Dictionary(complete.map { ($0.key, $0) }) { first, _ in first }
        let incomplete = listings.filter { $0.currencyName == nil }
        let listed = Dictionary(incomplete.map { ($0.symbol, $0) }) { first, _ in first }
        _ = await self.listed.read(Array(listed.keys), in: .shared(.saxo), for: context) { _, _ in
            KeyedResults(listed)
        }
        _ = await bySymbol.read(Array(symbols.keys), in: .shared(.saxo), for: context) { _, _ in
            KeyedResults(symbols)
        }
        _ = await byKey.read(Array(keys.keys), in: .shared(.saxo), for: context) { _, _ in
            KeyedResults(keys)
        }
    }

    /// Removes an instrument whose Uic Saxo no longer knows.
    func invalidate(_ listing: SaxoListing) {
        bySymbol.invalidate(listing.symbol, in: .shared(.saxo))
        listed.invalidate(listing.symbol, in: .shared(.saxo))
        byKey.invalidate(listing.key, in: .shared(.saxo))
        details.invalidate(listing.key, in: .shared(.saxo))
    }
}

extension SaxoInstrumentKey: CacheQuery {
    package var cacheName: String { "\(uic) \(assetType)" }
}
