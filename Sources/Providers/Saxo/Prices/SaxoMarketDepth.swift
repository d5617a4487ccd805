package import Brokerage
package import Upstream

extension SaxoClient: MarketDepthSource {
    /// The order book of an instrument: `GET /trade/v1/infoprices` with the field group `MarketDepth`.
    ///
    /// Without a subscription to the order book, Saxo leaves the group out.
    package func marketDepth(
        of symbol: Symbol, in context: CallContext
    ) async throws(ProviderFailure) -> MarketDepth {
        guard var listing = try await listing(for: symbol, in: context) else {
            throw ProviderFailure(.saxo, .notFound)
        }
        if listing.currencyName != nil { listing = try await withPriceUnit(listing, in: context) }
        let url = try address(
            .trading, ["v1", "infoprices"],
            [
                ("Uic", String(listing.key.uic)), ("AssetType", listing.key.assetType),
                ("FieldGroups", "Quote,MarketDepth"),
            ])
        let price = try await get("market depth", .trading, url, in: context) { response throws(JSONError) in
            try SaxoMarketDepth(json: response.body)
        }
        // Levels without prices would look like an empty order book.
        guard price.levels == nil || !listing.lacksPriceUnit else {
            throw ProviderFailure(.saxo, .invalidResponse(nil))
        }
        return price.depth(of: listing.named(symbol), fetchedAt: clock.wallTime())
    }
}

/// An info price with its field group `MarketDepth`.
struct SaxoMarketDepth: JSONObjectDecodable, Hashable {
    var levels: Levels?
    var quote = Quote()
    var lastUpdated: Instant?

    /// Parallel arrays, the best price first.
    struct Levels: JSONObjectDecodable, Hashable {
        var bid: [Decimal] = []
        var bidSize: [Decimal] = []
        var bidOrders: [Decimal] = []
        var ask: [Decimal] = []
        var askSize: [Decimal] = []
        var askOrders: [Decimal] = []
        /// Whether the numbers of orders are reported.
        var countsOrders: Bool?

        static let json = JSONFields(Self()) {
            $0.optional("Bid", \.bid, JSONReader.decimals)
            $0.optional("BidSize", \.bidSize, JSONReader.decimals)
            $0.optional("BidOrders", \.bidOrders, JSONReader.decimals)
            $0.optional("Ask", \.ask, JSONReader.decimals)
            $0.optional("AskSize", \.askSize, JSONReader.decimals)
            $0.optional("AskOrders", \.askOrders, JSONReader.decimals)
            $0.optional("UsingOrders", \.countsOrders)
        }
    }

    struct Quote: JSONObjectDecodable, Hashable {
        var bidType: String?
        var askType: String?

        static let json = JSONFields(Self()) {
            $0.optional("PriceTypeBid", \.bidType)
            $0.optional("PriceTypeAsk", \.askType)
        }
    }

    static let json = JSONFields(Self()) {
        $0.optional("MarketDepth", \.levels)
        $0.optional("Quote", \.quote)
        $0.optional("LastUpdated", \.lastUpdated) { reader throws(JSONError) in try reader.timeOrNil() }
    }

    func depth(of listing: SaxoListing, fetchedAt: Instant) -> MarketDepth {
        var depth = MarketDepth(
            symbol: listing.symbol,
            provenance: Provenance(source: .saxo, fetchedAt: fetchedAt, asOf: lastUpdated))
        depth.currency = listing.currency?.code
        guard let levels else {
            depth.unavailability =
                if SaxoSymbols.pairTypes.contains(listing.key.assetType) {
                    .noOrderBook
                } else if quote.bidType == "NoAccess", quote.askType == "NoAccess" {
                    .noMarketAccess
                } else {
                    .notSubscribed
                }
            return depth
        }
        let counts = levels.countsOrders != false
        depth.bids = Self.levels(
            levels.bid, levels.bidSize, counts ? levels.bidOrders : [], of: listing)
        depth.asks = Self.levels(
            levels.ask, levels.askSize, counts ? levels.askOrders : [], of: listing)
        return depth
    }

    private static let maximumLevels = 100

    /// The levels of one side; a level whose price has too many digits is left out.
    private static func levels(
        _ prices: [Decimal], _ sizes: [Decimal], _ orders: [Decimal], of listing: SaxoListing
    ) -> [MarketDepth.Level] {
        prices.prefix(maximumLevels).enumerated().compactMap { place, price in
            guard let price = listing.major(price: price) else { return nil }
            return MarketDepth.Level(
                price: price, quantity: place < sizes.count ? sizes[place] : nil,
                orderCount: place < orders.count ? Int(orders[place].description) : nil)
        }
    }
}

extension JSONReader {
    /// Reads an array of numbers; for field tables.
    fileprivate static func decimals(_ reader: inout JSONReader) throws(JSONError) -> [Decimal] {
        try reader.array(of: Decimal.self)
    }
}
