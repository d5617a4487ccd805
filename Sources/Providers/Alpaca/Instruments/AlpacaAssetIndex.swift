package import Brokerage
package import Upstream

/// Assets to be searched by ticker and name.
///
/// Alpaca lists up to 33,000 assets. So each takes some 30 bytes and its texts, which are side by side in one
/// buffer, and an asset is made of them when it is found.
package struct AlpacaAssetIndex: Sendable {
    let fetchedAt: Instant
    /// Of each asset Alpaca's symbol and the name, then the symbol and the words of the name in lower case.
    private var texts: [UInt8] = []
    private var entries: [Entry] = []
    /// The places of the entries, by their symbols.
    private var bySymbol: [UInt32] = []
    /// The classes and exchanges, of which there are few.
    private var names: [String] = []

    private struct Entry: Sendable {
        /// The start of the texts, and their lengths.
        let start: UInt32
        let key: UInt16
        let name: UInt16
        let ticker: UInt16
        let words: UInt16
        /// The places in ``names``; ``none`` for none.
        let assetClass: UInt8
        let exchange: UInt8
        let isActive: Bool?
        let isTradable: Bool?
        let isFractionable: Bool?
        let isShortable: Bool?

        static let none = UInt8.max
    }

    /// The rank of a match; the first is the best.
    private enum MatchRank: Int, Comparable {
        case ticker
        case startOfTicker
        /// The name begins with the words of the search.
        case startOfName
        /// The name has words that begin with the words of the search.
        case words

        static func < (left: MatchRank, right: MatchRank) -> Bool { left.rawValue < right.rawValue }
    }

    init(fetchedAt: Instant) {
        self.fetchedAt = fetchedAt
    }

    /// Reads the response of `GET /v2/assets`, one asset after the other.
    ///
    /// An asset that cannot be read has only its symbol, class and name; one without these is left out, because nothing
    /// names it.
    package init(json reader: inout JSONReader, fetchedAt: Instant) throws(JSONError) {
        self.init(fetchedAt: fetchedAt)
        try reader.array { reader throws(JSONError) in
            let asset = try reader.row { reader throws(JSONError) -> AlpacaAsset? in
                try AlpacaAsset(json: &reader)
            } otherwise: { _, reader throws(JSONError) in
                try reader.readable(AlpacaAsset.init(outline:))
            }
            if let asset { add(asset) }
        }
        sort()
    }

    /// The approximate size in bytes.
    package var weight: Int {
        texts.capacity + entries.capacity * MemoryLayout<Entry>.stride
            + bySymbol.capacity * MemoryLayout<UInt32>.stride
    }

    package var count: Int { entries.count }

    /// The best matches in order: by ticker, by a prefix of it, by words of the name; among equal matches,
    /// first tradable assets, then shorter tickers.
    package func search(_ text: String, limit: Int) -> [AlpacaAsset] {
        let ticker = Array(text.lowercased().utf8.filter { $0 != Self.space })
        let words = Self.words(text)
        guard !ticker.isEmpty, limit > 0 else { return [] }
        var hits: [(rank: MatchRank, place: Int)] = []
        for place in entries.indices {
            if let rank = rank(entries[place], ticker, words) { hits.append((rank, place)) }
        }
        hits.sort { isBetter($0, $1) }
        return hits.prefix(limit).compactMap { asset(entries[$0.place]) }
    }

    /// The asset of a symbol of Portico; of an active and a past one the active one.
    package subscript(symbol: Symbol) -> AlpacaAsset? {
        // The symbols of Portico and of Alpaca differ for coins only, which the list does not have.
        let key = Array(symbol.text.utf8)
        var (low, high) = (0, bySymbol.count)
        while low < high {
            let middle = (low + high) / 2
            if self.key(middle).lexicographicallyPrecedes(key) { low = middle + 1 } else { high = middle }
        }
        let same = bySymbol[low...].prefix { self.text($0).elementsEqual(key) }.map { entries[Int($0)] }
        return (same.first { $0.isActive != false } ?? same.first).flatMap(asset)
    }

    // MARK: Construction

    private mutating func add(_ asset: AlpacaAsset) {
        let (key, name) = (Array(asset.key.utf8), Array((asset.name ?? "").utf8.prefix(Self.maximumName)))
        let ticker = Array(asset.symbol.text.lowercased().utf8)
        let words = Array(Self.words(String(decoding: name, as: UTF8.self)).joined(separator: [Self.space]))
        guard let start = UInt32(exactly: texts.count), let keyLength = UInt16(exactly: key.count),
            let nameLength = UInt16(exactly: name.count), let tickerLength = UInt16(exactly: ticker.count),
            let wordsLength = UInt16(exactly: words.count)
        else { return }
        entries.append(
            Entry(
                start: start, key: keyLength, name: nameLength, ticker: tickerLength, words: wordsLength,
                assetClass: place(of: asset.assetClass), exchange: place(of: asset.exchange),
                isActive: asset.isActive, isTradable: asset.isTradable, isFractionable: asset.isFractionable,
                isShortable: asset.isShortable))
        texts += key
        texts += name
        texts += ticker
        texts += words
    }

    /// Longer names are shortened; Alpaca's longest has some 200 bytes.
    private static let maximumName = 1_000
    private static let space = UInt8(ascii: " ")

    private mutating func place(of name: String?) -> UInt8 {
        guard let name else { return Entry.none }
        if let place = names.firstIndex(of: name) { return UInt8(place) }
        // Alpaca has some ten of both; others are unknown.
        guard names.count < Int(Entry.none), name.utf8.count <= Self.maximumName else { return Entry.none }
        names.append(name)
        return UInt8(names.count - 1)
    }

    private mutating func sort() {
        // Without the places that arrays reserve while they grow.
        texts = Array(texts[...])
        entries = Array(entries[...])
        bySymbol = entries.indices.map { UInt32($0) }.sorted { text($0).lexicographicallyPrecedes(text($1)) }
    }

    // MARK: Texts

    private func key(_ place: Int) -> ArraySlice<UInt8> { text(bySymbol[place]) }

    /// Alpaca's symbol of an entry.
    private func text(_ place: UInt32) -> ArraySlice<UInt8> { slice(entries[Int(place)], 0, \.key) }

    private func slice(
        _ entry: Entry, _ offset: Int, _ length: KeyPath<Entry, UInt16>
    ) -> ArraySlice<UInt8> {
        let start = Int(entry.start) + offset
        return texts[start..<start + Int(entry[keyPath: length])]
    }

    private func ticker(_ entry: Entry) -> ArraySlice<UInt8> {
        slice(entry, Int(entry.key) + Int(entry.name), \.ticker)
    }

    private func asset(_ entry: Entry) -> AlpacaAsset? {
        let key = String(decoding: slice(entry, 0, \.key), as: UTF8.self)
        guard let symbol = Symbol(key) else { return nil }
        var asset = AlpacaAsset()
        let name = String(decoding: slice(entry, Int(entry.key), \.name), as: UTF8.self)
        func text(_ place: UInt8) -> String? { place == Entry.none ? nil : names[Int(place)] }
        asset.key = key
        asset.name = name.isEmpty ? nil : name
        asset.assetClass = text(entry.assetClass)
        asset.exchange = text(entry.exchange)
        asset.symbol = AlpacaSymbols.symbol(symbol, ofClass: asset.assetClass)
        asset.isActive = entry.isActive
        asset.isTradable = entry.isTradable
        asset.isFractionable = entry.isFractionable
        asset.isShortable = entry.isShortable
        return asset
    }

    // MARK: Matches

    private func rank(_ entry: Entry, _ wanted: [UInt8], _ words: [[UInt8]]) -> MatchRank? {
        let ticker = ticker(entry)
        if ticker.starts(with: wanted) { return ticker.count == wanted.count ? .ticker : .startOfTicker }
        guard let last = words.last, entry.words > 0 else { return nil }
        let own = slice(entry, Int(entry.key) + Int(entry.name) + Int(entry.ticker), \.words)
            .split(separator: Self.space)
        guard own.count >= words.count else { return nil }
        let whole = words.dropLast()
        if zip(own, whole).allSatisfy({ $0.elementsEqual($1) }), own[whole.count].starts(with: last) {
            return .startOfName
        }
        let hasAll = words.allSatisfy { word in own.contains { $0.starts(with: word) } }
        return hasAll ? .words : nil
    }

    private func isBetter(
        _ left: (rank: MatchRank, place: Int), _ right: (rank: MatchRank, place: Int)
    ) -> Bool {
        if left.rank != right.rank { return left.rank < right.rank }
        let (first, second) = (entries[left.place], entries[right.place])
        let (isFirst, isSecond) = (first.isTradable == true, second.isTradable == true)
        if isFirst != isSecond { return isFirst }
        if first.ticker != second.ticker { return first.ticker < second.ticker }
        return ticker(first).lexicographicallyPrecedes(ticker(second))
    }

    /// The words in lower case: `at`, `t`, `inc` of `AT&T Inc.`.
    private static func words(_ text: String) -> [[UInt8]] {
        text.lowercased().split { !$0.isLetter && !$0.isNumber }.map { Array($0.utf8) }
    }
}
