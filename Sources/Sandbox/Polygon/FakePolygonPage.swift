import Brokerage
import PorticoCore

/// The windows of one page: as many as are complete within the limit of base bars.
///
/// A single window with more base bars than the limit is cut at the limit.
struct FakePolygonPage: Sendable {
    private(set) var aggregates: [Aggregate] = []
    /// The first second of the next page; in descending order, its end; nil on the last page.
    private(set) var next: Int?

    /// One window with its base bars.
    struct Aggregate: Sendable {
        let start: Int
        var bar: Bar
        var count: Int
    }

    /// The number of base bars.
    var baseCount: Int { aggregates.reduce(0) { $0 + $1.count } }

    /// An empty page.
    init() {}

    init(_ query: FakePolygonAggregateQuery, of listing: FakePolygonListing, _ view: MarketView) {
        let bars = view.bars(
            of: listing.instrument, every: query.window.base, from: query.seconds.lowerBound,
            through: query.seconds.upperBound, newestFirst: query.isDescending)
        let first = listing.date(at: query.seconds.lowerBound)
        for (count, candle) in bars.enumerated() {
            guard let start = query.window.start(of: candle, listing, from: first) else { continue }
            let isNew = aggregates.last?.start != start
            guard count < query.limit else {
                if isNew {
                    end(before: candle, start, query)
                } else {
                    deferLastWindow(before: candle, query)
                }
                return
            }
            if isNew {
                aggregates.append(Aggregate(start: start, bar: candle.bar, count: 1))
            } else {
                join(candle.bar, isEarlier: query.isDescending)
            }
        }
    }

    private mutating func join(_ bar: Bar, isEarlier: Bool) {
        let last = aggregates.count - 1
        aggregates[last].bar =
            isEarlier ? bar.joined(with: aggregates[last].bar) : aggregates[last].bar.joined(with: bar)
        aggregates[last].count += 1
    }

    /// Ends the page between two windows.
    private mutating func end(before candle: TimedBar, _ start: Int, _ query: FakePolygonAggregateQuery) {
        // A day of the currencies begins before the midnight of its window.
        next = query.isDescending ? candle.start : min(start, candle.start)
    }

    /// Moves an incomplete last window to the next page, unless it is the only one.
    private mutating func deferLastWindow(before candle: TimedBar, _ query: FakePolygonAggregateQuery) {
        guard aggregates.count > 1, let last = aggregates.popLast(), let previous = aggregates.last else {
            next = candle.start
            return
        }
        next = query.isDescending ? previous.start - 1 : last.start
    }
}

/// The cursor of a `next_url`: the query's pairs, in base64url (RFC 4648, section 5).
enum FakePolygonCursor {
    static func text(_ pairs: [(name: String, value: String)]) -> String {
        Base64.url.encoded(pairs.map { "\($0.name)=\(escaped($0.value))" }.joined(separator: "&").utf8)
    }

    /// Escapes the separators in a value.
    private static func escaped(_ value: String) -> String {
        value.replacing("%", with: "%25").replacing("&", with: "%26")
    }

    /// Returns the pairs of a cursor; nil for an invalid one.
    static func pairs(_ cursor: String) -> [(name: String, value: String)]? {
        guard cursor.utf8.count % 4 != 1, let bytes = Base64.url.decoded(cursor.utf8),
            let text = String(validating: bytes, as: UTF8.self)
        else { return nil }
        return text.split(separator: "&").compactMap { pair in
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { return nil }
            return PercentEncoding.decode(parts[1]).map { (String(parts[0]), $0) }
        }
    }
}
