import Brokerage

/// The windows of one page: as many as the limit of base bars leaves whole.
///
/// A window that alone has more base bars than the limit is told of as far as these go.
struct FakePolygonPage: Sendable {
    private(set) var aggregates: [Aggregate] = []
    /// The second with which the next page begins, or where the newest come first ends; nil on the last page.
    private(set) var next: Int?

    /// One window with the base bars that it is made of.
    struct Aggregate: Sendable {
        let start: Int
        var bar: Bar
        var count: Int
    }

    /// How many base bars went into it.
    var baseCount: Int { aggregates.reduce(0) { $0 + $1.count } }

    /// An empty page.
    init() {}

    init(_ query: FakePolygonAggregateQuery, of listing: FakePolygonListing, _ view: MarketView) {
        let bars = view.bars(
            of: listing.instrument, every: query.window.base, from: query.seconds.lowerBound,
            through: query.seconds.upperBound, newestFirst: query.isDescending)
        let first = listing.date(at: query.seconds.lowerBound)
        for (taken, candle) in bars.enumerated() {
            guard let start = query.window.start(of: candle, listing, from: first) else { continue }
            let isNew = aggregates.last?.start != start
            guard taken < query.limit else {
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

    /// The limit falls between two windows.
    private mutating func end(before candle: TimedBar, _ start: Int, _ query: FakePolygonAggregateQuery) {
        // A day of the currencies begins before the midnight that stands for it.
        next = query.isDescending ? candle.start : min(start, candle.start)
    }

    /// The limit falls into the last window, which is left to the next page unless it is the only one.
    private mutating func deferLastWindow(before candle: TimedBar, _ query: FakePolygonAggregateQuery) {
        guard aggregates.count > 1, let last = aggregates.popLast(), let previous = aggregates.last else {
            next = candle.start
            return
        }
        next = query.isDescending ? previous.start - 1 : last.start
    }
}
