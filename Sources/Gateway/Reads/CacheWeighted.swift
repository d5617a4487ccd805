import Brokerage
import Storage
import Upstream

// Approximate sizes of cached values in bytes, including texts from users and providers; without these
// texts, the bound in bytes would have no effect.

/// A value with texts, whose size a cache counts.
protocol CacheWeighted {
    /// All texts, except those of parts that count their own.
    var texts: [String?] { get }
    /// The size of its parts, in addition to its own size and its texts.
    var weightOfParts: Int { get }
}

extension CacheWeighted {
    var weightOfParts: Int { 0 }

    /// Its own size, and that of its parts outside of the value.
    package var weight: Int { MemoryLayout<Self>.stride + outlyingWeight }

    /// The size of the parts outside of the value itself, for a value that is part of another.
    var outlyingWeight: Int {
        texts.reduce(weightOfParts) { $0 + ($1?.utf8.count ?? 0) }
    }
}

extension Array where Element: CacheWeighted {
    var weight: Int { reduce(0) { $0 + $1.weight } }
}

extension Array where Element == String {
    /// The size of texts with their places.
    var textWeight: Int { reduce(0) { $0 + $1.utf8.count + MemoryLayout<String>.stride } }
}

extension Account: CacheWeighted {
    var texts: [String?] { [id, number, name, currency, status] }
}

extension StoredAccount: CacheWeighted {
    var texts: [String?] { [id, number, name, currency] }
}

extension Position: CacheWeighted {
    var texts: [String?] { [accountID, symbol.text, currency, status, inAccountCurrency?.currency] }
    var weightOfParts: Int { listing?.outlyingWeight ?? 0 }
}

extension PositionList: CacheWeighted {
    var texts: [String?] { [] }
    var weightOfParts: Int { positions.weight + unreadable.textWeight }
}

extension ClosedPosition: CacheWeighted {
    var texts: [String?] { [id, accountID, symbol.text, currency] }
}

extension ReadableList: CacheWeighted where Element: CacheWeighted {
    var texts: [String?] { [] }
    var weightOfParts: Int { elements.weight + unreadable.textWeight }
}

extension MarketDepth: CacheWeighted {
    var texts: [String?] { [symbol.text, currency] }
    var weightOfParts: Int { (bids.count + asks.count) * MemoryLayout<Level>.stride }
}

extension Listing: CacheWeighted {
    var texts: [String?] { [key, assetType, exchange] }
    var weightOfParts: Int {
        (orderTypes?.count ?? 0)
            + (priceIncrements?.ranges.count ?? 0) * MemoryLayout<PriceIncrements.Range>.stride
    }
}

extension TradingPermissions: CacheWeighted {
    var texts: [String?] { [] }
    var weightOfParts: Int { orderTypes?.count ?? 0 }
}

extension Instrument: CacheWeighted {
    var texts: [String?] { [symbol.text, name, exchange, marketCode, figi, shareClassFIGI, currency, about] }
    var weightOfParts: Int { listing?.outlyingWeight ?? 0 }
}

extension SearchHit: CacheWeighted {
    var texts: [String?] { [region] }
    var weightOfParts: Int { instrument.outlyingWeight }
}

extension SearchHits: CacheWeighted {
    var texts: [String?] { unreadable }
    var weightOfParts: Int { hits.weight }
}

extension Fundamentals: CacheWeighted {
    var texts: [String?] { [symbol.text, name, about, currency, sector, industry, country, website] }
}

extension DividendHistory: CacheWeighted {
    var texts: [String?] { [symbol.text, isin] + unreadable }
    var weightOfParts: Int { dividends.count * MemoryLayout<Dividend>.stride }
}

extension SplitHistory: CacheWeighted {
    var texts: [String?] { [symbol.text] + unreadable }
    var weightOfParts: Int { splits.count * MemoryLayout<Split>.stride }
}

extension SpinOffHistory: CacheWeighted {
    var texts: [String?] { [symbol.text] }
    var weightOfParts: Int { spinOffs.count * MemoryLayout<SpinOff>.stride }
}

extension EquityHistory: CacheWeighted {
    var texts: [String?] { [currency] }
    var weightOfParts: Int { points.count * MemoryLayout<EquityPoint>.stride + unreadable.textWeight }
}

extension BrokerWatchlist: CacheWeighted {
    var texts: [String?] { [id, name] }
    var weightOfParts: Int { items.weight + unreadable.textWeight }
}

extension BrokerWatchlists: CacheWeighted {
    var texts: [String?] { [] }
    var weightOfParts: Int { lists.weight + unreadable.textWeight }
}

extension BrokerWatchlist.Item: CacheWeighted {
    var texts: [String?] { [symbol.text, name] }
}

extension Quote: CacheWeighted {
    var texts: [String?] { [symbol.text, currency, feed] }
}

extension Article: CacheWeighted {
    var texts: [String?] { [id, headline, summary, author, url, imageURL, publisher] }
    var weightOfParts: Int {
        symbols.reduce(0) { $0 + MemoryLayout<Symbol>.stride + $1.text.utf8.count }
    }
}

extension ProviderArticlePage: CacheWeighted {
    var texts: [String?] { [page.next] }
    var weightOfParts: Int { page.articles.weight }
}

extension CandleSeries: CacheWeighted {
    var texts: [String?] { [symbol.text, currency, timeZone] + unreadable }
    /// Eight for each figure.
    var weightOfParts: Int {
        let columns = 6 + (bid == nil ? 0 : 4) + (ask == nil ? 0 : 4)
        return count * columns * 8
    }
}
