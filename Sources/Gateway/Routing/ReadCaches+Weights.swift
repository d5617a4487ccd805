import Brokerage

// About how many bytes the values take that are kept, their texts included: a bound in bytes is none where what users and
// providers write is not counted.

/// A value with texts in it.
protocol CacheWeighted {
    /// All of them, but those that its parts weigh themselves.
    var texts: [String?] { get }
    /// Beyond its own size and its texts.
    var weightOfParts: Int { get }
}

extension CacheWeighted {
    var weightOfParts: Int { 0 }

    /// Its own size, and what lies elsewhere.
    var weight: Int { MemoryLayout<Self>.stride + outlyingWeight }

    /// What lies elsewhere: where the value itself is part of another.
    var outlyingWeight: Int {
        texts.reduce(weightOfParts) { $0 + ($1?.utf8.count ?? 0) }
    }
}

extension Array where Element: CacheWeighted {
    var weight: Int { reduce(0) { $0 + $1.weight } }
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

extension Listing: CacheWeighted {
    var texts: [String?] { [key, assetType, exchange] }
    var weightOfParts: Int { orderTypes?.count ?? 0 }
}

extension Instrument: CacheWeighted {
    var texts: [String?] { [symbol.text, name, exchange, currency, about] }
    var weightOfParts: Int { listing?.outlyingWeight ?? 0 }
}

extension SearchHit: CacheWeighted {
    var texts: [String?] { [region] }
    var weightOfParts: Int { instrument.outlyingWeight }
}

extension Fundamentals: CacheWeighted {
    var texts: [String?] { [symbol.text, name, about, currency, sector, industry, country, website] }
}

extension EquityHistory: CacheWeighted {
    var texts: [String?] { [currency] }
    var weightOfParts: Int { points.count * MemoryLayout<EquityPoint>.stride }
}

extension BrokerWatchlist: CacheWeighted {
    var texts: [String?] { [id, name] }
    var weightOfParts: Int { items.weight }
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
    var texts: [String?] { [symbol.text, currency, timeZone] }
    /// Eight for each figure.
    var weightOfParts: Int {
        let columns = 6 + (bid == nil ? 0 : 4) + (ask == nil ? 0 : 4)
        return count * columns * 8
    }
}
